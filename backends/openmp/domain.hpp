#pragma once
#include <set>
#include <vector>

#include "backends/openmp/topology.hpp"
#include "core/model/ceiling.hpp"

namespace gable::openmp {

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

}  // namespace gable::openmp
