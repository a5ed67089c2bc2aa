#pragma once
#include <optional>
#include <span>

namespace gable::openmp {

/// What one thread timed in one moment.
struct ChainReading {
  double step_s{};      ///< one step of a dependent chain, from its start to that of the next
  double addition_s{};  ///< one dependent addition of integers, which takes one cycle
};

/// The clock at which such a chain ran.
struct ChainClock {
  double step_cycles{};  ///< of one step: a whole number
  double hz{};           ///< step_cycles / median of step_s
};

/// step_cycles is the least step_s over the least addition_s, rounded: what disturbs a core only ever slows it, so one
/// undisturbed reading is enough, and a tenth more or less does no harm. Nothing without a reading whose times are
/// above zero; others are left out.
std::optional<ChainClock> chain_clock(std::span<const ChainReading> readings);

}  // namespace gable::openmp
