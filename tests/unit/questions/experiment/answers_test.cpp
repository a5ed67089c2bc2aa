// The answers of the experiments on made-up points, computed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "core/questions/experiment/experiment.hpp"
#include "tests/unit/questions/experiment/made_up.hpp"

namespace gable::experiment {
namespace {

using namespace test;

double figure(const SeriesAnswer& answer, std::size_t row, const std::string& key) {
  for (std::size_t i = 0; i < answer.columns.size(); ++i) {
    if (answer.columns[i].key == key) return std::get<double>(answer.rows.at(row).at(i).held);
  }
  ADD_FAILURE() << "no column " << key;
  return 0;
}

bool says(const SeriesAnswer& answer, const std::string& text) {
  return answer.conclusion.find(text) != std::string::npos;
}

TEST(Overhead, PredictsWorkAndLaunches) {
  Result result = made_up_result();
  // 80 MB at 10 GB/s are 8 ms; 1000 launches of 10 us are 10 ms more
  for (const int launches : {1, 1000}) {
    result.points.push_back(made_up_point("relu", {{"n", Index{10000000} / launches}}, launches == 1 ? 8.5e-3 : 20e-3,
                                          DType::fp32, launches));
  }
  const auto answers = answer_overhead(judged(result));
  ASSERT_EQ(answers.size(), 1U);
  const SeriesAnswer& answer = answers.front();
  EXPECT_EQ(answer.subject, "overhead: relu fp32, kokkos, dev");
  EXPECT_NEAR(figure(answer, 0, "predicted_s"), 8e-3 + 10e-6, 1e-12);
  EXPECT_NEAR(figure(answer, 1, "predicted_s"), 18e-3, 1e-12);
  EXPECT_NEAR(figure(answer, 1, "measured_over_predicted"), 20.0 / 18, 1e-12);
  EXPECT_NEAR(figure(answer, 1, "each_byte"), 80e3, 1e-6);
  EXPECT_TRUE(says(answer, "equal at about 800 launches, of 100 kB each")) << answer.conclusion;
  EXPECT_TRUE(says(answer, "2.35 times as long")) << answer.conclusion;
  result.points.pop_back();
  EXPECT_FALSE(says(answer_overhead(judged(result)).at(0), "as long")) << "one row is not compared with itself";
}

TEST(Overhead, NodesOfAGraphHideBehindTheWork) {
  Result result = made_up_result();
  Ceiling node = result.ceilings.back();
  node.name = "graph_node";
  node.value.value = 2e-6;
  result.ceilings.push_back(node);
  for (const int launches : {100, 10000}) {
    Point point = made_up_point("relu", {{"n", Index{10000000} / launches}}, 9e-3, DType::fp32, launches);
    point.graph = true;
    for (Stage& stage : point.stages) stage.launches = 0;
    result.points.push_back(point);
  }
  const auto answers = answer_overhead(judged(result));
  EXPECT_NEAR(figure(answers.at(0), 0, "predicted_s"), 8e-3, 1e-12);
  EXPECT_NEAR(figure(answers.at(0), 1, "predicted_s"), 20e-3, 1e-12);
}

TEST(Fusion, PredictsTheRatioOfBytesUntilArithmeticBinds) {
  Result result = made_up_result();
  // 80 MB a stage: 8 ms and a launch each one by one; fused once
  const Index n = 10000000;
  for (const Index stages : {Index{1}, Index{8}}) {
    const Params params{{"n", n}, {"stages", stages}};
    result.points.push_back(made_up_point("elementwise_chain_unfused", params, 10e-3 * static_cast<double>(stages)));
    result.points.push_back(made_up_point("elementwise_chain_fused", params, 10e-3));
  }
  const auto answers = answer_fusion(judged(result));
  ASSERT_EQ(answers.size(), 1U);
  const SeriesAnswer& answer = answers.front();
  EXPECT_EQ(answer.subject, "fusion: elementwise_chain fp32, kokkos, dev");
  EXPECT_DOUBLE_EQ(figure(answer, 0, "byte_ratio"), 1);
  EXPECT_DOUBLE_EQ(figure(answer, 1, "byte_ratio"), 8);
  EXPECT_NEAR(figure(answer, 1, "predicted_factor"), 8, 1e-9);
  EXPECT_DOUBLE_EQ(figure(answer, 1, "measured_factor"), 8);
  EXPECT_TRUE(says(answer, "8 stages fused move 1/8 of the bytes and ran 8 times as fast")) << answer.conclusion;
  EXPECT_FALSE(says(answer, "because")) << answer.conclusion;
  // 100 stages: 2e9 flop at 100 GFLOP/s are 20 ms against 800 ms one by one: 40 times, not 100
  const Params deep{{"n", n}, {"stages", Index{100}}};
  result.points.push_back(made_up_point("elementwise_chain_unfused", deep, 1));
  result.points.push_back(made_up_point("elementwise_chain_fused", deep, 25e-3));
  const auto bound = answer_fusion(judged(result));
  EXPECT_NEAR(figure(bound.at(0), 2, "predicted_factor"), (0.8 + 100 * 10e-6) / (20e-3 + 10e-6), 1e-9);
  EXPECT_TRUE(says(bound.at(0), "less than the bytes, because vector fp32")) << bound.at(0).conclusion;
}

TEST(Fusion, SaysWhenTheSingleStagesReadFromCaches) {
  Result result = made_up_result();
  // An array of 2 MB, twice the cache: the stages in place draw half of their bytes from main memory, the first, on two
  // arrays, which are four times the cache, all. Of 8 launches' bytes (1 + 7 / 2) / 8 come from outside.
  const Params params{{"n", Index{1024 * 1024 / 2}}, {"stages", Index{8}}};
  result.points = {made_up_point("elementwise_chain_unfused", params, 2e-3),
                   made_up_point("elementwise_chain_fused", params, 0.5e-3)};
  const auto answers = answer_fusion(judged(result));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(says(answers[0], "less than the bytes, because 44 % of the single stages' bytes come from caches"))
      << answers[0].conclusion;
}

TEST(Fusion, SaysWhenUpdatingInPlaceIsCheaper) {
  Result result = made_up_result();
  Ceiling update = *std::ranges::find(result.ceilings, "DRAM", &Ceiling::name);
  update.id = "DRAM update";
  update.access = Access::update;
  update.value.value = 1.5 * update.value.value;
  result.ceilings.push_back(update);
  const Params params{{"n", Index{10000000}}, {"stages", Index{8}}};
  result.points = {made_up_point("elementwise_chain_unfused", params, 60e-3),
                   made_up_point("elementwise_chain_fused", params, 10e-3)};
  const auto answers = answer_fusion(judged(result));
  EXPECT_NEAR(figure(answers.at(0), 0, "predicted_factor"), (8e-3 * (1 + 7 / 1.5) + 80e-6) / (8e-3 + 10e-6), 1e-9);
  EXPECT_TRUE(says(answers[0], "less than the bytes, because updating in place costs less per byte than a copy"))
      << answers[0].conclusion;
}

TEST(Batch, SaysWhereTheBoundTurns) {
  Result result = made_up_result();
  // ridge 10 flop/byte; 2000 x 2000 weights of fp32, 16 MB: I = 2b 4e6 / (4 (4000 b + 4e6)), 10 at b = 20.4
  for (const Index batch : {Index{1}, Index{16}, Index{32}}) {
    const Params params{{"m", batch}, {"n", Index{2000}}, {"k", Index{2000}}};
    result.points.push_back(made_up_point("gemm", params, batch == 32 ? 1e-3 : 0.5e-3));
  }
  const auto answers = answer_batch(judged(result));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_NEAR(figure(answers[0], 0, "intensity_flop_per_byte"), 8e6 / (4 * 4004000.0), 1e-9);
  EXPECT_NEAR(figure(answers[0], 2, "bound_flop_per_s"), 256e6 / (256e6 / 100e9 + 10e-6), 1);
  EXPECT_TRUE(says(answers[0], "from DRAM copy (ordinary) to vector fp32 (burst) between batch 16 and 32"))
      << answers[0].conclusion;
  EXPECT_TRUE(says(answers[0], "no batch up to 16 takes more than 1.5 times the time of batch 1: the weights are what"))
      << answers[0].conclusion;
  for (Point& point : result.points) point.time.value *= 8;  // 4 ms for 16 MB, which take 1.6 ms
  EXPECT_TRUE(says(answer_batch(judged(result))[0], "than 1.5 times the time of batch 1."))
      << answer_batch(judged(result))[0].conclusion;
}

TEST(Batch, SaysWhenNoRowsComeForFree) {
  Result result = made_up_result();
  for (const Index batch : {Index{1}, Index{2}}) {
    const Params params{{"m", batch}, {"n", Index{2000}}, {"k", Index{2000}}};
    result.points.push_back(made_up_point("gemm", params, 2e-3 * static_cast<double>(batch)));
  }
  const auto conclusion = [&] { return answer_batch(judged(result)).at(0).conclusion; };
  EXPECT_NE(conclusion().find("batch 2 takes 2.00 times the time of batch 1 already: no rows are free"),
            std::string::npos)
      << conclusion();
  result.points.pop_back();
  EXPECT_NE(conclusion().find("One batch was measured: nothing to compare"), std::string::npos) << conclusion();
}

TEST(Precision, ComparesWithTheWidestType) {
  Result result = made_up_result();
  const Params params{{"n", Index{10000000}}};
  result.points = {made_up_point("relu", params, 8e-3), made_up_point("relu", params, 20e-3, DType::fp64)};
  const auto answers = answer_precision(judged(result));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(std::get<std::string>(answers[0].rows[0][0].held), "fp64");
  EXPECT_DOUBLE_EQ(figure(answers[0], 1, "measured_gain"), 2.5);
  EXPECT_NEAR(figure(answers[0], 1, "predicted_gain"), 16.01 / 8.01, 1e-9);
  EXPECT_TRUE(says(answers[0], "fp32 comes out fastest: 2.5 times as fast as fp64, on 1/2 of the bytes"))
      << answers[0].conclusion;
  result.points = {made_up_point("relu", params, 8e-3), made_up_point("relu", params, 7e-3, DType::fp64)};
  EXPECT_TRUE(says(answer_precision(judged(result))[0], "No narrower type is faster")) << "a result may be so";
  result.points = {made_up_point("relu", params, 8e-3), made_up_point("relu", params, 8.1e-3, DType::fp64)};
  result.points[0].time.ci_high = 8.3e-3;
  result.points[1].time.ci_low = 7.9e-3;
  EXPECT_TRUE(
      says(answer_precision(judged(result))[0], "fp32 comes out fastest, but is not shown to be faster than fp64"))
      << answer_precision(judged(result))[0].conclusion;
}

TEST(Precision, OfOneTypeNothingIsConcluded) {
  Result result = made_up_result();
  result.points = {made_up_point("relu", {{"n", Index{10000000}}}, 8e-3)};
  EXPECT_EQ(answer_precision(judged(result)).at(0).conclusion, "Only fp32 was measured: nothing to compare.");
}

TEST(Bytes, TheSlopeOfAStraightLineIsTheBandwidth) {
  Result result = made_up_result();
  // 1 ms and 9 GB/s, from 8 to 24 MB: beyond four times the 1 MiB of cache
  for (const Index n : {Index{1000000}, Index{2000000}, Index{3000000}})
    result.points.push_back(made_up_point("relu", {{"n", n}}, 1e-3 + 8.0 * static_cast<double>(n) / 9e9));
  const auto answers = answer_bytes(judged(result));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(std::get<std::string>(answers[0].rows[0][1].held), "DRAM");
  for (const char* words : {"DRAM: slope 9 GB/s, R² 1.0000, roof 10 GB/s",
                            "a straight line in bytes at 0.90 of the roof: bound by bandwidth", "L2: too few"})
    EXPECT_TRUE(says(answers[0], words)) << words << ": " << answers[0].conclusion;
  result.points[1].time.value = 10e-3;
  EXPECT_TRUE(says(answer_bytes(judged(result))[0], "no straight line")) << answer_bytes(judged(result))[0].conclusion;
}

Result relu_in_main_memory(double s_per_byte) {
  Result result = made_up_result();
  for (const Index n : {Index{1000000}, Index{2000000}, Index{3000000}})
    result.points.push_back(made_up_point("relu", {{"n", n}}, 1e-3 + 8.0 * static_cast<double>(n) * s_per_byte));
  return result;
}

TEST(Bytes, AStraightLineFarBelowTheRoofIsNotBoundByBandwidth) {
  const auto slow = answer_bytes(judged(relu_in_main_memory(1 / 2e9))).at(0);
  EXPECT_TRUE(says(slow, "a straight line in bytes, but at 0.20 of the roof: something else costs per byte"))
      << slow.conclusion;
  EXPECT_FALSE(says(slow, "bound by bandwidth")) << slow.conclusion;
  Result result = relu_in_main_memory(1 / 2e9);
  std::erase_if(result.ceilings, [](const Ceiling& row) { return row.kind == CeilingKind::bandwidth; });
  EXPECT_TRUE(says(answer_bytes(judged(result))[0], "no roof was measured"))
      << answer_bytes(judged(result))[0].conclusion;
}

TEST(Bytes, SaysWhenTimeDoesNotGrowWithBytes) {
  for (const double s_per_byte : {0.0, -1e-11}) {
    const auto answer = answer_bytes(relu_in_main_memory(s_per_byte)).at(0);
    EXPECT_TRUE(says(answer, "DRAM: time does not grow with bytes")) << answer.conclusion;
    EXPECT_TRUE(says(answer, "was not shown")) << answer.conclusion;
  }
}

TEST(Misalignment, IsARatioOfRatesWithTheEndsOfBothIntervals) {
  Result result = made_up_result();
  const auto square = [](Index n, double time_s) {
    Point point = made_up_point("gemm", {{"m", n}, {"n", n}, {"k", n}}, time_s);
    point.time.ci_low = 0.99 * time_s;
    point.time.ci_high = 1.01 * time_s;
    return point;
  };
  // twice the time for (100 / 99)^3 of the work
  result.points = {square(99, 1), square(100, 2), square(7, 1)};
  const auto answers = answer_misalignment(result);
  ASSERT_EQ(answers.at(0).rows.size(), 1U);
  const double ratio = 1e6 / (99.0 * 99 * 99) / 2;
  EXPECT_NEAR(figure(answers[0], 0, "ratio"), ratio, 1e-12);
  EXPECT_NEAR(figure(answers[0], 0, "ratio_low"), ratio * 0.99 / 1.01, 1e-12);
  EXPECT_NEAR(figure(answers[0], 0, "ratio_high"), ratio * 1.01 / 0.99, 1e-12);
  EXPECT_EQ(answers[0].conclusion,
            "At n = 99, one more gives 0.515 [0.505, 0.526] of the rate: the size that fits no tile costs.");
  result.points = {square(99, 1), square(100, 1.03)};
  EXPECT_TRUE(says(answer_misalignment(result)[0], "no difference was shown"))
      << answer_misalignment(result)[0].conclusion;
  result.points = {square(99, 1), square(100, 2), square(199, 1), square(200, 1.01)};
  const auto both = answer_misalignment(result)[0];
  EXPECT_TRUE(says(both, "At n = 99, one more gives 0.515")) << both.conclusion;
  EXPECT_TRUE(says(both, "costs. At n = 199, one more gives 1.005")) << both.conclusion;
}

}  // namespace
}  // namespace gable::experiment
