#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "imported_file.hpp"

namespace gable {
namespace {

using CutFiles = test::OtherTools;

/// A small file of each format that is written in lines; each kernel and each ceiling has lines of its own.
const std::map<std::string, std::string> files_of_lines{
    {"ncu, long",
     "==PROF== Connected\n\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
     "\"0\",\"1\",\"add\",\"gpu__time_duration.sum\",\"ns\",\"2345\"\n"
     "\"0\",\"1\",\"add\",\"dram__bytes.sum\",\"byte\",\"6789\"\n"
     "\"1\",\"1\",\"mul\",\"gpu__time_duration.sum\",\"ns\",\"1234\"\n"
     "\"1\",\"1\",\"mul\",\"dram__bytes.sum\",\"byte\",\"5678\"\n"},
    {"ncu, wide",
     "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\"\n"
     "\"\",\"\",\"\",\"ns\",\"byte\"\n\"0\",\"1\",\"add\",\"2345\",\"6789\"\n\"1\",\"1\",\"mul\",\"1234\",\"5678\"\n"},
    {"rocprofv3",
     "Dispatch_Id,Agent_Id,Kernel_Name,Start_Timestamp,End_Timestamp,Counter_Name,Counter_Value\n"
     "1,4,add,1000,3345,SQ_INSTS_VALU_FMA_F64,12345\n2,4,mul,4000,9345,SQ_INSTS_VALU_FMA_F64,67890\n"},
    {"rocprof-compute",
     "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp,SQ_INSTS_VALU_ADD_F64,SQ_INSTS_VALU_FMA_F64\n"
     "0,add,0,1000,3345,17,123456\n1,mul,0,4000,9345,19,789012\n"},
    {"rocprof-compute roofline",
     "device,HBMBw,L2Bw,FP64Flops\n0,4000.25,10000.75,40123.25\n1,4001.25,10001.75,40124.25\n"},
    {"likwid",
     "STRUCT,Info,3\nTABLE,Region triad,Group 1 Raw,MEM,1\nRegion Info,HWThread 0,HWThread 1,\ncall count,4,4,\n"
     "TABLE,Region triad,Group 1 Metric,MEM,3\nMetric,HWThread 0,HWThread 1\nRuntime (RDTSC) [s],2.25,2.25\n"
     "Memory read data volume [GBytes],1.65,1.25\nMemory write data volume [GBytes],1.65,1.25\n"},
    {"Advisor", "loop_name,self_time,self_gflop,self_dram_gb\nadd,2.25,1.55,3.25\nmul,1.25,2.55,1.2345\n"},
    {"Advisor roofs",
     "Name,Bandwidth,Type\nDRAM bandwidth,62000000000,memory\nDP Vector FMA Peak,98500000000,compute\n"},
    {"BabelStream, CSV",
     "function,num_times,n_elements,sizeof,max_mbytes_per_sec\nCopy,100,1048576,8,100123.55\nDot,100,1048576,8,"
     "90123.55\n"},
    {"CARM ceilings",
     "Name:,box,L1 Size:,32,L2 Size:,512,L3 Size:,8192,,L1,L1,DRAM,DRAM,FP,FP\n"
     "Date,ISA,Precision,Threads,Loads,Stores,Interleaved,DRAM Bytes,FP "
     "Inst.,GB/s,I/Cycle,GB/s,I/Cycle,Gflop/s,Gflop/s\n2026-01-01,avx2,dp,4,2,1,No,524288,add,800.55,2,20.25,1,64.75,"
     "128.25\n"},
    {"CARM applications",
     "Date,Method,Name,ISA,Precision,Threads,AI,GFLOPS,Bandwidth,Time\n"
     "2026-01-01,DBI,add,avx2,dp,4,0.125,2.55,20.45,1.2345\n2026-01-01,DBI,mul,avx2,dp,4,0.125,3.55,28.45,2.3456\n"},
    {"clpeak",
     "Platform: P\n  Device: D\n    Global memory bandwidth (GBPS)\n      float   : 32.55\n\n"
     "    Kernel launch latency : 6.55 us\n\n    Double-precision compute (GFLOPS)\n      double   : 211.55\n"
     "      double2  : 311.55\n"},
    {"BabelStream",
     "BabelStream\nVersion: 5.0\nFunction    MBytes/sec  Min (sec)\nCopy        1000000.250 0.00038\n"
     "Dot         900123.55\n"},
    {"perf stat",
     "2000000,ns,duration_time,2000000,100.00,,\n123,,unc_m_cas_count.rd,1,100.00,,\n456,,unc_m_cas_count.wr,1,100."
     "00\n"}};

/// Each figure with what it is of. Bytes and operations that were not all counted decide nothing (Imported::unknown),
/// and are not among them.
using Figures = std::set<std::pair<std::string, double>>;

Figures figures(const Result& result) {
  Figures all;
  for (const Ceiling& row : result.ceilings) all.emplace(row.imported->counters.front(), row.value.value);
  for (const Point& point : result.points) {
    all.emplace(point.op + " time", point.time.value);
    if (!test::lacks(point, "bytes of the main memory")) all.emplace(point.op + " bytes", bytes(point.stages));
    for (const TypedWork& one : point.imported->operations) all.emplace(point.op + " operations", one.operations);
    for (const LevelBytes& level : point.stages.front().inner) all.emplace(point.op + " " + level.level, level.bytes);
  }
  return all;
}

bool warns(const Result& result) {
  return std::ranges::any_of(result.notes,
                             [](const std::string& note) { return note.find("no line break") != note.npos; });
}

/// A number that lost its last digits is a number, too: whatever a cut leaves is refused, has the figures of lines that
/// are whole, or comes with a note where the cut cannot be told from a program that does not end its last line.
TEST_F(CutFiles, NoFigureOfACutLineIsTakenWithoutAWord) {
  for (const auto& [name, whole] : files_of_lines) {
    const auto known = figures(files.read(whole));
    ASSERT_FALSE(known.empty()) << name;
    EXPECT_FALSE(warns(files.read(whole))) << name;
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      try {
        const Result result = files.read(cut);
        for (const auto& [figure, value] : figures(result))
          EXPECT_TRUE(warns(result) || known.contains({figure, value}))
              << name << ": " << figure << " is " << value << " of " << cut;
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << name;
      }
    }
  }
}

/// Complete files of some tools have no line break at their end.
TEST_F(CutFiles, AWholeLastLineNeedsNoEnd) {
  for (const auto& [name, whole] : files_of_lines) {
    if (!name.starts_with("Nsight Compute")) continue;  // of the others the last number is left out
    const Result result = files.read(whole.substr(0, whole.size() - 1));
    EXPECT_EQ(figures(result), figures(files.read(whole))) << name;
    EXPECT_TRUE(warns(result)) << name;
  }
}

/// Tools leave the last line break out, too. What stands before the last number is whole.
TEST_F(CutFiles, CompleteFilesWithoutALastLineBreakAreRead) {
  const std::string stream =
      "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
      "Copy:           40000.5     0.008100     0.008000     0.008200\n"
      "Triad:          43000.5     0.011300     0.011163     0.0114";
  EXPECT_EQ(files.read(stream).ceilings.size(), 2U);
  EXPECT_DOUBLE_EQ(files.read(stream).ceilings.back().value.value, 43000.5e6);
  EXPECT_EQ(files.read(stream.substr(0, stream.find("     0.011300"))).ceilings.size(), 1U)
      << "43000.5 may have lost digits";
  std::string carm = files_of_lines.at("CARM ceilings");
  carm.pop_back();
  const auto result = files.read(carm);
  EXPECT_EQ(result.ceilings.size(), 3U) << "all but the last figure";
  EXPECT_NE(result.notes.at(0).find("no line break"), std::string::npos);
}

TEST_F(CutFiles, LinesOfWindowsHaveTheirEndsToo) {
  const std::string text = "device,HBMBw,L2Bw\r\n0,4000.25,10000.75\r\n";
  EXPECT_EQ(files.read(text).ceilings.size(), 2U);
  EXPECT_FALSE(warns(files.read(text)));
  EXPECT_TRUE(warns(files.read(text.substr(0, text.size() - 1))));
}

TEST_F(CutFiles, JsonEndsWithItsBracket) {
  EXPECT_EQ(files.read(R"({"empirical": {"gbytes": {"data": [["DRAM", 40.25]]}}})").ceilings.size(), 1U);
}

TEST_F(CutFiles, LikwidsLinesHaveAValueForEachThread) {
  std::string text = files_of_lines.at("likwid");
  text.replace(text.find("1.65,1.25\n"), 10, "1.65\n");
  const auto message = files.message(text);
  EXPECT_NE(message.find("line 8: 1 values, the table names 2 threads"), std::string::npos) << message;
}

}  // namespace
}  // namespace gable
