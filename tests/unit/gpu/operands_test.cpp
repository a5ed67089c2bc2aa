#include "backends/gpu/operands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "backends/gpu/number_format.hpp"

namespace gable::gpu::test {
namespace {

ComputeKernel tile(DType storage) {
  ComputeKernel kernel;
  kernel.unit = Unit::matrix;
  kernel.storage = storage;
  kernel.m = 32;
  kernel.n = 16;
  kernel.k = 64;
  return kernel;
}

TEST(ChainValues, AreManyInTheUnitInterval) {
  const auto values = chain_values(1);
  ASSERT_EQ(values.size(), chain_operands);
  EXPECT_GE(*std::ranges::min_element(values), 0.0);
  EXPECT_LT(*std::ranges::max_element(values), 1.0);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), values.size());
}

/// Otherwise fp16 sums would overflow, and sums of other types would grow until nothing changes them.
TEST(NormalFactors, SumsComeBackToZero) {
  for (const auto type : {DType::fp64, DType::fp16, DType::fp8_e4m3, DType::int8, DType::int4}) {
    const auto kernel = tile(type);
    const auto factors = normal_factors(kernel, 7);
    for (const double sum : product(kernel, factors)) EXPECT_NEAR(sum, 0.0, 1e-9) << to_string(type);
    const auto zeros = std::ranges::count(factors.a, 0.0);
    EXPECT_LT(static_cast<double>(zeros), 0.2 * static_cast<double>(factors.a.size())) << to_string(type);
  }
}

TEST(NormalFactors, AreValuesOfTheType) {
  const auto kernel = tile(DType::fp8_e5m2);
  const auto factors = normal_factors(kernel, 7);
  EXPECT_EQ(decode(kernel.storage, encode(kernel.storage, factors.a), factors.a.size()), factors.a);
  EXPECT_EQ(decode(kernel.storage, encode(kernel.storage, factors.b), factors.b.size()), factors.b);
}

TEST(WholeFactors, AreExactInEveryTypeAndNotSymmetric) {
  const auto kernel = tile(DType::fp8_e5m2);
  const auto factors = whole_factors(kernel, 3);
  EXPECT_EQ(decode(kernel.storage, encode(kernel.storage, factors.a), factors.a.size()), factors.a);
  for (const double value : factors.b) EXPECT_LE(std::fabs(value), 2.0);
  const auto c = product(kernel, factors);
  EXPECT_NE(c[1], c[static_cast<std::size_t>(kernel.n)]);
}

TEST(Product, IsAByBTransposed) {
  auto kernel = tile(DType::int8);
  kernel.m = 2;
  kernel.n = 3;
  kernel.k = 2;
  EXPECT_EQ(product(kernel, {{1, 2, 3, 4}, {5, 6, 7, 8, 9, 10}}), (std::vector<double>{17, 23, 29, 39, 53, 67}));
}

}  // namespace
}  // namespace gable::gpu::test
