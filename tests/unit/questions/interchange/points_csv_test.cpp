#include <gtest/gtest.h>

#include "core/questions/interchange/import.hpp"
#include "tests/unit/result/files.hpp"

namespace gable {
namespace {

class PointsCsv : public test::FolderTest {
 protected:
  std::vector<Point> read(const std::string& text) const {
    test::put(file("mine.csv"), text);
    return interchange::read_points_csv(file("mine.csv"), "openmp", Scope::socket);
  }

  std::string message(const std::string& text) const {
    return error_of([&] { read(text); });
  }
};

/// What spreadsheets of languages with a decimal comma save; a comma in a number stays refused.
TEST_F(PointsCsv, SemicolonsPartCellsToo) {
  const auto points = read("name;dtype;flops;bytes;time_s\nmy, kernel;fp64;4e9;1e9;2.5e-3\n");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].op, "my, kernel");
  EXPECT_DOUBLE_EQ(points[0].time.value, 2.5e-3);
  EXPECT_NE(
      message("name;dtype;flops;bytes;time_s\nk;fp64;4e9;1e9;2,5\n").find("line 2, column time_s: '2,5' has a comma"),
      std::string::npos);
}

TEST_F(PointsCsv, ColumnsInAnyOrderBecomeAPoint) {
  const auto points = read(
      "\xEF\xBB\xBF"
      "time_s,bytes,flops,dtype,name\r\n2.5e-3,1e9,4e9,fp64,\"my, kernel\"\r\n\r\n");
  ASSERT_EQ(points.size(), 1u);
  const Point& point = points[0];
  EXPECT_EQ(point.op, "my, kernel");
  EXPECT_EQ(point.implementation, "user");
  EXPECT_EQ(point.device, "openmp");
  EXPECT_EQ(point.scope, Scope::socket);
  EXPECT_EQ(point.types, uniform_types(DType::fp64));
  EXPECT_DOUBLE_EQ(flops(point.stages), 4e9);
  EXPECT_DOUBLE_EQ(bytes(point.stages), 1e9);
  EXPECT_DOUBLE_EQ(point.time.value, 2.5e-3);
  EXPECT_EQ(point.status, Status::ok);
}

TEST_F(PointsCsv, UnitSaysWhichRoofApplies) {
  const auto points = read("name,dtype,flops,bytes,time_s,unit\na,fp16,1,1,1,matrix\nb,fp16,1,1,1,vector\n");
  EXPECT_EQ(points.at(0).stages.at(0).work.at(0).unit, Unit::matrix);
  EXPECT_EQ(points.at(0).types.compute, DType::fp16);
  EXPECT_EQ(points.at(1).types.compute, DType::fp32) << "vector units compute fp16 in fp32";
}

TEST_F(PointsCsv, BytesAreThoseOfMainMemoryUnlessAWorkingSetIsGiven) {
  EXPECT_TRUE(read("name,dtype,flops,bytes,time_s\na,fp32,1,1e6,1\n").at(0).cold);
  const auto cached = read("name,dtype,flops,bytes,time_s,working_set\na,fp32,1,1e6,1,4096\n").at(0);
  EXPECT_FALSE(cached.cold);
  EXPECT_DOUBLE_EQ(cached.stages.at(0).working_set, 4096);
  EXPECT_DOUBLE_EQ(bytes(cached.stages), 1e6);
}

TEST_F(PointsCsv, ACopyHasNoOperations) {
  const auto copy = read("name,dtype,flops,bytes,time_s\ncopy,fp64,0,1e6,1\n").at(0);
  EXPECT_TRUE(copy.stages.at(0).work.empty());
  EXPECT_DOUBLE_EQ(bytes(copy.stages), 1e6);
}

TEST_F(PointsCsv, SameKernelTwiceHasTwoIds) {
  const auto points = read("name,dtype,flops,bytes,time_s\na,fp32,1,1,1\na,fp32,1,1,2\n");
  EXPECT_NE(points.at(0).id, points.at(1).id);
}

struct Bad {
  std::string text;
  std::vector<std::string> says;
};

TEST_F(PointsCsv, ErrorsNameFileLineAndColumn) {
  const std::string header = "name,dtype,flops,bytes,time_s\nfine,fp32,1,1,1\n";
  const std::vector<Bad> all{{header + "k,fp32,-1,1,1\n", {"mine.csv", "line 3", "column flops", "-1"}},
                             {header + "k,fp32,1,0,1\n", {"line 3", "column bytes"}},
                             {header + "\nk,fp32,1,1,nan\n", {"line 4", "column time_s"}},
                             {header + "k,fp32,1,inf,1\n", {"line 3", "column bytes"}},
                             {header + "k,fp32,1e999,1,1\n", {"line 3", "column flops", "out of range"}},
                             {header + "k,fp32,1e32,1,1\n", {"line 3", "column flops", "1e+32: operations"}},
                             {header + "k,fp32,1,1e28,1\n", {"line 3", "column bytes", "1e+28: bytes"}},
                             {header + "k,fp32,1,1,1e9\n", {"line 3", "column time_s", "1e+09: a time"}},
                             {header + "k,fp32,1,1,12ms\n", {"line 3", "column time_s", "12ms"}},
                             {header + "k,fp32,1,1,\"0,5\"\n", {"line 3", "column time_s", "decimal point"}},
                             {header + "k,fp32,1,1,0,5\n", {"line 3", "6 cells", "decimal comma"}},
                             {header + "k,fp31,1,1,1\n", {"line 3", "column dtype", "fp31"}},
                             {header + ",fp32,1,1,1\n", {"line 3", "column name", "empty"}},
                             {header + "\"k,fp32,1,1,1\n", {"line 3", "quote"}},
                             {"name,dtype,flops,bytes\nk,fp32,1,1\n", {"line 1", "time_s", "missing"}},
                             {"name,dtype,flops,bytes,time\nk,fp32,1,1,1\n", {"line 1", "'time'"}},
                             {"name,name,dtype,flops,bytes,time_s\n", {"line 1", "name", "twice"}},
                             {"name,dtype,flops,bytes,time_s\n", {"mine.csv", "no data"}},
                             {"", {"mine.csv", "empty"}}};
  for (const Bad& bad : all) {
    const std::string said = message(bad.text);
    EXPECT_EQ(said.find('\n'), std::string::npos);
    for (const std::string& part : bad.says) EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
  }
}

TEST_F(PointsCsv, MissingFileIsNamed) {
  EXPECT_NE(
      error_of([&] { interchange::read_points_csv(file("absent.csv"), "openmp", Scope::node); }).find("absent.csv"),
      std::string::npos);
}

}  // namespace
}  // namespace gable
