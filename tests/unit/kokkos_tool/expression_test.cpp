#include "backends/kokkos/tool/expression.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gable::tool {
namespace {

double value(std::string_view text) {
  return evaluate(text, [](std::string_view name) -> std::optional<double> {
    if (name == "m") return 2;
    if (name == "n_2") return 8;
    return {};
  });
}

std::string message(std::string_view text) {
  try {
    value(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Expression, FollowsTheOrderOfArithmetic) {
  EXPECT_EQ(value("2*m*n_2"), 32);
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("( 1 + 2 ) * 3"), 9);
  EXPECT_EQ(value("7-2-1"), 4);
  EXPECT_EQ(value("8/2/2"), 2);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2*-m+1e3"), 996);
  EXPECT_EQ(value("5*n_2*log2(n_2)"), 120);
}

TEST(Expression, NamesWhatItCannotRead) {
  EXPECT_EQ(message("2*k"), "parameter 'k' is not known");
  EXPECT_EQ(message("2*"), "'2*' cannot be read to its end");
  EXPECT_EQ(message(""), "'' cannot be read to its end");
  EXPECT_EQ(message("2 m"), "'2 m' cannot be read from 'm' on");
  EXPECT_EQ(message("sin(m)"), "'sin(m)' cannot be read from 'sin(m)' on");
  EXPECT_EQ(message("(m"), "'(m' cannot be read to its end");
  EXPECT_EQ(message("m)"), "'m)' cannot be read from ')' on");
  EXPECT_EQ(message("1,5"), "'1,5' cannot be read from ',5' on");
  EXPECT_NE(message(std::string(2000, '(')).find("longer"), std::string::npos);
}

TEST(Parameters, StandInBracketsBehindAName) {
  const auto gemm = split_name("gemm[m=512, n=1e3,k=-2.5]");
  EXPECT_EQ(gemm.name, "gemm");
  EXPECT_EQ(find_parameter(gemm.parameters, "m"), 512);
  EXPECT_EQ(find_parameter(gemm.parameters, "n"), 1000);
  EXPECT_EQ(find_parameter(gemm.parameters, "k"), -2.5);
  EXPECT_FALSE(find_parameter(gemm.parameters, "x"));
}

TEST(Parameters, OtherBracketsArePartOfTheName) {
  for (const char* name : {"init [x]", "f[3]", "f[m=]", "f[m=1;n=2]", "f[m=1", "[m=inf]", "f[m=1,]", "plain", ""}) {
    EXPECT_EQ(split_name(name).name, name);
    EXPECT_TRUE(split_name(name).parameters.empty()) << name;
  }
}

}  // namespace
}  // namespace gable::tool
