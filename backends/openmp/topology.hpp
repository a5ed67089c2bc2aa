#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// One physical core with the hardware threads of it that this process may use (operating-system numbers).
struct Core {
  int socket{};
  int numa{};             ///< operating-system number of the nearest NUMA node
  std::vector<int> cpus;  ///< first hardware thread first
};

/// The usable part of the machine as hwloc sees it. Cores in topology order: neighbours share caches.
struct Topology {
  std::vector<Core> cores;
  std::vector<MemoryLevel> memory;  ///< caches innermost first, main memory last
  std::vector<NumaNode> numa;       ///< nodes with memory; cpus: usable ones only
  int sockets{1};                   ///< with usable cores
  bool nested_numa{false};          ///< more than one memory node is local to some core (HBM beside DDR, say)
};

/// This machine, restricted to the cpus this process may run on. Throws Error if hwloc cannot read it.
Topology read_topology();
/// An hwloc synthetic description ("package:2 numa:2 core:4 pu:2"), restricted to `usable` cpus when given. Throws
/// Error if the text is no such description or no usable cpu is left.
Topology synthetic_topology(const std::string& description, const std::optional<std::set<int>>& usable = {});

/// The cpus a measurement runs on: one hardware thread of each core.
struct Domain {
  Scope scope{Scope::node};
  std::vector<int> cpus;
  std::set<int> numa;  ///< nodes these cores are near to
};

/// First `threads` cores (0: all) of the node, of socket 0, NUMA node 0 or core 0 (the first usable of each kind).
/// Throws Error if the scope has fewer cores than threads: a core is measured with one thread, hyperthreads are never
/// counted as cores.
Domain select(const Topology& topology, Scope scope, int threads);
/// Every domain of a scope with all of its cores: all sockets, all NUMA nodes with usable cores, all cores, or the
/// node.
std::vector<Domain> domains(const Topology& topology, Scope scope);

/// The CPU of this machine as one device, "openmp". The reason is empty: a program that runs has a CPU.
Probe probe();

}  // namespace gable::openmp
