#pragma once
#include <cstdint>

#include "core/operator.hpp"

namespace gable::operators {

/// A number that depends on i and stream only and looks random (splitmix64's finaliser).
inline std::uint64_t hash(Index i, Index stream) {
  std::uint64_t x = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15ULL;
  x += static_cast<std::uint64_t>(stream) * 0xd1342543de82ef95ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Uniform in [0, 1).
inline double random_unit(Index i, Index stream) { return static_cast<double>(hash(i, stream) >> 11) * 0x1p-53; }

/// Uniform in [0, count), count below 2^32.
inline Index random_below(Index count, Index i, Index stream) {
  return static_cast<Index>(((hash(i, stream) >> 32) * static_cast<std::uint64_t>(count)) >> 32);
}

}  // namespace gable::operators
