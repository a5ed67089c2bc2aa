#include "backends/openmp/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "backends/openmp/pinned_threads.hpp"
#include "backends/openmp/system_file.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Hwloc = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Destroy>;

#if HWLOC_API_VERSION >= 0x00020500
constexpr bool leaves_others_alone = true;
constexpr unsigned long own_cpus_only = HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING;
#else
constexpr bool leaves_others_alone = false;
constexpr unsigned long own_cpus_only = 0;
#endif

/// Loads what is online, including what cgroups keep from this process. hwloc's x86 part, which asks processors
/// themselves, moves this thread to every cpu in turn: with it, other cpus than those of the mask are left out where
/// hwloc can do that.
Hwloc loaded(const std::string& description, bool ask_processors = false) {
  const auto failure = description.empty() ? "hwloc cannot read the topology of this machine"
                                           : fmt::format("'{}' is no hwloc synthetic topology", description);
  hwloc_topology_t raw{};
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc cannot start");
  Hwloc hwloc(raw);
  if (!ask_processors) hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  if (!description.empty() && hwloc_topology_set_synthetic(raw, description.c_str()) != 0) throw Error(failure);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | (ask_processors ? own_cpus_only : 0));
  if (hwloc_topology_load(raw) != 0) throw Error(failure);
  return hwloc;
}

/// The part of this machine that this process may use, with the caches that its processors tell of themselves: for a
/// system that shows none (some hypervisors, containers that hide /sys). Nothing where `whole` has caches or is another
/// machine, or where hwloc is older than 2.5 and would ask cpus that this process must not use.
Hwloc usable_with_caches(hwloc_topology_t whole) {
  if (hwloc_get_nbobjs_by_type(whole, HWLOC_OBJ_L1CACHE) > 0 || hwloc_topology_is_thissystem(whole) == 0) return {};
  const auto cpus = static_cast<std::size_t>(hwloc_get_nbobjs_by_type(whole, HWLOC_OBJ_PU));
  if (!leaves_others_alone && usable_cpus().size() < cpus) return {};
  const WithCpus usable(usable_cpus());
  return loaded("", true);
}

/// A copy without the other cpus.
Hwloc restricted(hwloc_topology_t whole, const std::set<int>& cpus) {
  hwloc_topology_t raw{};
  if (hwloc_topology_dup(&raw, whole) != 0) throw Error("hwloc cannot copy the topology");
  Hwloc part(raw);
  const Bitmap set(hwloc_bitmap_alloc());
  for (const int cpu : cpus) hwloc_bitmap_set(set.get(), static_cast<unsigned>(cpu));
  if (!hwloc_bitmap_intersects(set.get(), hwloc_topology_get_topology_cpuset(whole)) ||
      hwloc_topology_restrict(raw, set.get(), 0) != 0) {
    throw Error(fmt::format("the topology has none of the cpus this process may use ({})",
                            cpu_list({cpus.begin(), cpus.end()})));
  }
  return part;
}

std::vector<int> ids_of(hwloc_const_bitmap_t set) {
  std::vector<int> ids;
  if (!set) return ids;
  for (int id = hwloc_bitmap_first(set); id >= 0; id = hwloc_bitmap_next(set, id)) ids.push_back(id);
  return ids;
}

std::vector<hwloc_obj_t> objects(hwloc_topology_t hwloc, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(hwloc, type, object)) != nullptr;) {
    if (!hwloc_bitmap_iszero(object->cpuset)) found.push_back(object);
  }
  return found;
}

bool holds(const hwloc_obj* object, int cpu) {
  return hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(cpu)) != 0;
}

/// Number of the object of the list that holds the cpu, the least if there are several; 0 where none does. Of NUMA
/// nodes the least is the one whose memory comes first: Linux numbers nodes without cpus (HBM beside DDR, memory behind
/// CXL), which hwloc puts near to the cpus of another node, after those with cpus.
int holder(const std::vector<hwloc_obj_t>& list, int cpu) {
  std::optional<int> least;
  for (const auto* object : list) {
    const int number = static_cast<int>(object->os_index);
    if (holds(object, cpu) && (!least || number < *least)) least = number;
  }
  return least.value_or(0);
}

