#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/operator.hpp"
#include "tests/conformance/vendor.hpp"

namespace gable::conformance {
namespace {

constexpr Index heads = 2, length = 150, width = 40;

/// Result of causal attention of two heads that share K and V. One row of `input` (0, Q: none) has NaN in its middle.
std::vector<double> result(std::string_view name, const Types& types, std::size_t input, Index row) {
  for (const OperatorEntry* entry : operator_entries()) {
    if (entry->spec->name != name) continue;
    const Params params{{"h", heads}, {"kv", 1}, {"l", length}, {"d", width}, {"mask", "causal"}};
    const auto instance = entry->implementations.front().create(params, types, 1, vendor());
    if (input != 0) instance->set_input(input, row * width + width / 2, std::nan(""));
    instance->run();
    instance->fence();
    return instance->outputs().front();
  }
  ADD_FAILURE() << "no operator " << name;
  return {};
}

/// NaN in row `row` of an input reaches that row of the result and none before it, which are as `clean`.
void expect_unseen_before(std::string_view name, const Types& types, const std::vector<double>& clean,
                          std::size_t input, Index row) {
  SCOPED_TRACE(std::string(name) + " " + std::string(to_string(types.a)) + ", row " + std::to_string(row) +
               " of input " + std::to_string(input));
  const auto got = result(name, types, input, row);
  ASSERT_EQ(got.size(), static_cast<std::size_t>(heads * length * width));
  for (Index head = 0; head < heads; ++head) {
    const auto first = head * length * width, end = first + row * width;
    EXPECT_TRUE(std::equal(got.begin() + first, got.begin() + end, clean.begin() + first)) << "head " << head;
    EXPECT_TRUE(std::any_of(got.begin() + end, got.begin() + end + width, [](double x) { return std::isnan(x); }));
  }
}

/// What a causal mask hides is not read. The naive way multiplies masked values by 0, so it keeps this for keys only.
TEST(CausalMask, HidesWhatIsNotANumber) {
  constexpr std::size_t key = 1, value = 2;
  for (const DType type : {DType::fp64, DType::fp32, DType::bf16}) {
    const Types types = uniform_types(type);
    const auto fused = result("attention_fused", types, 0, 0), naive = result("attention_naive", types, 0, 0);
    for (const Index row : {1, 100, 129, 149}) {
      expect_unseen_before("attention_fused", types, fused, key, row);
      expect_unseen_before("attention_fused", types, fused, value, row);
    }
    expect_unseen_before("attention_naive", types, naive, key, 100);
  }
}

}  // namespace
}  // namespace gable::conformance
