#include <gtest/gtest.h>

#include "core/error.hpp"
#include "stages.hpp"

using namespace gable;
using namespace gable::test;

TEST(Intensity, GemmIsSixthOfSizeAtFourBytesAndThirdAtTwo) {
  EXPECT_NEAR(intensity(gemm(4096, 4096, 4096, 4)), 682.7, 0.05);
  EXPECT_NEAR(intensity(gemm(4096, 4096, 4096, 2)), 1365.3, 0.05);
  EXPECT_NEAR(intensity(gemm(64, 64, 64, 4)), 10.67, 0.005);
  EXPECT_NEAR(intensity(gemm(64, 64, 64, 2)), 21.33, 0.005);
}

TEST(Intensity, LinearLayerByBatch) {
  const std::pair<double, double> cases[] = {{1, 0.9995}, {8, 7.969},   {16, 15.88},
                                             {32, 31.51}, {256, 227.6}, {512, 409.6}};
  for (const auto& [batch, expected] : cases) {
    EXPECT_NEAR(intensity(gemm(batch, 4096, 4096, 2)), expected, expected * 4e-4) << "batch " << batch;
  }
}

TEST(Intensity, AttentionAt2048) {
  const auto naive = naive_attention(2048, 64, 2);
  EXPECT_NEAR(flops(naive), 1.0737e9, 1e5);
  EXPECT_NEAR(bytes(naive), 34.603e6, 1e3);
  EXPECT_NEAR(intensity(naive), 31.03, 0.005);
  const auto fused = fused_attention(2048, 64, 2);
  EXPECT_NEAR(bytes(fused), 1.0486e6, 1e2);
  EXPECT_DOUBLE_EQ(intensity(fused), 1024);
}

TEST(Intensity, FusedAttentionAt8192) { EXPECT_DOUBLE_EQ(intensity(fused_attention(8192, 64, 2)), 4096); }

TEST(Work, ExponentialsAndConversionsAreNoFlops) {
  Stage silu = stage(Unit::vector, 3000, 4000, 4000);
  silu.work.push_back({Unit::exp, 1000});
  silu.work.push_back({Unit::convert, 2000});
  EXPECT_EQ(flops(silu), 3000);
  EXPECT_EQ(bytes(silu), 8000);
}

TEST(Work, RatesAreOfFlopsUnlessElementsOrIntegersAreCounted) {
  for (const Unit unit : {Unit::scalar, Unit::vector, Unit::matrix, Unit::multiply_add}) {
    EXPECT_TRUE(is_flop(unit)) << to_string(unit);
    EXPECT_EQ(rate_unit(unit, DType::bf16), "flop/s") << to_string(unit);
    EXPECT_EQ(rate_unit(unit, DType::int8), "op/s") << to_string(unit);
  }
  for (const Unit unit : {Unit::exp, Unit::convert}) {
    EXPECT_FALSE(is_flop(unit)) << to_string(unit);
    EXPECT_EQ(rate_unit(unit, DType::fp32), "op/s") << to_string(unit);
    EXPECT_EQ(operation_name(unit, DType::fp32), "op") << to_string(unit);
  }
  EXPECT_EQ(operation_name(Unit::vector, DType::fp64), "flop");
}

TEST(Work, CopyHasIntensityZeroAndNothingMovedIsAnError) {
  EXPECT_EQ(intensity({stage(Unit::vector, 0, 8, 8)}), 0);
  EXPECT_THROW(intensity({stage(Unit::vector, 8, 0, 0)}), Error);
  EXPECT_THROW(intensity({}), Error);
}
