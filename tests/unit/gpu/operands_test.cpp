#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>

#include "backends/gpu/operands.hpp"
#include "core/error.hpp"

namespace gable::gpu::test {
namespace {

std::uint32_t bits(DType type, double value) {
  const auto bytes = encode(type, std::vector<double>{value});
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return word;
}

/// IEEE 754 binary16, bfloat16 and the examples of OCP's 8-bit floating point specification (OFP8 1.0).
TEST(NumberFormat, BitsAreThoseOfTheStandards) {
  EXPECT_EQ(bits(DType::fp16, 1.0), 0x3c00U);
  EXPECT_EQ(bits(DType::fp16, 65504.0), 0x7bffU);
  EXPECT_EQ(bits(DType::fp16, -0x1p-24), 0x8001U);
  EXPECT_EQ(bits(DType::bf16, 1.0), 0x3f80U);
  EXPECT_EQ(bits(DType::bf16, -2.0), 0xc000U);
  EXPECT_EQ(bits(DType::fp8_e4m3, 1.0), 0x38U);
  EXPECT_EQ(bits(DType::fp8_e4m3, 448.0), 0x7eU);
  EXPECT_EQ(bits(DType::fp8_e4m3, 0x1p-9), 0x01U);
  EXPECT_EQ(bits(DType::fp8_e5m2, 1.0), 0x3cU);
  EXPECT_EQ(bits(DType::fp8_e5m2, -57344.0), 0xfbU);
  EXPECT_EQ(bits(DType::tf32, 1.0), 0x3f800000U);
  EXPECT_EQ(bits(DType::int8, -1.0), 0xffU);
}

/// AMD's CDNA3 ISA guide: bias 8 and 16, 0x80 is the only NaN, so zero has no sign.
TEST(NumberFormat, Cdna3Fp8HasABiasOfItsOwnAndNoNegativeZero) {
  EXPECT_EQ(bits(DType::fp8_e4m3fnuz, 1.0), 0x40U);
  EXPECT_EQ(bits(DType::fp8_e4m3fnuz, 240.0), 0x7fU);
  EXPECT_EQ(bits(DType::fp8_e4m3fnuz, 0x1p-10), 0x01U);
  EXPECT_EQ(bits(DType::fp8_e4m3fnuz, -1.0), 0xc0U);
  EXPECT_EQ(bits(DType::fp8_e4m3fnuz, -0.0), 0x00U);
  EXPECT_EQ(bits(DType::fp8_e4m3fnuz, -0x1p-12), 0x00U);
  EXPECT_EQ(bits(DType::fp8_e5m2fnuz, 1.0), 0x40U);
  EXPECT_EQ(bits(DType::fp8_e5m2fnuz, 57344.0), 0x7fU);
  EXPECT_EQ(bits(DType::fp8_e5m2fnuz, 0x1p-17), 0x01U);
  EXPECT_THROW(bits(DType::fp8_e4m3fnuz, 256.0), Error);
  const std::vector<double> values{0.0, 1.0, -2.0, 0.5, 12.0, -224.0, 0.0625};
  for (const auto type : {DType::fp8_e4m3fnuz, DType::fp8_e5m2fnuz}) {
    EXPECT_EQ(decode(type, encode(type, values), values.size()), values) << to_string(type);
  }
}

TEST(NumberFormat, RoundsToNearestEven) {
  EXPECT_EQ(bits(DType::fp16, 2049.0), bits(DType::fp16, 2048.0));
  EXPECT_EQ(bits(DType::fp16, 2051.0), bits(DType::fp16, 2052.0));
  EXPECT_EQ(bits(DType::bf16, 1.0 + 0x1p-8), bits(DType::bf16, 1.0));
  EXPECT_EQ(bits(DType::bf16, 1.0 + 3 * 0x1p-8), bits(DType::bf16, 1.0 + 0x1p-6));
  EXPECT_EQ(bits(DType::fp8_e4m3, 17.0), bits(DType::fp8_e4m3, 16.0));
  EXPECT_EQ(bits(DType::fp8_e4m3, 1.99), bits(DType::fp8_e4m3, 2.0));  // carries into the exponent
  EXPECT_EQ(bits(DType::tf32, 1.0 + 0x1p-11), 0x3f800000U);
  EXPECT_EQ(bits(DType::fp16, 3 * 0x1p-26), bits(DType::fp16, 0x1p-24));  // among the subnormals
}

TEST(NumberFormat, FourBitIntegersShareAByteTheLowerHalfFirst) {
  const auto bytes = encode(DType::int4, std::vector<double>{-8, 7, 3});
  ASSERT_EQ(bytes.size(), 2U);
  EXPECT_EQ(std::to_integer<int>(bytes[0]), 0x78);
  EXPECT_EQ(std::to_integer<int>(bytes[1]), 0x03);
  EXPECT_EQ(decode(DType::int4, bytes, 3), (std::vector<double>{-8, 7, 3}));
}

/// The tables of OCP's Microscaling Formats (MX) specification 1.0: biases 1, 3 and 1, no infinities and no NaN.
TEST(NumberFormat, SixAndFourBitsAreThoseOfMx) {
  EXPECT_EQ(bits(DType::fp6_e2m3, 1.0), 0x08U);
  EXPECT_EQ(bits(DType::fp6_e2m3, 7.5), 0x1fU);
  EXPECT_EQ(bits(DType::fp6_e2m3, -0.125), 0x21U);
  EXPECT_EQ(bits(DType::fp6_e3m2, 1.0), 0x0cU);
  EXPECT_EQ(bits(DType::fp6_e3m2, 28.0), 0x1fU);
  EXPECT_EQ(bits(DType::fp6_e3m2, 0.0625), 0x01U);
  EXPECT_EQ(bits(DType::fp4_e2m1, 0.5), 0x1U);
  EXPECT_EQ(bits(DType::fp4_e2m1, 6.0), 0x7U);
  EXPECT_EQ(bits(DType::fp4_e2m1, -1.5), 0xbU);
  EXPECT_EQ(bits(DType::fp4_e2m1, 5.0), bits(DType::fp4_e2m1, 4.0)) << "to the even one";
  EXPECT_THROW(bits(DType::fp4_e2m1, 7.5), Error);
  EXPECT_EQ(bits(DType::mxfp8_e4m3, 448.0), 0x7eU) << "elements alone";
}

/// Elements alone: no scales, which the library has in arrays of their own.
TEST(NumberFormat, SizesAreThoseOfTheElements) {
  EXPECT_EQ(encoded_bytes(DType::fp64, 10), 80U);
  EXPECT_EQ(encoded_bytes(DType::mxfp8_e4m3, 10), 10U);
  EXPECT_EQ(encoded_bytes(DType::nvfp4, 10), 5U);
  EXPECT_EQ(encoded_bytes(DType::mxfp4, 11), 6U) << "whole bytes";
  EXPECT_EQ(encoded_bytes(DType::fp6_e3m2, 4), 3U);
  for (const auto type : {DType::nvfp4, DType::fp6_e2m3, DType::mxfp8_e5m2, DType::tf32})
    EXPECT_EQ(encode(type, std::vector<double>(7, 1.0)).size(), encoded_bytes(type, 7)) << to_string(type);
}

/// 0x1f, 0x01 << 6 and 0x3f << 12 are 0x3f05f.
TEST(NumberFormat, SixBitsLieWithoutGaps) {
  const std::vector<double> values{7.5, 0.125, -7.5, 0, 1, -2};
  const auto bytes = encode(DType::mxfp6_e2m3, values);
  ASSERT_EQ(bytes.size(), 5U);
  EXPECT_EQ(std::to_integer<int>(bytes[0]), 0x5f);
  EXPECT_EQ(std::to_integer<int>(bytes[1]), 0xf0);
  EXPECT_EQ(std::to_integer<int>(bytes[2]), 0x03);
  for (const auto type : {DType::mxfp6_e2m3, DType::fp6_e3m2, DType::mxfp4, DType::nvfp4}) {
    const std::vector<double> held{1, -2, 0.5, 4, 0, -3, 1.5};
    EXPECT_EQ(decode(type, encode(type, held), held.size()), held) << to_string(type);
  }
  EXPECT_EQ(decode(DType::mxfp6_e2m3, bytes, values.size()), values);
}

TEST(NumberFormat, WhatIsExactComesBack) {
  const std::vector<double> values{0.0, 1.0, -2.0, 0.5, 12.0, -448.0, 0.0625};
  for (const auto type : {DType::fp64, DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8_e4m3}) {
    EXPECT_EQ(decode(type, encode(type, values), values.size()), values) << to_string(type);
  }
  const std::vector<double> whole{0, 1, -2, 127, -128};
  EXPECT_EQ(decode(DType::int8, encode(DType::int8, whole), whole.size()), whole);
  EXPECT_EQ(decode(DType::int32, encode(DType::int32, whole), whole.size()), whole);
}

TEST(NumberFormat, WhatATypeDoesNotHoldIsAnError) {
  EXPECT_THROW(bits(DType::fp8_e4m3, 500.0), Error);
  EXPECT_THROW(bits(DType::fp16, 65520.0), Error);
  EXPECT_THROW(bits(DType::bf16, std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(bits(DType::int8, 128.0), Error);
  EXPECT_THROW(bits(DType::int8, 0.5), Error);
  EXPECT_THROW(bits(DType::int4, -9.0), Error);
}

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
  for (const auto type :
       {DType::fp64, DType::fp16, DType::fp8_e4m3, DType::mxfp6_e2m3, DType::mxfp4, DType::int8, DType::int4}) {
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
  for (const auto type : {DType::fp8_e5m2, DType::fp6_e3m2, DType::mxfp6_e2m3, DType::mxfp4})
    EXPECT_EQ(decode(type, encode(type, factors.a), factors.a.size()), factors.a) << to_string(type);
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

TEST(RandomCycle, VisitsEveryNumberOnceBeforeItComesBack) {
  for (const std::size_t count : {2U, 3U, 1000U}) {
    const auto next = random_cycle(count, 7);
    std::size_t at = 0;
    for (std::size_t step = 1; step < count; ++step) {
      at = next[at];
      EXPECT_NE(at, 0U) << "back after " << step << " of " << count;
    }
    EXPECT_EQ(next[at], 0U);
  }
}

TEST(RandomCycle, HasNoStrideAndDependsOnTheSeedOnly) {
  const auto next = random_cycle(1000, 7);
  std::size_t same_stride = 0;
  for (std::size_t i = 1; i < next.size(); ++i) same_stride += (next[i] - i == next[i - 1] - (i - 1)) ? 1U : 0U;
  EXPECT_LT(same_stride, 20U);
  EXPECT_EQ(random_cycle(1000, 7), next);
  EXPECT_NE(random_cycle(1000, 8), next);
}

}  // namespace
}  // namespace gable::gpu::test
