#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/compare_json_parts.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using nlohmann::ordered_json;

ordered_json device_json(const OwnedDevice& device, std::size_t subject) {
  ordered_json json{{"subject", subject},
                    {"capital", device.capital},
                    {"power_w", device.power.watt},
                    {"power_is", to_string(device.power.basis)},
                    {"power_meter", to_string(device.power.meter)},
                    {"idle_power_w", device.idle_power_w},
                    {"energy_kwh", device.energy_kwh},
                    {"energy_cost", device.energy_cost},
                    {"total", device.total}};
  if (device.power.rows > 0) {
    json["power_rows"] = device.power.rows;
    json["power_of_rows"] = device.power.of_rows;
    json["least_power_w"] = *device.power.least_w;
    json["most_power_w"] = *device.power.most_w;
  }
  const auto add = [&](const char* key, const std::optional<Ratio>& ratio) {
    if (ratio) json[key] = ratio_json(*ratio);
  };
  add("performance_vs_baseline", device.performance);
  add("performance_per_cost_vs_baseline", device.per_cost);
  add("performance_per_watt_vs_baseline", device.per_watt);
  if (device.devices) json["devices"] = *device.devices;
  add("performance_of_all_in_baseline_devices", device.whole);
  return json;
}

ordered_json assumptions_json(const CostAssumptions& assumed) {
  ordered_json json{{"years", assumed.years},
                    {"tariff_per_kwh", assumed.tariff_per_kwh},
                    {"pue", assumed.pue},
                    {"utilisation", assumed.utilisation}};
  if (assumed.power_budget_w) json["power_budget_w"] = *assumed.power_budget_w;
  if (assumed.money_budget) json["money_budget"] = *assumed.money_budget;
  return json;
}

ordered_json decision_json(const TotalCost& cost) {
  ordered_json json{{"by", to_string(cost.criterion)},
                    {"best", *cost.best},
                    {"decided", std::ranges::all_of(cost.leads, &Lead::decided)},
                    {"leads", ordered_json::array()}};
  for (const Lead& lead : cost.leads) {
    ordered_json one{{"over", lead.over}, {"only_by_rounding", lead.by_rounding}};
    if (lead.ratio) one["ratio"] = ratio_json(*lead.ratio);
    json["leads"].push_back(std::move(one));
  }
  return json;
}

ordered_json break_even_json(const BreakEven& one) {
  ordered_json json{{"assumption", to_string(one.assumption)}, {"now", one.now}};
  if (one.subject) json["subject"] = *one.subject;
  if (!one.name.empty()) json["name"] = one.name;
  if (one.assumption == Assumption::performance) json["within_interval"] = one.within_interval;
  if (one.at) json["turns_at"] = *one.at;
  if (one.to) json["to"] = *one.to;
  return json;
}

}  // namespace

ordered_json total_cost_json(const TotalCost& cost) {
  ordered_json json{{"assumptions", assumptions_json(cost.assumptions)},
                    {"rows", cost.rows},
                    {"rows_above_roof", cost.rows_above_roof},
                    {"devices", ordered_json::array()}};
  for (std::size_t i = 0; i < cost.devices.size(); ++i) json["devices"].push_back(device_json(cost.devices[i], i));
  if (cost.undecided) json["undecided"] = to_string(*cost.undecided);
  if (!cost.best) return json;
  json["decision"] = decision_json(cost);
  json["break_evens"] = ordered_json::array();
  for (const BreakEven& one : cost.break_evens) json["break_evens"].push_back(break_even_json(one));
  return json;
}

}  // namespace gable::cli
