#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "imported_file.hpp"
#include "tests/unit/error_of.hpp"

/// Files as NVIDIA's tools write them and as spreadsheets and scripts save them again, with made-up figures.
namespace gable {
namespace {

using namespace test;
using NcuFiles = OtherTools;
using KernelTimes = OtherTools;

const std::string lead = "\"ID\",\"Process ID\",\"Kernel Name\",\"Device\",\"CC\",\"Section Name\",";
const std::string tail = "\"Metric Name\",\"Metric Unit\",\"Metric Value\"";

std::string line(const std::string& name, const std::string& unit, const std::string& value, int id = 0) {
  return "\"" + std::to_string(id) + "\",\"7\",\"k\",\"0\",\"8.0\",\"s\",\"" + name + "\",\"" + unit + "\",\"" + value +
         "\"";
}

double memory_bytes(const Point& point) { return bytes(point.stages); }

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// ncu ends a line with a metric early, one with a rule's advice has all cells.
TEST_F(NcuFiles, LinesOfMetricsAreShorterThanThoseOfRules) {
  const std::string text = lead + tail +
                           ",\"Rule Name\",\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated "
                           "Speedup\"\n" +
                           line("gpu__time_duration.sum", "us", "40.00") + ",\n" +
                           line("dram__bytes.sum", "Mbyte", "3.00") + ",\n" + line("", "", "") +
                           ",\"Bottleneck\",\"OPT\",\"advice, with a comma\",\"local\",\"12.5\"\n" +
                           line("Duration", "us", "40.00") + ",\n";
  const Point point = files.point(text);
  EXPECT_DOUBLE_EQ(point.time.value, 40e-6);
  EXPECT_DOUBLE_EQ(memory_bytes(point), 3e6);
  EXPECT_FALSE(point.count) << "one launch";
  const std::string cut = lead + tail + "\n\"0\",\"7\",\"k\",\"0\",\"8.0\"\n";
  refuses(cut, "line 2: 5 cells, the table has 9 columns");
}

/// The same table as others save it.
TEST_F(NcuFiles, QuotesSeparatorsAndEncodingsAreOfTheProgramThatSavedIt) {
  const std::string text = lead + tail + "\n" + line("gpu__time_duration.sum", "us", "12.50") + "\n" +
                           line("dram__bytes.sum", "byte", "16000000") + "\n";
  const std::string plain = replaced(text, "\"", ""),
                    semicolons = replaced(replaced(plain, ",", ";"), "12.50", "12,50");
  std::string utf16 = "\xFF\xFE";
  for (const char c : text) utf16 += std::string{c, '\0'};
  for (const auto& [how, saved] : {std::pair{"pandas", plain},
                                   {"a spreadsheet with decimal commas", semicolons},
                                   {"Windows", replaced(text, "\n", "\r\n")},
                                   {"a byte order mark", "\xEF\xBB\xBF" + text},
                                   {"PowerShell", utf16},
                                   {"no last line break", text.substr(0, text.size() - 1)}}) {
    const auto result = files.read(saved);
    ASSERT_EQ(result.points.size(), 1U) << how;
    EXPECT_DOUBLE_EQ(result.points[0].time.value, 12.5e-6) << how;
    EXPECT_DOUBLE_EQ(memory_bytes(result.points[0]), 16e6) << how;
  }
}

TEST_F(NcuFiles, ColumnsMayBeLeftOut) {
  // without the numbers of launches a metric that comes again begins the next one
  const Point point = files.point(
      "Kernel Name,Metric Name,Metric Unit,Metric Value\n"
      "k,gpu__time_duration.sum,us,10.5\nk,dram__bytes.sum,byte,100\n"
      "k,gpu__time_duration.sum,us,20.5\nk,dram__bytes.sum,byte,300\n");
  EXPECT_EQ(point.count, 2);
  EXPECT_DOUBLE_EQ(point.time.value, 15.5e-6);
  EXPECT_EQ(calls_of(point), std::pair(10.5 * 1e-6, 20.5 * 1e-6));
  EXPECT_DOUBLE_EQ(memory_bytes(point), 200);
  const Point wide = files.point("Kernel Name,gpu__time_duration.sum [us],dram__bytes.sum [Kbyte]\nk,10.5,2.5\n");
  EXPECT_DOUBLE_EQ(wide.time.value, 10.5e-6) << "units in the heading, as Nsight Compute's window exports them";
  EXPECT_DOUBLE_EQ(memory_bytes(wide), 2500);
}

TEST_F(NcuFiles, ASummaryHasMeansOfManyLaunches) {
  const std::string header =
      "\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Invocations\",\"Section "
      "Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n";
  const auto row = [](const std::string& grid, const std::string& calls, const std::string& name,
                      const std::string& unit, const std::string& mean) {
    return "\"7\",\"step\",\"(64, 1, 1)\",\"" + grid + "\",\"0\",\"8.0\",\"" + calls + "\",\"s\",\"" + name + "\",\"" +
           unit + (grid == "(8, 1, 1)" ? "\",\"1.50\",\"19.00\",\"" : "\",\"28.00\",\"99.00\",\"") + mean + "\"\n";
  };
  const Point point = files.point(header + row("(8, 1, 1)", "30", "gpu__time_duration.sum", "us", "10.00") +
                                  row("(8, 1, 1)", "30", "dram__bytes.sum", "Mbyte", "2.00") +
                                  row("(16, 1, 1)", "10", "gpu__time_duration.sum", "us", "30.00") +
                                  row("(16, 1, 1)", "10", "dram__bytes.sum", "Mbyte", "6.00"));
  EXPECT_EQ(point.count, 40);
  EXPECT_DOUBLE_EQ(point.time.value, 15e-6);  // (30 x 10 + 10 x 30) / 40
  EXPECT_DOUBLE_EQ(calls_of(point).first, 1.5e-6) << "of both grids";
  EXPECT_DOUBLE_EQ(calls_of(point).second, 99e-6);
  EXPECT_DOUBLE_EQ(memory_bytes(point), 3e6);  // (30 x 2 + 10 x 6) / 40
}

TEST_F(NcuFiles, BlackwellNamesItsBytesByOperation) {
  const Point point = files.point(lead + tail + "\n" + line("gpu__time_duration.sum", "ns", "25,000") + "\n" +
                                  line("dram__bytes_op_read.sum", "byte", "6,400,000") + "\n" +
                                  line("dram__bytes_op_write.sum", "byte", "3,200,000") + "\n");
  EXPECT_DOUBLE_EQ(point.stages[0].bytes_read, 6.4e6);
  EXPECT_DOUBLE_EQ(point.stages[0].bytes_written, 3.2e6);
}

TEST_F(NcuFiles, TimesAndRatesMayHaveToBeDerived) {
  // NERSC's scripts ask for cycles: 3,000,000 at 1.5 GHz are 2 ms; 500 GB/s are 1e9 byte in that; 2 FMAs a cycle of
  // 1.25 GHz are 5e6 FMAs; the chart's "x2" counts 4 operations a cycle, 1e7 flop
  const std::string rates =
      line("sm__cycles_elapsed.avg", "cycle", "3,000,000.00") + "\n" +
      line("sm__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.50") + "\n" +
      line("smsp__cycles_elapsed.avg.per_second", "Ghz", "1.25") + "\n" + line("Memory Throughput", "%", "12.34") +
      "\n" + line("Memory Throughput", "Gbyte/second", "500.00") + "\n" +
      line("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed", "inst/cycle", "2.00") + "\n" +
      line("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", "", "4.00") + "\n";
  const auto result = files.read(lead + tail + "\n" + rates);
  const Point& point = result.points.at(0);
  EXPECT_DOUBLE_EQ(point.time.value, 2e-3);
  EXPECT_DOUBLE_EQ(memory_bytes(point), 1e9);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 1e7);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp32), 1e7);
  EXPECT_NE(result.notes.at(0).find("rounds"), std::string::npos) << result.notes.at(0);
  // raw counters go before rates
  const std::string raw = line("dram__bytes.sum", "byte", "999,000,000") + "\n";
  EXPECT_DOUBLE_EQ(memory_bytes(files.point(lead + tail + "\n" + raw + rates)), 999e6);
}

