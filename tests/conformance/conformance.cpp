#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

/// Largest |got - want| / max(1, |want|); infinite if any result is not a number.
double worst_error(const std::vector<double>& got, const std::vector<double>& want, std::size_t& where) {
  double worst = 0.0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    double error = std::abs(got[i] - want[i]) / std::max(1.0, std::abs(want[i]));
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

/// Twice: a second run must not depend on what the first left behind.
TEST_P(Conformance, MatchesTheReference) {
  const OperatorSpec& spec = *GetParam().entry->spec;
  for (const Params& params : spec.conformance_params()) {
    SCOPED_TRACE(params.to_string());
    const auto instance = create(params);
    instance->run();
    instance->run();
    instance->fence();
    const auto inputs = instance->inputs();
    const auto got = instance->outputs();
    std::vector<std::vector<double>> want;
    for (const auto& output : got) want.emplace_back(output.size());
    spec.reference(params, inputs, want);
    const double tolerance = spec.tolerance(params, GetParam().types);
    for (std::size_t k = 0; k < want.size(); ++k) {
      std::size_t where = 0;
      const double worst = worst_error(got[k], want[k], where);
      EXPECT_LE(worst, tolerance) << "output " << k << "[" << where << "]: got " << got[k][where] << ", want "
                                  << want[k][where];
    }
  }
}

/// The inputs are what the spec promises: inside their range, not constant, the same for the same seed, different for
/// another.
TEST_P(Conformance, InputsAreDeterministicAndInRange) {
  const OperatorSpec& spec = *GetParam().entry->spec;
  const Params params = spec.conformance_params().back();
  const auto inputs = create(params)->inputs();
  EXPECT_EQ(create(params)->inputs(), inputs);
  const auto other = GetParam().implementation->create(params, GetParam().types, seed + 1, vendor());
  EXPECT_NE(other->inputs(), inputs);
  std::size_t i = 0;
  for (const BufferSpec& buffer : spec.buffers(params, GetParam().types)) {
    if (buffer.role != Role::input) continue;
    ASSERT_EQ(static_cast<Index>(inputs[i].size()), buffer.count) << buffer.name;
    const auto [low, high] = std::minmax_element(inputs[i].begin(), inputs[i].end());
    EXPECT_GE(*low, buffer.low) << buffer.name;
    EXPECT_LE(*high, buffer.high) << buffer.name;
    if (buffer.count > 8) {
      EXPECT_LT(*low, *high) << buffer.name;
    }
    ++i;
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, Conformance, testing::ValuesIn(cases()), title);

}  // namespace
}  // namespace gable::conformance
