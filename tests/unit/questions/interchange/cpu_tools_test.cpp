#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "imported_file.hpp"

/// Forms that tools of CPUs really write, with made-up figures.
namespace gable {
namespace {

using namespace test;
using LikwidForms = OtherTools;
using PerfForms = OtherTools;
using AdvisorForms = OtherTools;

/// 30000 flop in 150.12 us: the metrics are rounded to four decimals, the time above the counters to six.
const std::string rounded =
    "STRUCT,Info,3\nTABLE,Region short,Group 1 Raw,FLOPS_DP,3\nRegion Info,HWThread 0,\nRDTSC Runtime [s],0.000150,\n"
    "call count,1,\nEvent,Counter,HWThread 0\nFP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC1,10000\n"
    "FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE,PMC3,0\n"
    "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE,PMC2,5000\nTABLE,Region short,Group 1 Metric,FLOPS_DP,2\n"
    "Metric,HWThread 0,\nRuntime (RDTSC) [s],0.0002,\nDP [MFLOP/s],199.8400,\n";

TEST_F(LikwidForms, RawCountersAndTheFigureWithMostDigitsAreTaken) {
  const Point point = files.point(rounded);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 30000) << "10000 + 4 x 5000";
  EXPECT_NEAR(point.time.value, 150.12e-6, 0.01e-6) << "30000 flop / 199.84 MFLOP/s";
}

TEST_F(LikwidForms, SmallVolumesComeFromTheBandwidth) {
  const Point point = files.point(
      "TABLE,Group 1 Raw,L3,0\nTABLE,Group 1 Metric,L3,3\nMetric,HWThread 0\n"
      "Runtime (RDTSC) [s],1.5000e-05\nL3 bandwidth [MBytes/s],14000.5000\n"
      "L3 data volume [GBytes],0.0002\n");
  EXPECT_EQ(point.op, "whole program");
  EXPECT_DOUBLE_EQ(point.stages.front().inner.at(0).bytes, 14000.5e6 * 1.5e-5) << "not 0.0002 GB";
}

TEST_F(LikwidForms, AWidthOfVectorsThatWasNotCountedLeavesNoSum) {
  const auto read = [&](const std::string& widths, const std::string& rows) {
    return files.point("TABLE,Region r,Group 1 Raw,MEM_DP," + rows +
                       "\nRegion Info,HWThread 0\nRDTSC Runtime [s],0.5\nEvent,Counter,HWThread 0\n"
                       "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC0,10000\n" +
                       widths + "CAS_COUNT_RD,MBOX0C0,400\nCAS_COUNT_WR,MBOX0C1,200\n");
  };
  const std::string v128 = "FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE,PMC1,100\n",
                    v256 = "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE,PMC2,10\n";
  for (const std::string& one : {v128, v256}) {
    EXPECT_TRUE(lacks(read(one, "4"), "operations of fp64")) << one;
    EXPECT_EQ(operations(read(one, "4"), Unit::vector, DType::fp64), 0) << one;
  }
  EXPECT_DOUBLE_EQ(operations(read(v128 + v256, "5"), Unit::vector, DType::fp64), 10000 + 2 * 100 + 4 * 10);
}

/// 400 and 200 lines of 64 byte in 50 us.
TEST_F(LikwidForms, VolumesThatAreRoundedToZeroAreUnknownWithoutRawCounters) {
  const auto read = [&](const std::string& raw, const std::string& rates, const std::string& volume) {
    const std::string lines = raw.empty() ? "0" : "2";
    return files.point(
        "TABLE,Region r,Group 1 Raw,MEM_DP," + lines +
        "\nRegion Info,HWThread 0\nRDTSC Runtime [s],0.000050\nEvent,Counter,HWThread 0\n" + raw +
        "TABLE,Region r,Group 1 Metric,MEM_DP,6\nMetric,HWThread 0\nRuntime (RDTSC) [s],0.0001\nDP [MFLOP/s],100\n"
        "Memory read bandwidth [MBytes/s]," +
        rates + "\nMemory read data volume [GBytes]," + volume + "\nMemory write bandwidth [MBytes/s]," + rates +
        "\nMemory write data volume [GBytes]," + volume + "\n");
  };
  const std::string raw = "CAS_COUNT_RD,MBOX0C0,400\nCAS_COUNT_WR,MBOX0C1,200\n";
  for (const auto& [rates, volume] : {std::pair{"0.0000", "0.0000"}, {"512.0000", "0.0001"}}) {
    const Point counted = read(raw, rates, volume);
    EXPECT_DOUBLE_EQ(counted.stages.front().bytes_read, 400 * 64) << volume;
    EXPECT_DOUBLE_EQ(counted.stages.front().bytes_written, 200 * 64) << volume;
  }
  EXPECT_DOUBLE_EQ(read("", "512.0000", "0.0000").stages.front().bytes_read, 512e6 * 50e-6);
  EXPECT_TRUE(lacks(read("", "0.0000", "0.0000"), "bytes of the main memory"));
  EXPECT_FALSE(lacks(read("", "0", "0"), "bytes of the main memory")) << "0 without decimals is 0";
}

TEST_F(LikwidForms, NanIsUnknownAndADashIsOfAThreadWithoutTheCounter) {
  const auto memory = [&](const std::string& other) {
    return files.point(
        "TABLE,Region r,Group 1 Metric,MEM,3\nMetric,HWThread 0,HWThread 1\nRuntime (RDTSC) [s],1.5,1.5\n"
        "Memory read data volume [GBytes]," +
        other + ",2.5\nMemory write data volume [GBytes]," + other + ",1.5\n");
  };
  EXPECT_DOUBLE_EQ(memory("-").stages.front().bytes_read, 2.5e9);
  EXPECT_DOUBLE_EQ(memory("1.25").stages.front().bytes_read, 3.75e9);
  const ImportedFiles alone;
  const std::string nan =
      "TABLE,Region r,Group 1 Metric,MEM_DP,4\nMetric,HWThread 0,HWThread 1\nRuntime (RDTSC) [s],1.5,1.5\n"
      "DP [MFLOP/s],100,100\nMemory read data volume [GBytes],nan,2.5\nMemory write data volume [GBytes],nan,1.5\n";
  const Point point = alone.point(nan);
  EXPECT_TRUE(lacks(point, "bytes of the main memory"));
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 3e8);
}

