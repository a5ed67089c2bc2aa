#pragma once
#include "core/device/device_info.hpp"

namespace gable {

/// Memory that a plan's sizes are shares of, byte: what was free when the device was probed, or, where that is unknown
/// (0), all of its main memory. The same for every worker of a run, so that items keep their ids.
double plannable_memory_bytes(const DeviceInfo& device);

/// What the arrays of one operator may take, byte: a quarter of that.
double run_memory_bytes(const DeviceInfo& device);

/// Arrays that main memory must serve, byte: five times all caches together, where the model grants no level a share of
/// the traffic, and at least 64 MiB, but no more than an eighth of the memory that is plannable.
double main_memory_set_bytes(const DeviceInfo& device);

}  // namespace gable
