#include "backends/gpu/operands.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "backends/gpu/number_format.hpp"

namespace gable::gpu {
namespace {

/// Filling takes no longer than measuring.
constexpr std::size_t period = 65537;

double scaled(DType type, double normal) {
  if (type == DType::int8) return std::clamp(std::nearbyint(32.0 * normal), -127.0, 127.0);
  if (type == DType::int4) return std::clamp(std::nearbyint(3.0 * normal), -7.0, 7.0);
  return normal;
}

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

std::vector<double> normal_values(DType type, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < std::min(count, period); ++i) values[i] = scaled(type, normal(random));
  for (std::size_t i = period; i < count; ++i) values[i] = values[i - period];
  return decode(type, encode(type, values), count);
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

}  // namespace gable::gpu
