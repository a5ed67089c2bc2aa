#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "imported_file.hpp"

namespace gable {
namespace {

using namespace test;
using Likwid = OtherTools;
using Advisor = OtherTools;
using PerfStat = OtherTools;
using Carm = OtherTools;
using Import = OtherTools;

/// Two threads: DP 100 and 300 MFLOP/s over 2 s are 8e8 flop; the memory is counted by the first thread only.
const std::string flops_group =
    "STRUCT,Info,3\nCPU name:,Some CPU,\nCPU type:,Some,\nCPU clock:,2.5 GHz,\n"
    "TABLE,Region triad,Group 1 Raw,FLOPS_DP,1\nRegion Info,HWThread 0,HWThread 1\nRDTSC Runtime [s],2.0,2.0\ncall "
    "count,4,4\n"
    "Event,Counter,HWThread 0,HWThread 1\nRETIRED,PMC0,1,2\n"
    "TABLE,Region triad,Group 1 Metric,FLOPS_DP,4\nMetric,HWThread 0,HWThread 1\nRuntime (RDTSC) [s],2,2\n"
    "DP [MFLOP/s],100,300\nAVX DP [MFLOP/s],50,150\nSP [MFLOP/s],0,0\n"
    "TABLE,Region triad,Group 1 Metric STAT,FLOPS_DP,4\nMetric,Sum,Min,Max,Avg\nDP [MFLOP/s] STAT,400,100,300,200\n";
const std::string memory_group =
    "STRUCT,Info,3\nCPU name:,Some CPU,\nCPU type:,Some,\nCPU clock:,2.5 GHz,\n"
    "TABLE,Region triad,Group 1 Raw,MEM,1\nRegion Info,HWThread 0,HWThread 1\nRDTSC Runtime [s],2.0,2.0\ncall "
    "count,4,4\n"
    "TABLE,Region triad,Group 1 Metric,MEM,3\nMetric,HWThread 0,HWThread 1\nRuntime (RDTSC) [s],2,2\n"
    "Memory read data volume [GBytes],1.6,0\nMemory write data volume [GBytes],0.8,0\n";

TEST_F(Likwid, RegionsOfTwoGroupsAreOnePoint) {
  const auto result = files.read({flops_group, memory_group});
  ASSERT_EQ(result.points.size(), 1U);
  const Point& point = result.points.front();
  EXPECT_EQ(point.op, "triad");
  EXPECT_EQ(point.count, 4);
  EXPECT_DOUBLE_EQ(point.time.value, 0.5);                              // 2 s / 4 calls
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 2e8);  // 8e8 flop / 4, AVX DP is a part of DP
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 4e8);               // 1.6 GB / 4
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_written, 2e8);
  EXPECT_TRUE(point.imported->unknown.empty());
}

TEST_F(Likwid, OneGroupAloneSaysWhatLacks) {
  EXPECT_TRUE(lacks(files.point(flops_group), "bytes of the main memory"));
  EXPECT_TRUE(lacks(files.point(memory_group), "operations of fp64"));
}

TEST_F(Likwid, AStatedTypeRulesOutTheOneThatWasNotCounted) {
  std::string doubles = flops_group;
  doubles.replace(doubles.find("SP [MFLOP/s]"), 12, "CPI");
  const std::vector texts{doubles, memory_group};
  EXPECT_TRUE(lacks(files.point(texts), "operations of fp32 (group FLOPS_SP)"));
  files.into.target.dtype = DType::fp64;
  const auto result = files.read(texts);
  EXPECT_TRUE(result.points.at(0).imported->unknown.empty());
  EXPECT_EQ(result.points.at(0).imported->stated.size(), 1U);
  EXPECT_NE(result.notes.at(0).find("not counted, none by --dtype: operations of fp32"), std::string::npos);
  files.into.target.dtype = DType::fp32;
  EXPECT_TRUE(lacks(files.point(texts), "operations of fp32")) << "the stated type itself was not counted";
  files.into.target.dtype = DType::bf16;
  EXPECT_TRUE(lacks(files.point(texts), "operations of fp32")) << "nothing of the stated type was counted";
}

