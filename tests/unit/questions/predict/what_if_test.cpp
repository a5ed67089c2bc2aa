#include "core/questions/predict/what_if.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"
#include "core/questions/predict/prediction.hpp"
#include "tests/unit/error_of.hpp"

namespace gable::questions {
namespace {

Point relu(Index n, int launches) {
  Point row;
  row.id = "point/relu/kokkos/fp32/n=" + std::to_string(n);
  row.op = "relu";
  row.types = uniform_types(DType::fp32);
  row.params = "n=" + std::to_string(n);
  row.launches = launches;
  row.stages = repeated(find_spec("relu").work({{"n", n}}, row.types), launches);
  return row;
}

/// 2ns bytes and n flop: four times the size in half the bytes an element are twice the bytes.
TEST(WhatIf, APointInOtherSizesAndTypes) {
  const Work other = work_of(changed(relu(1000, 1), &find_spec("relu"), Params::parse("n=4"), DType::fp16));
  EXPECT_EQ(bytes(other.stages), 16000);
  EXPECT_EQ(flops(other.stages), 4000);
  EXPECT_EQ(other.types, uniform_types(DType::fp16));
  EXPECT_EQ(other.name, "relu n=4000");
  EXPECT_THROW(changed(relu(8, 1), &find_spec("relu"), Params::parse("m=4"), {}), Error);
  EXPECT_THROW(changed(relu(8, 1), &find_spec("relu"), {}, DType::int4), Error);
}

TEST(WhatIf, RunsOfAPointStayRuns) {
  EXPECT_EQ(bytes(changed(relu(1000, 3), &find_spec("relu"), Params::parse("n=2"), {}).stages), 3 * 16000);
}

TEST(WhatIf, OneLaunchOfSeveralRunsMovesWhatTheyMove) {
  const Work whole = in_one_launch(relu(1000, 3), operator_specs());
  ASSERT_EQ(whole.stages.size(), 1U);
  EXPECT_EQ(whole.stages.front().launches, 1);
  EXPECT_EQ(bytes(whole.stages), 3 * 8000);
  EXPECT_EQ(flops(whole.stages), 3000);
}

/// Scores and weights of naive attention stay inside: 4Ld values are left of 4Ld + 4L^2.
TEST(WhatIf, OneLaunchOfOneRunHandsOnInside) {
  Point row;
  row.op = "attention_naive";
  row.params = "h=1,kv=1,l=2048,d=64,mask=none";
  row.types = uniform_types(DType::fp16);
  row.stages = find_spec("attention_naive").work(Params::parse(row.params), row.types);
  EXPECT_EQ(bytes(work_of(row).stages), 34603008);
  const Work whole = in_one_launch(row, operator_specs());
  EXPECT_EQ(bytes(whole.stages), 1048576);
  EXPECT_EQ(flops(whole.stages), flops(row.stages));
}

/// Data of a hot run come from the cache they fit into, of a cold one from memory.
TEST(WhatIf, AHotRunIsPredictedAsOne) {
  MachineModel machine;
  machine.name = "two levels";
  machine.roofline.set_levels({{"L2", 1e6}, {"DRAM", 0}});
  machine.roofline.add(BandwidthRoof{.level = "L2", .byte_per_s = 1e10, .low = 1e10, .high = 1e10, .label = "L2"});
  machine.roofline.add(BandwidthRoof{.level = "DRAM", .byte_per_s = 1e9, .low = 1e9, .high = 1e9, .label = "DRAM"});
  const Work hot = work_of(relu(1000, 1));
  EXPECT_FALSE(hot.cold);
  EXPECT_DOUBLE_EQ(predict(machine, hot.stages, hot.types, {}, hot.cold).bound.time_s, 8e-7);
  EXPECT_DOUBLE_EQ(predict(machine, hot.stages, hot.types).bound.time_s, 8e-6);
  EXPECT_DOUBLE_EQ(predict(machine, hot.stages, hot.types, "L2").bound.time_s, 8e-7);
}

/// Sizes that are scaled are those that the arrays go by: 2 x 4 x 2000 byte in one launch.
TEST(WhatIf, AChangedPointInOneLaunch) {
  Point row;
  row.op = "elementwise_chain_unfused";
  row.params = "n=1000,stages=4";
  row.types = uniform_types(DType::fp32);
  row.stages = find_spec(row.op).work(Params::parse(row.params), row.types);
  const Point larger = changed(row, &find_spec(row.op), Params::parse("n=2"), {});
  EXPECT_EQ(bytes(in_one_launch(larger, operator_specs()).stages), 16000);
}

/// A kernel of the user's: 1e6 flop, 8e6 byte read and 4e6 written, in fp64.
Point own_kernel() {
  Point row;
  row.op = "smooth";
  row.implementation = "user";
  row.types = uniform_types(DType::fp64);
  Stage stage;
  stage.work = {{Unit::vector, 1e6}};
  stage.bytes_read = 8e6;
  stage.bytes_written = 4e6;
  stage.working_set = 12e6;
  row.stages = {stage};
  return row;
}

TEST(WhatIf, KernelsThatAreNoOperatorsChangeAsAWhole) {
  const Point narrow = changed(own_kernel(), nullptr, {}, DType::fp32);
  EXPECT_EQ(narrow.types, uniform_types(DType::fp32));
  EXPECT_EQ(bytes(narrow.stages), 6e6);
  EXPECT_EQ(flops(narrow.stages), 1e6);
  const Point larger = changed(own_kernel(), nullptr, Params::parse("flop=3,byte=2"), {});
  EXPECT_EQ(flops(larger.stages), 3e6);
  EXPECT_EQ(bytes(larger.stages), 24e6);
  EXPECT_EQ(larger.stages.front().working_set, 24e6);
  EXPECT_EQ(larger.params, "flop 3x, byte 2x");
  EXPECT_THROW(changed(own_kernel(), nullptr, Params::parse("n=2"), {}), Error);
}

TEST(WhatIf, ReusedBytesMoveOnceForSeveralUses) {
  const Work less = reused(work_of(own_kernel()), 4);
  EXPECT_EQ(bytes(less.stages), 3e6);
  EXPECT_EQ(flops(less.stages), 1e6);
  EXPECT_EQ(less.stages.front().working_set, 12e6) << "what is touched stays as large";
}

TEST(WhatIf, ScaledSizesStayInTheirRange) {
  EXPECT_EQ(scaled(Params::parse("m=3,n=5"), Params::parse("n=4")).to_string(), "m=3,n=20");
  EXPECT_THROW(scaled(Params::parse("m=4611686018427387904"), Params::parse("m=2")), Error);
}

std::string refusal(const std::vector<Point>& points, const std::string& id) {
  return error_of([&] { find_point(points, id); });
}

TEST(WhatIf, APointIsFoundByAPartOfItsId) {
  std::vector<Point> points{relu(8, 1), relu(80, 1), relu(9, 1)};
  EXPECT_EQ(find_point(points, "n=9").params, "n=9");
  EXPECT_EQ(find_point(points, "point/relu/kokkos/fp32/n=8").params, "n=8") << "an id is itself, not a part of others";
  EXPECT_EQ(refusal(points, "n=8"),
            "2 measured points have 'n=8' in their ids: point/relu/kokkos/fp32/n=8, point/relu/kokkos/fp32/n=80");
  EXPECT_EQ(refusal(points, "gemm"), "no measured point has 'gemm' in its id");
  std::vector<Point> of_operators{relu(8, 1), relu(8, 1)};
  of_operators[1].op = "bias_relu";
  of_operators[1].id = "point/bias_relu/kokkos/fp32/n=8";
  EXPECT_EQ(find_point(of_operators, "relu").op, "relu") << "an operator's name is itself, too";
  points[2].status = Status::error;
  EXPECT_EQ(refusal(points, "n=9"), "no measured point has 'n=9' in its id");
}

}  // namespace
}  // namespace gable::questions