TEST_F(NcuFiles, TimesAloneAreAPointAndAFailedLaunchIsLeftOut) {
  const auto result = files.read(lead + tail + "\n" + line("gpu__time_duration.sum", "us", "10.50", 0) + "\n" +
                                 line("gpu__time_duration.sum", "us", "(!) n/a", 1) + "\n" +
                                 line("gpu__time_duration.sum", "us", "20.50", 2) + "\n");
  ASSERT_EQ(result.points.size(), 1U);
  EXPECT_EQ(result.points[0].count, 2);
  EXPECT_DOUBLE_EQ(result.points[0].time.value, 15.5e-6);
  EXPECT_TRUE(lacks(result.points[0], "bytes of the main memory")) << "unknown, never 0";
  EXPECT_NE(result.notes.at(0).find("1 of 3 launches have no time"), std::string::npos) << result.notes.at(0);
}

/// PATH is as it was afterwards.
class OtherPath {
 public:
  OtherPath() : before_(std::getenv("PATH") ? std::getenv("PATH") : "") { ::setenv("PATH", "/nowhere", 1); }
  ~OtherPath() { ::setenv("PATH", before_.c_str(), 1); }
  OtherPath(OtherPath&&) = delete;

 private:
  std::string before_;
};

/// A program of this name in PATH that prints a text.
void install(const std::filesystem::path& folder, const std::string& name, const std::string& script) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  ::setenv("PATH", (folder.string() + ":/usr/bin:/bin").c_str(), 1);
}

