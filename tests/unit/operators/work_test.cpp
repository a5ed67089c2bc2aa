#include <fmt/format.h>
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

struct Golden {
  const char* name;
  Params params;
  DType dtype;
  double flops, read, written;
};

/// Compulsory work of the model, written out by hand.
TEST(Work, MatchesTheModel) {
  const Golden cases[] = {
      {"triad", {{"n", 1000}}, DType::fp64, 2000, 16000, 8000},
      {"triad", {{"n", 1000}}, DType::bf16, 2000, 4000, 2000},
      {"sum", {{"n", 1000}}, DType::fp32, 1000, 4000, 4},
      {"dot", {{"n", 1000}}, DType::fp64, 2000, 16000, 8},
      {"black_scholes", {{"n", 1000}}, DType::fp64, 27000, 24000, 16000},
      {"transpose", {{"m", 10}, {"n", 100}}, DType::fp16, 0, 2000, 2000},
      {"histogram", {{"n", 1000}, {"bins", 10}}, DType::int32, 1000, 4000, 40},
      {"prefix_sum", {{"n", 1000}}, DType::fp32, 1000, 4000, 4000},
      {"relu", {{"n", 1000}}, DType::fp32, 1000, 4000, 4000},
      {"bias_relu", {{"m", 10}, {"n", 100}}, DType::fp32, 2000, 4400, 4000},
      {"gelu", {{"n", 1000}}, DType::fp16, 9000, 2000, 2000},
      {"add", {{"n", 1000}}, DType::fp32, 1000, 8000, 4000},
      {"silu", {{"n", 1000}}, DType::fp32, 4000, 4000, 4000},
      {"swiglu", {{"m", 10}, {"n", 100}}, DType::bf16, 5000, 4000, 2000},
      {"bias_gelu", {{"m", 10}, {"n", 100}}, DType::fp32, 10000, 4400, 4000},
      {"softmax", {{"m", 10}, {"n", 100}}, DType::fp32, 5000, 4000, 4000},
      {"layernorm", {{"m", 10}, {"n", 100}}, DType::fp16, 8050, 2400, 2000},
      {"rmsnorm", {{"m", 10}, {"n", 100}}, DType::fp32, 4040, 4400, 4000},
      {"residual_layernorm_fused", {{"m", 10}, {"n", 100}}, DType::fp32, 9050, 8800, 8000},
      {"rope", {{"tokens", 10}, {"heads", 2}, {"d", 64}}, DType::fp16, 3840, 3840, 2560},
      // 8 x 8 x 8 points inside, 8 and 30 flop each; 1000 points read and written
      {"stencil7", {{"nx", 10}, {"ny", 10}, {"nz", 10}}, DType::fp64, 4096, 8000, 8000},
      {"stencil7", {{"nx", 10}, {"ny", 10}, {"nz", 10}}, DType::fp32, 4096, 4000, 4000},
      {"stencil27", {{"nx", 10}, {"ny", 10}, {"nz", 10}}, DType::fp64, 15360, 8000, 8000},
      // five steps, but one read and one write
      {"stencil7_blocked", {{"nx", 10}, {"ny", 10}, {"nz", 10}, {"steps", 5}}, DType::fp64, 20480, 8000, 8000},
      // 19 populations of 60 cells, without what lies between the lattices
      {"lbm_d3q19", {{"nx", 3}, {"ny", 4}, {"nz", 5}}, DType::fp64, 252 * 60, 9120, 9120},
      // 20 flop a pair; positions and masses read, accelerations written
      {"nbody", {{"n", 100}}, DType::fp32, 200000, 1600, 1200},
      // N = 4096: 5 N log2 N; complex numbers of 16 bytes
      {"fft3d", {{"nx", 16}, {"ny", 16}, {"nz", 16}}, DType::fp64, 245760, 65536, 65536},
      // nothing but boundary
      {"stencil27", {{"nx", 2}, {"ny", 10}, {"nz", 10}}, DType::fp64, 0, 1600, 1600}};
  for (const Golden& golden : cases) {
    const auto stages = find_spec(golden.name).work(golden.params, uniform_types(golden.dtype));
    ASSERT_EQ(stages.size(), 1U) << golden.name;
    EXPECT_EQ(flops(stages), golden.flops) << golden.name;
    EXPECT_EQ(stages[0].bytes_read, golden.read) << golden.name;
    EXPECT_EQ(stages[0].bytes_written, golden.written) << golden.name;
    EXPECT_EQ(stages[0].working_set, golden.read + golden.written) << golden.name;
  }
}

/// An array updated in place is read and written, and in the working set once.
TEST(Work, AxpyUpdatesInPlace) {
  const auto stage = find_spec("axpy").work({{"n", 1000}}, uniform_types(DType::fp32)).front();
  EXPECT_EQ(flops(stage), 2000);
  EXPECT_EQ(stage.bytes_read, 8000);
  EXPECT_EQ(stage.bytes_written, 4000);
  EXPECT_EQ(stage.working_set, 8000);
}

/// Of a table of 2 elements, 3 random indices touch 2 (1 - 1/8) in expectation.
TEST(Work, GatherReadsWhatItTouches) {
  const OperatorSpec& gather = find_spec("gather");
  const auto few = gather.work({{"n", 3}, {"table", 2}}, uniform_types(DType::fp64)).front();
  EXPECT_DOUBLE_EQ(few.bytes_read, 3 * 4 + 1.75 * 8);
  EXPECT_EQ(few.bytes_written, 24);
  EXPECT_EQ(gather.work({{"n", 3}, {"table", 1}}, uniform_types(DType::fp32)).front().bytes_read, 16);
  EXPECT_EQ(few.random_lines, 3);
  EXPECT_EQ(few.random_span, 16);
}

