#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "imported_file.hpp"
#include "tests/unit/error_of.hpp"

/// Databases of Nsight Systems, with made-up figures.
namespace gable {
namespace {

using namespace test;
using Databases = OtherTools;

const std::string nsys_tables =
    "CREATE TABLE StringIds(id INTEGER, value TEXT);"
    "INSERT INTO StringIds VALUES (1,'axpy(float *)'),(2,'dot(float *)'),(3,'forward');"
    "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION','2024.5.1.113');"
    "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT);INSERT INTO TARGET_INFO_GPU VALUES (0,'A'),(1,'B');";
const std::string nsys_kernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, demangledName INT, gridX INT, gridY INT,"
    " gridZ INT, blockX INT, blockY INT, blockZ INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100,1100,0,1,8,1,1,64,1,1),(2000,5000,0,1,16,1,1,64,1,1),"
    "(6000,6500,0,2,8,1,1,64,1,1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, bytes INT, copyKind INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0,1000,4000,1),(0,1000,8000,1);"
    "CREATE TABLE NVTX_EVENTS(start INT, end INT, text TEXT, textId INT);"
    "INSERT INTO NVTX_EVENTS VALUES (0,2000000,NULL,3),(0,1000000,'forward',NULL),(5,NULL,'mark',NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INT, end INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (7000,9000),(9000,12000);";

TEST_F(Databases, KernelsCopiesAndRangesOfNsightSystems) {
  {
    MadeDatabase made(files.path("a.sqlite"));
    if (!made.run(nsys_tables + nsys_kernels)) GTEST_SKIP() << "no SQLite library here";
  }
  const std::filesystem::path file = files.path("a.sqlite");
  const auto result = interchange::import_files(std::vector{file}, files.into).result;
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_EQ(result.build.libraries.back().first, "SQLite");
  EXPECT_EQ(result.points[0].op, "axpy");
  EXPECT_EQ(result.points[0].count, 2);
  EXPECT_DOUBLE_EQ(result.points[0].time.value, 2e-6);  // 1000 and 3000 ns
  EXPECT_DOUBLE_EQ(calls_of(result.points[0]).first, 1e-6);
  EXPECT_DOUBLE_EQ(calls_of(result.points[0]).second, 3e-6);
  EXPECT_EQ(result.points[0].imported->version, "2024.5.1.113");
  EXPECT_TRUE(lacks(result.points[0], "operations")) << "they were not counted";
  std::string notes;
  for (const std::string& note : result.notes) notes += note + "\n";
  EXPECT_NE(notes.find("1 of 2 kernels were launched in several sizes"), std::string::npos) << notes;
  EXPECT_NE(notes.find("2 copies host to device: 0.012 MB in 0.002 ms, 6 GB/s"), std::string::npos) << notes;
  EXPECT_NE(notes.find("2 CUDA graphs, 0.005 ms"), std::string::npos) << notes;
  EXPECT_NE(notes.find("NVTX range 'forward' 2 times, 3 ms"), std::string::npos) << notes;
}

/// axpy: 1000 and 3000 ns, and one launch that ends when it begins; a launch of 700 ns whose name is not there.
TEST_F(Databases, LaunchesWithoutATimeDoNotCountAndThoseWithoutANameDo) {
  const std::filesystem::path file = files.path("a.sqlite");
  if (!MadeDatabase(file).run(nsys_tables + nsys_kernels +
                              "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (7000,7000,0,1,8,1,1,64,1,1),"
                              "(8000,8700,0,99,8,1,1,64,1,1);INSERT INTO StringIds VALUES (1,'axpy(float *)');"))
    GTEST_SKIP() << "no SQLite library here";
  const auto result = interchange::import_files(std::vector{file}, files.into).result;
  ASSERT_EQ(result.points.size(), 3U);
  EXPECT_EQ(result.points[0].count, 2) << "two rows of one id are one name";
  EXPECT_DOUBLE_EQ(result.points[0].time.value, 2e-6);
  EXPECT_EQ(result.points[1].op, "(no name)");
  EXPECT_DOUBLE_EQ(result.points[1].time.value, 0.7e-6);
  std::string notes;
  for (const std::string& note : result.notes) notes += note + "\n";
  EXPECT_NE(notes.find("1 launches end when they begin"), std::string::npos) << notes;
  EXPECT_NE(notes.find("1 launches are of kernels whose names are not in StringIds"), std::string::npos) << notes;
}

TEST_F(Databases, WhatCannotBeReadIsOneLine) {
  const auto said = [&](const std::string& name, const std::string& sql) -> std::string {
    const std::filesystem::path file = files.path(name);
    if (!MadeDatabase(file).run(sql)) return "no SQLite";
    return error_of([&] { interchange::import_files(std::vector{file}, files.into); });
  };
  const std::string none = said("none.sqlite", nsys_tables);
  if (none == "no SQLite") GTEST_SKIP() << "no SQLite library here";
  EXPECT_NE(none.find("no kernel of a GPU was recorded"), std::string::npos) << none;
  const std::string other = said("other.sqlite", "CREATE TABLE notes(text TEXT)");
  EXPECT_NE(other.find("of no profiler that is known here"), std::string::npos) << other;
  const std::string two =
      said("two.sqlite",
           nsys_tables + nsys_kernels + "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE start = 100");
  EXPECT_NE(two.find("different GPUs, A and B"), std::string::npos) << two;
  const std::string damaged = files.message("SQLite format 3" + std::string(1, '\0') + "and then nothing more");
  EXPECT_NE(damaged.find("SQLite cannot read it"), std::string::npos) << damaged;
  EXPECT_NE(damaged.find("cut off or is damaged"), std::string::npos) << damaged;
  const std::string lacks_column =
      said("lacks.sqlite", nsys_tables + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, shortName INT)");
  EXPECT_EQ(lacks_column.find("damaged"), std::string::npos) << lacks_column;
  EXPECT_NE(lacks_column.find("no such column"), std::string::npos) << lacks_column;
  EXPECT_EQ(files.message("notes on SQLite format 3\n").find("a database of SQLite"), std::string::npos);
  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string("SQLite format 3\nStringIds\n")) utf16 += std::string{c, '\0'};
  const std::string packed = files.message(utf16);
  EXPECT_NE(packed.find("a packed database: unpack it first"), std::string::npos) << packed;
}

}  // namespace
}  // namespace gable
