#include "backends/openmp/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "backends/openmp/core_kinds.hpp"
#include "backends/openmp/pinned_threads.hpp"
#include "backends/openmp/system_file.hpp"
#include "core/error.hpp"
#include "core/sequence.hpp"

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
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MEMCACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
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

/// Number of the object of the list that holds the cpu, the least if there are several. Of NUMA nodes the least is the
/// one whose memory comes first: Linux numbers nodes without cpus (HBM beside DDR, memory behind CXL), which hwloc puts
/// near to the cpus of another node, after those with cpus.
std::optional<int> holder(const std::vector<hwloc_obj_t>& list, int cpu) {
  std::optional<int> least;
  for (const auto* object : list) {
    const int number = static_cast<int>(object->os_index);
    if (holds(object, cpu) && (!least || number < *least)) least = number;
  }
  return least;
}

double memory_of(const hwloc_obj* node) { return static_cast<double>(node->attr->numanode.local_memory); }

/// Some systems show dies without memory as nodes, hwloc leaves them out.
std::vector<hwloc_obj_t> nodes_with_memory(hwloc_topology_t hwloc) {
  auto nodes = objects(hwloc, HWLOC_OBJ_NUMANODE);
  std::erase_if(nodes, [](const auto* node) { return !(memory_of(node) > 0); });
  return nodes;
}

std::vector<hwloc_obj_t> core_objects(hwloc_topology_t hwloc) {
  auto units = objects(hwloc, HWLOC_OBJ_CORE);
  if (units.empty()) units = objects(hwloc, HWLOC_OBJ_PU);  // a system that does not tell its cores
  return units;
}

std::vector<Core> cores_of(hwloc_topology_t whole, hwloc_topology_t part) {
  const auto nodes = nodes_with_memory(whole), packages = objects(whole, HWLOC_OBJ_PACKAGE);
  const auto all = core_objects(whole);
  std::vector<Core> cores;
  for (const auto* unit : core_objects(part)) {
    Core core;
    core.cpus = ids_of(unit->cpuset);
    const int first = core.cpus.front();
    core.socket = holder(packages, first).value_or(0);
    core.numa = nodes.empty() ? std::optional(0) : holder(nodes, first);
    const auto same = std::find_if(all.begin(), all.end(), [&](const auto* entry) { return holds(entry, first); });
    core.hardware_threads = hwloc_bitmap_weight((*same)->cpuset);
    cores.push_back(core);
  }
  return cores;
}

/// Cores of the list that use the cache, in their order.
std::vector<Core> cores_at(const std::vector<Core>& cores, const hwloc_obj* cache) {
  return filtered(cores, [&](const Core& one) { return holds(cache, one.cpus.front()); });
}

/// Caches of a type in the order of the cores that use them.
std::vector<hwloc_obj_t> caches_of(hwloc_topology_t part, hwloc_obj_type_t type, const std::vector<Core>& cores) {
  std::vector<hwloc_obj_t> ordered;
  const auto caches = objects(part, type);
  for (const auto& core : cores) {
    const auto its = std::ranges::find_if(caches, [&](const auto* one) { return holds(one, core.cpus.front()); });
    if (its != caches.end() && std::ranges::count(ordered, *its) == 0) ordered.push_back(*its);
  }
  return ordered;
}