TEST(Work, ReluIntensityIsOneOverTwoElementSizes) {
  const OperatorSpec& relu = find_spec("relu");
  EXPECT_DOUBLE_EQ(intensity(relu.work({{"n", 4096}}, uniform_types(DType::fp32))), 0.125);
  EXPECT_DOUBLE_EQ(intensity(relu.work({{"n", 4096}}, uniform_types(DType::fp16))), 0.25);
}

TEST(Work, ExponentialsAndConversionsAreCountedForTheirUnits) {
  const auto wide = find_spec("softmax").work({{"m", 2}, {"n", 50}}, uniform_types(DType::fp32)).front();
  EXPECT_EQ(operations(wide, Unit::exp), 100);
  EXPECT_EQ(operations(wide, Unit::convert), 0);
  const auto half = find_spec("softmax").work({{"m", 2}, {"n", 50}}, uniform_types(DType::fp16)).front();
  EXPECT_EQ(operations(half, Unit::convert), 200);
}

/// Products can run on whichever unit the types have; what is between them cannot.
TEST(Work, ProductsAreLeftToAnyUnit) {
  const Types half = uniform_types(DType::fp16);
  for (const auto& [name, params] : {std::pair<const char*, Params>{"gemm", {{"m", 8}, {"n", 4}, {"k", 2}}},
                                     std::pair<const char*, Params>{"gemv", {{"m", 16}, {"n", 4}}}}) {
    const auto stage = find_spec(name).work(params, half).front();
    EXPECT_EQ(operations(stage, Unit::multiply_add), 128) << name;
    EXPECT_EQ(flops(stage), 128) << name;
    EXPECT_EQ(operations(stage, Unit::convert), 0) << name;
  }
  const auto fused =
      find_spec("attention_fused").work({{"h", 2}, {"kv", 1}, {"l", 8}, {"d", 4}, {"mask", "none"}}, half).front();
  EXPECT_EQ(operations(fused, Unit::multiply_add), 4 * 2 * 64 * 4);
  EXPECT_EQ(operations(fused, Unit::vector), 5 * 2 * 64);
  EXPECT_EQ(operations(fused, Unit::exp), 2 * 64);
}

/// Declared flops are what the reference does, an exponential (exp, tanh, erf) as one flop; where work() declares
/// exponentials for the exp unit, or divisions and roots for the divider, they are those too. Holds for every operator
/// of the build at its smallest sizes.
TEST(Work, DeclaredFlopsAreTheCountedOnes) {
  for (const OperatorSpec* spec : operator_specs()) {
    if (spec->count == nullptr) {
      EXPECT_EQ(spec->name, "fft3d") << "flops by convention: 5 N log2 N";
      continue;
    }
    for (const Types& types : spec->types) {
      for (const Params& params : spec->conformance_params()) {
        const auto stages = spec->work(params, types);
        const double declared = flops(stages);
        if (declared > 3e6) continue;
        const CountedWork counted = spec->count(params, types);
        const std::string where = fmt::format("{} {} {}", spec->name, to_string(types.a), params.to_string());
        EXPECT_EQ(declared, counted.flops + counted.exps) << where;
        double exps = 0;
        for (const Stage& stage : stages) exps += operations(stage, Unit::exp);
        EXPECT_EQ(exps, counted.exps) << where;
        double divisions = 0;
        for (const Stage& stage : stages) divisions += operations(stage, Unit::divide);
        EXPECT_TRUE(divisions == 0 || divisions == counted.divisions) << where << ": " << counted.divisions;
      }
    }
  }
}

/// docs/operators.md says so of all operators.
TEST(Work, InputsMustBeFiniteWhereExponentialsAreCounted) {
  for (const OperatorSpec* spec : operator_specs()) {
    for (const Stage& stage : spec->work(spec->conformance_params().front(), spec->types.front())) {
      if (operations(stage, Unit::exp) > 0) {
        EXPECT_EQ(spec->non_finite, NonFinite::undefined) << spec->name;
      }
    }
  }
}

/// The bytes that work() declares are those of the buffers: each input read once, each output written once. But for
/// rows of a table that are asked for in expectation, and for padding.
TEST(Work, SingleStageBytesAreThoseOfTheBuffers) {
  const std::set<std::string_view> others{"embedding", "gather", "lbm_d3q19", "spmv_sell"};
  for (const OperatorSpec* spec : operator_specs()) {
    if (others.contains(spec->name)) continue;
    for (const Types& types : spec->types) {
      const Params params = spec->conformance_params().back();
      if (spec->work(params, types).size() != 1) continue;
      double read = 0, written = 0;
      for (const BufferSpec& buffer : spec->buffers(params, types)) {
        const double size = static_cast<double>(buffer.count) * size_bytes(buffer.dtype);
        if (is_read(buffer.role)) read += size;
        if (is_written(buffer.role)) written += size;
      }
      const Stage stage = spec->work(params, types).front();
      EXPECT_EQ(stage.bytes_read, read) << spec->name;
      EXPECT_EQ(stage.bytes_written, written) << spec->name;
    }
  }
}

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
  EXPECT_EQ(stage.random_lines, 50);  // what follows in a row is not at random
  EXPECT_EQ(stage.random_span, 20 * 200);
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
