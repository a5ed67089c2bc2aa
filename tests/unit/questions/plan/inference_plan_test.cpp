#include "core/questions/plan/inference_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/questions/predict/prediction.hpp"

namespace gable::questions {
namespace {

const MachineModel& h100() {
  static const MachineModel machine = machine_of(catalogue::find_device("H100 SXM5 80GB"));
  return machine;
}

PlannedOperator named(const PhasePlan& phase, const std::string& name) {
  const auto found = std::ranges::find(phase.operators, name, &PlannedOperator::name);
  if (found == phase.operators.end()) throw Error("no operator " + name);
  return *found;
}

/// 70.55e9 weights of 2 bytes: 141.1 GB, of which a step reads all but the input table of 128256 x 8192 weights.
TEST(InferencePlan, DecodeFloorIsTheWeightsOverTheBandwidth) {
  const auto plan = plan_inference(find_transformer("Llama-3-70B"), h100(), {.batch = 1, .context = 1});
  EXPECT_NEAR(plan.weights_byte, 141.1e9, 0.05e9);
  ASSERT_TRUE(plan.floor_s);
  EXPECT_NEAR(*plan.floor_s, (141.105e9 - 2.0 * 128256 * 8192) / h100().roofline.bandwidth().front().byte_per_s, 1e-5);
  EXPECT_EQ(plan.devices_needed, 2);
  ASSERT_TRUE(plan.decode.time_s);
  EXPECT_GT(*plan.decode.time_s, *plan.floor_s) << "a step reads and writes more than weights";
  EXPECT_LT(*plan.decode.time_s, 1.02 * *plan.floor_s);
}

/// 2 x 32 layers x 32 heads x 128 x 4096 tokens x 2 bytes = 2.147 GB.
TEST(InferencePlan, CacheOfTheModel) {
  const auto plan = plan_inference(
      find_transformer("Llama-2-7B"), h100(),
      {.batch = 1, .context = 4096, .weights = DType::fp16, .cache = DType::fp16, .activations = DType::fp16});
  EXPECT_NEAR(plan.cache_byte, 2.147e9, 1e6);
  const auto& attention = named(plan.decode, "attention to the cache");
  EXPECT_EQ(attention.times, 32);
  // 4 S d a head, all heads; K and V once, and queries, results and the new token's entry
  EXPECT_DOUBLE_EQ(flops(attention.stage), 4.0 * 4096 * 4096);
  EXPECT_NEAR(bytes(attention.stage), 2.147e9 / 32, 0.001 * 2.147e9 / 32);
  EXPECT_NEAR(flops(attention.stage) / bytes(attention.stage), 1.0, 0.001);
  EXPECT_EQ(attention.bound->limit.kind, LimitKind::bandwidth);
}

/// fp16 cache -> int8 cache: half of the bytes, the same flops.
TEST(InferencePlan, AnInt8CacheHalvesTheBytes) {
  Inference what{.batch = 1, .context = 8192};
  const auto& model = find_transformer("Llama-2-7B");
  const auto wide = plan_inference(model, h100(), what);
  what.cache = DType::int8;
  const auto narrow = plan_inference(model, h100(), what);
  const auto before = named(wide.decode, "attention to the cache");
  const auto after = named(narrow.decode, "attention to the cache");
  EXPECT_EQ(flops(before.stage), flops(after.stage));
  EXPECT_NEAR(bytes(before.stage) / bytes(after.stage), 2.0, 0.01);
  EXPECT_DOUBLE_EQ(wide.cache_byte, 2 * narrow.cache_byte);
}

/// Quantising weights bf16 -> fp8 for batch-1 decode gains by bandwidth alone.
TEST(InferencePlan, Fp8WeightsHalveTheFloor) {
  Inference what{.batch = 1, .context = 1};
  const auto& model = find_transformer("Llama-3-70B");
  const auto wide = plan_inference(model, h100(), what);
  what.weights = DType::fp8_e4m3;
  EXPECT_NEAR(*wide.floor_s / *plan_inference(model, h100(), what).floor_s, 2.0, 1e-9);
}

/// 32 weights of mxfp4 are 17 bytes, of bf16 64.
TEST(InferencePlan, BlockScaledWeightsPayForTheirScales) {
  Inference what{.batch = 1, .context = 1};
  const auto& model = find_transformer("Llama-3-70B");
  const auto wide = plan_inference(model, h100(), what);
  what.weights = DType::mxfp4;
  const auto narrow = plan_inference(model, h100(), what);
  EXPECT_NEAR(*wide.floor_s / *narrow.floor_s, 64.0 / 17, 1e-9);
  EXPECT_NEAR(wide.weights_byte / narrow.weights_byte, 64.0 / 17, 1e-9);
}

/// A causal prefill: 2 n (n + 1) h d flop of attention, 2 n w flop a weight.
TEST(InferencePlan, PrefillCountsCausalAttention) {
  const auto plan = plan_inference(find_transformer("Llama-3-8B"), h100(), {.batch = 2, .context = 1000});
  const auto& attention = named(plan.prefill, "attention, causal");
  EXPECT_DOUBLE_EQ(flops(attention.stage), 2.0 * 2 * 1000 * 1001 * 4096);
  const auto& down = named(plan.prefill, "feed-forward down");
  EXPECT_DOUBLE_EQ(flops(down.stage), 2.0 * 2000 * 14336 * 4096);
  EXPECT_EQ(down.bound->limit.kind, LimitKind::compute);
  EXPECT_EQ(down.gemm->m, 2000);
  EXPECT_EQ(named(plan.prefill, "vocabulary").gemm->m, 2);
}

/// 168 tokens are under A100's ridge of 156 for 4096 x 4096; here the shapes and the catalogue's ridge are others, so
/// the mark is checked against its definition.
TEST(InferencePlan, RidgeMarkIsWhereProductsTurnComputeBound) {
  const auto& model = find_transformer("Llama-3-8B");
  Inference what{.batch = 1, .context = 1};
  const BatchMarks marks = batch_marks(model, h100(), what).value();
  ASSERT_TRUE(marks.ridge);
  EXPECT_GT(*marks.ridge, 295);  // intensity stays below 2 b / s = b
  EXPECT_LT(*marks.ridge, 400);
  what.batch = *marks.ridge - 1;
  const auto before = plan_inference(model, h100(), what);
  EXPECT_TRUE(named(before.decode, "feed-forward down").bound->limit.kind == LimitKind::bandwidth ||
              named(before.decode, "feed-forward gate and up").bound->limit.kind == LimitKind::bandwidth);
}

/// Per sequence the cache of Llama-2-7B at 4096 tokens is 2.147 GB, its weights 13.2 GB without the input table.
TEST(InferencePlan, CacheTakesOverWhenItOutweighsTheWeights) {
  const BatchMarks marks = batch_marks(find_transformer("Llama-2-7B"), h100(), {.batch = 1, .context = 4096}).value();
  EXPECT_EQ(marks.takeover, 7);  // 6 x 2.147 = 12.9 < 13.2 < 15.0
}

/// E = 8, k = 2, b = 8: 7.2 experts.
TEST(InferencePlan, ExpertsReadInExpectation) {
  const auto plan = plan_inference(find_transformer("Mixtral-8x7B"), h100(), {.batch = 8, .context = 1});
  EXPECT_NEAR(*plan.experts_read, 7.2, 0.05);
  const auto& experts = named(plan.decode, "experts");
  const double one = 3.0 * 4096 * 14336;
  EXPECT_DOUBLE_EQ(flops(experts.stage), 2 * 8 * 2 * one);
  EXPECT_NEAR(bytes(experts.stage), *plan.experts_read * one * 2, 0.001 * 7.2 * one * 2);
}

/// Ring: each of t devices sends 2 (t - 1) / t of every sum, two sums a layer.
TEST(InferencePlan, AllReduceBytes) {
  const auto plan = plan_inference(find_transformer("Llama-3-70B"), h100(), {.batch = 4, .context = 16, .devices = 4});
  EXPECT_DOUBLE_EQ(plan.decode.all_reduce_byte, 2.0 * 80 * 4 * 8192 * 2 * 1.5);
  ASSERT_TRUE(plan.decode.ring_s);
  EXPECT_DOUBLE_EQ(*plan.decode.ring_s, plan.decode.all_reduce_byte / 450e9);
  const auto alone = plan_inference(find_transformer("Llama-3-70B"), h100(), {.batch = 4, .context = 16});
  EXPECT_EQ(alone.decode.all_reduce_byte, 0);
  EXPECT_NEAR(*plan.floor_s * 4, *alone.floor_s, 1e-9);
}

/// A step of 8 tokens reads 7.2 of 8 experts, not all of them; the floor counts those.
TEST(InferencePlan, FloorOfAMixtureCountsTheExpertsThatAreRead) {
  const auto& model = find_transformer("Mixtral-8x7B");
  const auto plan = plan_inference(model, h100(), {.batch = 8, .context = 1});
  const double one = 3.0 * 4096 * 14336, unread = 8 * std::pow(0.75, 8);
  EXPECT_DOUBLE_EQ(*plan.floor_s, (parameters(model) - 32 * unread * one - 32000.0 * 4096) * 2 / 3.35e12);
}

/// 671e9 weights of a byte and 61 x 576 x 2 bytes a token: devices share the weights, each has the whole cache.
TEST(InferencePlan, EveryDeviceKeepsALatentCache) {
  const auto& model = find_transformer("DeepSeek-V3");
  Inference what{.batch = 1, .context = 1, .weights = DType::fp8_e4m3};
  const double weights = parameters(model), token = 61 * 576 * 2;
  EXPECT_EQ(std::ceil((weights + token) / 85.52e9), 8);
  EXPECT_EQ(plan_inference(model, h100(), what).devices_needed, 8);
  what.context = 800000;  // 56.2 GB on each of them: 29.3 GB are left
  EXPECT_EQ(std::ceil(weights / (85.52e9 - 800000 * token)), 23) << "32 is the first that divides 128 heads";
  EXPECT_EQ(plan_inference(model, h100(), what).devices_needed, 32);
  what.batch = 2;  // 112 GB
  EXPECT_FALSE(plan_inference(model, h100(), what).devices_needed);
}

/// Two norms, two residuals, activation and rotation of 16 tokens, each a kernel of its own.
TEST(InferencePlan, ElementwiseWorkIsByKernel) {
  const auto plan = plan_inference(find_transformer("Llama-3-8B"), h100(), {.batch = 16, .context = 1, .devices = 2});
  const auto& decode = plan.decode;
  EXPECT_EQ(named(decode, "norms").times, 64);
  EXPECT_EQ(bytes(named(decode, "norms").stage), 2 * 16 * 4096 * 2);
  EXPECT_EQ(named(decode, "norms").run->op, "rmsnorm");
  EXPECT_EQ(bytes(named(decode, "residuals").stage), 3 * 16 * 4096 * 2);
  EXPECT_EQ(named(decode, "activation").run->params.to_string(), "m=16,n=7168");
  EXPECT_EQ(bytes(named(decode, "activation").stage), 3 * 16 * 7168 * 2);
  EXPECT_EQ(named(decode, "rotation").run->params.to_string(), "tokens=16,heads=20,d=128");
  EXPECT_EQ(decode.launches, 32 * 11 + 1 + 2);
  const auto old = plan_inference(find_transformer("GPT-2"), h100(), {.batch = 1, .context = 1});
  EXPECT_EQ(named(old.decode, "norms").run->op, "layernorm");
  EXPECT_EQ(named(old.decode, "activation").run->op, "gelu");
  EXPECT_THROW(named(old.decode, "rotation"), Error);
}

MachineModel stated(const std::vector<Types>& types) { return machine_of(StatedRoofs{1e15, 1e12, {}}, types); }

/// Tied tables, learned positions, experts and latent attention: what a step reads is never less than its floor.
TEST(InferencePlan, NoStepIsFasterThanItsFloor) {
  const Inference what{.batch = 1, .context = 1};
  for (const Transformer& model : transformers()) {
    const auto plan = plan_inference(model, stated(types_of(what)), what);
    EXPECT_GE(*plan.decode.time_s, *plan.floor_s) << model.name;
    EXPECT_LT(*plan.decode.time_s, 1.1 * *plan.floor_s) << model.name;
  }
}

/// Calls that wait for each other: the cost of each launch adds to its work, of rows of several kernels that often.
TEST(InferencePlan, SynchronousLaunchesAdd) {
  const Inference what{.batch = 1, .context = 1};
  const auto& model = find_transformer("DeepSeek-V3");
  MachineModel machine = stated(types_of(what));
  const auto free = plan_inference(model, machine, what);
  machine.roofline.set_overhead({.seconds = 1, .synchronous = true, .label = "launch"});
  const auto plan = plan_inference(model, machine, what);
  const auto& latent = named(plan.decode, "latent query, key, value");
  EXPECT_DOUBLE_EQ(latent.bound->time_s, 4 + latent.bound->work_s);
  EXPECT_DOUBLE_EQ(*plan.decode.work_s, *free.decode.time_s);
  EXPECT_DOUBLE_EQ(*plan.decode.time_s, *plan.decode.work_s + static_cast<double>(plan.decode.launches));
}

/// Where only fp32 is known: weights of a byte, values of two in and out.
TEST(InferencePlan, QuantisedWeightsComputeWhereTheActivationsDo) {
  Inference what{.batch = 1, .context = 1, .weights = DType::int8};
  MachineModel machine = stated({uniform_types(DType::fp32)});
  const auto plan = plan_inference(find_transformer("Llama-3-8B"), machine, what);
  ASSERT_TRUE(plan.decode.time_s);
  EXPECT_DOUBLE_EQ(named(plan.decode, "feed-forward down").bound->work_s, (14336.0 * 4096 + 2 * (14336 + 4096)) / 1e12);
}

/// 141 GB and 64.4 GB of cache are 206 GB: three of 85.5 GB, which 64 heads do not divide by.
TEST(InferencePlan, NeedsDevicesThatThePlanTakes) {
  Inference what{.batch = 48, .context = 4096};
  const auto& model = find_transformer("Llama-3-70B");
  const auto plan = plan_inference(model, h100(), what);
  EXPECT_EQ(std::ceil((plan.weights_byte + plan.cache_byte) / 85.52e9), 3);
  ASSERT_EQ(plan.devices_needed, 4);
  what.devices = *plan.devices_needed;
  EXPECT_NO_THROW(plan_inference(model, h100(), what));
}

/// An A100 has no fp8 unit; its 312 TFLOP/s of bf16 multiply every fp8 number exactly. 4096 tokens through half of
/// 28672 x 8192 weights.
TEST(InferencePlan, Fp8WithoutAUnitIsBoundByTheUnitThatHoldsIt) {
  const MachineModel a100 = machine_of(catalogue::find_device("A100 SXM4 80GB"));
  const auto& model = find_transformer("Llama-3-70B");
  Inference what{.batch = 1, .context = 4096, .devices = 2};
  const auto wide = plan_inference(model, a100, what);
  what.weights = what.cache = what.activations = DType::fp8_e4m3;
  const auto narrow = plan_inference(model, a100, what);
  EXPECT_DOUBLE_EQ(named(narrow.prefill, "feed-forward down").bound->time_s, 2.0 * 4096 * 14336 * 8192 / 312e12);
  EXPECT_LE(*narrow.prefill.time_s, *wide.prefill.time_s);
  ASSERT_FALSE(narrow.notes.empty());
  EXPECT_NE(narrow.notes.front().find("no figure of a unit for products of fp8_e4m3: they are counted as products of "),
            std::string::npos)
      << narrow.notes.front();
  EXPECT_TRUE(wide.notes.empty()) << wide.notes.front();
}

/// 896 GB/s in both directions are 7 links of 64 each way, one to each other device: two devices have one of them.
TEST(InferencePlan, AllReduceUsesTheLinksBetweenItsDevices) {
  const auto& model = find_transformer("Llama-3-70B");
  const auto seconds = [&](const char* device, Count devices) {
    const auto plan = plan_inference(model, machine_of(catalogue::find_device(device)),
                                     {.batch = 16, .context = 16, .devices = devices});
    EXPECT_DOUBLE_EQ(plan.decode.all_reduce_byte,
                     2.0 * 80 * 16 * 8192 * 2 * 2 * static_cast<double>(devices - 1) / static_cast<double>(devices));
    return *plan.decode.all_reduce_s / plan.decode.all_reduce_byte;
  };
  EXPECT_DOUBLE_EQ(seconds("Instinct MI300X", 2), 1 / 64e9);
  EXPECT_DOUBLE_EQ(seconds("Instinct MI300X", 4), 1 / 192e9);
  EXPECT_DOUBLE_EQ(seconds("Instinct MI300X", 8), 1 / 448e9);
  EXPECT_DOUBLE_EQ(seconds("H100 SXM5 80GB", 2), 1 / 450e9) << "a switch gives all of them to one other";
}

TEST(InferencePlan, SaysWhatTheLinksAreTakenFor) {
  const auto notes = [](const char* device, Count devices) {
    return plan_inference(find_transformer("Llama-3-70B"), machine_of(catalogue::find_device(device)),
                          {.batch = 1, .context = 16, .devices = devices})
        .notes;
  };
  EXPECT_TRUE(notes("H200 SXM 141GB", 8).empty());
  ASSERT_EQ(notes("H200 SXM 141GB", 16).size(), 1U);
  EXPECT_NE(notes("H200 SXM 141GB", 16).front().find("16 devices are taken as joined by one switch"),
            std::string::npos);
  EXPECT_NE(notes("H100 PCIe 80GB", 4).at(0).find("join 2 devices"), std::string::npos);
  EXPECT_NE(notes("Instinct MI300X", 2).at(0).find("use 1 of the 7 links"), std::string::npos);
  EXPECT_TRUE(notes("Instinct MI300X", 8).empty());
  EXPECT_NE(notes("T4", 2).back().find("the totals are without it"), std::string::npos);
}

/// Triad at 100 GB/s is no bound of reads, which may be faster.
TEST(InferencePlan, AFloorWithoutAReadRoofSaysWhatStandsForIt) {
  const Inference what{.batch = 1, .context = 1};
  const auto& model = find_transformer("Llama-3-8B");
  MachineModel machine = stated(types_of(what));
  machine.roofline.add(BandwidthRoof{.level = machine.roofline.levels().back().name,
                                     .access = Access::triad,
                                     .stores = Stores::ordinary,
                                     .byte_per_s = 100e9,
                                     .low = 100e9,
                                     .high = 100e9,
                                     .label = "memory triad"});
  const auto notes = plan_inference(model, machine, what).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes.front().find("reads alone were not measured: memory triad stands for them"), std::string::npos);
  machine.roofline.add(BandwidthRoof{.level = machine.roofline.levels().back().name,
                                     .access = Access::read,
                                     .byte_per_s = 120e9,
                                     .low = 120e9,
                                     .high = 120e9,
                                     .label = "memory read"});
  EXPECT_TRUE(plan_inference(model, machine, what).notes.empty());
}

/// Mixtral, one token: two experts' weights; 4096 values in and out once, and inside each of the two 2 x 14336 from
/// gate and up and 14336 to down.
TEST(InferencePlan, ExpertsReadTheirTokensOnce) {
  const auto plan = plan_inference(find_transformer("Mixtral-8x7B"), h100(), {.batch = 1, .context = 1});
  const double weights = 2 * 3.0 * 4096 * 14336, values = 2 * 4096 + 2 * 3 * 14336;
  EXPECT_NEAR(bytes(named(plan.decode, "experts").stage), 2 * (weights + values), 1);
}

MachineModel of_catalogue(const char* name) { return machine_of(catalogue::find_device(name)); }

TEST(Smallest, OfWhatComesAndGoesIsTheFirstFound) {
  const auto from_100 = [](std::int64_t n) { return n >= 100; };
  EXPECT_EQ(smallest(1000, from_100), 100);
  EXPECT_EQ(smallest(100, from_100), 100);
  EXPECT_FALSE(smallest(99, from_100));
  EXPECT_EQ(smallest(1000, [](std::int64_t n) { return n >= 10 && n < 20; }), 10) << "gone at the end";
}

TEST(InferencePlan, ThatMakesNoSenseIsRefused) {
  const auto& model = find_transformer("Llama-3-8B");
  EXPECT_THROW(plan_inference(model, h100(), {.batch = 0, .context = 1}), Error);
  EXPECT_THROW(plan_inference(model, h100(), {.batch = most_tokens + 1, .context = 1}), Error);
  EXPECT_THROW(plan_inference(model, h100(), {.batch = most_tokens, .context = most_tokens}), Error);
  EXPECT_THROW(plan_inference(model, h100(), {.batch = 1, .context = 1, .devices = 5}), Error);
  EXPECT_THROW(plan_inference(model, h100(), {.batch = 1, .context = 1, .activations = DType::int8}), Error);
}

}  // namespace
}  // namespace gable::questions
