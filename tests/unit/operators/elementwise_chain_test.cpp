// Work of a chain of elementwise steps, by hand.
#include <gtest/gtest.h>

#include "core/operator.hpp"

namespace gable {
namespace {

TEST(ElementwiseChain, FusedMovesTheArraysOnce) {
  const auto stages =
      find_spec("elementwise_chain_fused").work({{"n", 1000}, {"stages", 4}}, uniform_types(DType::fp32));
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(flops(stages), 8000);
  EXPECT_EQ(stages[0].bytes_read, 4000);
  EXPECT_EQ(stages[0].bytes_written, 4000);
  EXPECT_EQ(stages[0].working_set, 8000);
  EXPECT_EQ(stages[0].launches, 1);
}

TEST(ElementwiseChain, UnfusedMovesThemOnceAStep) {
  const OperatorSpec& spec = find_spec("elementwise_chain_unfused");
  const auto stages = spec.work({{"n", 1000}, {"stages", 4}}, uniform_types(DType::fp32));
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(flops(stages), 8000);
  EXPECT_EQ(bytes(stages), 4 * 8000);
  EXPECT_EQ(stages[0].working_set, 8000) << "x and y";
  EXPECT_EQ(stages[1].working_set, 4000) << "y in place";
  EXPECT_EQ(stages[0].launches + stages[1].launches, 4);
  EXPECT_EQ(spec.work({{"n", 1000}, {"stages", 1}}, uniform_types(DType::fp32)).size(), 1U);
}

TEST(ElementwiseChain, HalfStorageConvertsEveryElementThatMoves) {
  const auto converts = [](const char* name) {
    double sum = 0;
    for (const Stage& stage : find_spec(name).work({{"n", 10}, {"stages", 3}}, uniform_types(DType::bf16))) {
      for (const UnitWork& work : stage.work) sum += work.unit == Unit::convert ? work.operations : 0;
    }
    return sum;
  };
  EXPECT_EQ(converts("elementwise_chain_fused"), 20);
  EXPECT_EQ(converts("elementwise_chain_unfused"), 60);
}

}  // namespace
}  // namespace gable
