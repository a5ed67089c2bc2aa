#pragma once
#include <string>
#include <vector>

namespace gable::openmp {

/// Numbers of cpus or NUMA nodes in the kernel's notation, "0-3,8", ascending; empty for an empty text. What follows
/// the first place that is no such notation is left out.
std::vector<int> parse_cpu_list(const std::string& text);
/// Ascending numbers in that notation; "none" if there are none.
std::string cpu_list(const std::vector<int>& ids);

}  // namespace gable::openmp
