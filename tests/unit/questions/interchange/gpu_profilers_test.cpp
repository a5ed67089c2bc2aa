#include <gtest/gtest.h>

#include <string>

#include "imported_file.hpp"

namespace gable {
namespace {

using namespace test;
using NsightCompute = OtherTools;

const std::string long_header =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid "
    "Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

/// A line of Nsight Compute's long form.
std::string metric(int id, const std::string& kernel, const std::string& name, const std::string& unit,
                   const std::string& value) {
  return "\"" + std::to_string(id) + "\",\"42\",\"app\",\"127.0.0.1\",\"" + kernel +
         "\",\"1\",\"7\",\"(128, 1, 1)\",\"(80, 1, 1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"" + name +
         "\",\"" + unit + "\",\"" + value + "\"\n";
}

/// All that a verdict needs, of one launch: 2000 ns, 3000 byte read, 1000 written, fp64 100 + 200 + 2 x 400 = 1100
/// flop.
std::string launch(int id, const std::string& kernel, const std::string& ns = "2000") {
  std::string text = metric(id, kernel, "gpu__time_duration.sum", "nsecond", ns) +
                     metric(id, kernel, "dram__bytes_read.sum", "Kbyte", "3") +
                     metric(id, kernel, "dram__bytes_write.sum", "byte", "1000") +
                     metric(id, kernel, "sm__inst_executed_pipe_tensor.sum", "inst", "0");
  const char* const values[][2] = {{"dadd", "100"}, {"dmul", "200"}, {"dfma", "400"}, {"fadd", "0"}, {"fmul", "0"},
                                   {"ffma", "0"},   {"hadd", "0"},   {"hmul", "0"},   {"hfma", "0"}};
  for (const auto& [op, value] : values)
    text += metric(id, kernel, std::string("smsp__sass_thread_inst_executed_op_") + op + "_pred_on.sum", "inst", value);
  return text;
}

TEST_F(NsightCompute, LaunchesOfOneKernelAreTheirMean) {
  // the program's own lines and ncu's stand between; 2000 ns and 4000 ns are 3000 ns on average
  const auto result =
      files.read("==PROF== Connected to process 42\nstep 1, \"done\"\n" + long_header + launch(0, "axpy(double*)") +
                 "==PROF== Profiling\nresidual 1e-3\n" + launch(1, "axpy(double*)", "4000"));
  ASSERT_EQ(result.points.size(), 1U);
  const Point& point = result.points.front();
  EXPECT_EQ(point.op, "axpy");
  EXPECT_EQ(point.imported->name, "axpy(double*)");
  EXPECT_EQ(point.implementation, "imported/ncu");
  EXPECT_EQ(point.imported->file, "a.csv");
  EXPECT_EQ(point.count, 2);
  EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 3000);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_written, 1000);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 1100);
  EXPECT_EQ(point.types.compute, DType::fp64);
  EXPECT_TRUE(point.imported->unknown.empty());
  EXPECT_FALSE(point.imported->counters.empty());
}

TEST_F(NsightCompute, AMetricThatSomeLaunchesLackIsNotCounted) {
  std::string text = long_header + launch(0, "k") + launch(1, "k");
  const auto at = text.rfind("\"400\"");  // dfma of the second launch
  text.replace(at, 5, "\"n/a\"");
  EXPECT_TRUE(lacks(files.point(text), "operations of fp64")) << "half of the flop is no flop count";
}

TEST_F(NsightCompute, AMetricOfTwoSectionsCountsOnce) {
  const std::string again = metric(0, "k", "dram__bytes_read.sum", "Kbyte", "3");
  EXPECT_DOUBLE_EQ(files.point(long_header + launch(0, "k") + again).stages.front().bytes_read, 3000);
  const std::string other = metric(0, "k", "dram__bytes_read.sum", "Kbyte", "4");
  refuses(long_header + launch(0, "k") + other, "twice");
}

TEST_F(NsightCompute, OneGpuAFile) {
  std::string other = launch(1, "k");
  for (std::size_t at = 0; (at = other.find("\"0\",\"9.0\"", at)) != other.npos; ++at) other.replace(at, 3, "\"1\"");
  refuses(long_header + launch(0, "k") + other, "one GPU");
}

TEST_F(NsightCompute, ATableThatFollowsHasUnitsOfItsOwn) {
  const std::string header =
      "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\"\n";
  const auto result =
      files.read(header + "\"\",\"\",\"\",\"\",\"us\",\"byte\"\n\"0\",\"1\",\"app\",\"k\",\"2\",\"100\"\n" + header +
                 "\"\",\"\",\"\",\"\",\"ns\",\"byte\"\n\"0\",\"2\",\"app\",\"k\",\"4000\",\"100\"\n");
  EXPECT_DOUBLE_EQ(result.points.at(0).time.value, 3e-6);  // 2 us and 4000 ns
}

