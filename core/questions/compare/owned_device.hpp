#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/device_power.hpp"
#include "core/questions/compare/row_weights.hpp"

namespace gable::questions {

inline constexpr double hours_of_year = 365.25 * 24;

/// Range of an assumption: a value outside it is probably a typo.
struct Limits {
  double least{}, most{};
  bool hold(double value) const { return value >= least && value <= most; }
};
inline constexpr Limits capital_limits{1e-9, 1e15}, years_limits{1e-3, 100}, tariff_limits{0, 1e6}, pue_limits{1, 10},
    utilisation_limits{1e-3, 1}, power_limits{1e-3, 1e6}, power_budget_limits{1e-3, 1e12};

/// What is assumed; money in any one currency. Every list has one entry a subject.
struct CostAssumptions {
  std::vector<double> capital{};                      ///< of one device, as power and performance are
  std::vector<std::optional<double>> power_w{};       ///< under load, as the buyer states it; else what was measured
  std::vector<std::optional<double>> idle_power_w{};  ///< between the work; nothing: 0
  double years{};
  double tariff_per_kwh{};
  double pue{1};
  double utilisation{1};                   ///< part of the hours in which a device works, at its power under load
  std::optional<double> power_budget_w{};  ///< of the facility: a device takes its power under load x PUE of it
  std::optional<double> money_budget{};    ///< for the total cost of the years
};

/// By what subjects are ranked: performance per total cost, or that of all devices that fit the budget.
enum class Criterion { per_cost, within_power, within_money };
std::string_view to_string(Criterion criterion);
Criterion criterion_of(const CostAssumptions& assumed);

/// One subject: one GPU, or all processors of a machine. Ratios are against the baseline's, whose own are 1.
struct OwnedDevice {
  DevicePower power;
  double idle_power_w{};
  double energy_kwh{};  ///< of all years, with the facility's losses
  double energy_cost{}, capital{}, total{};
  std::optional<Ratio> performance{}, per_cost{}, per_watt{};  ///< nothing where no operator counts
  std::optional<double> devices{};                             ///< whole ones that fit the budget
  std::optional<Ratio> whole{};  ///< performance of all of them, in that of one baseline device
};

/// What subject i costs with this power under load; without ratios and budget.
OwnedDevice owned_device(const DevicePower& power, std::size_t i, const CostAssumptions& assumed);

/// Cost of a watt that is drawn in all hours of the years.
double cost_of_watt(const CostAssumptions& assumed);

/// What one device uses of the ranked resource: money, or facility power in W.
double taken(const OwnedDevice& device, const CostAssumptions& assumed);

/// How many times as fast subject b is as a: the weighted geometric mean over the rows.
Ratio performance(const std::vector<RowWeight>& weights, std::size_t a, std::size_t b);

}  // namespace gable::questions
