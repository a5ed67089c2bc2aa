#include "backends/gpu/number_format.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>

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

}  // namespace
}  // namespace gable::gpu::test