/// One level out of all caches of a type; each of them where their sizes differ, or how many cores of the machine share
/// them. A binding that leaves some fewer cores than others makes them no other caches.
std::optional<MemoryLevel> cache_level(hwloc_topology_t whole, hwloc_topology_t part, hwloc_obj_type_t type,
                                       const std::vector<Core>& all, const std::vector<Core>& cores) {
  const auto caches = caches_of(part, type, cores);
  if (caches.empty()) return {};
  MemoryLevel level;
  level.instances = static_cast<int>(caches.size());
  std::ptrdiff_t others = 0;
  std::set<std::pair<hwloc_uint64_t, std::size_t>> makes;  // size, and cores of the machine
  for (const auto* cache : caches) {
    const auto* same = hwloc_get_next_obj_covering_cpuset_by_type(whole, cache->cpuset, cache->type, nullptr);
    const auto there = cores_at(cores, cache), all_there = same == nullptr ? there : cores_at(all, same);
    const auto fastest = std::ranges::count(there, there.front().kind, &Core::kind);  // slower ones come last
    level.unequal.push_back({static_cast<double>(cache->attr->cache.size), static_cast<int>(fastest)});
    level.shared_by = std::max(level.shared_by, static_cast<int>(there.size()));
    level.line_bytes = std::max(level.line_bytes, static_cast<int>(cache->attr->cache.linesize));
    others = std::max(others, std::ssize(all_there) - std::ssize(there));
    makes.insert({cache->attr->cache.size, all_there.size()});
  }
  level.size_bytes = std::ranges::min(level.unequal, {}, &LevelInstance::size_bytes).size_bytes;
  level.source = "hwloc";
  if (makes.size() == 1)
    level.unequal.clear();
  else
    level.source += fmt::format("; {:g} MiB in all", total_bytes(level) / 0x1p20);
  if (others > 0)
    level.source += fmt::format("; whole size, shared with {} other core{}", others, others == 1 ? "" : "s");
  return level.size_bytes > 0.0 ? std::optional(level) : std::nullopt;
}

/// "HBM", "DRAM": as hwloc tells it of a node. What it does not tell is DRAM.
std::string kind_of(hwloc_topology_t whole, int node) {
  const auto* object = hwloc_get_numanode_obj_by_os_index(whole, static_cast<unsigned>(node));
  const std::string told = object != nullptr && object->subtype != nullptr ? object->subtype : "";
  if (told.find("HBM") != std::string::npos || told == "MCDRAM") return "HBM";
  return told.empty() ? "DRAM" : told.starts_with("CXL") ? "CXL" : told;
}

/// Named by what it is where all nodes are of one kind.
MemoryLevel main_memory(hwloc_topology_t whole, const std::vector<NumaNode>& nodes, const std::vector<Core>& cores) {
  MemoryLevel level;
  level.name = "DRAM";
  level.source = "hwloc";
  for (const auto* cache : objects(whole, HWLOC_OBJ_MEMCACHE)) {  // HBM before DDR, DRAM before non-volatile memory
    if (hwloc_bitmap_isset(cache->nodeset, static_cast<unsigned>(nodes.front().id)) == 0) continue;
    level.source += fmt::format("; behind a memory-side cache of {:g} GiB a node, which rows measure",
                                static_cast<double>(cache->attr->cache.size) / 0x1p30);
  }
  const auto alike = [&, kind = kind_of(whole, nodes.front().id)](const NumaNode& node) {
    return kind_of(whole, node.id) == kind;
  };
  if (std::ranges::all_of(nodes, alike)) level.name = kind_of(whole, nodes.front().id);
  level.instances = std::max(1, static_cast<int>(nodes.size()));
  level.size_bytes = sum_over(nodes, &NumaNode::memory_bytes) / level.instances;
  const auto [least, most] = std::ranges::minmax_element(nodes, {}, &NumaNode::memory_bytes);
  if (least->memory_bytes < 0.9 * most->memory_bytes) {  // the kernel keeps more of some nodes than of others
    for (const auto& node : nodes) {
      const auto near = std::ranges::count(cores, std::optional(node.id), &Core::numa);
      level.unequal.push_back({node.memory_bytes, std::max(1, static_cast<int>(near))});
    }
    level.size_bytes = least->memory_bytes;
  }
  std::map<int, int> per_node;
  for (const auto& core : cores) {
    if (core.numa) level.shared_by = std::max(level.shared_by, ++per_node[*core.numa]);
  }
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
    const double bytes = memory_of(node);
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

/// The nodes of a socket, and its dies without memory: cores without a node are as many dies as they would make nodes.
std::vector<SocketMemory> socket_memory(const std::vector<NumaNode>& used, const std::vector<Core>& all) {
  std::map<int, std::set<int>> nodes_of_socket;
  std::map<int, int> with_memory, without;  // cores of a socket
  for (const auto& core : all) {
    ++(core.numa ? with_memory : without)[core.socket];
    if (core.numa) nodes_of_socket[core.socket].insert(*core.numa);
  }
  std::vector<SocketMemory> sockets;
  for (const auto& [socket, nodes] : nodes_of_socket) {
    const auto count =
        std::ranges::count_if(used, [&, &its = nodes](const auto& node) { return its.contains(node.id); });
    const double cores_per_node = with_memory[socket] / static_cast<double>(nodes.size());
    const int all_dies =
        static_cast<int>(nodes.size()) + static_cast<int>(std::lround(without[socket] / cores_per_node));
    if (count > 0) sockets.push_back({static_cast<int>(count), all_dies});
  }
  return sockets;
}

/// "0-7: DRAM, 8-15: HBM", of nodes with memory, where some of them are near to the same cores.
std::string memory_kinds(hwloc_topology_t hwloc) {
  const auto nodes = nodes_with_memory(hwloc);
  bool overlap = false;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) overlap |= hwloc_bitmap_intersects(nodes[i]->cpuset, nodes[j]->cpuset) != 0;
  }
  if (!overlap) return {};
  std::map<std::string, std::vector<int>> of_kind;
  for (const auto* node : nodes) {
    const auto number = static_cast<int>(node->os_index);
    of_kind[kind_of(hwloc, number)].push_back(number);
  }
  std::string text;
  for (auto& [kind, numbers] : of_kind) {
    std::ranges::sort(numbers);
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", cpu_list(numbers), kind);
  }
  return text;
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

