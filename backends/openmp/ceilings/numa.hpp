#pragma once
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// The NUMA distance matrix, measured: per node with cpus one latency curve (s, one thread) and one read-bandwidth
/// curve (byte/s, all cores of the node), from that node's cores to memory that each of the nodes touched first.
/// Nothing on machines with one domain or for scopes within one.
std::vector<Item> numa_matrix(const SharedSetup& setup);

}  // namespace gable::openmp
