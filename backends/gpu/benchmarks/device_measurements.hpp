#pragma once
#include <memory>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/device_facts.hpp"

namespace gable::gpu {

/// What can be measured on the current device, which is the one described, on a stream of its own.
std::shared_ptr<Measurements> make_measurements(const DeviceFacts& device, int device_count);

}  // namespace gable::gpu