Topology describe(hwloc_topology_t shown, const Binding& binding, const std::string& system_root = "") {
  const auto usable = usable_with_caches(shown);
  // of a system that tells not even its cores the usable part is all that is known
  auto* const whole = usable && hwloc_get_nbobjs_by_type(shown, HWLOC_OBJ_CORE) == 0 ? usable.get() : shown;
  const auto all = cores_of(whole, whole);
  if (all.empty()) throw Error("hwloc shows no core");
  const auto cpus = ids_of(hwloc_topology_get_topology_cpuset(whole));
  auto part = restricted(whole, binding.cpus.value_or(std::set<int>{cpus.begin(), cpus.end()}));
  Topology topology;
  const auto take_cores = [&] {
    topology.cores = cores_of(whole, part.get());
    topology.kinds = sort_by_kind(topology.cores, whole, system_root);
  };
  take_cores();
  if (binding.quota && *binding.quota < static_cast<double>(topology.cores.size())) {
    part = restricted(whole, cpus_of_cores(within(*binding.quota, topology.cores)));
    take_cores();
  }
  const auto nodes = memory_nodes(whole, topology.cores);
  topology.machine = whole_machine(all, nodes);
  topology.numa = usable_nodes(nodes, binding);
  topology.socket_memory = socket_memory(topology.numa, all);
  topology.memory_kinds = memory_kinds(part.get());
  topology.sockets = sockets_of(topology.cores);
  if (usable) part = restricted(usable.get(), cpus_of_cores(topology.cores));
  topology.memory = caches(whole, part.get(), all, topology.cores);
  topology.memory.push_back(main_memory(whole, topology.numa, topology.cores));
  return topology;
}

}  // namespace

Topology read_topology(const std::optional<Binding>& binding) {
  const auto hwloc = loaded("");
  const char* const elsewhere = std::getenv("HWLOC_FSROOT");
  const std::string root = elsewhere == nullptr ? "/" : elsewhere;
  if (binding) return describe(hwloc.get(), *binding, root);
  const bool here = hwloc_topology_is_thissystem(hwloc.get()) != 0;
  return describe(hwloc.get(), here ? binding_of_this_process() : Binding{}, root);
}

Topology synthetic_topology(const std::string& description, const Binding& binding) {
  return describe(loaded(description).get(), binding);
}

}  // namespace gable::openmp
