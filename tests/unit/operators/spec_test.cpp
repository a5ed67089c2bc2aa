#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/counting_scalar.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

std::string message(const OperatorSpec& spec, const Params& params) {
  return error_of([&] { spec.work(params, uniform_types(DType::fp32)); });
}

TEST(Spec, ParameterErrorsNameTheCulprit) {
  const OperatorSpec& spec = find_spec("bias_relu");
  EXPECT_EQ(message(spec, {{"m", 4}}), "bias_relu: parameter 'n' is missing; it takes m, n");
  EXPECT_EQ(message(spec, {{"m", 4}, {"n", 4}, {"q", 4}}), "bias_relu: unknown parameter 'q'; it takes m, n");
  EXPECT_EQ(message(spec, {{"m", 0}, {"n", 4}}), "bias_relu: parameter 'm' must be positive, not 0");
  EXPECT_EQ(message(spec, {{"m", 4}, {"n", -3}}), "bias_relu: parameter 'n' must be positive, not -3");
  const Index huge = Index{1} << 40;
  EXPECT_EQ(message(spec, {{"m", huge}, {"n", huge}}),
            "bias_relu: the size of 'm=1099511627776,n=1099511627776' overflows: more than 2^62 bytes");
  EXPECT_EQ(message(spec, {{"n", 4}, {"m", 4}}), "");
}

TEST(Spec, TypesItDoesNotListAreRefused) {
  EXPECT_THROW(find_spec("triad").work({{"n", 4}}, uniform_types(DType::int8)), Error);
}

TEST(Spec, UnknownOperatorListsTheKnownOnes) {
  EXPECT_NE(error_of([&] { find_spec("nonsense"); }).find("triad"), std::string::npos);
}

TEST(Spec, NamesAreUniqueAndEverythingIsDescribed) {
  std::set<std::string_view> names;
  for (const OperatorSpec* spec : operator_specs()) {
    EXPECT_TRUE(names.insert(spec->name).second) << spec->name;
    EXPECT_FALSE(spec->summary.empty()) << spec->name;
    EXPECT_FALSE(spec->types.empty()) << spec->name;
    EXPECT_FALSE(spec->conformance_params().empty()) << spec->name;
    for (const auto& [name, meaning] : spec->parameters) EXPECT_FALSE(meaning.empty()) << spec->name << " " << name;
  }
}

TEST(Spec, WhatAnOperatorIsFusedAsIsAnotherOperatorOfTheSameTypes) {
  int fused = 0;
  for (const OperatorSpec* spec : operator_specs()) {
    if (spec->fused.empty()) continue;
    ++fused;
    const auto other =
        std::ranges::find(operator_specs(), spec->fused, [](const OperatorSpec* one) { return one->name; });
    ASSERT_NE(other, operator_specs().end()) << spec->name << ": " << spec->fused;
    EXPECT_NE(*other, spec);
    for (const Types& types : spec->types) EXPECT_EQ(std::ranges::count((*other)->types, types), 1) << spec->name;
  }
  EXPECT_GE(fused, 4);
}

/// What is updated in place has a roof of its own. Launches may also update what an earlier one wrote.
TEST(Spec, BytesUpdatedAreThoseOfTheArraysUpdatedInPlace) {
  int updating = 0;
  for (const OperatorSpec* spec : operator_specs()) {
    const Params params = spec->conformance_params().back();
    for (const Types& types : spec->types) {
      double in_place = 0, declared = 0;
      for (const BufferSpec& buffer : spec->buffers(params, types)) {
        if (buffer.role == Role::updated) in_place += static_cast<double>(buffer.count) * size_bytes(buffer.dtype);
      }
      const auto stages = spec->work(params, types);
      for (const Stage& stage : stages) declared += stage.bytes_updated;
      if (stages.size() == 1) {
        EXPECT_EQ(declared, in_place) << spec->name;
      } else {
        EXPECT_GE(declared, in_place) << spec->name;
      }
      updating += in_place > 0 ? 1 : 0;
    }
  }
  EXPECT_GE(updating, 5);  // adam in three types, axpy in two
}

