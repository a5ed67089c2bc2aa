#include "backends/openmp/binding.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <vector>

#include "backends/openmp/cgroup.hpp"
#include "backends/openmp/cpu_list.hpp"
#include "backends/openmp/team.hpp"
#include "backends/openmp/text_file.hpp"

namespace gable::openmp {
namespace {

/// A policy as the kernel keeps it: see set_mempolicy(2).
struct Policy {
  int mode{};
  std::vector<int> nodes;
};

/// Nothing where the call is forbidden (containers) or the kernel has no NUMA support.
std::optional<Policy> policy_of_this_thread() {
  constexpr int most_nodes = 1024;  // no Linux is built for more
  constexpr int bits = sizeof(unsigned long) * CHAR_BIT;
  constexpr int mode_bits = 0xFF;  // the others are flags
  std::array<unsigned long, most_nodes / bits> mask{};
  Policy policy;
  if (syscall(SYS_get_mempolicy, &policy.mode, mask.data(), static_cast<unsigned long>(most_nodes), nullptr, 0UL) != 0)
    return {};
  policy.mode &= mode_bits;
  for (int node = 0; node < most_nodes; ++node) {
    if ((mask[static_cast<std::size_t>(node / bits)] >> (node % bits) & 1UL) != 0) policy.nodes.push_back(node);
  }
  return policy;
}

std::optional<std::vector<int>> allowed_memory_nodes() {
  const std::string key = "Mems_allowed_list:";
  for (const auto& line : lines_of("/proc/self/status")) {
    if (line.compare(0, key.size(), key) == 0) return parse_cpu_list(trimmed(line.substr(key.size())));
  }
  return {};
}

}  // namespace

Binding binding_of_this_process() {
  Binding binding;
  const auto& cpus = usable_cpus();
  binding.cpus.emplace(cpus.begin(), cpus.end());
  binding.quota = cpu_quota();
  auto nodes = allowed_memory_nodes();
  const auto policy = policy_of_this_thread();
  if (policy && (policy->mode == MPOL_BIND || policy->mode == MPOL_PREFERRED) && !policy->nodes.empty())
    nodes = policy->nodes;  // the kernel has cut it to the allowed ones
  if (nodes && !nodes->empty()) binding.memory_nodes.emplace(nodes->begin(), nodes->end());
  return binding;
}

std::string memory_policy() {
  const auto policy = policy_of_this_thread();
  if (!policy) return "unknown";
  if (policy->nodes.empty()) return "first touch";
  const auto nodes = cpu_list(policy->nodes);
  if (policy->mode == MPOL_BIND) return fmt::format("bound to NUMA nodes {}", nodes);
  constexpr int preferred_many = 5;  // MPOL_PREFERRED_MANY, which headers before Linux 5.15 do not have
  const bool preferred = policy->mode == MPOL_PREFERRED || policy->mode == preferred_many;
  return fmt::format("{} NUMA nodes {}", preferred ? "preferably" : "interleaved over", nodes);
}

}  // namespace gable::openmp
