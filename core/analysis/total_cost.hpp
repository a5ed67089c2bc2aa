#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/comparison.hpp"

/// What devices cost over their years, and what of them a budget pays.
///
///     total = capital + years x 8766 h x (u x P + (1 - u) x P_idle) / 1000 x PUE x tariff
///
/// with P the power under load and P_idle that between the work, both of one device in W, u the part of the hours in
/// which it works, and the tariff for 1 kWh. 8766 h are 365.25 days. P_idle is what the buyer states, else 0: nobody
/// measured it, and the energy is then a lower bound. This is the usual split into what is paid once and what the meter
/// counts (L. A. Barroso, U. Hölzle, P. Ranganathan: The Datacenter as a Computer, 3rd ed. 2018, chapter 6); PUE is the
/// power of the facility over that of its computers (ISO/IEC 30134-2). Interest, staff, floor and repairs are not in
/// it, nor is anything of a host that the price and the power do not hold.
namespace gable::analysis {

inline constexpr double hours_of_year = 365.25 * 24;

/// What is assumed; money in any one currency. Every list has one entry a subject.
struct CostAssumptions {
  std::vector<double> capital{};                      ///< of one device, or node: of what its power is stated for
  std::vector<std::optional<double>> power_w{};       ///< under load, as the buyer states it; else what was measured
  std::vector<std::optional<double>> idle_power_w{};  ///< between the work; nothing: 0
  double years{};
  double tariff_per_kwh{};
  double pue{1};
  double utilisation{1};                   ///< part of the hours in which a device works, at its power under load
  std::optional<double> power_budget_w{};  ///< of the facility: a device takes its power under load x PUE of it
  std::optional<double> money_budget{};    ///< for the total cost of the years
};

enum class PowerBasis {
  stated,
  measured,  ///< mean of what was read during the rows that count, each with its share of the weights
  tdp,       ///< nobody read it: the product's thermal design power
};
std::string_view to_string(PowerBasis basis);

/// By what sides are ranked: performance per total cost, or that of all devices that fit the budget.
enum class Criterion { per_cost, within_power, within_money };
std::string_view to_string(Criterion criterion);

/// One side. Ratios are against the baseline's, whose own are 1.
struct OwnedDevice {
  double power_w{}, idle_power_w{};
  PowerBasis basis{};
  std::size_t power_rows{};  ///< in so many rows the power was read
  double energy_kwh{};       ///< of all years, with the facility's losses
  double energy_cost{}, capital{}, total{};
  std::optional<Ratio> performance{}, per_cost{}, per_watt{};  ///< nothing where no operator counts
  std::optional<double> devices{};                             ///< whole ones that fit the budget
  std::optional<Ratio> whole{};  ///< performance of all of them, in that of one baseline device
};

/// What of the assumptions may turn out otherwise.
enum class Assumption { price, power, tariff, years, pue, utilisation, weight };
std::string_view to_string(Assumption assumption);

/// At which value of one assumption, all others as they are, another side comes level with the best; beyond it that
/// side is the better one. Without rounding to whole devices.
struct BreakEven {
  Assumption assumption{};
  std::optional<std::size_t> subject{};  ///< whose price or power
  std::string name{};                    ///< of a weight: the operator or case with the largest
  double now{};
  std::optional<double> at{};       ///< nothing: no possible value turns it
  std::optional<std::size_t> to{};  ///< the side that is level there; of several the one that is reached first
};

/// How far the best side is before another.
struct Lead {
  std::size_t over{};
  std::optional<Ratio> ratio{};  ///< of what they are ranked by; nothing where the budget pays for none of the other
  bool by_rounding{};            ///< without rounding to whole devices the other would be before it
};

struct TotalCost {
  CostAssumptions assumptions;
  Criterion criterion{};
  std::vector<OwnedDevice> devices;   ///< one a subject
  std::size_t rows{};                 ///< of operators that the performance is of: those that all sides have
  std::optional<std::size_t> best{};  ///< nothing where fewer than two sides have a performance
  std::vector<Lead> leads{};          ///< over every other side with a performance
  std::vector<BreakEven> break_evens{};
};

/// Performance is the weighted geometric mean of the ratios of operators (row_weights()) over the rows that all
/// measured sides have; devices are taken to work on their own, so that n do n times the work of one. Its interval
/// comes from those of the rows, end against end; prices and powers have none. Sides that nothing was measured of have
/// costs alone. Throws Error where a power is unknown, where a named weight has no row on all measured sides, and where
/// the budget pays for no device of any side.
TotalCost total_cost(const Compared& compared, const CostAssumptions& assumptions);

}  // namespace gable::analysis