TEST_F(NcuFiles, WhatIsNoTableNamesItselfAndTheCommand) {
  const OtherPath none_is_installed;
  for (const auto& [text, says] :
       {std::pair{
            std::string("==PROF== Connected\n  k(int) (8, 1, 1)x(64, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
                        "    Section: GPU Speed Of Light Throughput\n    Duration us 10.5\n"),
            "ncu --import FILE.ncu-rep --csv --page raw"},
        {std::string("==PROF== Connected\n==ERROR== The application returned an error code (1).\n"),
         "==ERROR== The application returned an error code (1)."},
        {std::string("==PROF== Connected\n==WARNING== No kernels were profiled.\n"), "no kernel was profiled"},
        {std::string("NVR\0\2\0\0\0binary", 14), "ncu --import '/"},
        {std::string("..NVIDIA Tegra Profiler Report....binary"),
         "nsys export --type sqlite --output './a.sqlite' '"}}) {
    refuses(text, says);
    EXPECT_EQ(files.message(text).find('\n'), std::string::npos);
  }
}

TEST_F(NcuFiles, ReportsAreReadByNcuWhereItIsInstalled) {
  const OtherPath path;
  install(files.path("bin"), "ncu",
          "[ \"$1 $3 $4 $5\" = '--import --csv --page raw' ] || exit 3\n"
          "printf '\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\\n\"\",\"\",\"\",\"us\"\\n"
          "\"0\",\"1\",\"k\",\"12.5\"\\n'\n");
  const std::string report("NVR\0\2\0\0\0binary", 14);
  EXPECT_DOUBLE_EQ(files.point(report).time.value, 12.5e-6);
  install(files.path("bin"), "ncu", "echo '==ERROR== the report is of a newer version' >&2; exit 1\n");
  refuses(report, "newer version");
}

