#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/model/answer.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/text/parse_number.hpp"

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
namespace gable::questions {

inline constexpr double hours_of_year = 365.25 * 24;

/// Of assumptions: a value outside them is probably a typo.
inline constexpr Limits capital_limits{1e-9, 1e15}, years_limits{1e-3, 100}, tariff_limits{0, 1e6}, pue_limits{1, 10},
    utilisation_limits{1e-3, 1}, power_limits{1e-3, 1e6}, power_budget_limits{1e-3, 1e12};
inline constexpr Limits price_limits{1e-9, 1e9};  ///< of a device-hour

/// "12 000 EUR", "0.22 EUR"; without a currency "12000".
std::string money_text(double amount, const std::string& currency);

/// What is assumed; money in any one currency. Every list has one entry a subject.
struct CostAssumptions {
  std::string currency{};                             ///< that of all money, for people; may be empty
  std::vector<double> capital{};                      ///< of one device, as power and performance are
  bool rented{};                                      ///< it is the price of an hour, and nothing else is paid
  std::vector<std::optional<double>> power_w{};       ///< under load, as the buyer states it; else what was measured
  std::vector<std::optional<double>> idle_power_w{};  ///< between the work; nothing: 0
  double years{};
  double tariff_per_kwh{};
  double pue{1};
  double utilisation{1};                   ///< part of the hours in which a device works, at its power under load
  std::optional<double> power_budget_w{};  ///< of the facility: a device takes its power under load x PUE of it
  std::optional<double> money_budget{};    ///< for the total cost of the years
};

/// By what subjects are ranked: performance alone where nothing is paid, performance per price of an hour or per total
/// cost, or that of all devices that fit the budget.
enum class Criterion { performance, per_rent, per_cost, within_power, within_money };
constexpr auto names_of(Criterion) {
  return names_up_to<Criterion::within_money>("performance", "performance_per_price_of_an_hour",
                                              "performance_per_total_cost", "performance_within_power_budget",
                                              "performance_within_money_budget");
}
/// Whether devices are bought, and their energy is paid.
inline bool is_owned(Criterion criterion) { return criterion > Criterion::per_rent; }
Criterion criterion_of(const CostAssumptions& assumed);

/// Where the power of a device under load comes from.
enum class PowerBasis {
  stated,
  measured,    ///< mean of what was read during the rows that count, each with its share of the weights
  other_rows,  ///< none was read in a row that counts: the median over all operators, compute units and bandwidths
  tdp,         ///< nobody read it: the product's thermal design power
  power_cap,   ///< nobody read it, and the file has a cap below the TDP
};
constexpr auto names_of(PowerBasis) {
  return names_up_to<PowerBasis::power_cap>("stated", "measured", "median_of_other_rows", "tdp", "power_cap");
}

/// What stands behind a power: not all of them hold the same parts of a machine.
enum class PowerMeter {
  none,      ///< the buyer states it
  packages,  ///< of a CPU: its packages' counters, without memory modules and the rest of the host
  board,     ///< of a GPU: its management library, with its memory
  vendor,    ///< a figure of the catalogue, not measured under load
};
constexpr auto names_of(PowerMeter) { return names_up_to<PowerMeter::vendor>("none", "packages", "board", "vendor"); }

/// The power of one device under load.
struct DevicePower {
  double watt{};
  PowerBasis basis{};
  PowerMeter meter{};
  std::size_t rows{}, of_rows{};              ///< it was read in so many of the rows that count, or of the others
  std::optional<double> least_w{}, most_w{};  ///< of the readings behind a measured one
};

/// Mean of the powers that were read on subject i during these rows, W, each with its row's share. Nothing where none
/// was read in a row that has a share.
std::optional<double> weighted_power(std::size_t i, const std::vector<RowWeight>& weights);

/// One subject: one GPU, or all processors of a machine. Ratios are against those of TotalCost::baseline.
struct OwnedDevice {
  DevicePower power;
  double idle_power_w{};
  double energy_kwh{};  ///< of all years, with the facility's losses
  double energy_cost{}, capital{}, total{};
  std::optional<Ratio> performance{}, per_cost{}, per_watt{};  ///< nothing where no operator counts, or not ranked
  std::optional<double> devices{};                             ///< whole ones that fit the budget
  std::optional<Ratio> whole{};  ///< performance of all of them, in that of one baseline device
};

/// What subject i costs with this power under load; without ratios and budget.
OwnedDevice owned_device(const DevicePower& power, std::size_t i, const CostAssumptions& assumed);
/// Cost of a watt that is drawn in all hours of the years.
double cost_of_watt(const CostAssumptions& assumed);
/// What one device uses of the ranked resource: money, or facility power in W.
double taken(const OwnedDevice& device, const CostAssumptions& assumed);

/// Assumptions that may turn out to be wrong.
enum class Assumption { performance, efficiency, price, power, idle_power, tariff, years, pue, utilisation, weight };
constexpr auto names_of(Assumption) {
  return names_up_to<Assumption::weight>("performance", "efficiency", "price", "power", "idle_power", "tariff", "years",
                                         "pue", "utilisation", "weight");
}

/// At which value of one assumption, all others as they are, another subject comes level with the best; beyond it that
/// subject is the better one. Without rounding to whole devices.
struct BreakEven {
  Assumption assumption{};
  std::optional<std::size_t> subject{};  ///< whose price or power, or whose performance in that of `to`
  std::string name{};                    ///< of a weight: the operator or case
  double now{};
  std::optional<double> at{};       ///< nothing: no possible value turns it
  std::optional<std::size_t> to{};  ///< the subject that is level there; of several the one that is reached first
  bool within_interval{};           ///< of performance: its own interval holds the value that turns the decision
};

/// The best subject, and those that it is before, if only within noise.
struct Race {
  const CostAssumptions& assumed;
  const std::vector<OwnedDevice>& devices;
  const std::vector<RowWeight>& weights;
  std::size_t best{};
  std::vector<std::size_t> rivals{};
  bool by_bounds{};  ///< of rows that nobody measured, each at a part of its bound
};

/// One for each assumption that the ranking hangs on, each within what is possible. Of performance one against each
/// rival; of weights every name whose share turns the decision, the largest share first, or the one with the largest
/// share where none does. Where a measured power is the mean over the rows that count, another share of a name means
/// another power.
std::vector<BreakEven> break_evens(const Race& race);

/// What a lead says of two subjects: level are bounds that vendors state, within level_part; unlike what is not
/// Ratio::like.
enum class LeadState { ahead, level, within_noise, no_interval, unlike };
constexpr auto names_of(LeadState) {
  return names_up_to<LeadState::unlike>("ahead", "level", "within_noise", "no_interval", "unlike");
}

/// How far the best subject is before another.
struct Lead {
  std::size_t over{};
  std::optional<Ratio> ratio{};  ///< of what they are ranked by; nothing where the budget pays for none of the other
  bool by_rounding{};            ///< without rounding to whole devices the other would be before it
  LeadState state() const;
  bool decided() const { return state() == LeadState::ahead; }
};

/// Why no subject is the best.
enum class Undecided {
  baseline_unmeasured,  ///< no operator was measured on the baseline
  one_measured,         ///< operators were measured on no other subject
  nothing_shared,       ///< the measured subjects have no operator in the same sizes
  narrow_scope,         ///< those that they share are of a part of the device, and the price is of all of it
  too_small,            ///< the memory of no subject holds the work
  budget,               ///< the budget pays for no device of a subject with a performance
};
constexpr auto names_of(Undecided) {
  return names_up_to<Undecided::budget>("baseline_unmeasured", "one_measured", "nothing_shared", "narrow_scope",
                                        "too_small", "budget");
}

struct TotalCost {
  CostAssumptions assumptions;
  Criterion criterion{};
  std::vector<OwnedDevice> devices;   ///< one a subject
  std::size_t baseline{};             ///< whose own ratios are 1: the first that is ranked
  bool summed{};                      ///< CompareOptions::summed
  std::size_t rows{};                 ///< of operators that the performance is of: those that all subjects have
  std::size_t operators{};            ///< of these rows
  std::size_t of_operators{};         ///< that any subject has
  std::size_t rows_above_roof{};      ///< of these, on a subject: its time or its roof is wrong
  std::optional<std::size_t> best{};  ///< nothing where it is undecided
  std::optional<Undecided> undecided{};
  std::vector<Lead> leads{};  ///< over every other subject with a performance
  std::vector<BreakEven> break_evens{};
};

/// Performance is performance() over the rows that all measured subjects have of whole devices; devices are taken to
/// work on their own, so that n do n times the work of one. Its interval comes from those of the rows, end against end;
/// prices and powers have none. Subjects that nothing was measured of have costs alone. The power of a device is what
/// is stated, else what was measured, else the TDP of the product or the power cap, whichever is less. Throws Error
/// where a power is unknown, where an idle power is above that under load, where a total is not a positive number,
/// where a named weight has no row on all measured subjects, and where the budget pays for no device of any subject.
TotalCost total_cost(const Compared& compared, const CostAssumptions& assumptions);

/// Whether the price of an hour of every subject is known.
bool are_rented(const CompareOptions& options);
/// The same without energy: who is fastest in its rows, or fastest for the price of an hour where that is known of all.
TotalCost ranking(const Compared& compared);

/// The formula with the figures that are assumed, and what is assumed of idle power and of the weights.
std::vector<std::string> cost_assumptions(const Compared& compared, const TotalCost& cost);
/// A row for each subject: what it costs, what it does for that, and how many of it a budget pays for.
Answer::Table cost_table(const TotalCost& cost);
/// Which subject is before the others, by how much and how sure; or why nothing is decided.
std::vector<std::string> decision_lines(const Compared& compared, const TotalCost& cost);
/// A row for each assumption: at which value another subject comes level. Empty where nothing is decided.
Answer::Table break_even_table(const TotalCost& cost);
/// Who is ahead and what would turn it. Of a ranking under "ranking".
void add_decision(Answer& answer, const Compared& compared, const TotalCost& cost);
/// All of it.
void add_total_cost(Answer& answer, const Compared& compared, const TotalCost& cost);

}  // namespace gable::questions
