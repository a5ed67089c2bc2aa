#pragma once
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/measure/clock.hpp"

namespace gable::gpu {

/// The device's mean power during its work, out of a counter of its energy. That moves in steps, of an H200's every
/// 100 ms, so that readings 200 ms apart may be wrong by a third. Read often, it shows when it moves, and between two
/// steps the power is known.
class PowerMeter {
 public:
  /// energy_j: the counter now, J; may be empty, or know none.
  explicit PowerMeter(std::function<std::optional<double>()> energy_j = {},
                      measure::Clock& clock = measure::steady_clock())
      : energy_j_(std::move(energy_j)), clock_(&clock), begin_s_(clock.now()) {}

  /// Reads the counter, but not in the first 0.1 s, so that its steps are of this work. For every batch, while the
  /// device works: an answer takes some 4 ms.
  void read();
  /// From the first to the last step of the last 0.35 s (where other devices work beside this one, they do for longer),
  /// W. Nothing where these cannot be told within 15 % of their distance.
  std::optional<double> mean_w() const;

 private:
  struct Step {
    double joule{}, at_s{}, error_s{};
  };

  std::function<std::optional<double>()> energy_j_;
  measure::Clock* clock_;
  double begin_s_;
  double asked_s_{};  ///< when the last reading began
  std::optional<double> joule_;
  std::vector<Step> steps_;
};

}  // namespace gable::gpu
