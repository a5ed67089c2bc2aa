#include "backends/openmp/ceilings/working_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gable::openmp {
namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr double least_memory_factor = 4.0;
/// Main memory of a machine whose caches are unknown: beyond any cache sold.
constexpr double without_caches_bytes = 1024.0 * mib;

WorkingSet cache_set(const Level& level, double inside_bytes) {
  if (level.capacity_bytes < 1.25 * inside_bytes) {
    return {level.name, 0.0,
            fmt::format("{} ({:.2f} MiB of it) is hardly larger than the levels inside ({:.2f} MiB)", level.name,
                        level.capacity_bytes / mib, inside_bytes / mib)};
  }
  if (inside_bytes <= 0) return {level.name, 0.5 * level.capacity_bytes, ""};
  const double between = std::sqrt(inside_bytes * level.capacity_bytes);
  return {level.name, std::min(std::max(between, 2.0 * inside_bytes), level.capacity_bytes), ""};
}

WorkingSet memory_set(const Level& level, double caches_bytes, double budget_bytes, double memory_factor) {
  const double least = caches_bytes > 0 ? least_memory_factor * caches_bytes : without_caches_bytes;
  if (least > budget_bytes) {
    return {level.name, 0.0,
            fmt::format("4 x all caches are {:.0f} MiB, a quarter of the available memory is {:.0f} MiB", least / mib,
                        budget_bytes / mib)};
  }
  return {level.name, std::min(std::max(memory_factor * caches_bytes, least), budget_bytes), ""};
}

}  // namespace

std::vector<WorkingSet> working_sets(std::span<const Level> levels, double budget_bytes, double memory_factor) {
  std::vector<WorkingSet> sets;
  double inside = 0.0;
  double caches = 0.0;
  for (const auto& level : levels) {
    if (level.capacity_bytes > 0) {
      sets.push_back(cache_set(level, inside));
      inside = level.capacity_bytes;
      caches += level.capacity_bytes;
    } else {
      sets.push_back(memory_set(level, caches, budget_bytes, memory_factor));
    }
  }
  return sets;
}

}  // namespace gable::openmp
