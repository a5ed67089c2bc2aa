#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/operator.hpp"

namespace gable {
namespace {

double operations(const Stage& stage, Unit unit) {
  double total = 0;
  for (const UnitWork& work : stage.work) total += work.unit == unit ? work.operations : 0;
  return total;
}

/// Weights, moments and gradient once, weights and moments once more: 28 bytes of a parameter, or 26 and the copy's 2.
TEST(LearningWork, AdamMovesTwentyEightBytesOfAParameter) {
  const OperatorSpec& adam = find_spec("adam");
  for (const Types& types : adam.types) {
    const Stage stage = adam.work({{"n", 1000}}, types).front();
    const bool wide = types.a == DType::fp32;
    EXPECT_EQ(stage.bytes_read, wide ? 16000 : 14000) << to_string(types.a);
    EXPECT_EQ(stage.bytes_written, wide ? 12000 : 14000) << to_string(types.a);
    EXPECT_EQ(stage.working_set, 16000) << to_string(types.a);
    EXPECT_EQ(operations(stage, Unit::vector), 13000) << to_string(types.a);
    EXPECT_EQ(operations(stage, Unit::convert), wide ? 0 : 2000) << to_string(types.a);
  }
}

/// What fusing saves: h is not read again.
TEST(LearningWork, FusedResidualLayernormReadsAnArrayLess) {
  const Params params{{"m", 10}, {"n", 100}};
  const Types types = uniform_types(DType::fp32);
  const auto unfused = find_spec("residual_layernorm_unfused").work(params, types);
  ASSERT_EQ(unfused.size(), 2U);
  EXPECT_EQ(bytes(unfused[0]), 12000);
  EXPECT_EQ(bytes(unfused[1]), 8800);
  EXPECT_EQ(flops(unfused), 9050);
  EXPECT_EQ(bytes(unfused) - bytes(find_spec("residual_layernorm_fused").work(params, types)), 4000);
}

/// Each token reads its row, whether or not another token has read it; no row is touched twice.
TEST(LearningWork, EmbeddingReadsARowForEachToken) {
  const Stage stage =
      find_spec("embedding").work({{"tokens", 50}, {"vocabulary", 20}, {"d", 100}}, uniform_types(DType::fp16)).front();
  EXPECT_EQ(flops(stage), 0);
  // of 20 rows, 20 (1 - 0.95^50) = 18.461 are asked for
  EXPECT_NEAR(stage.bytes_read, 18.461 * 200 + 50 * 4, 0.2);
  EXPECT_EQ(stage.bytes_written, 50 * 200);
  EXPECT_EQ(stage.working_set, stage.bytes_read + stage.bytes_written);
}

TEST(LearningWork, CrossEntropyReadsLogitsOnceAndWritesItsLossInTheTypeOfSums) {
  const OperatorSpec& spec = find_spec("cross_entropy");
  const Params params{{"tokens", 10}, {"n", 100}};
  for (const Types& types : spec.types) {
    const Stage stage = spec.work(params, types).front();
    EXPECT_EQ(flops(stage), 4030) << to_string(types.a);
    EXPECT_EQ(operations(stage, Unit::exp), 1010) << to_string(types.a);
    EXPECT_EQ(operations(stage, Unit::convert), types.a == DType::fp16 || types.a == DType::bf16 ? 1000 : 0);
    EXPECT_EQ(stage.bytes_read, 1000 * size_bytes(types.a) + 40) << to_string(types.a);
    EXPECT_EQ(stage.bytes_written, types.a == DType::fp64 ? 80 : 40) << to_string(types.a);
  }
}

/// Ids and labels are rows that exist, and do not repeat in a short cycle.
TEST(LearningWork, IdsAndLabelsAreInRangeAndSpread) {
  const auto ids =
      find_spec("embedding").buffers({{"tokens", 1000}, {"vocabulary", 1000}, {"d", 1}}, uniform_types(DType::fp32))[1];
  const auto labels =
      find_spec("cross_entropy").buffers({{"tokens", 1000}, {"n", 1000}}, uniform_types(DType::fp32))[1];
  for (const BufferSpec& buffer : {ids, labels}) {
    std::set<double> seen;
    for (Index i = 0; i < 1000; ++i) {
      const double value = buffer.value(i);
      ASSERT_GE(value, 0) << buffer.name;
      ASSERT_LT(value, 1000) << buffer.name;
      ASSERT_EQ(value, std::floor(value)) << buffer.name;
      seen.insert(value);
    }
    // Of 1000 draws out of 1000, 632 differ on average, with a standard deviation of 10.
    EXPECT_NEAR(static_cast<double>(seen.size()), 632, 50) << buffer.name;
  }
}

}  // namespace
}  // namespace gable
