#pragma once
#include <string>
#include <vector>

namespace gable {

/// The instruction sets that this processor has and its operating system lets programs use, as far as kernels or CPU
/// targets ask for them, in the words of Linux' /proc/cpuinfo: "avx2", "avx512_bf16", "asimdhp". Asked of the processor
/// itself, because under an emulator that file is the host's. An Arm processor with SVE has "sve128", "sve256", … for
/// the length of its vectors, too. Empty on other processors.
const std::vector<std::string>& cpu_flags();

/// Whether cpu_flags() has it.
bool cpu_has(const std::string& flag);

}  // namespace gable
