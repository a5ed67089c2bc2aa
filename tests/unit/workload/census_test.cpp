// Matrix products of a workload, read from a table.
#include "core/workload/suite.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/result/files.hpp"

namespace gable::workload {
namespace {

class Census : public test::FolderTest {
 protected:
  std::vector<Case> read(const std::string& text) {
    test::put(file("c.csv"), text);
    return read_census(file("c.csv"), find_spec("gemm"));
  }
  std::string error_of(const std::string& text) {
    const auto error = gable::error_of([&] { read(text); });
    const auto begin = error.find("c.csv: ");
    return begin == std::string::npos ? error : error.substr(begin);
  }
};

TEST_F(Census, ColumnsInAnyOrderAndTheSameShapeOnce) {
  const auto cases = read(
      "count,k,m,n,name,dtype\n"
      "3,8,16,32,query,bf16\n"
      "2,8,16,32,key,bf16\n"
      "1,8,16,32,head,fp32\n"
      "4.5,8,1,32,,\n");
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].op, "gemm");
  EXPECT_EQ(cases[0].params, std::vector{Params::parse("m=16,n=32,k=8")});
  EXPECT_EQ(cases[0].dtypes, std::vector{DType::bf16});
  EXPECT_EQ(cases[0].count, 5);
  EXPECT_EQ(cases[0].label, "query + key");
  EXPECT_EQ(cases[1].count, 1);
  EXPECT_EQ(cases[2].count, 4.5);
  EXPECT_TRUE(cases[2].dtypes.empty());
  EXPECT_EQ(cases[2].label, "");
}

TEST_F(Census, WhatIsWrongIsOneLineWithFileLineAndColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "c.csv: empty"},
      {"m,n,k,count\n", "c.csv: no data line"},
      {"m,n,k\n1,2,3\n", "c.csv: line 1: column 'count' is missing"},
      {"m,n,k,count,extra\n1,2,3,4,5\n", "c.csv: line 1: unknown column 'extra'"},
      {"m,n,k,count\n1,2,3\n", "c.csv: line 2: 3 cells"},
      {"m,n,k,count\n1,2,3,4\n1,2.5,3,4\n", "c.csv: line 3, column n: '2.5' is not a whole number"},
      {"m,n,k,count\n1,0,3,4\n", "c.csv: line 2, column n: '0' is not a positive"},
      {"m,n,k,count\n1,2,x,4\n", "c.csv: line 2, column k: 'x' is not a number"},
      {"m,n,k,count\n1,2,3,-4\n", "c.csv: line 2, column count: '-4' is not a positive"},
      {"m,n,k,count\n1,2,3,1e20\n", "c.csv: line 2, column count: 1e+20 is more than 1e+15"},
      {"m,n,k,count\n1,2,3,6e14\n1,2,3,6e14\n", "c.csv: line 3, column count: 1.2e+15 is more than 1e+15"},
      {"m,n,k,count\n1e15,1e15,3,4\n", "c.csv: line 2, column m: gemm: the size"},
      {"m,n,k,count,dtype\n1,2,3,4,fp31\n", "c.csv: line 2, column dtype: 'fp31' is not a data type"},
      {"m,n,k,count,dtype\n1,2,3,4,\n1,2,3,5,fp32\n",
       "c.csv: line 3, column dtype: m=1,n=2,k=3 is listed with a type and without one"},
      {"m,n,k,count,dtype\n1,2,3,4,int4\n", "c.csv: line 2, column dtype: gemm does not take int4"}};
  for (const auto& [text, what] : cases) {
    const auto error = error_of(text);
    EXPECT_TRUE(error.starts_with(what)) << text << " -> " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_NE(gable::error_of([] { read_census("none.csv", find_spec("gemm")); }), "");
}

}  // namespace
}  // namespace gable::workload