/// An input of an operator that may be written over: whatever changes in it, only its own row of outputs changes.
void expect_own_rows_only(const OperatorSpec& spec) {
  const Params params = spec.conformance_params().at(1);
  const Types& types = spec.types.front();
  std::vector<std::vector<double>> inputs, outputs;
  for (const BufferSpec& buffer : spec.buffers(params, types)) {
    const auto count = static_cast<std::size_t>(buffer.count);
    if (is_written(buffer.role)) outputs.emplace_back(count);
    if (!is_read(buffer.role)) continue;
    auto& values = inputs.emplace_back(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = buffer.low + (buffer.high - buffer.low) * static_cast<double>(i * 7 % 11 + 1) / 13.0;
  }
  const auto elements = outputs.front().size();
  const char* rows = params.has("tokens") ? "tokens" : "m";
  const std::size_t row = params.has(rows) ? elements / static_cast<std::size_t>(params.at(rows)) : 1;
  spec.reference(params, inputs, outputs);
  for (auto& input : inputs) {
    if (input.size() != elements) continue;
    const std::size_t at = elements / 2;
    auto changed = outputs;
    input[at] += 0.125;
    spec.reference(params, inputs, changed);
    input[at] -= 0.125;
    for (std::size_t array = 0; array < outputs.size(); ++array) {
      ASSERT_EQ(outputs[array].size(), elements) << spec.name;
      for (std::size_t i = 0; i < elements; ++i) {
        if (i / row != at / row) {
          EXPECT_EQ(changed[array][i], outputs[array][i]) << spec.name << ' ' << i;
        }
      }
    }
  }
}

TEST(Spec, WhatMayBeWrittenOverIsNeededInItsOwnRowOnly) {
  int count = 0;
  for (const OperatorSpec* spec : operator_specs()) {
    if (!spec->in_place) continue;
    expect_own_rows_only(*spec);
    ++count;
  }
  EXPECT_GT(count, 0);
  for (const char* name : {"stencil7", "stencil27", "transpose", "lbm_d3q19", "gather", "spmv_csr", "fft3d", "nbody",
                           "residual_layernorm_unfused"})
    EXPECT_FALSE(find_spec(name).in_place) << name;
}

TEST(Spec, ParametersAreOrderedAsTheOperatorNamesThem) {
  EXPECT_EQ(ordered(find_spec("bias_relu"), Params::parse("n=5,m=3")).to_string(), "m=3,n=5");
  EXPECT_THROW(ordered(find_spec("bias_relu"), Params::parse("n=5")), Error);
}

/// Scores and weights of naive attention are far more than its arrays.
TEST(Spec, MemoryCountsTheWorkspace) {
  const Params params{{"h", 2}, {"kv", 2}, {"l", 1000}, {"d", 10}, {"mask", "none"}};
  const double arrays = 4.0 * 2 * 1000 * 10 * 4, scores = 2.0 * 2 * 1000 * 1000 * 4;
  EXPECT_EQ(memory_bytes(find_spec("attention_naive"), params, uniform_types(DType::fp32), 1e9), arrays + scores);
}

/// 16 GB of a matrix are not made to find that they are too many.
TEST(Spec, AMatrixBeyondTheMemoryIsNotMade) {
  const Params params{{"matrix", "banded"}, {"rows", 2000000000}, {"per_row", 1}};
  EXPECT_GE(memory_bytes(find_spec("spmv_csr"), params, uniform_types(DType::fp32), 1e9), 2e9 * 8);
}

TEST(Spec, StepsBehindTheFirstOfAChainUpdateInPlace) {
  const Params params{{"n", Index{10}}, {"stages", Index{4}}};
  const auto stages = find_spec("elementwise_chain_unfused").work(params, uniform_types(DType::fp32));
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].bytes_updated, 0);
  EXPECT_EQ(stages[1].bytes_updated, 3 * 40);
  EXPECT_EQ(find_spec("elementwise_chain_fused").work(params, uniform_types(DType::fp32))[0].bytes_updated, 0);
}

DeviceInfo device() {
  DeviceInfo info;
  info.memory = {{"L1", 32e3, 8, 1, 64, "test"},
                 {"L2", 512e3, 8, 1, 64, "test"},
                 {"L3", 32e6, 2, 4, 64, "test"},
                 {"DRAM", 16e9, 1, 8, 64, "test"}};
  info.free_memory_bytes = 8e9;
  return info;
}