std::vector<hwloc_obj_t> core_objects(hwloc_topology_t hwloc) {
  auto units = objects(hwloc, HWLOC_OBJ_CORE);
  if (units.empty()) units = objects(hwloc, HWLOC_OBJ_PU);  // a system that does not tell its cores
  return units;
}

std::vector<Core> cores_of(hwloc_topology_t whole, hwloc_topology_t part) {
  const auto nodes = objects(whole, HWLOC_OBJ_NUMANODE), packages = objects(whole, HWLOC_OBJ_PACKAGE);
  const auto all = core_objects(whole);
  std::vector<Core> cores;
  for (const auto* unit : core_objects(part)) {
    Core core;
    core.cpus = ids_of(unit->cpuset);
    const int first = core.cpus.front();
    core.socket = holder(packages, first);
    core.numa = holder(nodes, first);
    const auto same = std::find_if(all.begin(), all.end(), [&](const auto* entry) { return holds(entry, first); });
    core.hardware_threads = hwloc_bitmap_weight((*same)->cpuset);
    cores.push_back(core);
  }
  return cores;
}

/// Cores of the list that have a cpu in the set.
int cores_in(const std::vector<Core>& cores, hwloc_const_bitmap_t set) {
  return static_cast<int>(std::count_if(cores.begin(), cores.end(), [&](const Core& core) {
    return std::any_of(core.cpus.begin(), core.cpus.end(),
                       [&](int cpu) { return hwloc_bitmap_isset(set, static_cast<unsigned>(cpu)) != 0; });
  }));
}

/// Of a cache that some of `cores` use: all those of the machine that share it and are not among them.
int others_at(hwloc_topology_t whole, const std::vector<Core>& all, const std::vector<Core>& cores,
              const hwloc_obj* cache) {
  const auto* same = hwloc_get_next_obj_covering_cpuset_by_type(whole, cache->cpuset, cache->type, nullptr);
  return same == nullptr ? 0 : cores_in(all, same->cpuset) - cores_in(cores, cache->cpuset);
}

/// One level out of all caches of a type. Where instances differ (hybrid chips) the smallest size counts.
std::optional<MemoryLevel> cache_level(hwloc_topology_t whole, hwloc_topology_t part, hwloc_obj_type_t type,
                                       const std::vector<Core>& all, const std::vector<Core>& cores) {
  const auto caches = objects(part, type);
  if (caches.empty()) return {};
  MemoryLevel level;
  level.instances = static_cast<int>(caches.size());
  int others = 0;
  for (const auto* cache : caches) {
    const auto size = static_cast<double>(cache->attr->cache.size);
    if (level.size_bytes == 0.0 || size < level.size_bytes) level.size_bytes = size;
    level.line_bytes = std::max(level.line_bytes, static_cast<int>(cache->attr->cache.linesize));
    level.shared_by = std::max(level.shared_by, cores_in(cores, cache->cpuset));
    others = std::max(others, others_at(whole, all, cores, cache));
  }
  level.source = "hwloc";
  if (others > 0)
    level.source += fmt::format("; whole size, shared with {} other core{}", others, others == 1 ? "" : "s");
  return level.size_bytes > 0.0 ? std::optional(level) : std::nullopt;
}

