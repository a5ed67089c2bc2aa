#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/operator.hpp"
#include "tests/conformance/vendor.hpp"

namespace gable::conformance {
namespace {

constexpr std::uint64_t seed = 20;

struct Case {
  const OperatorEntry* entry;
  const Implementation* implementation;
  Types types;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const OperatorEntry* entry : operator_entries()) {
    for (const Implementation& implementation : entry->implementations) {
      for (const Types& types : entry->spec->types) list.push_back({entry, &implementation, types});
    }
  }
  return list;
}

std::string title(const testing::TestParamInfo<Case>& info) {
  const Types& types = info.param.types;
  std::string text = fmt::format("{}_{}_{}_{}_{}_acc_{}_{}", info.param.entry->spec->name,
                                 info.param.implementation->name, to_string(types.a), to_string(types.b),
                                 to_string(types.out), to_string(types.accumulate), to_string(types.compute));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

/// Largest |got - want| / max(1, |want|); infinite if one is not a number or infinite and the other is not the same.
double worst_error(const std::vector<double>& got, const std::vector<double>& want, std::size_t& where) {
  double worst = 0.0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const bool same = got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]));
    double error = same ? 0.0 : std::abs(got[i] - want[i]) / std::max(1.0, std::abs(want[i]));
    if (std::isnan(error)) error = HUGE_VAL;
    if (error > worst) {
      worst = error;
      where = i;
    }
  }
  return worst;
}

class Conformance : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const std::string reason = GetParam().implementation->refuses(GetParam().types, vendor());
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  std::unique_ptr<OperatorInstance> create(const Params& params) {
    return GetParam().implementation->create(params, GetParam().types, seed, vendor());
  }
};

/// Inputs and results of a run, and the parameters of the reference they belong to.
struct Ran {
  Params params;
  std::vector<std::vector<double>> inputs, got;
};

bool updates_in_place(const OperatorSpec& spec, const Params& params, const Types& types) {
  return std::ranges::count(spec.buffers(params, types), Role::updated, &BufferSpec::role) != 0;
}

/// Runs twice: the second run must not depend on what the first left behind, except where the operator is defined so.
Ran run_twice(OperatorInstance& instance, const Params& params, const Case& of) {
  auto inputs = instance.inputs();
  instance.run();
  if (!updates_in_place(*of.entry->spec, params, of.types)) instance.run();
  instance.fence();
  return {params, std::move(inputs), instance.outputs()};
}

/// A library may give NaN where infinity is due: oneDNN computes bf16 on AVX-512 without bf16 in parts, whose
/// infinities cancel. A finite number there stays wrong.
void take_no_number_for_infinity(std::vector<double>& want, const std::vector<double>& got) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isinf(want[i]) && std::isnan(got[i])) want[i] = got[i];
  }
}

void expect_the_reference(const Case& of, const Ran& ran) {
  const OperatorSpec& spec = *of.entry->spec;
  std::vector<double> tolerances;
  for (const BufferSpec& buffer : spec.buffers(ran.params, of.types)) {
    if (is_written(buffer.role)) tolerances.push_back(buffer.tolerance.value_or(spec.tolerance(ran.params, of.types)));
  }
  std::vector<std::vector<double>> want;
  for (const auto& output : ran.got) want.emplace_back(output.size());
  spec.reference(ran.params, ran.inputs, want);
  for (std::size_t k = 0; k < want.size(); ++k) {
    if (of.implementation->library && of.types.a == DType::bf16) take_no_number_for_infinity(want[k], ran.got[k]);
    std::size_t where = 0;
    const double worst = worst_error(ran.got[k], want[k], where);
    EXPECT_LE(worst, tolerances[k]) << "output " << k << "[" << where << "]: got " << ran.got[k][where] << ", want "
                                    << want[k][where];
  }
}

/// Memory checkers and emulators make kernels hundreds of times slower: they ask for cases of few elements only.
bool is_wanted(const OperatorSpec& spec, const Params& params, const Types& types) {
  const char* most = std::getenv("GABLE_CONFORMANCE_ELEMENTS");
  if (most == nullptr) return true;
  double elements = 0;
  for (const BufferSpec& buffer : spec.buffers(params, types)) elements += static_cast<double>(buffer.count);
  return elements <= std::stod(most);
}