/// Memory-bound operators are run once inside the L2 caches and once at four times the last-level cache or more.
TEST(Spec, DefaultSizesSitInL2AndInMainMemory) {
  for (const OperatorSpec* spec : operator_specs()) {
    for (const Types& types : spec->types) {
      const auto sizes = spec->default_params(device(), types);
      const auto stages = spec->work(sizes.back(), types);
      if (intensity(stages) > 10 || spec->name == "gather") continue;  // gather leaves out a part of its table
      const double small = spec->work(sizes.front(), types).front().working_set;
      const double large = stages.front().working_set;
      EXPECT_LE(small, 8 * 512e3) << spec->name;
      EXPECT_GT(small, 8 * 32e3) << spec->name;
      EXPECT_GE(large, 0.99 * 4 * 64e6) << spec->name << ": are the bytes of work() right?";
      EXPECT_LE(large, 1e9) << spec->name;
    }
  }
}

/// Each launch of what is not fused sweeps more than four times the last caches: none may find there what the one
/// before left.
TEST(Spec, UnfusedOperatorsFindNothingInCachesAtTheirLargestSize) {
  for (const char* name : {"elementwise_chain_unfused", "residual_layernorm_unfused"}) {
    const OperatorSpec& spec = find_spec(name);
    for (const Types& types : spec.types) {
      const Params size = spec.default_params(device(), types).back();
      for (const Stage& stage : spec.work(size, types)) EXPECT_GT(stage.working_set, 4 * 64e6) << name;
      EXPECT_LE(memory_bytes(spec, size, types, 8e9), 8e9 / 4) << name;
    }
  }
}

TEST(Spec, RopeTakesEvenWidthsOnly) {
  const OperatorSpec& rope = find_spec("rope");
  EXPECT_NO_THROW(rope.work({{"tokens", 2}, {"heads", 2}, {"d", 6}}, uniform_types(DType::fp32)));
  EXPECT_EQ(error_of([&] {
              rope.work({{"tokens", 2}, {"heads", 2}, {"d", 7}}, uniform_types(DType::fp32));
            }),
            "rope: parameter 'd' must be even, not 7");
}

/// An eighth of the free memory, but never so little that caches hold it: then it is for the worker to skip it.
TEST(Spec, DefaultSizesRespectFreeMemoryAndStayOutOfTheCaches) {
  DeviceInfo info = device();
  double caches = 0;
  for (std::size_t i = 0; i + 1 < info.memory.size(); ++i)
    caches += info.memory[i].size_bytes * info.memory[i].instances;
  const OperatorSpec& spec = find_spec("triad");
  const Types types = uniform_types(DType::fp64);
  const auto largest = [&](double free_bytes) {
    info.free_memory_bytes = free_bytes;
    return spec.work(spec.default_params(info, types).back(), types).front().working_set;
  };
  EXPECT_NEAR(largest(8 * 4.5 * caches), 4.5 * caches, 1e5);
  EXPECT_NEAR(largest(80e6), 4 * caches, 1e5);
}

TEST(CountingScalar, CountsEachOperationOnce) {
  CountingScalar::reset();
  const CountingScalar x = 2.0;
  CountingScalar y = x * x + x;  // 2
  y -= x / x;                    // 2
  y = max(sqrt(y), x);           // 2
  y = min(y, x + x);             // 2
  const bool less = x < y;       // 1
  EXPECT_TRUE(less);
  EXPECT_EQ(CountingScalar::counted().flops, 9);
  EXPECT_EQ(CountingScalar::counted().exps, 0);
}

TEST(CountingScalar, CountsExponentialsApart) {
  CountingScalar::reset();
  const CountingScalar x = 0.5;
  const double value = static_cast<double>(exp(x)) + static_cast<double>(tanh(x)) + static_cast<double>(erf(x)) +
                       static_cast<double>(log(x));
  EXPECT_NEAR(value, 1.6487212707 + 0.4621171573 + 0.5204998778 - 0.6931471806, 1e-9);
  EXPECT_EQ(CountingScalar::counted().flops, 0);
  EXPECT_EQ(CountingScalar::counted().exps, 4);
}

}  // namespace
}  // namespace gable
