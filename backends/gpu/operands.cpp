#include "backends/gpu/operands.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace gable::gpu {
namespace {

std::size_t size_of(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// The second half of each row is `sign` times the first.
void mirror(std::vector<double>& values, int row_length, double sign) {
  const auto length = static_cast<std::size_t>(row_length);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % length >= length / 2) values[i] = sign * values[i - length / 2];
  }
}

}  // namespace

std::vector<double> chain_values(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(chain_operands);
  for (auto& value : values) value = static_cast<double>(random() >> 32) * 0x1p-32;
  return values;
}

Factors normal_factors(const ComputeKernel& kernel, std::uint64_t seed) {
  Factors factors{normal_values(kernel.storage, size_of(kernel.m, kernel.k), seed),
                  normal_values(kernel.storage, size_of(kernel.n, kernel.k), seed + 1)};
  mirror(factors.a, kernel.k, -1.0);
  mirror(factors.b, kernel.k, 1.0);
  return factors;
}

Factors whole_factors(const ComputeKernel& kernel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Factors factors{std::vector<double>(size_of(kernel.m, kernel.k)), std::vector<double>(size_of(kernel.n, kernel.k))};
  const auto fill = [&](std::vector<double>& values) {
    for (auto& value : values) value = static_cast<double>(random() % 5) - 2.0;
  };
  fill(factors.a);
  fill(factors.b);
  return factors;
}

std::vector<double> product(const ComputeKernel& kernel, const Factors& factors) {
  std::vector<double> c(size_of(kernel.m, kernel.n));
  const auto k = static_cast<std::size_t>(kernel.k);
  const auto n = static_cast<std::size_t>(kernel.n);
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t l = 0; l < k; ++l) c[i] += factors.a[i / n * k + l] * factors.b[i % n * k + l];
  }
  return c;
}

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
