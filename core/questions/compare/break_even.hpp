#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/questions/compare/owned_device.hpp"

namespace gable::questions {

/// Assumptions that may turn out to be wrong.
enum class Assumption { performance, price, power, idle_power, tariff, years, pue, utilisation, weight };
std::string_view to_string(Assumption assumption);

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

/// The best subject, and those over which its lead is decided.
struct Race {
  const CostAssumptions& assumed;
  const std::vector<OwnedDevice>& devices;
  const std::vector<RowWeight>& weights;
  std::size_t best{};
  std::vector<std::size_t> rivals{};
};

/// One for each assumption that the ranking hangs on, each within the Limits of what may be stated, a power under load
/// not below the idle power. Of performance one against each rival; of weights every name whose share turns the
/// decision, the largest share first, or the one with the largest share where none does. Where a measured power is the
/// mean over the rows that count, another share of a name means another power.
std::vector<BreakEven> break_evens(const Race& race);

}  // namespace gable::questions
