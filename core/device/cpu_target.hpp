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

}  // namespace gable
