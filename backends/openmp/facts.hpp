#pragma once
#include <string>
#include <vector>

#include "core/device/device_info.hpp"

namespace gable::openmp {

/// Settings of the operating system that figures depend on: governor, turbo, power cap, SMT, huge pages, NUMA
/// balancing, ECC, hypervisor, mitigations, cgroup limits, isolated and offline cpus, microcode. What may differ
/// between cpus is that of `cpu`. Each with its source; value "unknown" and the reason in `source` where it cannot be
/// read. `root` replaces "/" in tests.
std::vector<Fact> host_facts(int cpu, const std::string& root = "/");

}  // namespace gable::openmp
