#include "backends/openmp/binding.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

#include "backends/openmp/pinned_threads.hpp"
#include "backends/openmp/system_file.hpp"
#include "core/error.hpp"
#include "core/text/csv_table.hpp"

namespace gable::openmp {
namespace {

// The kernel refuses to fill masks smaller than its own; no Linux is built for more cpus than this.
constexpr int most_cpus = 8192;

/// A set of cpus of any size.
class CpuMask {
 public:
  CpuMask() : bytes_(CPU_ALLOC_SIZE(most_cpus)), set_(CPU_ALLOC(most_cpus)) { CPU_ZERO_S(bytes_, set_); }
  ~CpuMask() { CPU_FREE(set_); }
  CpuMask(const CpuMask&) = delete;
  CpuMask& operator=(const CpuMask&) = delete;
  void add(int cpu) { CPU_SET_S(static_cast<std::size_t>(cpu), bytes_, set_); }
  bool has(int cpu) const { return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes_, set_); }
  bool read(int process) { return sched_getaffinity(process, bytes_, set_) == 0; }
  bool apply() const { return sched_setaffinity(0, bytes_, set_) == 0; }

 private:
  std::size_t bytes_;
  cpu_set_t* set_;
};

}  // namespace

std::vector<int> cpus_of(int process) {
  CpuMask mask;
  std::vector<int> cpus;
  if (!mask.read(process)) return cpus;
  for (int cpu = 0; cpu < most_cpus; ++cpu) {
    if (mask.has(cpu)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> cpus_of_this_thread() {
  constexpr int this_thread = 0;
  auto cpus = cpus_of(this_thread);
  if (cpus.empty()) throw Error(fmt::format("cannot read the cpu affinity: {}", std::strerror(errno)));
  return cpus;
}

bool confine_this_thread(const std::vector<int>& cpus) {
  if (cpus.empty()) return false;
  CpuMask mask;
  for (const int cpu : cpus) mask.add(cpu);
  return mask.apply();
}

namespace {

// Modes that older <linux/mempolicy.h> do not have: since Linux 5.15 and 6.9.
constexpr int preferred_many = 5, weighted_interleave = 6;

/// A policy as the kernel keeps it: see set_mempolicy(2).
struct Policy {
  int mode{};
  std::vector<int> nodes;

  bool interleaves() const { return mode == MPOL_INTERLEAVE || mode == weighted_interleave; }
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
    if (line.compare(0, key.size(), key) == 0) return parse_cpu_list(std::string(trimmed(line.substr(key.size()))));
  }
  return {};
}

/// The allowed nodes of the memory policy (bind, prefer, interleave); all allowed ones if it names none of them.
std::optional<std::set<int>> within(const std::vector<int>& policy, const std::optional<std::set<int>>& allowed) {
  std::set<int> nodes(policy.begin(), policy.end());
  if (allowed) std::erase_if(nodes, [&](int node) { return !allowed->contains(node); });
  return nodes.empty() ? allowed : nodes;
}

}  // namespace

Binding binding_of_this_process() {
  Binding binding;
  const auto& cpus = usable_cpus();
  binding.cpus.emplace(cpus.begin(), cpus.end());
  binding.quota = cpu_quota();
  if (const auto nodes = allowed_memory_nodes(); nodes && !nodes->empty())
    binding.memory_nodes.emplace(nodes->begin(), nodes->end());
  if (const auto policy = policy_of_this_thread()) {
    binding.memory_nodes = within(policy->nodes, binding.memory_nodes);
    binding.interleaved = policy->interleaves();
  }
  return binding;
}

std::string memory_policy() {
  const auto policy = policy_of_this_thread();
  if (!policy) return "unknown";
  if (policy->nodes.empty()) return "first touch";
  const auto nodes = cpu_list(policy->nodes);
  if (policy->mode == MPOL_BIND) return fmt::format("bound to NUMA nodes {}", nodes);
  if (policy->interleaves()) return fmt::format("interleaved over NUMA nodes {}", nodes);
  const bool preferred = policy->mode == MPOL_PREFERRED || policy->mode == preferred_many;
  return fmt::format("{} NUMA nodes {}", preferred ? "preferably" : fmt::format("policy {} of", policy->mode), nodes);
}

}  // namespace gable::openmp
