#include "core/questions/plan/inference_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "core/questions/predict/prediction.hpp"

namespace gable::questions {
namespace {

const MachineModel& an_h100() {
  static const MachineModel machine = machine_of(catalogue::find_device("H100 SXM5 80GB"));
  return machine;
}

PlannedOperator row_named(const PhasePlan& phase, const std::string& name) {
  const auto found = std::ranges::find(phase.operators, name, &PlannedOperator::name);
  if (found == phase.operators.end()) throw Error("no operator " + name);
  return *found;
}

/// Eight H200: each sends 2 x 7/8 of every sum in a ring, once where the switches add. A bridge of four cannot.
TEST(PlanOfAMachine, SumsTakeARingOrTheSwitches) {
  const Inference what{.batch = 16, .context = 1, .devices = 8};
  const double sums = 2 * 80 * 16 * 8192 * 2.0;
  const auto decode = plan_inference(find_transformer("Llama-3-70B"), of_catalogue("H200 SXM 141GB"), what).decode;
  EXPECT_DOUBLE_EQ(decode.ring_s.value(), sums * 2 * 7 / 8 / 450e9);
  EXPECT_DOUBLE_EQ(decode.in_switch_s.value(), sums / 450e9);
  EXPECT_EQ(decode.all_reduce_s, decode.in_switch_s);
  const auto bridged = plan_inference(find_transformer("Llama-3-70B"), of_catalogue("H200 NVL 141GB"), what).decode;
  EXPECT_FALSE(bridged.in_switch_s);
  EXPECT_EQ(bridged.all_reduce_s, bridged.ring_s);
}

/// Products read a byte a value and write two, norms the other way round; residuals and sums stay at two.
TEST(PlanOfAMachine, NarrowActivationsLeaveTheResidualStreamWide) {
  const auto& model = find_transformer("Llama-3-8B");
  const Inference what{.batch = 4,
                       .context = 1,
                       .weights = DType::fp8_e4m3,
                       .cache = DType::fp8_e4m3,
                       .activations = DType::fp8_e4m3,
                       .devices = 2};
  const auto decode = plan_inference(model, an_h100(), what).decode;
  EXPECT_EQ(bytes(row_named(decode, "feed-forward down").stage), 7168 * 4096 + 4 * (7168 + 2 * 4096));
  EXPECT_EQ(bytes(row_named(decode, "norms").stage), 4 * 4096 * (2 + 1));
  EXPECT_EQ(bytes(row_named(decode, "residuals").stage), 4 * 4096 * 3 * 2);
  EXPECT_EQ(decode.all_reduce_byte, 2 * 32 * 4 * 4096 * 2);
  Inference stated = what;
  stated.residual = DType::fp32;
  EXPECT_EQ(bytes(row_named(plan_inference(model, an_h100(), stated).decode, "residuals").stage), 4 * 4096 * 3 * 4);
}

/// 2614.9 Tflop/s of fp8 that MI300X has, not the 1307.4 of fp16.
TEST(PlanOfAMachine, Fp8IsTheFlavourOfTheChip) {
  const Inference what{.batch = 1,
                       .context = 4096,
                       .weights = DType::fp8_e4m3,
                       .cache = DType::fp8_e4m3,
                       .activations = DType::fp8_e4m3};
  const auto plan = plan_inference(find_transformer("Llama-3-8B"), of_catalogue("MI300X"), what);
  EXPECT_EQ(plan.what.weights, DType::fp8_e4m3fnuz);
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes.front(), "fp8_e4m3 is taken as fp8_e4m3fnuz, which this device multiplies");
  EXPECT_DOUBLE_EQ(row_named(plan.prefill, "feed-forward down").bound->work_s, 2.0 * 4096 * 14336 * 4096 / 2614.9e12);
  Inference own = what;
  own.weights = own.cache = own.activations = DType::fp8_e4m3fnuz;
  EXPECT_TRUE(plan_inference(find_transformer("Llama-3-8B"), of_catalogue("MI300X"), own).notes.empty());
  EXPECT_EQ(plan_inference(find_transformer("Llama-3-8B"), an_h100(), what).what.weights, DType::fp8_e4m3);
}

/// gpt-oss-20b: 12 of 24 layers see 128 tokens; 2 x 8 heads of 64 values a token and layer.
TEST(PlanOfAMachine, LayersWithAWindowKeepNoMoreThanIt) {
  const auto& model = find_transformer("gpt-oss-20b");
  const auto plan = plan_inference(model, an_h100(), {.batch = 1, .context = 4096});
  EXPECT_EQ(plan.cache_byte, 12.0 * (4096 + 128) * 1024 * 2);
  EXPECT_EQ(row_named(plan.decode, "attention to the cache").times, 12);
  const auto window = row_named(plan.decode, "attention in the window");
  EXPECT_EQ(flops(window.stage), 4.0 * 128 * 64 * 64);
  // the first 128 tokens of a prompt see 1, 2 … 128, the others 128
  EXPECT_DOUBLE_EQ(flops(row_named(plan.prefill, "attention in the window").stage),
                   4.0 * 64 * 64 * (128 * 129 / 2 + (4096 - 128) * 128));
  EXPECT_EQ(plan_inference(model, an_h100(), {.batch = 1, .context = 100}).cache_byte, 24.0 * 100 * 1024 * 2);
}

/// 16 devices and 8 KV heads: each has one of them, not half of one.
TEST(PlanOfAMachine, TheFloorCountsKvHeadsThatSeveralDevicesHave) {
  const auto& model = find_transformer("Llama-3-8B");
  const Inference what{.batch = 1, .context = 1, .devices = 16};
  const double shared = (parameters(model) - 128256.0 * 4096) / 16, twice = 32 * 2 * 4096 * 128 * 0.5;
  EXPECT_NEAR(*plan_inference(model, an_h100(), what).floor_s, (shared + twice) * 2 / 3.35e12, 1e-12);
}

/// Eight tokens that choose two of eight experts each: 7.2 in expectation, 8 at worst.
TEST(PlanOfAMachine, ExpertsAtWorst) {
  const auto plan = plan_inference(find_transformer("Mixtral-8x7B"), an_h100(), {.batch = 8, .context = 1});
  EXPECT_EQ(plan.most_experts_read, 8);
  const double more = (8 - *plan.experts_read) * 3 * 4096 * 14336 * 2 * 32 / 3.35e12;
  EXPECT_NEAR(*plan.most_decode_s - *plan.decode.time_s, more, 1e-9);
  EXPECT_FALSE(plan_inference(find_transformer("Llama-3-8B"), an_h100(), {.batch = 8, .context = 1}).most_decode_s);
}

TEST(PlanOfAMachine, WhatFitsNoNumberSaysWhy) {
  const auto plan = plan_inference(find_transformer("DeepSeek-V3"), an_h100(), {.batch = 2, .context = 800000});
  EXPECT_EQ(plan.fits, false);
  EXPECT_NE(plan.why_none.find("112 GB of the cache: all of it"), std::string::npos) << plan.why_none;
  EXPECT_NE(misfit(plan).find("fits no number of devices: even of 128"), std::string::npos) << misfit(plan);
  EXPECT_FALSE(token_per_s(plan));
}

/// Two devices at 3.6 an hour, 4 tokens in 10 ms: 2 x 3.6 / 3600 x 0.01 / 4 = 5e-6 a token.
TEST(PlanOfAMachine, CostOfAMillionTokens) {
  InferencePlan plan;
  plan.what = {.batch = 4, .context = 1000, .devices = 2};
  plan.decode.time_s = 0.01;
  plan.prefill.time_s = 2;
  EXPECT_DOUBLE_EQ(million_cost(plan, false, 3.6).value(), 5);
  EXPECT_DOUBLE_EQ(million_cost(plan, true, 3.6).value(), 1);  // 2 x 3.6 / 3600 x 2 / 4000
  EXPECT_FALSE(million_cost(plan, false, {}));
  plan.fits = false;
  EXPECT_FALSE(million_cost(plan, false, 3.6));
}

/// A step whose rows are all memory-bound takes half the time at twice the bandwidth, and the same at twice the units.
TEST(PlanOfAMachine, TwiceTheBandwidthHalvesWhatMemoryBounds) {
  PlanAnswer answer;
  answer.model = &find_transformer("Llama-3-8B");
  answer.machine = an_h100();
  make_plans(answer, std::vector{Inference{.batch = 1, .context = 1000}}, false);
  EXPECT_DOUBLE_EQ(*answer.plan.decode.time_s, 2 * *answer.twice_bandwidth.decode.time_s);
  EXPECT_DOUBLE_EQ(*answer.plan.decode.time_s, *answer.twice_compute.decode.time_s);
  EXPECT_LT(*answer.twice_compute.prefill.time_s, 0.6 * *answer.plan.prefill.time_s);
}

/// 141 GB take two H100 of 85.5 GB and one H200 of 150.8.
TEST(PlanOfAMachine, RowsOfATableTakeAsManyDevicesAsHoldAll) {
  const auto& model = find_transformer("Llama-3-70B");
  const Inference what{.batch = 1, .context = 1};
  EXPECT_EQ(plan_row(model, an_h100(), what, {}).plan.what.devices, 2);
  EXPECT_EQ(plan_row(model, of_catalogue("H200 SXM 141GB"), what, {}).plan.what.devices, 1);
  EXPECT_EQ(plan_row(model, an_h100(), what, 4).plan.what.devices, 4);
}

}  // namespace
}  // namespace gable::questions
