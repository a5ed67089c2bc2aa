#include "core/analysis/device_power.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/measure/statistics.hpp"

namespace gable::analysis {
namespace {

constexpr auto bases = enum_names<PowerBasis>(
    {{PowerBasis::stated, "stated"}, {PowerBasis::measured, "measured"}, {PowerBasis::tdp, "tdp"}});

/// Of the rows that count, each with its share; without such rows the median over all of the whole device's.
std::optional<DevicePower> measured_power(const Subject& subject, std::size_t i,
                                          const std::vector<RowWeight>& weights) {
  if (const auto mean = weighted_power(i, weights)) {
    const auto rows = std::ranges::count_if(
        weights, [&](const RowWeight& one) { return one.row->cells[i] && one.row->cells[i]->power_w; });
    return DevicePower{*mean, PowerBasis::measured, static_cast<std::size_t>(rows)};
  }
  std::vector<double> all;
  const auto note = [&](const auto& quantities) {
    for (const auto& quantity : quantities) {
      if (const auto watt = power_of(quantity)) all.push_back(*watt);
    }
  };
  note(subject.points);
  note(subject.ceilings);
  if (all.empty()) return {};
  return DevicePower{measure::median(all), PowerBasis::measured, all.size()};
}

}  // namespace

std::string_view to_string(PowerBasis basis) { return bases.name(basis); }

std::optional<double> weighted_power(std::size_t i, const std::vector<RowWeight>& weights) {
  double sum = 0, shares = 0;
  for (const RowWeight& one : weights) {
    const auto& cell = one.row->cells[i];
    if (!cell || !cell->power_w) continue;
    sum += one.share * *cell->power_w;
    shares += one.share;
  }
  return shares > 0 ? std::optional{sum / shares} : std::nullopt;
}

DevicePower device_power(const Subject& subject, std::size_t i, const std::vector<RowWeight>& weights,
                         std::optional<double> stated) {
  if (stated) return {*stated, PowerBasis::stated, 0};
  if (const auto measured = measured_power(subject, i, weights)) return *measured;
  if (subject.tdp_w) return {*subject.tdp_w, PowerBasis::tdp, 0};
  throw Error(
      fmt::format("no power of {} is known: none was read while it was measured, and the catalogue has no TDP "
                  "of it; --power states one",
                  subject.name));
}

}  // namespace gable::analysis
