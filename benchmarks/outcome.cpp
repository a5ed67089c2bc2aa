#include "benchmarks/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"
#include "core/text/text_table.hpp"

namespace gable::bench {
namespace {

std::string types_of(const Types& types) {
  if (types.a == types.b && types.a == types.out) return std::string(to_string(types.a));
  return fmt::format("{} x {} -> {}", to_string(types.a), to_string(types.b), to_string(types.out));
}

std::string range_of(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return fmt::format("{:.2f} .. {:.2f}", least, most);
}

}  // namespace

std::string verdict(const Outcome& outcome) {
  if (!outcome.goal) return "no goal";
  if (measure::median(outcome.ratios) >= *outcome.goal) return "met";
  return outcome.missing.empty() ? "missed" : fmt::format("no roof for {}", outcome.missing);
}

std::string table(const std::vector<Outcome>& outcomes) {
  TextTable lines({{"operator"},
                   {"type"},
                   {"sizes"},
                   {"data in"},
                   {"time", true},
                   {"figure"},
                   {"median", true},
                   {"range"},
                   {"non-temporal", true},
                   {"limit"},
                   {"goal", true},
                   {"verdict"}});
  for (const Outcome& one : outcomes) {
    if (one.ratios.empty()) continue;
    const auto named = one.implementation == "kokkos" ? one.op : fmt::format("{} ({})", one.op, one.implementation);
    lines.add({named, types_of(one.types), one.params, one.where, format_quantity(measure::median(one.times_s), "s"),
               one.figure, fmt::format("{:.3f}", measure::median(one.ratios)), range_of(one.ratios),
               one.non_temporal.empty() ? "" : fmt::format("{:.2f}", measure::median(one.non_temporal)), one.limit,
               one.goal ? fmt::format("{:.2f}", *one.goal) : "", verdict(one)});
  }
  constexpr int wide = 240;
  return lines.render(wide);
}

nlohmann::json to_json(const std::vector<Outcome>& outcomes) {
  auto all = nlohmann::json::array();
  for (const Outcome& one : outcomes) {
    nlohmann::json json{{"operator", one.op},
                        {"implementation", one.implementation},
                        {"types", types_of(one.types)},
                        {"params", one.params},
                        {"data_in", one.where},
                        {"figure", one.figure},
                        {"time_s", one.times_s},
                        {"ratios", one.ratios},
                        {"limit", one.limit},
                        {"missing_roofs", one.missing},
                        {"non_temporal_ratios", one.non_temporal},
                        {"goal", one.goal ? nlohmann::json(*one.goal) : nlohmann::json()}};
    if (!one.ratios.empty()) {
      json["median"] = measure::median(one.ratios);
      json["verdict"] = verdict(one);
    }
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace gable::bench
