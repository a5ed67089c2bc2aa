#include "core/device/cpu_target.hpp"

#include <algorithm>

#include "core/sequence.hpp"

namespace gable {

const CpuTarget* find_cpu_target(std::string_view name) { return find_by(cpu_targets(), name, &CpuTarget::name); }

std::vector<std::string> missing_flags(const CpuTarget& target, std::span<const std::string> have) {
  return filtered(target.flags, [&](const auto& flag) { return std::ranges::count(have, flag) == 0; });
}

}  // namespace gable
