#pragma once
#include <cstdint>
#include <optional>

namespace gable::analysis {

/// Smallest number in [1, most] that has a property which stays once it is there; nothing where `most` has it not.
template <class Has>
std::optional<std::int64_t> smallest(std::int64_t most, Has&& has) {
  if (!has(most)) return {};
  std::int64_t low = 0, high = most;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (has(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace gable::analysis