const std::string drawn =
    "CPU name:    Some CPU\n| of the | program |\nRegion fold, Group 1: FLOPS_DP\n+----+----+\n"
    "|    Region Info    | HWThread 0 | HWThread 1 |\n+----+----+\n| RDTSC Runtime [s] |   0.500000 |   0.250000 |\n"
    "|     call count    |          2 |          2 |\n+----+----+\n\n+----+----+\n"
    "|           Event           | Counter | HWThread 0 | HWThread 1 |\n+----+----+\n"
    "| RETIRED_SSE_AVX_FLOPS_ALL |   PMC2  |  200000000 |  100000000 |\n+----+----+\n\n+----+----+\n"
    "|           Event           | Counter | Sum | Min | Max | Avg |\n+----+----+\n"
    "| RETIRED_SSE_AVX_FLOPS_ALL STAT | PMC2 | 300000000 | 1 | 1 | 1 |\n+----+----+\n\n+----+----+\n"
    "|        Metric        | HWThread 0 | HWThread 1 |\n+----+----+\n|  Runtime (RDTSC) [s] |     0.5 |     0.25 |\n"
    "|     DP [MFLOP/s]     |   400.0000 |   400.0000 |\n+----+----+\n";

TEST_F(LikwidForms, DrawnTablesAreRead) {
  const Point untyped = files.point(drawn);
  EXPECT_EQ(untyped.op, "fold");
  EXPECT_EQ(untyped.count, 2);
  EXPECT_DOUBLE_EQ(untyped.time.value, 0.25);
  EXPECT_TRUE(lacks(untyped, "the type of 1.5e+08 operations")) << "Zen's counter is of all types";
  files.into.target.dtype = DType::fp64;
  EXPECT_DOUBLE_EQ(operations(files.point(drawn), Unit::vector, DType::fp64), 1.5e8);
  const std::string cut = drawn.substr(0, drawn.size() - 10);
  refuses(cut, "cut off");
  EXPECT_EQ(files.message(drawn.substr(0, drawn.size() - 1)), "") << "the line below the table needs no end";
}

