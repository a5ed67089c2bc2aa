#include "core/questions/compare/quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/measure/statistics.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

template <class Quantity>
std::optional<double> median_power(const Quantity& quantity) {
  if (quantity.key.scope != Scope::node) return {};
  auto powers = told_by(quantity.rows, [](const auto& row) { return row.conditions.power_w; });
  std::erase_if(powers, [](double power_w) { return !(power_w > 0); });
  return measure::median_if_any(powers);
}

}  // namespace

CeilingKey key_of(const Ceiling& row, const DeviceInfo& device) {
  const bool of_level = row.kind == CeilingKind::bandwidth || row.kind == CeilingKind::latency;
  const bool outermost = of_level && !device.memory.empty() && device.memory.back().name == row.name;
  CeilingKey key{.kind = row.kind,
                 .name = outermost ? main_memory_role : row.name,
                 .dtype = row.dtype,
                 .accumulate = row.accumulate,
                 .access = row.access,
                 .stores = row.stores,
                 .at = row.at,
                 .variant = row.variant,
                 .scope = row.scope};
  if (row.dtype && !row.accumulate) key.accumulate = uniform_types(*row.dtype).accumulate;
  return key;
}

bool is_main_stream(const CeilingKey& key) {
  return key.kind == CeilingKind::bandwidth && key.name == main_memory_role && key.scope == Scope::node &&
         (key.access == Access::triad || key.access == Access::none) && key.variant.empty() &&
         key.stores != Stores::non_temporal;
}

PointKey key_of(const Point& row) {
  return {.op = row.op,
          .params = row.params,
          .types = row.types,
          .cold = row.cold,
          .launches = row.launches,
          .graph = row.graph,
          .scope = row.scope,
          .kernel = row.imported ? row.imported->name : std::string()};
}

std::string label_of(const CeilingKey& key) {
  std::string label = key.name;
  if (key.kind == CeilingKind::latency) label += " latency";
  if (key.dtype) label += fmt::format(" {}", to_string(*key.dtype));
  if (key.accumulate && key.accumulate != key.dtype) label += fmt::format("->{}", to_string(*key.accumulate));
  if (key.access != Access::none) label += fmt::format(" {}", to_string(key.access));
  if (key.stores == Stores::non_temporal) label += " (non-temporal)";
  if (!key.variant.empty()) label += fmt::format(", {}", key.variant);
  return label;
}

std::string label_of(const PointKey& key) {
  std::string label = fmt::format("{} {}", key.op, to_string(key.types.a));
  if (key.types.b != key.types.a) label += fmt::format(" x {}", to_string(key.types.b));
  if (key.types.out != key.types.a) label += fmt::format(" -> {}", to_string(key.types.out));
  const Types usual = uniform_types(key.types.a);
  if (key.types.accumulate != usual.accumulate) label += fmt::format("->{}", to_string(key.types.accumulate));
  if (key.types.compute != usual.compute) label += fmt::format(" computed in {}", to_string(key.types.compute));
  if (!key.params.empty()) label += fmt::format(" {}", key.params);
  std::vector<std::string> manner;
  if (key.cold) manner.emplace_back("cold");
  if (key.launches > 1) manner.push_back(fmt::format("{} launches", key.launches));
  if (key.graph) manner.emplace_back("graph");
  return manner.empty() ? label : fmt::format("{} ({})", label, fmt::join(manner, ", "));
}

std::string place_of(const CeilingKey& key) {
  std::string text = label_of(key);
  if (key.at != OperatingPoint::none) text += fmt::format(" {}", to_string(key.at));
  if (key.scope != Scope::node) text += fmt::format(" ({})", to_string(key.scope));
  return text;
}

std::string place_of(const PointKey& key) {
  return key.scope == Scope::node ? label_of(key) : fmt::format("{} ({})", label_of(key), to_string(key.scope));
}

Figure figure_of(const std::vector<const Estimate*>& runs, std::string unit, bool higher_is_better) {
  const auto values = mapped(runs, &Estimate::value);
  Figure figure{.value = measure::median(values),
                .runs = static_cast<int>(runs.size()),
                .unit = std::move(unit),
                .higher_is_better = higher_is_better,
                .smallest = std::ranges::min(values),
                .largest = std::ranges::max(values)};
  if (runs.size() > 1) {
    figure.low = figure.smallest;
    figure.high = figure.largest;
    for (const Estimate* run : runs) {
      figure.low = std::min(*figure.low, run->low());
      figure.high = std::max(*figure.high, run->high());
    }
    figure.spread = Spread::between_runs;
  } else if (runs.front()->ci_low && runs.front()->ci_high) {
    figure.low = runs.front()->ci_low;
    figure.high = runs.front()->ci_high;
    figure.spread = Spread::within_run;
  }
  return figure;
}

void set_figure(Estimate& estimate, const Figure& figure) {
  estimate.value = figure.value;
  estimate.ci_low = figure.low;
  estimate.ci_high = figure.high;
}

std::optional<double> power_of(const CeilingQuantity& quantity) { return median_power(quantity); }
std::optional<double> power_of(const PointQuantity& quantity) { return median_power(quantity); }

}  // namespace gable::questions
