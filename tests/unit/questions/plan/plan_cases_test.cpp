#include "core/questions/plan/inference_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/verdict/machine_model.hpp"

namespace gable::questions {
namespace {

PhasePlan decode(const char* model, const Inference& what) {
  return plan_inference(find_transformer(model), machine_of(catalogue::find_device("H100 SXM5 80GB")), what).decode;
}

PlanCases cases_of(const PhasePlan& phase) {
  PlanCases list;
  add_cases(list, "decode", phase, operator_specs());
  return list;
}

const Case& labelled(const PlanCases& list, std::string_view label) {
  const auto found = std::ranges::find(list.cases, label, &Case::label);
  if (found == list.cases.end()) throw std::runtime_error("no case " + std::string(label));
  return *found;
}

/// Llama-3-8B on two devices: 32 heads, 8 KV heads and a width of 14336 inside are halved.
TEST(PlanCases, AreTheOperatorsOfOneDevice) {
  const auto list = cases_of(decode("Llama-3-8B", {.batch = 16, .context = 1024, .devices = 2}));
  EXPECT_TRUE(list.left_out.empty()) << list.left_out.front();
  EXPECT_EQ(list.cases.size(), 10U);
  const Case& projection = labelled(list, "decode: query, key, value");
  EXPECT_EQ(projection.op, "gemm");
  EXPECT_EQ(projection.params.front().to_string(), "m=16,n=3072,k=4096");  // (16 + 2 x 4) x 128
  EXPECT_EQ(projection.dtypes, std::vector{DType::bf16});
  EXPECT_EQ(projection.count, 32.0);
  EXPECT_EQ(labelled(list, "decode: feed-forward gate and up").params.front().to_string(), "m=16,n=14336,k=4096");
  EXPECT_EQ(labelled(list, "decode: vocabulary").count, 1.0);
  const Case& attention = labelled(list, "decode: attention to the cache");
  EXPECT_EQ(attention.op, "attention_decode");
  EXPECT_EQ(attention.params.front().to_string(), "b=16,h=16,kv=4,s=1024,d=128");
  EXPECT_EQ(labelled(list, "decode: norms").count, 64.0);
}

TEST(PlanCases, OneShapeIsOneCaseWithItsCountsAddedUp) {
  const auto plan = plan_inference(find_transformer("GPT-2"), machine_of(catalogue::find_device("H100 SXM5 80GB")),
                                   {.batch = 4, .context = 1});
  PlanCases list;
  add_cases(list, "prefill", plan.prefill, operator_specs());
  add_cases(list, "decode", plan.decode, operator_specs());
  const Case& both = labelled(list, "prefill: vocabulary + decode: vocabulary");
  EXPECT_EQ(both.count, 2.0);
  EXPECT_EQ(both.params.front().to_string(), "m=4,n=50257,k=768");
}

/// Four prompts are 4 x 12 heads, and each sees only its own keys.
TEST(PlanCases, PromptsAreHeads) {
  const auto plan = plan_inference(find_transformer("GPT-2"), machine_of(catalogue::find_device("H100 SXM5 80GB")),
                                   {.batch = 4, .context = 512});
  PlanCases list;
  add_cases(list, "prefill", plan.prefill, operator_specs());
  const Case& attention = labelled(list, "prefill: attention, causal");
  EXPECT_EQ(attention.op, "attention_fused");
  EXPECT_EQ(attention.params.front().to_string(), "h=48,kv=48,l=512,d=64,mask=causal");
  const auto spec = find_spec("attention_fused");
  const auto stage = spec.work(attention.params.front(), uniform_types(DType::bf16)).front();
  EXPECT_EQ(stage.work.front().operations, 2.0 * 4 * 12 * 512 * 513 * 64) << "the plan's own flops of a layer";
}

TEST(PlanCases, WhatNoOperatorDoesIsNamed) {
  const auto says = [](const PlanCases& list, const std::string& line) {
    EXPECT_EQ(std::ranges::count(list.left_out, line), 1) << line;
  };
  const auto mixture = cases_of(decode("DeepSeek-V3", {.batch = 2, .context = 64}));
  says(mixture, "decode: experts: no operator for products grouped by expert");
  says(mixture, "decode: attention to the cache: no operator for latent attention");
  says(mixture, "decode: latent query, key, value: its four matrices are planned as one");
  const auto wide = cases_of(decode("Llama-3-8B", {.batch = 2, .context = 64, .weights = DType::int8}));
  says(wide, "decode: feed-forward down: no operator multiplies int8 weights with several rows of bf16");
  const auto cache = cases_of(decode("Llama-3-8B", {.batch = 1, .context = 64, .cache = DType::int8}));
  says(cache, "decode: attention to the cache: attention_decode does not take int8 with bf16 (but with fp16)");
}

/// A vector times quantised weights, and an int8 cache, are done in fp16.
TEST(PlanCases, QuantisedWeightsAndCachesInTheirTypes) {
  const auto list = cases_of(
      decode("Llama-3-8B",
             {.batch = 1, .context = 64, .weights = DType::int8, .cache = DType::int8, .activations = DType::fp16}));
  EXPECT_TRUE(list.left_out.empty());
  const Case& down = labelled(list, "decode: feed-forward down");
  EXPECT_EQ(down.op, "gemv_quantised");
  EXPECT_EQ(down.params.front().to_string(), "m=4096,n=14336");
  EXPECT_EQ(down.dtypes, std::vector{DType::int8});
  EXPECT_EQ(labelled(list, "decode: attention to the cache").dtypes, std::vector{DType::int8});
}

Point point(const char* implementation, double time_s, bool cold) {
  Point row;
  row.device = "gpu";
  row.op = "gemm";
  row.implementation = implementation;
  row.types = uniform_types(DType::bf16);
  row.params = "m=16,n=32,k=64";
  row.cold = cold;
  row.time.value = time_s;
  return row;
}

TEST(MeasuredRun, IsTheFastestWayWithDataFromMainMemory) {
  const OperatorRun run{"gemm", Params::parse("k=64,m=16,n=32"), DType::bf16, DType::bf16};
  Result result;
  EXPECT_FALSE(measured_run(run, result, "gpu"));
  result.points = {point("kokkos", 3, false), point("vendor", 2, false)};
  EXPECT_EQ(measured_run(run, result, "gpu")->implementation, "vendor");
  EXPECT_FALSE(measured_run(run, result, "gpu")->cold);
  result.points.push_back(point("kokkos", 5, true));
  EXPECT_EQ(measured_run(run, result, "gpu")->time.value, 5);
  EXPECT_TRUE(measured_run(run, result, "gpu")->cold);
  EXPECT_FALSE(measured_run(run, result, "cpu"));
}

TEST(MeasuredRun, OtherSizesTypesAndRowsThatAreNotOkAreNot) {
  const OperatorRun run{"gemm", Params::parse("m=16,n=32,k=64"), DType::bf16, DType::bf16};
  Result result;
  result.points = std::vector<Point>(7, point("kokkos", 1, false));
  result.points[0].params = "m=16,n=32,k=65";
  result.points[1].types = uniform_types(DType::fp16);
  result.points[2].status = Status::suspect;
  result.points[3].launches = 2;
  result.points[4].graph = true;
  result.points[5].op = "gemm_transposed_b";
  result.points[6].scope = Scope::core;
  EXPECT_FALSE(measured_run(run, result, "gpu"));
}

}  // namespace
}  // namespace gable::questions
