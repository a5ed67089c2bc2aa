#pragma once
#include <map>
#include <string>

#include "core/result/result.hpp"

namespace gable::result {

/// Whether two descriptions fit one machine: what does not change from run to run is equal (id, names, instruction
/// sets, cores, memory levels; the UUID where both tell one). The host is the caller's to compare.
bool same_device(const DeviceInfo& a, const DeviceInfo& b);

/// Threads that a device's rows were measured with: the most at each scope that has any.
std::map<Scope, int> threads_of(const Result& result, const std::string& device);

}  // namespace gable::result
