#include "core/device/cpu_target.hpp"

#include <algorithm>

namespace gable {

const CpuTarget* find_cpu_target(std::string_view name) {
  const auto found = std::ranges::find(cpu_targets(), name, &CpuTarget::name);
  return found == cpu_targets().end() ? nullptr : &*found;
}

std::vector<std::string> missing_flags(const CpuTarget& target, std::span<const std::string> have) {
  std::vector<std::string> missing;
  for (const auto& flag : target.flags) {
    if (std::ranges::find(have, flag) == have.end()) missing.push_back(flag);
  }
  return missing;
}

}  // namespace gable
