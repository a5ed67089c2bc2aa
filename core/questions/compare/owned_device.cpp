#include "core/questions/compare/owned_device.hpp"

#include "core/enum_names.hpp"
#include "core/questions/compare/comparison.hpp"

namespace gable::questions {
namespace {

constexpr auto criteria = enum_names<Criterion>({{Criterion::per_cost, "performance_per_total_cost"},
                                                 {Criterion::within_power, "performance_within_power_budget"},
                                                 {Criterion::within_money, "performance_within_money_budget"}});

double mean_power(const OwnedDevice& device, double utilisation) {
  return utilisation * device.power.watt + (1 - utilisation) * device.idle_power_w;
}

}  // namespace

std::string_view to_string(Criterion criterion) { return criteria.name(criterion); }

Criterion criterion_of(const CostAssumptions& assumed) {
  if (assumed.money_budget) return Criterion::within_money;
  return assumed.power_budget_w ? Criterion::within_power : Criterion::per_cost;
}

double cost_of_watt(const CostAssumptions& assumed) {
  return assumed.years * hours_of_year * assumed.pue * assumed.tariff_per_kwh / 1000;
}

OwnedDevice owned_device(const DevicePower& power, std::size_t i, const CostAssumptions& assumed) {
  OwnedDevice device;
  device.power = power;
  if (!assumed.idle_power_w.empty()) device.idle_power_w = assumed.idle_power_w.at(i).value_or(0);
  device.capital = assumed.capital.at(i);
  const double mean_w = mean_power(device, assumed.utilisation);
  device.energy_kwh = assumed.years * hours_of_year * assumed.pue * mean_w / 1000;
  device.energy_cost = device.energy_kwh * assumed.tariff_per_kwh;
  device.total = device.capital + device.energy_cost;
  return device;
}

double taken(const OwnedDevice& device, const CostAssumptions& assumed) {
  return criterion_of(assumed) == Criterion::within_power ? device.power.watt * assumed.pue : device.total;
}

Ratio performance(const std::vector<RowWeight>& weights, std::size_t a, std::size_t b) {
  if (a == b) return {1, 1, 1, true};
  GeometricMean mean;
  for (const RowWeight& one : weights)
    mean.add(ratio_of(one.row->cells[a]->figure, one.row->cells[b]->figure), one.share);
  return mean.get();
}

}  // namespace gable::questions
