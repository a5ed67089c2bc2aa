#include "backends/openmp/ceilings/chain_clock.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/measure/statistics.hpp"

namespace gable::openmp {

std::optional<ChainClock> chain_clock(std::span<const ChainReading> readings) {
  std::vector<double> steps_s, additions_s;
  for (const auto& reading : readings) {
    if (!(reading.step_s > 0 && reading.addition_s > 0)) continue;
    steps_s.push_back(reading.step_s);
    additions_s.push_back(reading.addition_s);
  }
  if (steps_s.empty()) return {};
  const double step_cycles = std::max(1.0, std::round(std::ranges::min(steps_s) / std::ranges::min(additions_s)));
  return ChainClock{step_cycles, step_cycles / measure::median(steps_s)};
}

}  // namespace gable::openmp
