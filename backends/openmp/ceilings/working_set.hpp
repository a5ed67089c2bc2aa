#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/model/roofline.hpp"

namespace gable::openmp {

/// How much memory a kernel touches to be served by one level, or why that level cannot be measured.
struct WorkingSet {
  std::string level;
  double bytes{};  ///< of all threads together; 0 with a reason
  std::string reason;
};

/// One working set for every level. `levels` are those of the scope (capacity 0: main memory), innermost first.
///  - innermost cache: half of it;
///  - further caches: the geometric mean of what lies inside and of the cache, but at least twice what lies inside and
///    at most all of the cache: passes in order then find nothing left inside, and others who share the cache (jobs,
///    other guests of a hypervisor) may take most of it; not measurable when the level is under 5/4 of what lies
///    inside;
///  - main memory: `memory_factor` x all caches together, 4 x at least, as far as the budget goes.
std::vector<WorkingSet> working_sets(std::span<const Level> levels, double budget_bytes, double memory_factor);

}  // namespace gable::openmp