TEST_P(Conformance, MatchesTheReference) {
  const OperatorSpec& spec = *GetParam().entry->spec;
  const auto all = spec.conformance_params();
  for (const Params& params : all) {
    SCOPED_TRACE(params.to_string());
    const bool is_first = &params == &all.front();  // one case is always run, however few elements are asked for
    if (!is_first && !is_wanted(spec, params, GetParam().types)) continue;
    const auto instance = create(params);
    expect_the_reference(GetParam(), run_twice(*instance, params, GetParam()));
  }
}

/// run() only enqueues, so that it can be captured: a replay of the graph gives the same as a run.
TEST_P(Conformance, AReplayedGraphMatchesTheReference) {
  const OperatorSpec& spec = *GetParam().entry->spec;
  const Params params = spec.conformance_params().back();
  if (!is_wanted(spec, params, GetParam().types)) GTEST_SKIP() << "too large for a memory checker";
  const auto first = create(params);  // the first run of a kernel prepares things that cannot be captured
  first->run();
  first->fence();
  const auto instance = create(params);
  const auto replay = captured(*instance);
  if (!replay) GTEST_SKIP() << "no graphs on CPUs";
  auto inputs = instance->inputs();
  replay();
  instance->fence();
  expect_the_reference(GetParam(), {params, std::move(inputs), instance->outputs()});
}

/// What an operator says of NaN and infinity holds: one such value in the middle of each floating-point input that is
/// random ends up where the reference puts it.
TEST_P(Conformance, NotANumberAndInfinityEndWhereTheReferenceSays) {
  const OperatorSpec& spec = *GetParam().entry->spec;
  if (spec.non_finite == NonFinite::undefined) GTEST_SKIP() << "inputs must be finite";
  const auto all = spec.conformance_params();
  const Params& params = all[std::min<std::size_t>(1, all.size() - 1)];
  std::size_t input = 0;
  for (const BufferSpec& buffer : spec.buffers(params, GetParam().types)) {
    if (!is_read(buffer.role)) continue;
    const std::size_t k = input++;
    if (is_integer(buffer.dtype) || is_fp8(buffer.dtype) || buffer.value) continue;
    for (const double planted : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      SCOPED_TRACE(fmt::format("{} in {} of {}", planted, buffer.name, params.to_string()));
      const auto instance = create(params);
      instance->set_input(k, buffer.count / 2, planted);
      expect_the_reference(GetParam(), run_twice(*instance, params, GetParam()));
    }
  }
}

/// The same deep inside: in the largest arrays that are wanted, so that whole packs, several threads and blocks of
/// tiles meet them; the three values in the first, the middle and the last element of one input.
TEST_P(Conformance, NotANumberAndInfinityAmongManyEndWhereTheReferenceSays) {
  const OperatorSpec& spec = *GetParam().entry->spec;
  if (spec.non_finite == NonFinite::undefined) GTEST_SKIP() << "inputs must be finite";
  const auto elements = [&](const Params& params) {
    Index sum = 0;
    for (const BufferSpec& buffer : spec.buffers(params, GetParam().types)) sum += buffer.count;
    return sum;
  };
  std::vector<Params> sizes = spec.conformance_params();
  std::erase_if(sizes, [&](const Params& params) { return !is_wanted(spec, params, GetParam().types); });
  if (sizes.empty()) GTEST_SKIP() << "all are too large for a memory checker";
  const Params params = std::ranges::max(sizes, {}, elements);
  std::size_t input = 0;
  for (const BufferSpec& buffer : spec.buffers(params, GetParam().types)) {
    if (!is_read(buffer.role)) continue;
    const std::size_t k = input++;
    if (is_integer(buffer.dtype) || is_fp8(buffer.dtype) || buffer.value) continue;
    SCOPED_TRACE(fmt::format("{} of {}", buffer.name, params.to_string()));
    const auto instance = create(params);
    instance->set_input(k, 0, std::nan(""));
    instance->set_input(k, buffer.count / 2, HUGE_VAL);
    instance->set_input(k, buffer.count - 1, -HUGE_VAL);
    expect_the_reference(GetParam(), run_twice(*instance, params, GetParam()));
  }
}

