#pragma once
#include <cstdint>
#include <optional>

namespace gable::analysis {

/// Smallest number in [1, most] that has a property which stays once it is there. Of one that comes and goes the first
/// power of two that has it counts, and what is between it and the one before. Nothing where none of them has it.
template <class Has>
std::optional<std::int64_t> smallest(std::int64_t most, Has&& has) {
  std::int64_t low = 0, high = 1;
  while (!has(high)) {
    if (high >= most) return {};
    low = high;
    high = high > most / 2 ? most : 2 * high;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (has(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace gable::analysis
