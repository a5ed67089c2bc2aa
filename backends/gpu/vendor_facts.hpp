#pragma once
#include <string>
#include <vector>

#include "backends/gpu/device_facts.hpp"
#include "runtime_names.hpp"

/// What the shared code asks of a vendor's folder about devices.
namespace gable::gpu {

/// Adds what the vendors' runtimes tell in their own ways, or only the system does: name of the architecture, UUID,
/// clocks, caches, free memory. The fields that both have are filled already.
void add_vendor_facts(DeviceFacts& facts, const DeviceProperties& properties);

/// Steps a second of the time counter that kernels stamp (ticks_now()), on the current device.
double tick_hz();

/// Shortest time over which cycles by ticks are a clock, s.
double least_clock_window_s();

/// Variables of the environment that hide devices.
std::vector<std::string> mask_variables();

/// Variables of the environment that change times: launches that wait, other arithmetic, profilers in the process.
std::vector<std::string> timing_variables();

/// A version of the runtime or driver as people write it; empty for 0.
std::string version_text(int version);

}  // namespace gable::gpu