/// A size of zero is refused, with its name, before anything is allocated.
void expect_empty_sizes_refused(const Case& of) {
  const OperatorSpec& spec = *of.entry->spec;
  const Params smallest = spec.conformance_params().front();
  for (const auto& [name, value] : smallest.values()) {
    if (!std::holds_alternative<Index>(value)) continue;
    Params empty = smallest;
    empty.set(name, Index{0});
    try {
      of.implementation->create(empty, of.types, seed, vendor());
      ADD_FAILURE() << spec.name << " takes " << empty.to_string();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), fmt::format("{}: parameter '{}' must be positive, not 0", spec.name, name));
    }
  }
}

TEST(EmptySizes, AreRefusedByName) {
  for (const Case& one : cases()) {
    if (one.implementation->refuses(one.types, vendor()).empty()) expect_empty_sizes_refused(one);
  }
}

/// The largest finite number of a type of storage.
double largest_finite(DType type) {
  if (type == DType::fp64) return std::numeric_limits<double>::max();
  if (type == DType::fp32) return std::numeric_limits<float>::max();
  return type == DType::fp16 ? 65504.0 : 0x1.fep127;
}

/// Softmax of one value far above its row, and of a row of the least number that there is, in rows that a GPU's team
/// may hold in registers and in others.
void expect_weights_of_large_values(const Case& of, Index n) {
  SCOPED_TRACE(fmt::format("{} n={}", to_string(of.types.a), n));
  const Params params{{"m", Index{2}}, {"n", n}};
  const auto instance = of.implementation->create(params, of.types, seed, vendor());
  const Index place = n / 3;
  const double far = of.types.a == DType::fp64 ? 3e20 : 5e9;
  instance->set_input(0, place, std::min(far, largest_finite(of.types.a)));
  for (Index j = n; j < 2 * n; ++j) instance->set_input(0, j, -largest_finite(of.types.a));
  instance->run();
  instance->fence();
  std::vector<double> want(static_cast<std::size_t>(2 * n), 1.0 / static_cast<double>(n));
  std::fill_n(want.begin(), n, 0.0);
  want[static_cast<std::size_t>(place)] = 1.0;
  std::size_t where = 0;
  const auto got = instance->outputs().front();
  EXPECT_LE(worst_error(got, want, where), of.entry->spec->tolerance(params, of.types))
      << "y[" << where << "]: got " << got[where] << ", want " << want[where];
}

TEST(LargeValues, HaveTheirWeightsInSoftmax) {
  for (const Case& one : cases()) {
    if (one.entry->spec->name != "softmax" || !one.implementation->refuses(one.types, vendor()).empty()) continue;
    for (const Index n : {512, 1001}) expect_weights_of_large_values(one, n);
  }
}

/// The cross-entropy of n equal logits is ln n, whatever they are.
TEST(LargeValues, OfOneRowCostItsLogarithmInCrossEntropy) {
  for (const Case& one : cases()) {
    if (one.entry->spec->name != "cross_entropy" || !one.implementation->refuses(one.types, vendor()).empty()) continue;
    const Params params{{"tokens", Index{2}}, {"n", Index{1001}}};
    const auto instance = one.implementation->create(params, one.types, seed, vendor());
    for (Index j = 0; j < 2 * 1001; ++j) instance->set_input(0, j, (j < 1001 ? -1 : 1) * largest_finite(one.types.a));
    instance->run();
    instance->fence();
    const auto losses = instance->outputs().front();
    for (const double loss : losses) EXPECT_NEAR(loss, std::log(1001.0), 1e-4);
  }
}
std::vector<Case> cases_of_measured_sizes() {
  auto list = cases();
  std::erase_if(list, [](const Case& one) { return one.types.a != DType::fp32 && one.types.a != DType::bf16; });
  return list;
}

