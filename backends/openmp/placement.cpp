#include "backends/openmp/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "backends/openmp/cpu_list.hpp"

namespace gable::openmp {
namespace {

std::string counted(int count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

std::vector<int> cpus_of(const Topology& topology) {
  std::vector<int> cpus;
  for (const auto& core : topology.cores) cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

/// "all cores", "4 of 64 cores: 4 of socket 0", "10 of 128 cores: 8 of socket 0, 2 of socket 1".
std::string part_of_machine(const Topology& topology) {
  const auto cores = static_cast<int>(topology.cores.size());
  if (cores == topology.machine.cores) return "all cores";
  std::map<int, int> per_socket;
  for (const auto& core : topology.cores) ++per_socket[core.socket];
  std::string text;
  for (const auto& [socket, count] : per_socket)
    text += fmt::format("{}{} of socket {}", text.empty() ? "" : ", ", count, socket);
  return fmt::format("{} of {} cores: {}", cores, topology.machine.cores, text);
}

/// Cores with hardware threads that this process may not use.
int cores_used_in_part(const Topology& topology) {
  return static_cast<int>(std::count_if(topology.cores.begin(), topology.cores.end(), [](const Core& core) {
    return core.hardware_threads > static_cast<int>(core.cpus.size());
  }));
}

void add_memory(std::vector<Fact>& facts, const Topology& topology) {
  std::vector<int> nodes;
  for (const auto& node : topology.numa) nodes.push_back(node.id);
  const bool all = topology.machine.memory_nodes == static_cast<int>(nodes.size());
  facts.push_back(
      {"memory nodes",
       all ? cpu_list(nodes) : fmt::format("{} of {} nodes", cpu_list(nodes), topology.machine.memory_nodes),
       "hwloc, cpuset and memory policy; those of the usable cores"});
  const bool away = std::any_of(topology.cores.begin(), topology.cores.end(), [&](const Core& core) {
    return std::find(nodes.begin(), nodes.end(), core.numa) == nodes.end();
  });
  if (away && !nodes.empty())
    facts.push_back({"memory of other nodes", "yes", "some usable cores have no usable memory on their own NUMA node"});
  if (topology.nested_numa) {
    facts.push_back({"memory kinds", "more than one memory node per core",
                     "hwloc; memory goes to the node of the first touch, by the system's policy"});
  }
}

}  // namespace

std::vector<Fact> placement_facts(const Topology& topology, const std::optional<double>& quota) {
  std::vector<Fact> facts;
  const auto cpus = cpus_of(topology);
  const auto cores = static_cast<int>(topology.cores.size());
  facts.push_back({"usable cpus",
                   fmt::format("{} on {}: {}", counted(static_cast<int>(cpus.size()), "hardware thread"),
                               counted(cores, "core"), cpu_list(cpus)),
                   "affinity mask and cgroup quota"});
  facts.push_back({"part of the machine", part_of_machine(topology), "hwloc; cores that are online"});
  if (const int partly = cores_used_in_part(topology); partly > 0) {
    facts.push_back({"hardware threads of others", fmt::format("on {}", counted(partly, "core")),
                     "these cores have hardware threads that this process may not use: others may run there"});
  }
  if (quota) {
    facts.push_back({"cores under the cpu quota", std::to_string(cores),
                     *quota < 1.0 ? fmt::format("cgroup allows {:.2f} cpus: less than one core, which is stopped for a "
                                                "part of the time, and its figures are too low",
                                                *quota)
                                  : fmt::format("cgroup allows {:.2f} cpus; no more whole cores are used", *quota)});
  }
  add_memory(facts, topology);
  return facts;
}

}  // namespace gable::openmp