TEST_F(LikwidForms, RunsOfOneProgramAndRepeatedRegionsAreToldApart) {
  const auto table = [](const std::string& group, const std::string& id, const std::string& line) {
    return "STRUCT,Info,3\nTABLE,Region r," + id + " Metric," + group +
           ",2\nMetric,HWThread 0\nRuntime (RDTSC) [s],2.5\n" + line + "\n";
  };
  const std::string flops = table("FLOPS_DP", "Group 1", "DP [MFLOP/s],100.5");
  const std::string memory = table("MEM", "Group 1", "Memory data volume [GBytes],3.5");
  EXPECT_EQ(files.read(flops + memory).points.size(), 1U) << "two runs, one behind the other in a file";
  EXPECT_EQ(files.read(flops + flops).points.size(), 2U) << "the same region once more";
  const std::string whole =
      "TABLE,Region r,Group 1 Metric,MEM_DP,3\nMetric,HWThread 0\nRuntime (RDTSC) [s],2.5\n"
      "DP [MFLOP/s],101.5\nMemory data volume [GBytes],3.5\n";
  const auto joined = files.read({whole, flops});
  ASSERT_EQ(joined.points.size(), 1U) << "what both counted is their mean";
  EXPECT_DOUBLE_EQ(operations(joined.points.at(0), Unit::vector, DType::fp64), 2.5 * 101e6);
}

TEST_F(LikwidForms, WhatHoldsNoTablesIsNamed) {
  refuses("# GID|MetricsCount|CpuCount|Total runtime [s]|Runtime (RDTSC) [s]|CPI\n1 5 1 0.5 1 2\n", "timeline (-t)");
  refuses("{\"Info\": {\n\"CPU clock:\": \"2.294 GHz\"\n}}\n", "-o FILE.csv");
  refuses("LIKWID MICRO BENCHMARK\nMByte/s:\t\t12.5\n", "likwid-bench");
  refuses("TABLE,Group 1 Metric,CLOCK,2\nMetric,HWThread 0\nRuntime (RDTSC) [s],2.5\nClock [MHz],2000.5\n",
          "group CLOCK counts neither");
}

TEST_F(PerfForms, TextHasElapsedTimeAndItsLocale) {
  files.into.target.device.isa = {"avx2"};
  const auto text = [](const std::string& command, const std::string& scalar, const std::string& elapsed) {
    return "\n Performance counter stats for '" + command + "':\n\n          " + scalar +
           "      fp_arith_inst_retired.scalar_double:u   #  1.5 M/sec   (60.50%)\n"
           "                 0      fp_arith_inst_retired.128b_packed_double:u\n"
           "                 0      fp_arith_inst_retired.256b_packed_double:u\n\n       " +
           elapsed + " seconds time elapsed\n\n       0.25 seconds user\n";
  };
  const Point english = files.point(text("./a", "1,234,567", "1.250000000"));
  EXPECT_DOUBLE_EQ(operations(english, Unit::vector, DType::fp64), 1234567);
  EXPECT_DOUBLE_EQ(english.time.value, 1.25);
  const Point german = files.point(text("./a", "1.234.567", "1,250000000"));
  EXPECT_DOUBLE_EQ(operations(german, Unit::vector, DType::fp64), 1234567);
  EXPECT_DOUBLE_EQ(german.time.value, 1.25);
  const auto two = files.read(text("./a", "1,234,567", "1.25") + text("./b", "2,345,678", "2.25"));
  ASSERT_EQ(two.points.size(), 2U) << "a point a run";
  EXPECT_EQ(two.points.at(1).op, "./b");
  EXPECT_NE(two.notes.at(0).find("60.50 %"), std::string::npos);
}

TEST_F(PerfForms, SeparatorsDecimalCommasAndJsonSayTheSame) {
  const auto bytes = [&](const std::string& text) {
    const Point point = files.point(text);
    EXPECT_DOUBLE_EQ(point.time.value, 2.0) << text;
    return point.stages.front().bytes_read + point.stages.front().bytes_written;
  };
  const double mib = 1048576;
  EXPECT_DOUBLE_EQ(bytes("2000000000,ns,duration_time,2000000000,100.00,,\n3.5,MiB,unc_m_cas_count.rd,1,100.00,,\n"
                         "1.25,MiB,unc_m_cas_count.wr,1,100.00,,\n"),
                   4.75 * mib);
  EXPECT_DOUBLE_EQ(bytes("2000000000,ns,duration_time,2000000000,100,00,,\n3,50,MiB,unc_m_cas_count.rd,1,100,00,,\n"
                         "1,25,MiB,unc_m_cas_count.wr,1,100,00,,\n"),
                   4.75 * mib)
      << "a decimal comma is a separator, too";
  EXPECT_DOUBLE_EQ(bytes("2000000000;ns;duration_time;2000000000;100,00;;\n3,50;MiB;unc_m_cas_count.rd;1;100,00;;\n"
                         "1,25;MiB;unc_m_cas_count.wr;1;100,00;;\n"),
                   4.75 * mib);
  EXPECT_DOUBLE_EQ(
      bytes("{\"counter-value\" : \"2000000000.000000\", \"unit\" : \"ns\", \"event\" : \"duration_time\", "
            "\"event-runtime\" : 1, \"pcnt-running\" : 100.00, \"metric-value\" : nan}\n"
            "{\"counter-value\" : \"3.500000\", \"unit\" : \"MiB\", \"event\" : \"unc_m_cas_count.rd\", "
            "\"pcnt-running\" : 100.00}\n{\"counter-value\" : \"1.250000\", \"unit\" : \"MiB\", \"event\" : "
            "\"unc_m_cas_count.wr\", \"pcnt-running\" : 100.00}\n"),
      4.75 * mib);
}

