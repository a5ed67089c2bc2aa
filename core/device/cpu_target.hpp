#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gable {

/// What a CPU worker's kernels are compiled for.
struct CpuTarget {
  std::string name;                ///< x86-64-v3, native
  int rank{};                      ///< the higher, the better
  std::vector<std::string> flags;  ///< that its code uses, as cpu_flags() names them
};

/// The table of cmake/GableCpuTargets.cmake, targets of other kinds of processors too; "native" is that of this build's
/// machine.
const std::vector<CpuTarget>& cpu_targets();
/// Null for a name that the table does not have.
const CpuTarget* find_cpu_target(std::string_view name);

/// Flags of the target that are not among `have`, in the target's order.
std::vector<std::string> missing_flags(const CpuTarget& target, std::span<const std::string> have);

/// The instruction sets that this processor has and its operating system lets programs use, as far as kernels or CPU
/// targets ask for them, in the words of Linux' /proc/cpuinfo: "avx2", "avx512_bf16", "asimdhp". Asked of the processor
/// itself, because under an emulator that file is the host's. Empty on processors that are neither x86 nor Arm.
const std::vector<std::string>& cpu_flags();

/// Whether cpu_flags() has it.
bool cpu_has(const std::string& flag);

}  // namespace gable
