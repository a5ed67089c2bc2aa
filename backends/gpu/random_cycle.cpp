#include "backends/gpu/random_cycle.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace gable::gpu {

std::vector<std::uint32_t> random_cycle(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> next(count);
  std::iota(next.begin(), next.end(), 0U);
  std::mt19937_64 random(seed);
  // The upper half of the product is uniform to 2^-32 below 2^32 numbers.
  for (std::size_t i = count; i > 1; --i) {
    const auto j = static_cast<std::size_t>(((random() >> 32) * (i - 1)) >> 32);
    std::swap(next[i - 1], next[j]);
  }
  return next;
}

}  // namespace gable::gpu
