#include "backends/openmp/cpu_list.hpp"

#include <gtest/gtest.h>

namespace gable::openmp {
namespace {

using Ids = std::vector<int>;

TEST(CpuList, RangesAndSingleNumbers) {
  EXPECT_EQ(parse_cpu_list("0-3,8,10-11"), (Ids{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("5"), Ids{5});
  EXPECT_EQ(parse_cpu_list(""), Ids{});
  EXPECT_EQ(parse_cpu_list("1,x,3"), Ids{1}) << "what follows is left out";
}

TEST(CpuList, IsWrittenAsTheKernelWritesIt) {
  EXPECT_EQ(cpu_list({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(cpu_list({7}), "7");
  EXPECT_EQ(cpu_list({}), "none");
}

}  // namespace
}  // namespace gable::openmp
