#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/questions/compare/break_even.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/owned_device.hpp"

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

/// How far the best subject is before another.
struct Lead {
  std::size_t over{};
  std::optional<Ratio> ratio{};  ///< of what they are ranked by; nothing where the budget pays for none of the other
  bool by_rounding{};            ///< without rounding to whole devices the other would be before it
  /// More than the intervals of the times allow, or nothing of the other is paid for. Without an interval nobody knows.
  bool decided() const;
};

/// Why no subject is the best.
enum class Undecided {
  baseline_unmeasured,  ///< no operator was measured on the baseline
  one_measured,         ///< operators were measured on no other subject
  nothing_shared,       ///< the measured subjects have no operator in the same sizes
  narrow_scope,         ///< those that they share are of a part of the device, and the price is of all of it
  budget,               ///< the budget pays for no device of a subject with a performance
};
std::string_view to_string(Undecided reason);

struct TotalCost {
  CostAssumptions assumptions;
  Criterion criterion{};
  std::vector<OwnedDevice> devices;   ///< one a subject
  std::size_t rows{};                 ///< of operators that the performance is of: those that all subjects have
  std::size_t rows_above_roof{};      ///< of these, on a subject: its time or its roof is wrong
  std::optional<std::size_t> best{};  ///< nothing where it is undecided
  std::optional<Undecided> undecided{};
  std::vector<Lead> leads{};  ///< over every other subject with a performance
  std::vector<BreakEven> break_evens{};
};

/// Performance is the weighted geometric mean of the ratios of operators (row_weights()) over the rows that all
/// measured subjects have of whole devices; devices are taken to work on their own, so that n do n times the work of
/// one. Its interval comes from those of the rows, end against end; prices and powers have none. Subjects that nothing
/// was measured of have costs alone. Throws Error where a power is unknown, where an idle power is above that under
/// load, where a total is not a positive number, where a named weight has no row on all measured subjects, and where
/// the budget pays for no device of any subject.
TotalCost total_cost(const Compared& compared, const CostAssumptions& assumptions);

}  // namespace gable::questions