MemoryLevel main_memory(const std::vector<NumaNode>& nodes, const std::vector<Core>& cores) {
  MemoryLevel level;
  level.name = "DRAM";
  level.source = "hwloc";
  level.instances = std::max(1, static_cast<int>(nodes.size()));
  double total = 0.0;
  for (const auto& node : nodes) total += node.memory_bytes;
  level.size_bytes = total / level.instances;
  std::map<int, int> per_node;
  for (const auto& core : cores) level.shared_by = std::max(level.shared_by, ++per_node[core.numa]);
  return level;
}

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// All nodes with memory, by number, with the cpus of `cores` whose own node they are; node 0 with this machine's
/// memory where hwloc sees none with any, as in containers that hide /sys.
std::vector<NumaNode> memory_nodes(hwloc_topology_t whole, const std::vector<Core>& cores) {
  std::map<int, NumaNode> nodes;
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(whole, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    const auto bytes = static_cast<double>(node->attr->numanode.local_memory);
    const auto number = static_cast<int>(node->os_index);
    if (bytes > 0.0) nodes[number] = {number, bytes, {}};
  }
  if (nodes.empty()) nodes[0] = {0, physical_memory(), {}};
  std::vector<NumaNode> list;
  for (auto& [number, node] : nodes) {
    for (const auto& core : cores) {
      if (core.numa == number) node.cpus.insert(node.cpus.end(), core.cpus.begin(), core.cpus.end());
    }
    std::sort(node.cpus.begin(), node.cpus.end());
    list.push_back(std::move(node));
  }
  return list;
}

/// Nodes that the cores' memory comes from. If no allowed node has memory, it may come from any.
std::vector<NumaNode> usable_nodes(const std::vector<NumaNode>& nodes, const Binding& binding) {
  auto allowed = nodes;
  if (binding.memory_nodes)
    std::erase_if(allowed, [&](const NumaNode& node) { return !binding.memory_nodes->contains(node.id); });
  if (allowed.empty()) allowed = nodes;
  if (binding.interleaved) return allowed;
  auto own = allowed;
  std::erase_if(own, [](const NumaNode& node) { return node.cpus.empty(); });
  return own.empty() ? allowed : own;
}

/// Share of memory channels that the nodes have, in sockets: the nodes of a socket have equal shares of its channels.
double memory_sockets(const std::vector<NumaNode>& nodes, const std::vector<Core>& all) {
  std::map<int, std::set<int>> nodes_of_socket;
  for (const auto& core : all) nodes_of_socket[core.socket].insert(core.numa);
  double sockets = 0.0;
  for (const auto& [socket, of_it] : nodes_of_socket) {
    const auto used = std::count_if(nodes.begin(), nodes.end(),
                                    [&, &its = of_it](const auto& node) { return its.contains(node.id); });
    sockets += static_cast<double>(used) / static_cast<double>(of_it.size());
  }
  return sockets;
}

bool nodes_overlap(hwloc_topology_t hwloc) {
  const auto nodes = objects(hwloc, HWLOC_OBJ_NUMANODE);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (hwloc_bitmap_intersects(nodes[i]->cpuset, nodes[j]->cpuset)) return true;
    }
  }
  return false;
}

int sockets_of(const std::vector<Core>& cores) {
  std::set<int> sockets;
  for (const auto& core : cores) sockets.insert(core.socket);
  return static_cast<int>(sockets.size());
}

WholeMachine whole_machine(const std::vector<Core>& all, const std::vector<NumaNode>& nodes) {
  WholeMachine machine{static_cast<int>(all.size()), sockets_of(all), static_cast<int>(nodes.size()), 0.0};
  for (const auto& node : nodes) machine.memory_bytes += node.memory_bytes;
  return machine;
}

std::set<int> cpus_of_cores(std::span<const Core> cores) {
  std::set<int> cpus;
  for (const auto& core : cores) cpus.insert(core.cpus.begin(), core.cpus.end());
  return cpus;
}

/// The first cores that the quota has time for, at least one.
std::span<const Core> within(double quota, std::span<const Core> cores) {
  const auto count = static_cast<std::size_t>(std::max(1.0, std::floor(quota)));
  return cores.first(std::min(count, cores.size()));
}

/// Caches, innermost first. `all` and `cores`: those of the whole machine and of the part.
std::vector<MemoryLevel> caches(hwloc_topology_t whole, hwloc_topology_t part, const std::vector<Core>& all,
                                const std::vector<Core>& cores) {
  const std::pair<hwloc_obj_type_t, const char*> types[] = {
      {HWLOC_OBJ_L1CACHE, "L1"}, {HWLOC_OBJ_L2CACHE, "L2"}, {HWLOC_OBJ_L3CACHE, "L3"}, {HWLOC_OBJ_L4CACHE, "L4"}};
  std::vector<MemoryLevel> levels;
  for (const auto& [type, name] : types) {
    auto level = cache_level(whole, part, type, all, cores);
    if (!level) continue;
    level->name = name;
    levels.push_back(*std::move(level));
  }
  return levels;
}

