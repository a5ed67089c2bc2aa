#pragma once
#include <optional>
#include <string>

namespace gable::campaign {

/// What a device said of itself while a quantity was measured.
struct Sensors {
  std::optional<double> clock_hz{}, power_w{}, temperature_c{};
  std::string clock_limits{};  ///< what held the clock back; empty where nothing is told
};

/// Why a node is slower than the fleet by `loss` (a part of the median), as far as clock, power, temperature and
/// throttling tell, each beside its median over the fleet. A clock that is lower explains as much of a loss as it is
/// lower, not more; a temperature is told from 5 degrees above the fleet's on, power from 5 % beside it on.
std::string cause_of(const Sensors& node, const Sensors& fleet, double loss);

}  // namespace gable::campaign
