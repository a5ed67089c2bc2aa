#pragma once
#include <string>
#include <vector>

namespace gable {

/// The instruction sets that this processor has and its operating system lets programs use, as far as kernels or CPU
/// targets ask for them, in the words of Linux' /proc/cpuinfo: "avx2", "avx512_bf16", "asimdhp". Asked of the processor
/// itself, because under an emulator that file is the host's. Empty on processors that are neither x86 nor Arm.
const std::vector<std::string>& cpu_flags();

/// Whether cpu_flags() has it.
bool cpu_has(const std::string& flag);

}  // namespace gable
