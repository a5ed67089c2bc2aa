#pragma once
#include <span>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/types.hpp"
#include "core/model/work.hpp"

namespace gable::bench {

/// Rows, not measured yet, of all roofs that may bound these stages on a CPU with these levels: of every unit with work
/// the compute kernels of the types; of every level that serves data the streams of ordinary stores whose mixes of
/// reads and writes enclose the stage's; of the outermost level also the non-temporal ones beside them, which bound
/// nothing; the launch. Each once, with its id.
std::vector<Ceiling> needed_roofs(std::span<const Stage> stages, const Types& types, const DeviceInfo& device,
                                  int threads);

}  // namespace gable::bench