TEST_F(Likwid, AnotherProcessorThanTheDeviceIsANote) {
  files.into.target.device.backend = "openmp";
  files.into.target.device.isa = {"avx2"};
  std::string zen = memory_group;
  zen.replace(zen.find("CPU type:,Some"), 14, "CPU type:,AMD K19 (Zen4) architecture");
  const auto notes = [&](const std::string& microarchitecture) {
    files.into.target.device.microarchitecture = microarchitecture;
    return files.read(zen).notes.size();
  };
  EXPECT_EQ(notes("Zen 4"), 0U);
  EXPECT_EQ(notes("Skylake-SP"), 1U);
  EXPECT_EQ(notes("Coffee Lake"), 0U) << "spelling of what the catalogue does not know is not compared";
}

TEST_F(Likwid, CutTablesAndSharedTimesAreRefused) {
  const std::string cut = memory_group.substr(0, memory_group.find("Memory write"));
  refuses(cut, "cut off");
  std::string second = memory_group;
  for (auto at = second.find("Group 1"); at != std::string::npos; at = second.find("Group 1"))
    second.replace(at, 7, "Group 2");
  refuses(flops_group + second, "run of its own");
}

TEST_F(Advisor, TypeIsStatedOrUnknown) {
  const std::string text =
      "loop_name,self_time,self_elapsed_time,self_gflop,self_gflops,self_ai,self_memory_gb,self_l2_gb,self_l3_gb,self_"
      "dram_gb\n"
      "\"[loop in main at a.cpp:3]\",2.5,0.5,1.5,3,0.1,4.25,3.5,2.5,1.25\n[loop in idle],0,0,0,0,0,0,0,0,0\n";
  const Point point = files.point(text);
  EXPECT_DOUBLE_EQ(point.time.value, 0.5);
  EXPECT_DOUBLE_EQ(bytes(point.stages), 1.25e9);
  EXPECT_EQ(point.stages.front().inner.size(), 3U);
  EXPECT_TRUE(lacks(point, "the type of 1.5e+09 operations"));
  files.into.target.dtype = DType::fp64;
  const Point stated = files.point(text);
  EXPECT_DOUBLE_EQ(operations(stated, Unit::vector, DType::fp64), 1.5e9);
  EXPECT_TRUE(stated.imported->unknown.empty());
}

/// Lines of Windows, tabs and other alphabets stay where they are; what is no UTF-8 takes more room than it had.
TEST_F(Advisor, NamesOfAnyBytesBecomePrintable) {
  const std::string header = "loop_name,self_time,self_gflop,self_dram_gb\r\n";
  const std::string in_place = "plain,1.25,1.5,2.5\r\ncaf\xC3\xA9,2.25,1.5,2.5\r\na\tb\x01,3.25,1.5,2.5\n";
  const std::string longer = std::string("caf") + std::string(20, '\xFF') + ",4.25,1.5,2.5\r\nlast,5.25,1.5,2.5\r\n";
  const auto result = files.read(header + in_place + longer + in_place);
  std::string replaced = "caf";
  for (int i = 0; i < 20; ++i) replaced += "\xEF\xBF\xBD";
  const std::vector<std::pair<std::string, double>> expected{
      {"plain", 2.5}, {"caf\xC3\xA9", 4.5}, {"a b?", 6.5}, {replaced, 4.25}, {"last", 5.25}};
  ASSERT_EQ(result.points.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(result.points[i].op, expected[i].first);
    EXPECT_DOUBLE_EQ(result.points[i].time.value, expected[i].second);
  }
}

