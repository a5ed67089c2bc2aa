#pragma once
#include <optional>
#include <vector>

#include "backends/openmp/topology.hpp"
#include "core/device/device_info.hpp"

namespace gable::openmp {

/// What a result says of the cpus and the memory that a binding leaves: which, of how many, and what others share with
/// them.
std::vector<Fact> placement_facts(const Topology& topology, const std::optional<double>& quota);

}  // namespace gable::openmp