TEST_F(PerfForms, SocketsAndProcessorsAreAddedUp) {
  const auto socket = files.read(
      "S0,1,2000000000,ns,duration_time,2000000000,100.00,,\nS0,24,5,,umc_cas_cmd.rd,1,100.00,,\n"
      "S1,24,7,,umc_cas_cmd.rd,1,100.00,,\nS0,24,1,,umc_cas_cmd.wr,1,100.00,,\nS1,24,1,,umc_cas_cmd.wr,1,100.00,,\n");
  EXPECT_DOUBLE_EQ(socket.points.at(0).stages.front().bytes_read, 12 * 64);
  const auto each = files.read(
      "CPU0,2000000000,ns,duration_time,2000000000,100.00,,\nCPU0,5,,umc_cas_cmd.rd,1,100.00,,\n"
      "CPU1,<not counted>,,umc_cas_cmd.rd,0,0.00,,\nCPU0,1,,umc_cas_cmd.wr,1,100.00,,\n");
  EXPECT_TRUE(lacks(each.points.at(0), "bytes of the main memory")) << "one processor did not count";
}

TEST_F(PerfForms, HybridProcessorsSayWhatTheirECoresDid) {
  const auto read = [&](const std::string& share, const std::string& more) {
    std::string text =
        "2000000,ns,duration_time,2000000,100.00,,\n5,,unc_m_cas_count.rd,1,100.00,,\n"
        "1,,unc_m_cas_count.wr,1,100.00,,\n";
    for (const std::string type : {"double", "single"}) {
      for (const std::string width : {"scalar", "128b_packed", "256b_packed", "512b_packed"})
        text += "3,,cpu_core/fp_arith_inst_retired." + width + "_" + type + "/,1," + share + ",,\n";
    }
    return files.read(text + more);
  };
  EXPECT_TRUE(lacks(read("60.50", "").points.at(0), "operations of the E cores"));
  EXPECT_TRUE(lacks(read("100.00", "8,,cpu_atom/fp_flops_retired.fp64/,1,40.00,,\n").points.at(0),
                    "operations of the E cores"));
  const auto large = read("99.97", "<not counted>,,cpu_atom/fp_arith_inst_retired.scalar_double/,0,0.00,,\n");
  EXPECT_FALSE(lacks(large.points.at(0), "operations of the E cores"));
  ASSERT_EQ(large.notes.size(), 1U);
  EXPECT_NE(large.notes.at(0).find("99.97 %"), std::string::npos);
}

TEST_F(PerfForms, WhatIsNoCountOfARunIsNamed) {
  refuses("     1.001720870,111710950,,fp_arith_inst_retired.scalar_double:u,32028757293,100.00,,\n", "without -I");
  refuses("# Samples: 12K of event 'cycles'\n#\n    99.59%  main\n", "perf report");
  refuses("AMDuProfPcm 4.2\nTotal Mem Bw (GB/s)\n12.5\n", "AMDuProfPcm");
  refuses("1000,ns,duration_time,1,100.00,,\n5,,umc_cas_cmd.rd,1,100.00,,\n6,,umc_cas_cmd.rd,1,100.00,,\n", "twice");
  refuses(" Performance counter stats for 'a':\n\n   5   cycles\n\n   1.25 seconds time elapsed\n",
          "none of the counters");
}

