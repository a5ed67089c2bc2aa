#include "benchmarks/goals.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gable::bench {
namespace {

constexpr std::array table{
    Goal{"*", "", "", Residence::memory, Figure::bound, 0.9},
    Goal{"*", "", "", Residence::cache, Figure::bound, 0.8},
    Goal{"sparse", "matrix=banded", "", Residence::memory, Figure::bound, 0.7},
    Goal{"product", "m=8,n=16", "fp64 fp32", Residence::any, Figure::vendor, 0.6},
    Goal{"product", "n=16", "", Residence::any, Figure::time, 1.0, "other"},
    Goal{"product", "n=16", "", Residence::any, Figure::time, 1.5, "another", "m=1"},
};

std::vector<Goal> chosen(std::string_view op, std::string_view params, DType dtype, Residence where) {
  const Params parsed = Params::parse(params);
  const Types types = uniform_types(dtype);
  return goals_for(table, {op, parsed, types, where});
}

TEST(Goals, AnUnknownOperatorHasTheGeneralOneOfItsPlace) {
  const auto memory = chosen("new_one", "n=5", DType::fp16, Residence::memory);
  ASSERT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory[0].least, 0.9);
  const auto cache = chosen("new_one", "n=5", DType::fp16, Residence::cache);
  ASSERT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache[0].least, 0.8);
}

TEST(Goals, TheOperatorsOwnStandsInForTheGeneralOne) {
  const auto banded = chosen("sparse", "rows=7,matrix=banded", DType::fp64, Residence::memory);
  ASSERT_EQ(banded.size(), 1U);
  EXPECT_EQ(banded[0].least, 0.7);
  const auto random = chosen("sparse", "rows=7,matrix=random", DType::fp64, Residence::memory);
  ASSERT_EQ(random.size(), 1U);
  EXPECT_EQ(random[0].least, 0.9);
  EXPECT_EQ(chosen("sparse", "rows=7,matrix=banded", DType::fp64, Residence::cache).at(0).least, 0.8);
}

TEST(Goals, SizesAndTypesMustMatchWhole) {
  const auto all = chosen("product", "m=8,n=16", DType::fp32, Residence::cache);
  ASSERT_EQ(all.size(), 3U) << "the library's goal in the place of the general one";
  EXPECT_EQ(all[0].figure, Figure::vendor);
  EXPECT_EQ(chosen("product", "m=8,n=16", DType::fp16, Residence::cache).back().figure, Figure::bound)
      << "of fp32, fp64";
  EXPECT_EQ(chosen("product", "m=88,n=16", DType::fp32, Residence::cache).back().figure, Figure::bound)
      << "8 is not 88";
  EXPECT_EQ(chosen("product", "m=8,n=160", DType::fp32, Residence::cache).size(), 1U);
}

TEST(Goals, OnlySizesThatAreWholeAreRun) {
  OperatorSpec spec;
  spec.name = "product";
  spec.parameters = {{"m", "rows"}, {"n", "columns"}};
  const auto sizes = goal_sizes(table, spec, uniform_types(DType::fp64));
  ASSERT_EQ(sizes.size(), 1U);
  EXPECT_EQ(sizes[0], Params::parse("m=8,n=16"));
  EXPECT_TRUE(goal_sizes(table, spec, uniform_types(DType::bf16)).empty());
}

TEST(Goals, TheTableIsOfRatiosAndParametersThatParse) {
  for (const Goal& goal : speed_goals()) {
    EXPECT_TRUE(goal.least > 0.5 || goal.least == 0) << goal.op;
    EXPECT_LE(goal.least, 1.5) << goal.op;
    for (const auto text : {goal.params, goal.other_params}) {
      EXPECT_NO_THROW(text.empty() ? Params{} : Params::parse(text)) << goal.op;
    }
    const bool compares = goal.figure == Figure::time || goal.figure == Figure::rate;
    EXPECT_EQ(compares, !goal.other.empty()) << goal.op;
    EXPECT_TRUE(goal.other_dtype.empty() || parse_dtype(goal.other_dtype)) << goal.op;
  }
}

TEST(Goals, PlainArithmeticHasNoGeneralGoal) {
  Roofline roofline;
  roofline.add(ComputeRoof{.unit = Unit::vector, .flop_per_s = 1e9, .label = "vector fp32 (burst)"});
  roofline.add(ComputeRoof{.unit = Unit::exp, .flop_per_s = 1e9, .label = "exp fp32 (burst)"});
  EXPECT_FALSE(counts_for({LimitKind::compute, "vector fp32 (burst)"}, roofline));
  EXPECT_TRUE(counts_for({LimitKind::compute, "exp fp32 (burst)"}, roofline));
  EXPECT_TRUE(counts_for({LimitKind::bandwidth, "DRAM copy (ordinary)"}, roofline));
  EXPECT_TRUE(counts_for({LimitKind::overhead, "Kokkos launch"}, roofline));
  EXPECT_FALSE(counts_for({}, roofline));
}

TEST(Residences, FollowTheLevelThatMustServeMost) {
  const std::vector<Level> levels{{"L2", 1e6}, {"DRAM", 0}};
  Stage stage;
  stage.bytes_read = stage.working_set = 5e5;
  EXPECT_EQ(residence(std::vector{stage}, levels), Residence::cache);
  stage.bytes_read = stage.working_set = 5e6;
  EXPECT_EQ(residence(std::vector{stage}, levels), Residence::memory);
}

}  // namespace
}  // namespace gable::bench
