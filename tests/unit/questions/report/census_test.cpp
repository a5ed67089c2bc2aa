// The table of a workload's matrix products.
#include "core/questions/report/report.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/render/answer.hpp"

namespace gable {
namespace {

std::string census(const Result& result) {
  Answer answer;
  report::add_census(answer, result);
  return render::write(answer, render::AnswerForm::text, 160);
}

Point product(const std::string& params, double flop, double count, double time_s, double bound_s) {
  Point point;
  point.device = "openmp";
  point.op = "gemm";
  point.implementation = "kokkos";
  point.types = uniform_types(DType::fp32);
  point.params = params;
  point.stages = {{"", {{Unit::multiply_add, flop}}, 80, 20, 100, 1, {}}};
  point.time.value = time_s;
  point.count = count;
  point.label = "layer " + params;
  point.bound_s = bound_s;
  point.regime = Regime::compute_bound;
  point.limit = "vector fp32";
  return point;
}

TEST(Census, SharesAndTotalCountEachShapeAsOftenAsTheWorkloadDoes) {
  Result result;
  result.devices.resize(1);
  // 3 x 1 s + 1 x 1 s; the roofs allow 3 x 0.5 s + 1 x 0.5 s
  result.points = {product("m=1,n=2,k=3", 6e9, 3, 1, 0.5), product("m=4,n=5,k=6", 12e9, 1, 1, 0.5)};
  const std::string text = census(result);
  for (const char* words : {"census: gemm fp32, kokkos", "75.0 %", "25.0 %", "6 GFLOP/s"})
    EXPECT_NE(text.find(words), std::string::npos) << words << ": " << text;
  EXPECT_NE(text.find("24 GFLOP/s"), std::string::npos) << "allowed: 12e9 flop in 0.5 s\n" << text;
  EXPECT_NE(text.find("layer m=4,n=5,k=6"), std::string::npos) << text;
  EXPECT_NE(text.find("total 4 s; the roofs allow 2 s (50.0 %)"), std::string::npos) << text;
}

TEST(Census, TheTotalSaysWhichShapesItLacks) {
  Result result;
  result.devices.resize(1);
  result.points = {product("m=1,n=2,k=3", 6e9, 3, 1, 0.5), product("m=4,n=5,k=6", 12e9, 7, 1, 0.5)};
  result.points[1].status = Status::skipped;
  const std::string text = census(result);
  EXPECT_NE(text.find("total 3 s"), std::string::npos) << text;
  EXPECT_NE(text.find("; without 1 shape (7 runs) that could not be measured"), std::string::npos) << text;
}

TEST(Census, OneTableAnImplementationAndNoneWithoutCounts) {
  Result result;
  result.devices.resize(1);
  result.points = {product("m=1,n=2,k=3", 6e9, 3, 1, 0.5), product("m=1,n=2,k=3", 6e9, 3, 2, 0.5)};
  result.points[1].implementation = "OpenBLAS";
  result.points[1].bound_s.reset();
  const std::string both = census(result);
  EXPECT_NE(both.find("census: gemm fp32, OpenBLAS"), std::string::npos) << both;
  EXPECT_NE(both.find("total 6 s\n"), std::string::npos) << "no bound of all, none of the total\n" << both;
  for (Point& point : result.points) point.count.reset();
  EXPECT_EQ(census(result), "");
}

}  // namespace
}  // namespace gable