TEST_F(PerfStat, IntelCountsByWidthAndLines) {
  files.into.target.device.isa = {"avx2", "fma"};
  // fp64: 10 + 2 x 20 + 4 x 30 = 170; fp32: 1 + 4 x 2 + 8 x 3 = 33: too little to hold a verdict back? 33 of 203 is not
  const Point point = files.point(
      "# started on "
      "Mon\n\n2000000,ns,duration_time,2000000,100.00,,\n10,,fp_arith_inst_retired.scalar_double:u,1,100.00,,\n"
      "20,,fp_arith_inst_retired.128b_packed_double:u,1,100.00,,\n30,,fp_arith_inst_retired.256b_packed_double:u,1,100."
      "00,,\n"
      "1,,fp_arith_inst_retired.scalar_single,1,100.00,,\n2,,fp_arith_inst_retired.128b_packed_single,1,100.00,,\n"
      "3,,fp_arith_inst_retired.256b_packed_single,1,100.00,,\n"
      "4,,unc_m_cas_count.rd,1,100.00,,\n2.5,MiB,uncore_imc/cas_count_write/,1,100.00,,\n");
  EXPECT_EQ(point.op, "a") << "named after the file";
  EXPECT_DOUBLE_EQ(point.time.value, 2e-3);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 170);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp32), 33);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 256);               // 4 lines of 64 byte
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_written, 2.5 * 1048576);  // perf scales to MiB
  EXPECT_EQ(point.types.compute, DType::fp64);
  EXPECT_TRUE(lacks(point, "one type")) << "a sixth of the operations is of another type";
}

TEST_F(PerfStat, UnitsAreBytesOrNotKnown) {
  const auto bytes_read = [&](const std::string& unit) {
    const Point point = files.point("2000000,ns,duration_time,1,100.00,,\n3," + unit +
                                    ",umc_cas_cmd.rd,1,100.00,,\n0,,umc_cas_cmd.wr,1,100.00,,\n");
    return lacks(point, "bytes of the main memory") ? -1 : point.stages.front().bytes_read;
  };
  EXPECT_DOUBLE_EQ(bytes_read(""), 3 * 64);
  EXPECT_DOUBLE_EQ(bytes_read("MiB"), 3 * 1048576);
  EXPECT_DOUBLE_EQ(bytes_read("GB"), 3e9);
  EXPECT_DOUBLE_EQ(bytes_read("Joules"), -1) << "no lines, and no bytes";
}

TEST_F(PerfStat, ZensCounterHasNoType) {
  const auto result = files.read(
      "1000000,ns,duration_time,1,100.00,,\n500,,fp_ret_sse_avx_ops.all,1,100.00,,\n10,,umc_cas_cmd.rd,1,50.00,,\n"
      "5,,umc_cas_cmd.wr,1,100.00,,\n");
  const Point& point = result.points.at(0);
  EXPECT_TRUE(lacks(point, "the type of 500 operations"));
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 640);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes.front().find("50.00 %"), std::string::npos) << "perf estimated half of it";
}

TEST_F(PerfStat, ArmsCounterHasNoTypeAndNoLengthOfVectors) {
  const auto read = [&](const std::string& scalable) {
    return files.read("1000000,ns,duration_time,1,100.00,,\n500,,armv8_pmuv3_0/fp_fixed_ops_spec/,1,100.00,,\n" +
                      scalable + "10,,unc_m_cas_count.rd,1,100.00,,\n5,,unc_m_cas_count.wr,1,100.00,,\n");
  };
  const std::string none = "0,,fp_scale_ops_spec:u,1,100.00,,\n";
  EXPECT_TRUE(lacks(read(none).points.at(0), "the type of 500 operations"));
  files.into.target.dtype = DType::fp64;
  const auto result = read(none);
  EXPECT_DOUBLE_EQ(operations(result.points.at(0), Unit::vector, DType::fp64), 500);
  EXPECT_TRUE(result.points.at(0).imported->unknown.empty());
  ASSERT_EQ(result.notes.size(), 2U);
  EXPECT_NE(result.notes.front().find("speculative"), std::string::npos);
  EXPECT_TRUE(lacks(read("40,,fp_scale_ops_spec,1,100.00,,\n").points.at(0), "operations of scalable vectors (40 "));
  EXPECT_TRUE(lacks(read("").points.at(0), "operations of scalable vectors")) << "not counted is not none";
}

