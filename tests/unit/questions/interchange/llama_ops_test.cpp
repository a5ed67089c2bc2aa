#include <gtest/gtest.h>

#include <string>

#include "imported_file.hpp"

namespace gable {
namespace {

using namespace test;
using LlamaOps = OtherTools;

const std::string heading = "Testing 2 devices\n\nBackend 1/2: GPU0\n  Device description: none\n\n";
const std::string product =
    "  MUL_MAT(type_a=f16,type_b=f32,m=100,n=7,k=640,bs=[2,1],nr=[3,1],per=[0,1,2,3]):   500 runs -    80.00 us/run -  "
    " "
    "5.38 MFLOP/run - \x1b[1;34m  67.20 GFLOPS\x1b[0m\n";
const std::string blocks =
    "  MUL_MAT(type_a=q4_0,type_b=f32,m=64,n=1,k=320,bs=[1,1],nr=[1,1],per=[0,1,2,3]):   100 runs -    20.00 us/run -  "
    "40.96 kFLOP/run -   2.05 GFLOPS\n";
const std::string sum =
    "  ADD(type=f32,ne=[4096,1,1,1],nr=[1,1,1,1]):   1000 runs -     4.00 us/run -       48 kB/run -   11.44 GB/s\n";

TEST_F(LlamaOps, ProductsHaveTheWorkOfTheirParameters) {
  const auto result = files.read(heading + product + blocks);
  ASSERT_EQ(result.points.size(), 2U);
  const Point& half = result.points.at(0);
  EXPECT_EQ(half.op, "MUL_MAT");
  EXPECT_EQ(half.params, "type_a=f16,type_b=f32,m=100,n=7,k=640,bs=[2,1],nr=[3,1],per=[0,1,2,3]");
  EXPECT_EQ(half.implementation, "imported/test-backend-ops");
  EXPECT_DOUBLE_EQ(half.time.value, 80e-6);
  EXPECT_EQ(half.count, 500);
  EXPECT_DOUBLE_EQ(operations(half, Unit::multiply_add, DType::fp16), 2.0 * 100 * 7 * 640 * 6) << "5.38 M is rounded";
  EXPECT_DOUBLE_EQ(half.stages.front().bytes_read, 100 * 640 * 2 * 2.0 + 7 * 640 * 6 * 4.0);
  EXPECT_DOUBLE_EQ(half.stages.front().bytes_written, 100 * 7 * 6 * 4.0);
  const Point& quantised = result.points.at(1);
  EXPECT_TRUE(lacks(quantised, "the type of")) << "backends multiply blocks as they like";
  EXPECT_DOUBLE_EQ(quantised.stages.front().bytes_read, 64 * 320 * 18.0 / 32 + 320 * 4.0);
  EXPECT_FALSE(half.regime) << "the bytes are the least that can move";
}

TEST_F(LlamaOps, OthersHaveTheBytesThatArePrinted) {
  const auto result = files.read(heading + sum + "  ADD(type=f32,ne=[1,1,1,1]): not supported\n");
  ASSERT_EQ(result.points.size(), 1U);
  EXPECT_DOUBLE_EQ(result.points.at(0).stages.front().bytes_read, 48 * 1024);
  EXPECT_TRUE(lacks(result.points.at(0), "operations"));
  EXPECT_EQ(result.notes.size(), 1U) << "one case is not supported";
  std::string twice = sum;
  twice.replace(twice.find("4.00"), 4, "6.00");
  EXPECT_DOUBLE_EQ(files.point(sum + twice).time.value, 5e-6) << "the mean of repeats";
  std::string tiny = sum;
  tiny.replace(tiny.find("48 kB"), 5, " 0 kB");
  EXPECT_TRUE(lacks(files.point(tiny), "bytes of the main memory")) << "0 kB is less than one, not none";
}

TEST_F(LlamaOps, ATableTellsRates) {
  const auto result = files.read(
      "backend_name,op_name,op_params,test_mode,supported,time_us,flops,bandwidth_gb_s,memory_kb,n_runs\n"
      "\"GPU0\",\"MUL_MAT\",\"type_a=bf16,type_b=f32,m=8,n=2,k=32,bs=[1,1],nr=[1,1]\",\"perf\",\"true\",\"2.0\","
      "\"512000000.0\",\"0.0\",\"0\",\"50\"\n");
  ASSERT_EQ(result.points.size(), 1U);
  EXPECT_DOUBLE_EQ(operations(result.points.at(0), Unit::multiply_add, DType::bf16), 2.0 * 8 * 2 * 32);
}

TEST_F(LlamaOps, OtherOutputIsRefusedByName) {
  refuses(heading + sum + "Backend 2/2: GPU1\n" + sum, "several backends (GPU0, GPU1)");
  refuses(heading + "  ADD(type=f32): OK\n", "call test-backend-ops perf");
  refuses("| model | backend | test | t/s |\n| model x | backend | pp512 | 1 t/s |\n| backend\n", "llama-bench");
  std::string spoilt = sum;
  spoilt.replace(spoilt.find("4.00 us"), 4, "fast");
  refuses(heading + spoilt, "line 6:");
}

}  // namespace
}  // namespace gable
