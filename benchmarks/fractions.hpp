#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/dtype.hpp"
#include "core/model/roofline.hpp"
#include "core/model/work.hpp"

namespace gable::bench {

/// Work whose bounds are asked for, on the whole of a device.
struct Placed {
  std::vector<Stage> stages;
  Types types;
  const DeviceInfo* device{};
};

/// Which of a round's roofs bound.
enum class Roofs {
  all,           ///< as core's Roofline applies them
  streams,       ///< the ordinary streams alone: no arithmetic, no launch
  non_temporal,  ///< all, with non-temporal streams in the place of the ordinary ones of the same mix
};

/// Bound / time of every round, each by the roofs of the same round, but the launch, which adds to the bound: the least
/// of all rounds. Empty where no roof applies. Throws Error unless there is one time a round.
std::vector<double> fractions(const Placed& work, std::span<const std::vector<Ceiling>> rounds,
                              std::span<const double> times_s, Roofs roofs);

/// What limits by the medians of the rounds' figures, and what is missing for a verdict ("" if nothing).
struct Limited {
  Limit limit;
  Roofline roofline;
  std::string missing;
};
Limited limit_of(const Placed& work, std::span<const std::vector<Ceiling>> rounds);

}  // namespace gable::bench