/// The largest size that `measure` runs on a CPU with 16 MiB of last-level cache (arrays of 80 MiB together) whose
/// reference takes seconds, not minutes. A gemm is compared in some rows only.
std::optional<Params> largest_measured(const Case& of) {
  constexpr double most_flops = 3e9;
  const OperatorSpec& spec = *of.entry->spec;
  DeviceInfo device;
  device.memory = {{"L3", 16.0 * 1024 * 1024, 1, 2, 64, "test"}, {"DRAM", 16e9, 1, 2, 64, "test"}};
  std::optional<Params> largest;
  for (const Params& params : spec.default_params(device, of.types)) {
    if (spec.name == "gemm" || flops(spec.work(params, of.types)) <= most_flops) largest = params;
  }
  return largest;
}

/// Some rows of a gemm: a product of as few rows of A with all of B. The full reference takes far longer than the
/// operator.
Ran some_rows(const Ran& all) {
  const Index m = all.params.at("m"), n = all.params.at("n"), k = all.params.at("k");
  Ran part{all.params, {{}, all.inputs[1]}, {{}}};
  const auto append_row = [](std::vector<double>& to, const std::vector<double>& from, Index row, Index length) {
    to.insert(to.end(), from.begin() + row * length, from.begin() + (row + 1) * length);
  };
  Index rows = 0;
  for (Index row = 0; row < m; row = row + 1 < m ? std::min(m - 1, row + 151) : m) {
    append_row(part.inputs[0], all.inputs[0], row, k);
    append_row(part.got[0], all.got[0], row, n);
    ++rows;
  }
  part.params.set("m", rows);
  return part;
}

class MeasuredSize : public Conformance {};

TEST_P(MeasuredSize, MatchesTheReference) {
  const OperatorSpec& spec = *GetParam().entry->spec;
  const auto largest = largest_measured(GetParam());
  if (!largest) GTEST_SKIP() << "the reference takes too long";
  const Params& params = *largest;
  SCOPED_TRACE(params.to_string());
  auto ran = run_twice(*create(params), params, GetParam());
  if (spec.name == "gemm") ran = some_rows(ran);
  expect_the_reference(GetParam(), ran);
}

/// The inputs are as the spec says: inside their range, not constant, the same for the same seed, different for
/// another.
TEST_P(Conformance, InputsAreDeterministicAndInRange) {
  const OperatorSpec& spec = *GetParam().entry->spec;
  const Params params = spec.conformance_params().back();
  const auto inputs = create(params)->inputs();
  EXPECT_EQ(create(params)->inputs(), inputs);
  const auto other = GetParam().implementation->create(params, GetParam().types, seed + 1, vendor());
  EXPECT_NE(other->inputs(), inputs);
  std::size_t i = 0;
  constexpr double rounding = 0x1p-8;  // of bf16, the coarsest that is not a whole number
  const auto check_values = [&](const BufferSpec& buffer) {
    for (Index k = 0; k < buffer.count; ++k)
      ASSERT_NEAR(inputs[i][static_cast<std::size_t>(k)], buffer.value(k), rounding * std::abs(buffer.value(k)));
  };
  for (const BufferSpec& buffer : spec.buffers(params, GetParam().types)) {
    if (!is_read(buffer.role)) continue;
    ASSERT_EQ(static_cast<Index>(inputs[i].size()), buffer.count) << buffer.name;
    if (buffer.value) {
      check_values(buffer);
      ++i;
      continue;
    }
    const auto [low, high] = std::minmax_element(inputs[i].begin(), inputs[i].end());
    EXPECT_GE(*low, buffer.low - rounding * std::abs(buffer.low)) << buffer.name;
    EXPECT_LE(*high, buffer.high + rounding * std::abs(buffer.high)) << buffer.name;
    if (buffer.count > 8) {
      EXPECT_LT(*low, *high) << buffer.name;
    }
    ++i;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, Conformance, testing::ValuesIn(cases()), title);
INSTANTIATE_TEST_SUITE_P(Operators, MeasuredSize, testing::ValuesIn(cases_of_measured_sizes()), title);

}  // namespace
}  // namespace gable::conformance
