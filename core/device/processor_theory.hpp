#pragma once
#include "core/device/device_info.hpp"

namespace gable {

/// Adds to a CPU the theoretical peaks that it lacks and that an entry of a user's devices file gives: that of its
/// microarchitecture, or one with a processor whose name is in the device's. A worker reads no such file, so this is
/// for what it has described; what it found stays. Facts that say "unknown" of what is added go.
void add_users_theory(DeviceInfo& device);

}  // namespace gable
