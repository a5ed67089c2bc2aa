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
  EXPECT_NE(narrow.notes.front().find("no unit for products of fp8_e4m3: they are counted as products of "),
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
  EXPECT_NE(notes("T4", 2).at(0).find("the totals are without it"), std::string::npos);
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

/// Eight H200: each sends 2 x 7/8 of every sum in a ring, once where the switches add. A bridge of four cannot.
TEST(InferencePlan, SumsTakeARingOrTheSwitches) {
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
TEST(InferencePlan, NarrowActivationsLeaveTheResidualStreamWide) {
  const auto& model = find_transformer("Llama-3-8B");
  const Inference what{.batch = 4,
                       .context = 1,
                       .weights = DType::fp8_e4m3,
                       .cache = DType::fp8_e4m3,
                       .activations = DType::fp8_e4m3,
                       .devices = 2};
  const auto decode = plan_inference(model, h100(), what).decode;
  EXPECT_EQ(bytes(named(decode, "feed-forward down").stage), 7168 * 4096 + 4 * (7168 + 2 * 4096));
  EXPECT_EQ(bytes(named(decode, "norms").stage), 4 * 4096 * (2 + 1));
  EXPECT_EQ(bytes(named(decode, "residuals").stage), 4 * 4096 * 3 * 2);
  EXPECT_EQ(decode.all_reduce_byte, 2 * 32 * 4 * 4096 * 2);
  Inference stated = what;
  stated.residual = DType::fp32;
  EXPECT_EQ(bytes(named(plan_inference(model, h100(), stated).decode, "residuals").stage), 4 * 4096 * 3 * 4);
}

/// 2614.9 Tflop/s of fp8 that MI300X has, not the 1307.4 of fp16.
TEST(InferencePlan, Fp8IsTheFlavourOfTheChip) {
  const Inference what{.batch = 1,
                       .context = 4096,
                       .weights = DType::fp8_e4m3,
                       .cache = DType::fp8_e4m3,
                       .activations = DType::fp8_e4m3};
  const auto plan = plan_inference(find_transformer("Llama-3-8B"), of_catalogue("MI300X"), what);
  EXPECT_EQ(plan.what.weights, DType::fp8_e4m3fnuz);
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes.front(), "fp8_e4m3 is taken as fp8_e4m3fnuz, which this device multiplies");
  EXPECT_DOUBLE_EQ(named(plan.prefill, "feed-forward down").bound->work_s, 2.0 * 4096 * 14336 * 4096 / 2614.9e12);
  Inference own = what;
  own.weights = own.cache = own.activations = DType::fp8_e4m3fnuz;
  EXPECT_TRUE(plan_inference(find_transformer("Llama-3-8B"), of_catalogue("MI300X"), own).notes.empty());
  EXPECT_EQ(plan_inference(find_transformer("Llama-3-8B"), h100(), what).what.weights, DType::fp8_e4m3);
}

/// gpt-oss-20b: 12 of 24 layers see 128 tokens; 2 x 8 heads of 64 values a token and layer.
TEST(InferencePlan, LayersWithAWindowKeepNoMoreThanIt) {
  const auto& model = find_transformer("gpt-oss-20b");
  const auto plan = plan_inference(model, h100(), {.batch = 1, .context = 4096});
  EXPECT_EQ(plan.cache_byte, 12.0 * (4096 + 128) * 1024 * 2);
  EXPECT_EQ(named(plan.decode, "attention to the cache").times, 12);
  const auto window = named(plan.decode, "attention in the window");
  EXPECT_EQ(flops(window.stage), 4.0 * 128 * 64 * 64);
  // the first 128 tokens of a prompt see 1, 2 … 128, the others 128
  EXPECT_DOUBLE_EQ(flops(named(plan.prefill, "attention in the window").stage),
                   4.0 * 64 * 64 * (128 * 129 / 2 + (4096 - 128) * 128));
  EXPECT_EQ(plan_inference(model, h100(), {.batch = 1, .context = 100}).cache_byte, 24.0 * 100 * 1024 * 2);
}

/// 16 devices and 8 KV heads: each has one of them, not half of one.
TEST(InferencePlan, TheFloorCountsKvHeadsThatSeveralDevicesHave) {
  const auto& model = find_transformer("Llama-3-8B");
  const Inference what{.batch = 1, .context = 1, .devices = 16};
  const double shared = (parameters(model) - 128256.0 * 4096) / 16, twice = 32 * 2 * 4096 * 128 * 0.5;
  EXPECT_NEAR(*plan_inference(model, h100(), what).floor_s, (shared + twice) * 2 / 3.35e12, 1e-12);
}

/// Eight tokens that choose two of eight experts each: 7.2 in expectation, 8 at worst.
TEST(InferencePlan, ExpertsAtWorst) {
  const auto plan = plan_inference(find_transformer("Mixtral-8x7B"), h100(), {.batch = 8, .context = 1});
  EXPECT_EQ(plan.most_experts_read, 8);
  const double more = (8 - *plan.experts_read) * 3 * 4096 * 14336 * 2 * 32 / 3.35e12;
  EXPECT_NEAR(*plan.most_decode_s - *plan.decode.time_s, more, 1e-9);
  EXPECT_FALSE(plan_inference(find_transformer("Llama-3-8B"), h100(), {.batch = 8, .context = 1}).most_decode_s);
}

TEST(InferencePlan, WhatFitsNoNumberSaysWhy) {
  const auto plan = plan_inference(find_transformer("DeepSeek-V3"), h100(), {.batch = 2, .context = 800000});
  EXPECT_EQ(plan.fits, false);
  EXPECT_NE(plan.why_none.find("112 GB of the cache: all of it"), std::string::npos) << plan.why_none;
  EXPECT_NE(misfit(plan).find("fits no number of devices: even of 128"), std::string::npos) << misfit(plan);
  EXPECT_FALSE(token_per_s(plan));
}

/// Two devices at 3.6 an hour, 4 tokens in 10 ms: 2 x 3.6 / 3600 x 0.01 / 4 = 5e-6 a token.
TEST(InferencePlan, CostOfAMillionTokens) {
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
TEST(InferencePlan, TwiceTheBandwidthHalvesWhatMemoryBounds) {
  PlanAnswer answer;
  answer.model = &find_transformer("Llama-3-8B");
  answer.machine = h100();
  make_plans(answer, std::vector{Inference{.batch = 1, .context = 1000}}, false);
  EXPECT_DOUBLE_EQ(*answer.plan.decode.time_s, 2 * *answer.twice_bandwidth.decode.time_s);
  EXPECT_DOUBLE_EQ(*answer.plan.decode.time_s, *answer.twice_compute.decode.time_s);
  EXPECT_LT(*answer.twice_compute.prefill.time_s, 0.6 * *answer.plan.prefill.time_s);
}

/// 141 GB take two H100 of 85.5 GB and one H200 of 150.8.
TEST(InferencePlan, RowsOfATableTakeAsManyDevicesAsHoldAll) {
  const auto& model = find_transformer("Llama-3-70B");
  const Inference what{.batch = 1, .context = 1};
  EXPECT_EQ(plan_row(model, h100(), what, {}).plan.what.devices, 2);
  EXPECT_EQ(plan_row(model, of_catalogue("H200 SXM 141GB"), what, {}).plan.what.devices, 1);
  EXPECT_EQ(plan_row(model, h100(), what, 4).plan.what.devices, 4);
}

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
