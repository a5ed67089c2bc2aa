#pragma once
#include "core/result/result.hpp"

namespace gable::verdict {

/// How far above its device's highest clock (DeviceInfo::max_clock_hz) a clock is believed. Boosts that the device does
/// not tell of stay below; a time counter taken for a faster or slower one does not.
inline constexpr double most_of_highest_clock = 1.3;

/// Takes from every ceiling and point of a device with a known highest clock a clock beyond that, and what was computed
/// by it (Ceiling::theory_at_clock). Conditions::clock_source says then what was seen and why it is not believed.
void drop_impossible_clocks(Result& result);

}  // namespace gable::verdict
