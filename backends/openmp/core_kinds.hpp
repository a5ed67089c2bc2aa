#pragma once
#include <hwloc.h>

#include <string>
#include <vector>

#include "backends/openmp/topology.hpp"

namespace gable::openmp {

/// Finds the kinds of the cores, puts the fastest cores first (else the order stays) and sets Core::kind. Cores are of
/// one kind if hwloc, or Linux in /sys, tells the same type and capacity of them, and highest clocks within 15 % of
/// each other: favoured cores of one make differ by up to a tenth. `root` is where /sys lies; empty: it is not asked,
/// nor is one that shows other cpus than the topology.
std::vector<CoreKind> sort_by_kind(std::vector<Core>& cores, hwloc_topology_t hwloc, const std::string& root);

/// "two kinds of cores"; empty where there is one.
std::string kinds_in_words(const Topology& topology);

}  // namespace gable::openmp