TEST_F(NcuFiles, ANameThatLooksLikeAnOptionIsAPath) {
  const OtherPath path;
  install(files.path("bin"), "ncu", "case \"$2\" in /*/--csv) echo '==ERROR== a path' >&2;; esac; exit 1\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(files.path("bin"));
  std::ofstream("--csv", std::ios::binary) << std::string("NVR\0\2\0\0\0binary", 14);
  const std::string said =
      error_of([&] { interchange::import_files(std::vector<std::filesystem::path>{"--csv"}, files.into); });
  std::filesystem::current_path(before);
  EXPECT_NE(said.find("a path"), std::string::npos) << said;
}

TEST_F(KernelTimes, TablesOfNsysStats) {
  const std::string others =
      "Processing [report1.sqlite] with [cuda_api_sum.py]...\n"
      "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n90.0,9000,3,3000.0,cudaMalloc\n\n";
  const std::string csv =
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
      "75.0,30000,3,10000.0,10000.0,9000,11000,1000.0,\"void axpy<float>(int, float *)\"\n"
      "25.0,10000,1,10000.0,10000.0,10000,10000,0.0,dot\n";
  for (const std::string& text : {csv, others + csv + "\n" + others}) {
    const auto result = files.read(text);
    ASSERT_EQ(result.points.size(), 2U);
    EXPECT_EQ(result.points[0].op, "axpy<float>");
    EXPECT_EQ(result.points[0].count, 3);
    EXPECT_DOUBLE_EQ(result.points[0].time.value, 10e-6);
    EXPECT_DOUBLE_EQ(calls_of(result.points[0]).first, 9e-6);
    EXPECT_DOUBLE_EQ(calls_of(result.points[0]).second, 11e-6);
    EXPECT_EQ(calls_of(result.points[1]), std::pair(0.0, 0.0)) << "one call has no spread";
    EXPECT_TRUE(lacks(result.points[0], "operations"));
    EXPECT_EQ(result.points[0].implementation, "imported/nsys");
  }
  const auto columns = files.read(
      " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
      " Time (%)  Total Time (ns)  Instances  Avg (ns)           Name         \n"
      " --------  ---------------  ---------  --------  ----------------------\n"
      "    100.0        1,234,560          2  617,280.0  void axpy<float>(int, float *)\n");
  EXPECT_EQ(columns.points.at(0).op, "axpy<float>");
  EXPECT_DOUBLE_EQ(columns.points[0].time.value, 617.28e-6);
  EXPECT_EQ(calls_of(columns.points[0]), std::pair(0.0, 0.0)) << "no column of them";
  refuses(others, "--report cuda_gpu_kern_sum --format csv");
  // a second table of the same launches does not count them again
  const std::string sizes = replaced(csv, "Name\n", "GridXYZ,Name\n");
  EXPECT_EQ(files.point(csv + "\n" + replaced(replaced(sizes, "\"void", "8,\"void"), "0.0,dot", "0.0,8,dot")).count, 3);
}

TEST_F(KernelTimes, ATableThatStandsTwiceCountsOnceAndGpusAreOfOneModel) {
  const std::string table = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,1000,2,500.0,k\n";
  const auto result = files.read(table + "\n" + table);
  EXPECT_EQ(result.points.at(0).count, 2);
  EXPECT_NE(result.notes.at(0).find("1 tables stand twice"), std::string::npos) << result.notes.at(0);
  EXPECT_EQ(files.point(table + "\n" + replaced(table, "1000,2,500.0", "3000,2,1500.0")).count, 4);
  const auto on = [&](const std::string& other) {
    return "Start (ns),Duration (ns),GrdX,Device,Name\n1,1500,8,A100 (0),k\n2,3500,8," + other + ",k\n";
  };
  refuses(on("H100 (1)"), "different GPUs, A100 and H100");
  const auto alike = files.read(on("A100 (1)"));
  EXPECT_DOUBLE_EQ(alike.points.at(0).time.value, 2.5e-6);
  EXPECT_NE(alike.notes.at(0).find("2 GPUs of the model A100"), std::string::npos) << alike.notes.at(0);
}

TEST_F(KernelTimes, NamesThatAreCutAlikeStayApart) {
  const std::string heading =
      " Time (%)  Total Time (ns)  Instances     Name    \n"
      " --------  ---------------  ---------  -----------\n";
  const std::string lines =
      "     60.0             9000          9  copy<float…\n"
      "     30.0             4000          2  copy<float…\n";
  const auto result = files.read(heading + lines);
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_DOUBLE_EQ(result.points[0].time.value, 1e-6);
  EXPECT_DOUBLE_EQ(result.points[1].time.value, 2e-6);
  EXPECT_NE(result.notes.at(0).find("CSV has them in full"), std::string::npos) << result.notes.at(0);
}

TEST_F(KernelTimes, SummaryAndTraceOfNvprof) {
  const auto summary = files.read(
      "==7== NVPROF is profiling process 7, command: ./app\n==7== Profiling result:\n"
      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,ms,,us,us,us,\n"
      "\"GPU activities\",60.0,1.500000,3,500.000000,400.000000,600.000000,\"axpy(float*)\"\n"
      "\"GPU activities\",30.0,0.750000,2,375.000000,300.000000,450.000000,\"[CUDA memcpy HtoD]\"\n"
      "\"API calls\",90.0,100.250000,1,100250.0,1.0,1.0,\"cudaFree\"\n");
  ASSERT_EQ(summary.points.size(), 1U) << "neither copies nor calls of the runtime are kernels";
  EXPECT_EQ(summary.points[0].count, 3);
  EXPECT_DOUBLE_EQ(summary.points[0].time.value, 0.5e-3);
  EXPECT_DOUBLE_EQ(calls_of(summary.points[0]).first, 400e-6) << "us, while the sum is in ms";
  EXPECT_DOUBLE_EQ(calls_of(summary.points[0]).second, 600e-6);
  const auto trace = files.read(
      "==7== Profiling result:\n\"Start\",\"Duration\",\"Grid X\",\"Device\",\"Name\"\n"
      "ms,us,,,\n1.5,10.5,64,\"V100 (0)\",\"axpy(float*) [109]\"\n1.6,7.5,,\"V100 (0)\",\"[CUDA memcpy DtoH]\"\n"
      "1.7,20.5,64,\"V100 (0)\",\"axpy(float*) [111]\"\n");
  ASSERT_EQ(trace.points.size(), 1U);
  EXPECT_EQ(trace.points[0].count, 2);
  EXPECT_DOUBLE_EQ(trace.points[0].time.value, 15.5e-6);
  EXPECT_DOUBLE_EQ(calls_of(trace.points[0]).first, 10.5e-6);
  refuses(
      "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\"\n"
      "\"V100\",\"k\",3,\"flop_count_dp\",\"flop\",5\n",
      "have no times");
}

}  // namespace
}  // namespace gable