TEST_F(NsightCompute, WideFormHasUnitsInItsSecondLine) {
  const Point point = files.point(
      "\"ID\",\"Process ID\",\"Process Name\",\"Kernel "
      "Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\",\"lts__t_bytes.sum\",\"sm__ops_path_tensor_src_bf16_dst_"
      "fp32."
      "sum\",\"sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_on.sum\"\n"
      "\"\",\"\",\"\",\"\",\"us\",\"Mbyte\",\"byte\",\"\",\"\"\n"
      "\"0\",\"1\",\"app\",\"gemm\",\"12.5\",\"6.25\",\"9,000,000\",\"2,147,483,648\",\"2,147,483,648\"\n");
  EXPECT_DOUBLE_EQ(point.time.value, 12.5e-6);
  EXPECT_DOUBLE_EQ(bytes(point.stages), 6.25e6);
  EXPECT_DOUBLE_EQ(point.stages.front().inner.at(0).bytes, 9e6);
  // 1024^3 multiply-adds are 2 x 1024^3 flop; a child counter of the same is not added
  EXPECT_DOUBLE_EQ(operations(point, Unit::matrix, DType::bf16), 2147483648.0);
  EXPECT_EQ(point.types.accumulate, DType::fp32);
  EXPECT_TRUE(lacks(point, "operations of fp64")) << "it was not counted";
  EXPECT_TRUE(lacks(point, "operations of matrix units (sm__ops_path_tensor_src_{fp16_dst_fp16,fp16_dst_fp32,"))
      << "nor were these";
}

/// The six counters of types that all matrix units may have: 64 operations of int8, none of the others.
std::string matrix_counters() {
  std::string text;
  for (const char* path : {"bf16_dst_fp32", "fp16_dst_fp16", "fp16_dst_fp32", "tf32_dst_fp32", "fp64", "int8"})
    text += metric(0, "k", std::string("sm__ops_path_tensor_src_") + path + ".sum", "",
                   std::string(path) == "int8" ? "64" : "0");
  return text;
}

TEST_F(NsightCompute, EveryTypeOfTheMatrixUnitsIsAskedFor) {
  std::string text = long_header + launch(0, "k") + matrix_counters();
  // the counter of all instructions says that there were none: nobody needs to ask for fp8
  EXPECT_FALSE(lacks(files.point(text), "operations of matrix units"));
  const std::string none = metric(0, "k", "sm__inst_executed_pipe_tensor.sum", "inst", "0");
  const auto at = text.find(none);
  text.replace(at, none.size(), metric(0, "k", "sm__inst_executed_pipe_tensor.sum", "inst", "8"));
  EXPECT_TRUE(lacks(files.point(text), "operations of matrix units (sm__ops_path_tensor_src_fp8.sum)"));
  // that of one kind of instructions says nothing about the others
  text.replace(at, none.size(), metric(0, "k", "sm__inst_executed_pipe_tensor_op_hmma.sum", "inst", "0"));
  EXPECT_TRUE(lacks(files.point(text), "operations of matrix units (sm__ops_path_tensor_src_fp8.sum)"));
  EXPECT_FALSE(lacks(files.point(text + metric(0, "k", "sm__ops_path_tensor_src_fp8.sum", "", "0")),
                     "operations of matrix units"));
  for (std::size_t cc = 0; (cc = text.find("\"9.0\"", cc)) != text.npos; ++cc) text.replace(cc, 5, "\"8.0\"");
  EXPECT_FALSE(lacks(files.point(text), "operations of matrix units")) << "Ampere has no fp8";
}

TEST_F(NsightCompute, WhatCountersDoNotTellIsMarkedNotGuessed) {
  const std::string hfma = "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum";
  const std::string idle = metric(0, "k", hfma, "inst", "0");
  std::string busy = launch(0, "k"), absent = busy;
  busy.replace(busy.find(idle), idle.size(), metric(0, "k", hfma, "inst", "500"));
  absent.erase(absent.find(idle), idle.size());
  const auto unprofiled = files.read(long_header + absent);
  EXPECT_TRUE(lacks(unprofiled.points.at(0), "operations of fp16")) << "not profiled is not none";
  EXPECT_FALSE(unprofiled.points.at(0).regime);
  const auto half = files.read(long_header + busy);
  EXPECT_TRUE(lacks(half.points.at(0), "operations of fp16"));
  EXPECT_EQ(operations(half.points.at(0), Unit::vector, DType::fp16), 0);
  EXPECT_FALSE(half.points.at(0).regime) << "no verdict";
  std::string tensor = launch(0, "k");
  const std::string none = metric(0, "k", "sm__inst_executed_pipe_tensor.sum", "inst", "0");
  tensor.replace(tensor.find(none), none.size(), metric(0, "k", "sm__inst_executed_pipe_tensor.sum", "inst", "64"));
  const auto instructions = files.read(long_header + tensor);
  EXPECT_TRUE(lacks(instructions.points.at(0), "operations of matrix units (64 instructions"));
}

