#pragma once
#include <string>
#include <string_view>

#include "core/device/device_info.hpp"

namespace gable {

/// Adds to a CPU the theoretical peaks that it lacks and that an entry of a user's devices file gives: that of its
/// microarchitecture, or one with a processor whose name is in the device's. A worker reads no such file, so this is
/// for what it has described; what it found stays. Facts that say "unknown" of what is added go.
void add_users_theory(DeviceInfo& device);

/// Gives a described device the theoretical peaks of the catalogue of this program, with users' entries before those
/// compiled in, in place of the peaks that it was described with; a peak that the catalogue does not give stays. CPUs:
/// as add_users_theory(), then the rates of the microarchitecture whose instructions the device has, and the memory of
/// the processor where the worker knew which memory is used, and that is whole sockets'. GPUs: the dense peaks and the
/// bandwidth of the product.
void use_todays_theory(DeviceInfo& device);

/// The flag of a processor (in the words of /proc/cpuinfo) that a rate of the catalogue needs, from its instruction
/// set: "AVX2+FMA" avx2, "AVX-512 (double-pumped)" avx512f, "AVX512_VNNI" avx512_vnni, "AMX-BF16" amx_bf16; empty where
/// the microarchitecture always has it.
std::string needed_flag(std::string_view isa);

}  // namespace gable