Topology describe(hwloc_topology_t shown, const Binding& binding) {
  const auto usable = usable_with_caches(shown);
  // of a system that tells not even its cores the usable part is all that is known
  auto* const whole = usable && hwloc_get_nbobjs_by_type(shown, HWLOC_OBJ_CORE) == 0 ? usable.get() : shown;
  const auto all = cores_of(whole, whole);
  if (all.empty()) throw Error("hwloc shows no core");
  const auto cpus = ids_of(hwloc_topology_get_topology_cpuset(whole));
  auto part = restricted(whole, binding.cpus.value_or(std::set<int>{cpus.begin(), cpus.end()}));
  Topology topology;
  topology.cores = cores_of(whole, part.get());
  if (binding.quota && *binding.quota < static_cast<double>(topology.cores.size())) {
    part = restricted(whole, cpus_of_cores(within(*binding.quota, topology.cores)));
    topology.cores = cores_of(whole, part.get());
  }
  const auto nodes = memory_nodes(whole, topology.cores);
  topology.machine = whole_machine(all, nodes);
  topology.numa = usable_nodes(nodes, binding);
  topology.memory_sockets = memory_sockets(topology.numa, all);
  topology.nested_numa = nodes_overlap(part.get());
  topology.sockets = sockets_of(topology.cores);
  if (usable) part = restricted(usable.get(), cpus_of_cores(topology.cores));
  topology.memory = caches(whole, part.get(), all, topology.cores);
  topology.memory.push_back(main_memory(topology.numa, topology.cores));
  return topology;
}

}  // namespace

Topology read_topology(const std::optional<Binding>& binding) {
  const auto hwloc = loaded("");
  if (binding) return describe(hwloc.get(), *binding);
  const bool here = hwloc_topology_is_thissystem(hwloc.get()) != 0;
  return describe(hwloc.get(), here ? binding_of_this_process() : Binding{});
}

Topology synthetic_topology(const std::string& description, const Binding& binding) {
  return describe(loaded(description).get(), binding);
}

namespace {

/// Key of the domain of that scope that a core lies in.
int key_of(const Core& core, Scope scope) {
  switch (scope) {
    case Scope::node:
      return 0;
    case Scope::socket:
      return core.socket;
    case Scope::numa:
      return core.numa;
    case Scope::core:
      return core.cpus.front();
  }
  return 0;
}

}  // namespace

std::vector<Domain> domains(const Topology& topology, Scope scope) {
  std::vector<Domain> found;
  std::map<int, std::size_t> at;
  for (const auto& core : topology.cores) {
    const auto [place, added] = at.try_emplace(key_of(core, scope), found.size());
    if (added) found.push_back({scope, {}, {}});
    auto& domain = found[place->second];
    domain.cpus.push_back(core.cpus.front());
    domain.numa.insert(core.numa);
  }
  return found;
}

Domain select(const Topology& topology, Scope scope, int threads) {
  const auto all = domains(topology, scope);
  if (all.empty()) throw Error("the topology has no core");
  const auto& whole = all.front();
  const int cores = static_cast<int>(whole.cpus.size());
  if (threads < 0) throw Error(fmt::format("--threads {} is negative", threads));
  if (threads > cores) {
    throw Error(fmt::format("--threads {}: the scope {} has {} {} this process may use (one thread a core)", threads,
                            to_string(scope), cores, cores == 1 ? "core" : "cores"));
  }
  Domain chosen{scope, {}, {}};
  for (const auto& core : topology.cores) {
    const bool wanted = std::find(whole.cpus.begin(), whole.cpus.end(), core.cpus.front()) != whole.cpus.end();
    if (!wanted || (threads > 0 && static_cast<int>(chosen.cpus.size()) == threads)) continue;
    chosen.cpus.push_back(core.cpus.front());
    chosen.numa.insert(core.numa);
  }
  return chosen;
}

}  // namespace gable::openmp