TEST_F(NsightCompute, BlackwellsPairsCountTwice) {
  const auto result = files.read(long_header + launch(0, "k") +
                                 metric(0, "k", "smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum", "inst", "10"));
  EXPECT_DOUBLE_EQ(operations(result.points.at(0), Unit::vector, DType::fp32), 40);  // 10 x 2 values x 2
}

TEST_F(NsightCompute, BlackwellsPairsMustBeAskedFor) {
  std::string text = long_header + launch(0, "k");
  EXPECT_FALSE(lacks(files.point(text), "operations of fp32")) << "Hopper has none";
  for (std::size_t at = 0; (at = text.find("\"9.0\"", at)) != text.npos; ++at) text.replace(at, 5, "\"10.0\"");
  EXPECT_TRUE(lacks(files.point(text), "operations of fp32"));
  for (const char* op : {"fadd2", "fmul2", "ffma2"})
    text += metric(0, "k", std::string("smsp__sass_thread_inst_executed_op_") + op + "_pred_on.sum", "inst", "0");
  EXPECT_FALSE(lacks(files.point(text), "operations of fp32"));
}

TEST_F(NsightCompute, AmbiguousSeparatorsAreRefused) {
  const std::string said = files.message(long_header + launch(0, "k", "117.344"));
  EXPECT_NE(said.find("'117.344'"), std::string::npos) << said;
  EXPECT_NE(said.find("LC_ALL=C"), std::string::npos) << said;
}

TEST_F(NsightCompute, OlderFilesHaveATimeInsteadOfSizes) {
  const auto line = [](const std::string& name, const std::string& unit, const std::string& value) {
    return "\"0\",\"42\",\"app\",\"127.0.0.1\",\"k\",\"2019-Jan-01 12:00:00\",\"1\",\"7\",\"Command line profiler "
           "metrics\",\"" +
           name + "\",\"" + unit + "\",\"" + value + "\"\n";
  };
  const auto result = files.read(
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel "
      "Time\",\"Context\",\"Stream\",\"Section "
      "Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" +
      line("gpu__time_duration.sum", "usecond", "2.5") + line("dram__bytes.sum", "Kbyte", "7.5"));
  EXPECT_DOUBLE_EQ(result.points.at(0).time.value, 2.5e-6);
  EXPECT_DOUBLE_EQ(bytes(result.points.at(0).stages), 7500);
}

/// Newer files have the advice of rules behind the metrics, in lines of its own, and that may have line breaks.
TEST_F(NsightCompute, AdviceOfRulesIsPassedOver) {
  const std::string more =
      ",\"Rule Name\",\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"";
  std::string header = long_header, text = launch(0, "a"), second = launch(1, "b");
  header.insert(header.size() - 1, more);
  for (std::string* lines : {&text, &second}) {
    for (std::size_t at = 0; (at = lines->find('\n', at)) != std::string::npos; at += 16)
      lines->insert(at, ",\"\",\"\",\"\",\"\",\"\"");
  }
  std::string advice = metric(0, "a", "", "", "");
  advice.insert(
      advice.size() - 1,
      ",\"SpeedOfLight\",\"OPT\",\"Memory is \"\"busy\"\":\n==PROF== see the section\n7,5 of 8\",\"global\",\"12.5\"");
  const auto result = files.read(header + text + advice + second);
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_DOUBLE_EQ(result.points.at(0).time.value, 2e-6);
  EXPECT_DOUBLE_EQ(operations(result.points.at(1), Unit::vector, DType::fp64), 1100);
  const std::string cut = header + text + advice.substr(0, advice.find("7,5"));
  refuses(cut, "cut off");
}

TEST_F(NsightCompute, MissingPermissionIsOneClearLine) {
  const std::string said = files.message(
      "==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
      "NVIDIA GPU "
      "Performance Counters\n==PROF== Disconnected\n");
  EXPECT_NE(said.find("ERR_NVGPUCTRPERM"), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos);
}

TEST_F(NsightCompute, CutFilesAreRefusedWhereverTheyAreCut) {
  const std::string whole = long_header + launch(0, "a") + launch(1, "b");
  ASSERT_EQ(files.message(whole), "");
  for (const std::size_t lost : {std::size_t{2}, std::size_t{20}, std::size_t{90}, launch(1, "b").size() / 2})
    EXPECT_NE(files.message(whole.substr(0, whole.size() - lost)).find("cut off"), std::string::npos) << lost;
}

TEST_F(NsightCompute, AKernelWithoutTimeOrAnUnknownUnitIsRefused) {
  refuses(long_header + metric(0, "k", "dram__bytes.sum", "byte", "5"), "has no time");
  refuses(long_header + metric(0, "k", "gpu__time_duration.sum", "cycle", "5"), "'cycle'");
}

}  // namespace
}  // namespace gable
