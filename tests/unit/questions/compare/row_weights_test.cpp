#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/questions/compare/comparison.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/compare/two_machines.hpp"

namespace gable::questions {
namespace {

TEST(Weights, ByNameOfOperatorOrCase) {
  TwoMachines two;
  two.run("gemm", 3, 3);
  two.a.result.points.back().params = two.b.result.points.back().params = "n=2000";
  two.a.result.points[1].label = "router";
  const Compared compared = two.compared({.weights = {{"gemm", 2}, {"router", 1}}});
  const std::size_t b = 1;
  const auto weights = row_weights(rows_of_all(compared.answer.operators, std::span(&b, 1)), compared.options);
  ASSERT_EQ(weights.size(), 3U);
  EXPECT_DOUBLE_EQ(weights[0].share, 1 / 3.0);  // two sizes of gemm share 2 of 3
  EXPECT_DOUBLE_EQ(weights[1].share, 1 / 3.0);
  EXPECT_EQ(weights[2].row->key.op, "softmax");
  EXPECT_DOUBLE_EQ(weights[2].share, 1 / 3.0);
  // (4^1 x 1 x 1)^(1/3)
  EXPECT_NEAR(compared.answer.means[1]->ratio.value, std::cbrt(4), 1e-12);
}

TEST(Weights, NamesThatFitNothingOrARowTwiceAreRefused) {
  const auto said = [](const TwoMachines& two, std::vector<NamedWeight> weights) -> std::string {
    return error_of([&] { two.compared({.weights = std::move(weights)}); });
  };
  EXPECT_NE(said({}, {{"gemmm", 1}}).find("'gemmm' is no operator or case of Slow; its operators: gemm, softmax"),
            std::string::npos)
      << said({}, {{"gemmm", 1}});
  EXPECT_NE(said({}, {{"gemm", 1}, {"gemm fp32 n=1000 (cold)", 1}}).find("both weigh gemm fp32"), std::string::npos);
  TwoMachines lacking;
  lacking.b.result.points.pop_back();
  EXPECT_NE(said(lacking, {{"softmax", 1}}).find("Fast has no 'softmax'"), std::string::npos);
}

}  // namespace
}  // namespace gable::questions