TEST_F(AdvisorForms, SurveyOfTheCommandLine) {
  files.into.target.dtype = DType::fp64;
  const std::string head =
      "sep=,\n\n\"Heading\nof two lines.\"\n\n\"ID\",\"Function Call Sites and Loops\",\"Self Time\",\"Self Elapsed "
      "Time\"";
  const auto result =
      files.read(head +
                 ",\"Self GFLOP\",\"Self Memory GB\",\"Self L2 GB\",\"Self DRAM GB\",\"Types\"\n"
                 "\"1\",\"[loop in sweep]\",\"2.500s\",\"1.250s\",\"4.0005\",\"8.5\",\"2.5\",\"0\",\"\"\n"
                 "\"2\",\"[child]-[loop in sweep]\",\"2.500s\",\"1.250s\",\"4.0005\",\"8.5\",\"2.5\",\"0\",\"\"\n"
                 "\"\",\"[loop in idle]\",\"n/a\",\"n/a\",\"\",\"\",\"\",\"\",\"\"\n");
  ASSERT_EQ(result.points.size(), 1U);
  const Point& point = result.points.front();
  EXPECT_DOUBLE_EQ(point.time.value, 1.25);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 4.0005e9) << "once";
  ASSERT_EQ(point.stages.front().inner.size(), 2U);
  EXPECT_TRUE(lacks(point, "bytes of the main memory")) << "0 in every row was not simulated";
  refuses(head + "\n\"1\",\"[loop in sweep]\",\"2.5s\",\"1.25s\"\n", "--flop");
}

/// Before 2018 a loop that was split has no figures of its own: 2.5 and 1.5 s, 3 and 0.25 GFLOP of its parts; one that
/// did not run has no time. -1 and "< 0.0001" are not known.
TEST_F(AdvisorForms, PartsOfLoopsBefore2018AreAddedUp) {
  const auto result = files.read(
      "sep=,\n\n\"ID\",\"Function Call Sites and Loops\",\"Self Time\",\"Elapsed Time\",\"GFLOP\",\"L1 GB\"\n"
      "\"1\",\"[loop in plain]\",\"8s\",\"4s\",\"5.5\",\"-1\"\n"
      "\"2\",\"[loop in split]\",\"8s\",\"0s\",\"\",\"\"\n"
      "\"3\",\"[child]-[loop in split]\",\"5s\",\"2.5s\",\"3\",\"6.5\"\n"
      "\"4\",\"[child]-[loop in split]\",\"3s\",\"1.5s\",\"0.25\",\"0.5\"\n"
      "\"\",\"[child]-[loop in split]\",\"n/a\",\"n/a\",\"< 0.0001\",\"0.25\"\n"
      "\"5\",\"[loop in idle]\",\"0s\",\"0s\",\"\",\"\"\n"
      "\"\",\"[child]-[loop in idle]\",\"n/a\",\"n/a\",\"2\",\"2\"\n");
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_DOUBLE_EQ(result.points[0].time.value, 4) << "not the sum over threads";
  EXPECT_TRUE(lacks(result.points[0], "the type of 5.5e+09 operations"));
  EXPECT_TRUE(result.points[0].stages.front().inner.empty());
  EXPECT_EQ(result.points[1].op, "[loop in split]");
  EXPECT_DOUBLE_EQ(result.points[1].time.value, 4);
  EXPECT_TRUE(lacks(result.points[1], "the type of 3.25e+09 operations"));
  EXPECT_DOUBLE_EQ(result.points[1].stages.front().inner.at(0).bytes, 7.25e9);
}

/// With all columns there is a "Loop Name", too, which is the function around the loop.
TEST_F(AdvisorForms, LoopsOfOneFunctionStayApart) {
  const auto result = files.read(
      "\"Function Call Sites and Loops\",\"Self Time\",\"Self Elapsed Time\",\"Loop Name\",\"Self GFLOP\"\n"
      "\"[loop in f at a.cpp:3]\",\"9s\",\"1.5s\",\"f\",\"< 0.001\"\n\"[loop in f at "
      "a.cpp:9]\",\"9s\",\"2.5s\",\"f\",\"2.5\"\n");
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_TRUE(lacks(result.points[0], "operations")) << "rounded away is not 0";
  EXPECT_TRUE(lacks(result.points[1], "the type of 2.5e+09 operations"));
  refuses("ID   Function Call Sites and Loops   Self Time\n____\n 4   [loop in f at a.cpp:3]   2.1s\n",
          "--format=csv --show-all-columns");
}

}  // namespace
}  // namespace gable
