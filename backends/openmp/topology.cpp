#include "backends/openmp/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "backends/openmp/cgroup.hpp"
#include "backends/openmp/memory.hpp"
#include "backends/openmp/team.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Hwloc = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Destroy>;

Hwloc make_hwloc() {
  hwloc_topology_t raw{};
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc cannot start");
  return Hwloc(raw);
}

void restrict_to(hwloc_topology_t hwloc, const std::set<int>& cpus) {
  const Bitmap set(hwloc_bitmap_alloc());
  for (const int cpu : cpus) hwloc_bitmap_set(set.get(), static_cast<unsigned>(cpu));
  if (!hwloc_bitmap_intersects(set.get(), hwloc_topology_get_topology_cpuset(hwloc)) ||
      hwloc_topology_restrict(hwloc, set.get(), 0) != 0) {
    throw Error("the topology has none of the cpus this process may use");
  }
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

/// Index of the first object of the list that holds the cpu; 0 where none does.
int holder(const std::vector<hwloc_obj_t>& list, int cpu) {
  for (const auto* object : list) {
    if (hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(cpu))) return static_cast<int>(object->os_index);
  }
  return 0;
}

std::vector<Core> cores_of(hwloc_topology_t hwloc, const std::vector<hwloc_obj_t>& nodes) {
  auto units = objects(hwloc, HWLOC_OBJ_CORE);
  if (units.empty()) units = objects(hwloc, HWLOC_OBJ_PU);  // a system that does not tell its cores
  const auto packages = objects(hwloc, HWLOC_OBJ_PACKAGE);
  std::vector<Core> cores;
  for (const auto* unit : units) {
    Core core;
    core.cpus = ids_of(unit->cpuset);
    core.socket = holder(packages, core.cpus.front());
    core.numa = holder(nodes, core.cpus.front());
    cores.push_back(core);
  }
  return cores;
}

int cores_in(const std::vector<Core>& cores, hwloc_const_bitmap_t set) {
  return static_cast<int>(std::count_if(cores.begin(), cores.end(), [&](const Core& core) {
    return hwloc_bitmap_isset(set, static_cast<unsigned>(core.cpus.front())) != 0;
  }));
}

/// One level out of all caches of a type. Where instances differ (hybrid chips) the smallest size counts.
std::optional<MemoryLevel> cache_level(hwloc_topology_t hwloc, hwloc_obj_type_t type, const std::string& name,
                                       const std::vector<Core>& cores) {
  const auto caches = objects(hwloc, type);
  if (caches.empty()) return {};
  MemoryLevel level;
  level.name = name;
  level.source = "hwloc";
  level.instances = static_cast<int>(caches.size());
  for (const auto* cache : caches) {
    const auto size = static_cast<double>(cache->attr->cache.size);
    if (level.size_bytes == 0.0 || size < level.size_bytes) level.size_bytes = size;
    level.line_bytes = std::max(level.line_bytes, static_cast<int>(cache->attr->cache.linesize));
    level.shared_by = std::max(level.shared_by, cores_in(cores, cache->cpuset));
  }
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

Topology describe(hwloc_topology_t hwloc) {
  Topology topology;
  const auto nodes = objects(hwloc, HWLOC_OBJ_NUMANODE);
  topology.cores = cores_of(hwloc, nodes);
  if (topology.cores.empty()) throw Error("hwloc shows no core this process may use");
  for (const auto* node : nodes) {
    const auto bytes = static_cast<double>(node->attr->numanode.local_memory);
    if (bytes <= 0.0) continue;
    topology.numa.push_back({static_cast<int>(node->os_index), bytes, ids_of(node->cpuset)});
  }
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (hwloc_bitmap_intersects(nodes[i]->cpuset, nodes[j]->cpuset)) topology.nested_numa = true;
    }
  }
  const std::pair<hwloc_obj_type_t, const char*> types[] = {
      {HWLOC_OBJ_L1CACHE, "L1"}, {HWLOC_OBJ_L2CACHE, "L2"}, {HWLOC_OBJ_L3CACHE, "L3"}, {HWLOC_OBJ_L4CACHE, "L4"}};
  for (const auto& [type, name] : types) {
    if (auto level = cache_level(hwloc, type, name, topology.cores)) topology.memory.push_back(*level);
  }
  topology.memory.push_back(main_memory(topology.numa, topology.cores));
  std::set<int> sockets;
  for (const auto& core : topology.cores) sockets.insert(core.socket);
  topology.sockets = static_cast<int>(sockets.size());
  return topology;
}

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

Topology read_topology() {
  const auto hwloc = make_hwloc();
  if (hwloc_topology_load(hwloc.get()) != 0) throw Error("hwloc cannot read the topology of this machine");
  // A synthetic or XML topology from the environment describes another machine: its cpus are not ours.
  if (hwloc_topology_is_thissystem(hwloc.get()) != 0) {
    const auto& usable = usable_cpus();
    restrict_to(hwloc.get(), {usable.begin(), usable.end()});
  }
  auto topology = describe(hwloc.get());
  const auto quota = cpu_quota();
  if (!quota || *quota >= static_cast<double>(topology.cores.size())) return topology;
  std::set<int> allowed;
  const auto whole = static_cast<std::size_t>(std::max(1.0, std::floor(*quota)));
  for (std::size_t i = 0; i < whole; ++i) allowed.insert(topology.cores[i].cpus.begin(), topology.cores[i].cpus.end());
  restrict_to(hwloc.get(), allowed);
  return describe(hwloc.get());
}

Topology synthetic_topology(const std::string& description, const std::optional<std::set<int>>& usable) {
  const auto hwloc = make_hwloc();
  if (hwloc_topology_set_synthetic(hwloc.get(), description.c_str()) != 0 || hwloc_topology_load(hwloc.get()) != 0) {
    throw Error(fmt::format("'{}' is no hwloc synthetic topology", description));
  }
  if (usable) restrict_to(hwloc.get(), *usable);
  return describe(hwloc.get());
}

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
