#include "core/questions/predict/fusion.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/questions/predict/prediction.hpp"

namespace gable::questions {
namespace {

const Types fp32 = uniform_types(DType::fp32);

Params sizes(const char* text) { return Params::parse(text); }

Stage moving(double read, double written, double updated = 0) {
  Stage stage;
  stage.bytes_read = read;
  stage.bytes_written = written;
  stage.bytes_updated = updated;
  return stage;
}

void expect_traffic(const Stage& stage, double read, double written, double updated) {
  EXPECT_EQ(stage.bytes_read, read);
  EXPECT_EQ(stage.bytes_written, written);
  EXPECT_EQ(stage.bytes_updated, updated);
}

/// Reads at 100 GB/s and updates at 80 GB/s.
Roofline reads_and_updates() {
  Roofline roofline;
  roofline.set_levels({{"DRAM", 0}});
  for (const auto& [access, rate] : {std::pair{Access::read, 100e9}, std::pair{Access::update, 80e9}})
    roofline.add(BandwidthRoof{.level = "DRAM",
                               .access = access,
                               .stores = Stores::ordinary,
                               .byte_per_s = rate,
                               .low = rate,
                               .high = rate,
                               .label = "DRAM"});
  return roofline;
}

double seconds(const std::vector<Stage>& stages) { return reads_and_updates().judge(stages, fp32, true).bound->time_s; }

/// Three elementwise stages of n elements move 2ns each; fused they move 2ns together.
TEST(Fusion, MovesEachArrayOnce) {
  const auto relu = find_spec("relu").work({{"n", 1000}}, fp32).front();
  const std::vector<Stage> three{relu, relu, relu};
  const Stage whole = fused(three);
  EXPECT_EQ(bytes(whole), 8000);
  EXPECT_EQ(flops(whole), 3000);
  EXPECT_EQ(whole.launches, 1);
  const auto machine = machine_of(StatedRoofs{.flop_per_s = {}, .byte_per_s = 1e9, .launch_s = {}}, std::vector{fp32});
  EXPECT_NEAR(predict(machine, three, fp32).bound.time_s / predict(machine, std::vector{whole}, fp32).bound.time_s, 3,
              1e-9);
}

/// y += a x twice, 4 GB an array: x is read at 100 GB/s, y read and written at 80. Apart 2 (4 / 100 + 8 / 80) s; as one
/// two x are read and y moves once each way: 8 / 100 + 8 / 80 s.
TEST(Fusion, WhatIsUpdatedTwiceIsUpdatedOnce) {
  const auto axpy = find_spec("axpy").work({{"n", 1000000000}}, fp32).front();
  const Stage whole = fused(std::vector{axpy, axpy});
  expect_traffic(whole, 12e9, 4e9, 4e9);
  EXPECT_EQ(whole.working_set, 12e9) << "two x and one y";
  EXPECT_NEAR(seconds({axpy, axpy}), 2 * (4 / 100.0 + 8 / 80.0), 1e-12);
  EXPECT_NEAR(seconds({whole}), 8 / 100.0 + 8 / 80.0, 1e-12);
}

/// Adam reads 16 and writes 12 bytes a parameter, the 12 in place. A second step behind it reads its own gradient only.
TEST(Fusion, OfTwoStepsOfAdamReadsBothGradients) {
  const Stage step = moving(16e9, 12e9, 12e9), whole = fused(std::vector{step, step});
  expect_traffic(whole, 20e9, 12e9, 12e9);
  EXPECT_NEAR(seconds({whole}), 8 / 100.0 + 24 / 80.0, 1e-12);
}

/// An array that only one side updates is not read again, or not written, once both are one.
TEST(Fusion, WhatOneSideUpdatesIsNoUpdateOfTheWhole) {
  expect_traffic(fused(std::vector{moving(4, 4), moving(4, 4, 4)}), 4, 4, 0);     // y = f(x), y = g(y)
  expect_traffic(fused(std::vector{moving(4, 4, 4), moving(4, 4)}), 4, 4, 0);     // x = f(x), y = g(x)
  expect_traffic(fused(std::vector{moving(4, 4, 4), moving(4, 4, 4)}), 4, 4, 4);  // x = f(x), x = g(x)
}

/// 1000 values in 4 steps of a launch each: x is read and y written once, 8000 byte instead of 32 000.
TEST(Fusion, LaunchesOfOneStageHandOnToo) {
  const OperatorSpec& chain = find_spec("elementwise_chain_unfused");
  const auto stages = chain.work(sizes("n=1000,stages=4"), fp32);
  EXPECT_EQ(bytes(stages), 32000);
  const Stage whole = fused(chain, sizes("n=1000,stages=4"), fp32, stages);
  expect_traffic(whole, 4000, 4000, 0);
  EXPECT_EQ(flops(whole), 8000);
  EXPECT_EQ(whole.working_set, 8000);
  const Stage runs = fused(chain, sizes("n=1000,stages=4"), fp32, repeated(stages, 3), 3);
  expect_traffic(runs, 12000, 12000, 0);
}

/// h = x + r is a result: 2mn + 2n values are read and 2mn written, though layernorm reads h as well.
TEST(Fusion, ResultsAreWrittenThoughALaterStageReadsThem) {
  const OperatorSpec& spec = find_spec("residual_layernorm_unfused");
  const Params params = sizes("m=10,n=100");
  const Stage whole = fused(spec, params, fp32, spec.work(params, fp32));
  expect_traffic(whole, (2 * 1000 + 2 * 100) * 4, 2 * 1000 * 4, 0);
}

/// What the fused operators of the build declare of themselves.
TEST(Fusion, IsWhatTheFusedOperatorsMove) {
  for (const auto& [name, params] :
       {std::pair{"elementwise_chain", "n=1000,stages=4"}, std::pair{"residual_layernorm", "m=10,n=100"}}) {
    const OperatorSpec& apart = find_spec(std::string(name) + "_unfused");
    for (const Types& types : apart.types) {
      const Stage whole = fused(apart, sizes(params), types, apart.work(sizes(params), types));
      const Stage declared = find_spec(std::string(name) + "_fused").work(sizes(params), types).front();
      expect_traffic(whole, declared.bytes_read, declared.bytes_written, declared.bytes_updated);
      EXPECT_EQ(whole.working_set, declared.working_set) << name;
      double converted = 0, conversions = 0;
      for (const UnitWork& work : whole.work) converted += work.unit == Unit::convert ? work.operations : 0;
      for (const UnitWork& work : declared.work) conversions += work.unit == Unit::convert ? work.operations : 0;
      EXPECT_NEAR(converted, conversions, 1e-9) << name << to_string(types.a);
    }
  }
}

/// The user's kernels: two stages that hand 2 GB on, 6 GB become 2.
TEST(Fusion, OfUnknownOperatorsGoesByTheirStages) {
  Point point;
  point.op = "mine";
  point.stages = {moving(1e9, 2e9), moving(2e9, 1e9)};
  expect_traffic(fused(point, operator_specs()), 1e9, 1e9, 0);
  point.op = "relu";
  point.params = "n=8";
  point.implementation = "user";
  expect_traffic(fused(point, operator_specs()), 1e9, 1e9, 0);
}

/// m x n values are handed on as m x k ones, not as weights of another size.
TEST(HandedOn, IsReadInItsSize) {
  const OperatorSpec &gemm = find_spec("gemm"), &gelu = find_spec("gelu");
  const auto handed = [&](const OperatorSpec& first, const char* before, const OperatorSpec& second,
                          const char* after) {
    return handed_on(first, sizes(before), fp32, second, sizes(after), fp32).bytes;
  };
  EXPECT_EQ(handed(gemm, "m=16,n=32,k=64", gelu, "n=512"), 4 * 512);
  EXPECT_EQ(handed(gemm, "m=16,n=32,k=64", gemm, "m=16,n=8,k=32"), 4 * 512);
  EXPECT_EQ(handed(gemm, "m=16,n=32,k=64", gemm, "m=16,n=8,k=60"), 0);
  EXPECT_EQ(handed(gelu, "n=1000", gelu, "n=1000000000"), 0);
}

/// Of h and y one goes on; the other is a result that stays. Of an updated y the next one's x is made.
TEST(HandedOn, IsOneArrayOfEachSize) {
  const OperatorSpec &residual = find_spec("residual_layernorm_fused"), &gelu = find_spec("gelu");
  EXPECT_EQ(handed_on(residual, sizes("m=10,n=100"), fp32, gelu, sizes("n=1000"), fp32).bytes, 4000);
  const OperatorSpec& axpy = find_spec("axpy");
  const HandedOn handed = handed_on(axpy, sizes("n=1000"), fp32, axpy, sizes("n=1000"), fp32);
  EXPECT_EQ(handed.bytes, 4000);
  EXPECT_EQ(handed.updated, 4000);
  const Stage one = axpy.work(sizes("n=1000"), fp32).front();
  expect_traffic(fused(one, one, handed), 12000, 4000, 4000);
}

}  // namespace
}  // namespace gable::questions