/// Free-running counters of client processors: two controllers read 1.5 and 2.5 MiB. With -M several metrics list one
/// event, once each.
TEST_F(PerfStat, MemoryOfClientsAndEventsOfSeveralMetrics) {
  const std::string time =
      "{\"counter-value\" : \"2000000.000000\", \"unit\" : \"ns\", \"event\" : \"duration_time\"}\n";
  const auto count = [](const char* value, const char* event) {
    return fmt::format("{{\"counter-value\" : \"{}\", \"unit\" : \"MiB\", \"event\" : \"{}\"}}\n", value, event);
  };
  const std::string read =
      count("1.5", "uncore_imc_free_running_0/data_read/") + count("2.5", "uncore_imc_free_running_1/data_read/");
  const std::string written = count("0.5", "uncore_imc_free_running/data_write/");
  const Point point = files.point(time + read + written + "\"metric-value\" : 0.5, \"metric-unit\" : \"x\"}\n" + time);
  EXPECT_DOUBLE_EQ(point.time.value, 2e-3);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 4 * 1048576);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_written, 0.5 * 1048576);
  EXPECT_FALSE(lacks(point, "bytes of the main memory"));
  const Point total = files.point(time + count("3", "uncore_imc_free_running_0/uncore_imc_free_running,data_total/"));
  EXPECT_DOUBLE_EQ(total.stages.front().bytes_read, 3 * 1048576);
  EXPECT_FALSE(lacks(total, "bytes of the main memory"));
  refuses(time + count("3", "other_unit/data_total/"), "none of the counters");
  const std::string two = time + written + count("0.75", "uncore_imc_free_running/data_write/");
  EXPECT_NE(files.message(two).find("is there twice"), std::string::npos) << "which of them is not told";
  refuses(
      "#           time             counts unit events\n     1.000327813     1,024.03 MiB  "
      "uncore_imc/data_reads/\n",
      "without -I");
}

TEST_F(PerfStat, NothingCountedIsRefused) {
  const std::string hidden = "1000000,ns,duration_time,1,100.00,,\n<not supported>,,cycles,0,100.00,,\n";
  refuses(hidden, "none of the counters");
  refuses("<not supported>,,cycles,0,100.00,,\n5,,umc_cas_cmd.rd,1,100.00,,\n", "duration_time");
}

TEST_F(Carm, ApplicationsHaveTheTrafficOfTheCore) {
  const Point point = files.point(
      "Date,Method,Name,ISA,Precision,Threads,AI,GFLOPS,Bandwidth,Time\n2026-01-01,PMU,app,avx2,dp,4,0.25,2.5,10.5,0."
      "5\n");
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 1.25e9);  // 2.5 GFLOP/s x 0.5 s
  EXPECT_DOUBLE_EQ(point.stages.front().inner.at(0).bytes, 5.25e9);
  EXPECT_TRUE(lacks(point, "bytes of the main memory"));
}

TEST_F(Import, WhatNoFormatRecognisesIsRefused) {
  for (const char* text : {"", "hello\n", "a,b,c\n1,2,3\n", "{}", "{\"empirical\": 3}",
                           "\x7f"
                           "ELF"})
    EXPECT_NE(files.message(text), "") << text;
  for (const auto& [text, what] :
       {std::pair{"BabelStream\nRunning kernels 100 times\nout of memory\n", "BabelStream printed before it failed"},
        std::pair{"CPU name:\tX\nAccess to performance group MEM_DP not allowed\n", "likwid counted nothing"},
        std::pair{"\"op_params\",\"test_mode\",\"supported\"\n", "test-backend-ops perf"},
        std::pair{"Experiment ID, Single Precision ops,,\n", "mixbench"}})
    refuses(text, what);
}

}  // namespace
}  // namespace gable
