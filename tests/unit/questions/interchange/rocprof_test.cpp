#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "imported_file.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

using namespace test;
using Rocprofv3 = OtherTools;
using RocprofCompute = OtherTools;

const std::string amd_header =
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\",\"Grid_Size\",\"Kernel_"
    "Name\","
    "\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n";

std::string counter(int dispatch, const std::string& name, double value) {
  return "1," + std::to_string(dispatch) + ",\"Agent 4\",1,7,7,64,\"vcopy(double*)\",\"" + name + "\"," +
         std::to_string(value) + ",1000,6000\n";
}

TEST_F(Rocprofv3, CountsWavefrontsAndRequests) {
  files.into.target.device.isa = {"gfx942"};
  std::string text = amd_header;
  // reads: 10 of 128 byte, 5 of 32, the other 85 of 64: 1280 + 160 + 5440; writes: 30 of 64, 10 of 32: 1920 + 320
  for (const auto& [name, value] : {std::pair{"TCC_EA0_RDREQ_sum", 100.0}, std::pair{"TCC_EA0_RDREQ_32B_sum", 5.0},
                                    std::pair{"TCC_BUBBLE_sum", 10.0}, std::pair{"TCC_EA0_WRREQ_sum", 40.0},
                                    std::pair{"TCC_EA0_WRREQ_64B_sum", 30.0},
                                    // 64 x (1 + 2 + 2 x 3 + 4) = 832 flop; matrix: 512 x 8 = 4096
                                    std::pair{"SQ_INSTS_VALU_ADD_F64", 1.0}, std::pair{"SQ_INSTS_VALU_MUL_F64", 2.0},
                                    std::pair{"SQ_INSTS_VALU_FMA_F64", 3.0}, std::pair{"SQ_INSTS_VALU_TRANS_F64", 4.0},
                                    std::pair{"SQ_INSTS_VALU_MFMA_MOPS_F64", 8.0}})
    text += counter(1, name, value);
  const Point point = files.point(text);
  EXPECT_EQ(point.op, "vcopy");
  EXPECT_DOUBLE_EQ(point.time.value, 5e-6);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 6880);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_written, 2240);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 832);
  EXPECT_DOUBLE_EQ(operations(point, Unit::matrix, DType::fp64), 4096);
  EXPECT_TRUE(lacks(point, "operations of fp32"));

  files.into.target.device.isa = {"gfx950"};
  const Point wrong = files.point(text);
  EXPECT_TRUE(lacks(wrong, "bytes of the main memory")) << "these counters are wrong on gfx950";
  EXPECT_EQ(bytes(wrong.stages), 0);
  files.into.target.device.isa.clear();
  EXPECT_TRUE(lacks(files.point(text), "bytes of the main memory")) << "it may be a gfx950";
}

TEST_F(Rocprofv3, MI200sRequestsAreBytesOnThatChipAlone) {
  // reads: 5 of 32 byte and 95 of 64: 6240; writes: 30 of 64 and 10 of 32: 2240
  const std::string text = amd_header + counter(1, "TCC_EA_RDREQ_sum", 100) + counter(1, "TCC_EA_RDREQ_32B_sum", 5) +
                           counter(1, "TCC_EA_WRREQ_sum", 40) + counter(1, "TCC_EA_WRREQ_64B_sum", 30);
  const auto read = [&](const std::string& isa) {
    files.into.target.device.isa = {isa};
    return files.point(text);
  };
  const Point right = read("gfx90a");
  EXPECT_FALSE(lacks(right, "bytes of the main memory"));
  EXPECT_DOUBLE_EQ(right.stages.front().bytes_read, 6240);
  EXPECT_DOUBLE_EQ(right.stages.front().bytes_written, 2240);
  for (const char* other : {"gfx950", "gfx942"}) {
    const Point wrong = read(other);
    EXPECT_TRUE(lacks(wrong, "bytes of the main memory")) << other;
    EXPECT_EQ(bytes(wrong.stages), 0) << other;
  }
}

TEST_F(Rocprofv3, PackedInstructionsAreMarkedWhereTheChipHasThem) {
  const auto read = [&](const std::string& isa, const std::string& type) {
    files.into.target.device.isa = {isa};
    std::string text = amd_header;
    for (const char* op : {"ADD", "MUL", "FMA", "TRANS"})
      text += counter(1, std::string("SQ_INSTS_VALU_") + op + "_" + type, 5);
    return files.point(text);
  };
  const Point packed = read("gfx942", "F32");
  EXPECT_TRUE(lacks(packed, "operations of fp32 on vector units (15 instructions, each of one value or of two)"));
  EXPECT_DOUBLE_EQ(operations(packed, Unit::vector, DType::fp32), 64 * 25);  // at least
  EXPECT_FALSE(lacks(read("gfx908", "F32"), "operations of fp32"));
  EXPECT_TRUE(lacks(read("gfx908", "F16"), "operations of fp16"));
  EXPECT_FALSE(lacks(read("gfx942", "F64"), "operations of fp64"));
}

TEST_F(Rocprofv3, TypesOfMatrixUnitsThatWereNotAskedForAreUnknown) {
  const std::string one = amd_header + counter(1, "SQ_INSTS_VALU_MFMA_MOPS_F16", 8);
  std::string all = one;
  for (const char* type : {"BF16", "F32", "F64"}) all += counter(1, std::string("SQ_INSTS_VALU_MFMA_MOPS_") + type, 0);
  const Point some = files.point(one), complete = files.point(all);
  EXPECT_TRUE(lacks(some, "operations of matrix units (SQ_INSTS_VALU_MFMA_MOPS_{BF16,F32,F64})"));
  EXPECT_FALSE(lacks(complete, "operations of matrix units"));
  EXPECT_DOUBLE_EQ(operations(complete, Unit::matrix, DType::fp16), 512 * 8);
}

/// Who states the type needs the counters of that type alone, but all of them, and of both units.
TEST_F(Rocprofv3, AStatedTypeRulesOutTypesThatWereNotCounted) {
  files.into.target.device.isa = {"gfx942"};
  std::string vectors = amd_header + counter(1, "FETCH_SIZE", 4) + counter(1, "WRITE_SIZE", 2);
  for (const auto& [op, value] : {std::pair{"ADD", 1}, std::pair{"MUL", 2}, std::pair{"FMA", 3}})
    vectors += counter(1, std::string("SQ_INSTS_VALU_") + op + "_F64", value);
  const std::string products = counter(1, "SQ_INSTS_VALU_MFMA_MOPS_F64", 0);
  EXPECT_TRUE(lacks(files.point(vectors + products), "operations of fp64 on vector units (SQ_INSTS_VALU_TRANS_F64)"));
  vectors += counter(1, "SQ_INSTS_VALU_TRANS_F64", 4);
  const std::string all = vectors + products;
  EXPECT_TRUE(lacks(files.point(all), "operations of fp32 on vector units (SQ_INSTS_VALU_{ADD,MUL,FMA,TRANS}_F32)"));
  files.into.target.dtype = DType::fp64;
  const Point point = files.point(all);
  EXPECT_TRUE(point.imported->unknown.empty()) << point.imported->unknown.front();
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * (1 + 2 + 2 * 3 + 4));
  EXPECT_EQ(point.imported->stated.size(), 3U) << "fp16 and fp32 of vectors, other types of matrix units";
  EXPECT_TRUE(lacks(files.point(vectors), "operations of matrix units (SQ_INSTS_VALU_MFMA_MOPS_F64)"));
  const Point other = files.point(all + counter(1, "SQ_INSTS_VALU_ADD_F32", 9));
  EXPECT_TRUE(lacks(other, "operations of fp32 on vector units (SQ_INSTS_VALU_{MUL,FMA,TRANS}_F32)")) << "counted";
  files.into.target.dtype = DType::fp32;
  EXPECT_TRUE(lacks(files.point(all), "operations of fp32 on vector units")) << "the stated type itself";
}

TEST(Rocpd, NamesOfTablesAreTheToolsOwn) {
  const ImportedFiles files;
  const std::filesystem::path file = files.path("a.db");
  if (!test::MadeDatabase(file).run("CREATE TABLE \"rocpd_kernel_dispatch_1 x\"(id INT)"))
    GTEST_SKIP() << "no SQLite library here";
  const std::string said = error_of([&] { interchange::import_files(std::vector{file}, files.into); });
  EXPECT_NE(said.find("'rocpd_kernel_dispatch_1 x' is none that rocprofv3 makes"), std::string::npos) << said;
}

/// Two dispatches of 1000 and 3000 ns; what was counted of the first in two parts of the chip (512 and 256), of the
/// second in one (128), and in a sample within it.
TEST(Rocpd, SchemasHaveSamplesBesideCountsAndAgentsInTracks) {
  const ImportedFiles files;
  const auto read = [&](const std::string& name, const std::string& dispatches, const std::string& counts) {
    const std::filesystem::path file = files.path(name);
    if (!test::MadeDatabase(file).run(
            dispatches + counts +
            "CREATE TABLE rocpd_info_kernel_symbol_1(id INT, pid INT, kernel_name TEXT, display_name TEXT);"
            "INSERT INTO rocpd_info_kernel_symbol_1 VALUES (7,9,'axpy.kd','axpy(double*)');"
            "CREATE TABLE rocpd_info_pmc_1(id INT, name TEXT);"
            "INSERT INTO rocpd_info_pmc_1 VALUES (3,'SQ_INSTS_VALU_FMA_F64');"))
      return Result();
    return interchange::import_files(std::vector{file}, files.into).result;
  };
  const std::string grid =
      "dispatch_id INT, kernel_id INT, event_id INT, start INT, end INT, grid_size_x INT, "
      "grid_size_y INT, grid_size_z INT";
  const std::string one = " VALUES (1,7,21,100,1100,64,1,1,", two = " VALUES (2,7,22,2000,5000,64,1,1,";
  const std::string table = "rocpd_kernel_dispatch_1", insert = "INSERT INTO " + table;
  const std::string schema_3 = "CREATE TABLE " + table + "(" + grid + ", agent_id INT, pid INT);" + insert + one +
                               "4,9);" + insert + two + "4,9);";
  const std::string schema_4 = "CREATE TABLE " + table + "(" + grid + ", track_id INT);" + insert + one + "5);" +
                               insert + two + "6);CREATE TABLE rocpd_track_1(id INT, pid INT, agent_id INT);" +
                               "INSERT INTO rocpd_track_1 VALUES (5,9,4),(6,9,4);";
  const std::string counts =
      "CREATE TABLE rocpd_pmc_event_1(event_id INT, pmc_id INT, value REAL);"
      "INSERT INTO rocpd_pmc_event_1 VALUES (21,3,512),(21,3,256),(22,3,128);";
  const std::string samples =
      "CREATE TABLE rocpd_pmc_event_1(event_id INT, pmc_id INT, value REAL, sample_id INT);"
      "INSERT INTO rocpd_pmc_event_1 VALUES (21,3,512,NULL),(21,3,256,NULL),(22,3,128,NULL),"
      "(22,3,64,1);";
  int number = 0;
  for (const std::string& dispatches : {schema_3, schema_4}) {
    for (const std::string& counted : {counts, samples}) {
      const Result result = read(std::to_string(++number) + ".db", dispatches, counted);
      if (result.points.empty()) GTEST_SKIP() << "no SQLite library here";
      EXPECT_EQ(result.points[0].op, "axpy");
      EXPECT_EQ(result.points[0].count, 2);
      EXPECT_DOUBLE_EQ(result.points[0].time.value, 2e-6);
      EXPECT_DOUBLE_EQ(operations(result.points[0], Unit::vector, DType::fp64), 64 * 2 * (512 + 256 + 128) / 2.0);
    }
  }
}

TEST(Rocpd, RocmProfileDataHasTimesAlone) {
  const ImportedFiles files;
  const std::filesystem::path file = files.path("a.rpd");
  if (!test::MadeDatabase(file).run(
          "CREATE TABLE rocpd_string(id INT, string TEXT);INSERT INTO rocpd_string VALUES (1,''),(2,'axpy(float*)');"
          "CREATE TABLE rocpd_op(id INT, gpuId INT, start INT, end INT, description_id INT, opType_id INT);"
          "INSERT INTO rocpd_op VALUES (1,2,100,1100,2,1),(2,2,1200,9200,1,1),(3,2,9300,12300,2,1);"))
    GTEST_SKIP() << "no SQLite library here";
  const auto result = interchange::import_files(std::vector{file}, files.into).result;
  ASSERT_EQ(result.points.size(), 1U) << "a copy has no description";
  EXPECT_EQ(result.points[0].op, "axpy");
  EXPECT_EQ(result.points[0].count, 2);
  EXPECT_DOUBLE_EQ(result.points[0].time.value, 2e-6);
  EXPECT_EQ(result.points[0].implementation, "imported/rpd");
}

TEST_F(Rocprofv3, SumsOfAllKernelsBarriersAndCopiesAreNoKernels) {
  const std::string names = "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n";
  for (const char* name : {"KERNEL_DISPATCH", "SCRATCH_MEMORY_ALLOC", "MEMORY_ALLOCATION_FREE", "async-copy",
                           "<barrier packet>", "ncclAllReduce", "rocDecDecodeFrame"})
    refuses(names + "\"" + name + "\",2,6000,3000,9.0\n", "not of each kernel: the file beside it");
  EXPECT_EQ(files.read(names + "ncclDevKernel_Generic_1,2,6000,3000,9.0\nMEMORY_COPY,1,2,2,1.0\n").points.size(), 1U);
}

TEST_F(Rocprofv3, RangesOfRoctxAreKnownByTheFilesName) {
  const std::filesystem::path file = files.path("7_marker_api_stats.csv");
  std::ofstream(file)
      << "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"MinNs\"\n\"forward\",2,6000,3000,2000\n";
  const std::string said = error_of([&] { interchange::import_files(std::vector{file}, files.into); });
  EXPECT_NE(said.find("ranges of roctx"), std::string::npos) << said;
}

TEST(Rocprof, CopiesInItsDatabaseAreNoKernels) {
  const ImportedFiles files;
  const std::filesystem::path file = files.path("results.db");
  if (!test::MadeDatabase(file).run(
          "CREATE TABLE KERN(x INT);CREATE TABLE OPS(BeginNs INT, EndNs INT, \"dev-id\" INT, pid INT, Name TEXT);"
          "INSERT INTO OPS VALUES (100,1100,0,7,'\"axpy(float*)\"'),(1200,9200,0,7,'\"CopyHostToDevice\"'),"
          "(9300,9400,0,7,'FillBuffer');"))
    GTEST_SKIP() << "no SQLite library here";
  const auto result = interchange::import_files(std::vector{file}, files.into).result;
  ASSERT_EQ(result.points.size(), 1U);
  EXPECT_EQ(result.points[0].op, "axpy");
  EXPECT_DOUBLE_EQ(result.points[0].time.value, 1e-6);
  EXPECT_NE(result.notes.at(0).find("2 copies, fills"), std::string::npos) << result.notes.at(0);
}

TEST_F(Rocprofv3, MaskedLanesAreMarkedWhereTheyWereCounted) {
  files.into.target.device.isa = {"gfx942"};
  const std::string add = amd_header + counter(1, "SQ_INSTS_VALU_ADD_F64", 1);
  const auto masked = [&](double lane_cycles) {
    const Point point =
        files.point(add + counter(1, "SQ_THREAD_CYCLES_VALU", lane_cycles) + counter(1, "SQ_ACTIVE_INST_VALU", 100));
    return lacks(point, "operations of masked lanes");
  };
  EXPECT_TRUE(masked(4800));  // 48 of 64 lanes
  EXPECT_FALSE(masked(6400));
}

TEST_F(Rocprofv3, RunsWithOtherCountersAreOneAndTimesTheirMean) {
  const auto result =
      files.read({amd_header + counter(1, "SQ_INSTS_VALU_ADD_F64", 1), amd_header + counter(1, "TCC_EA_RDREQ_sum", 1)});
  ASSERT_EQ(result.points.size(), 1U);
  EXPECT_EQ(result.points.front().imported->file, "a.csv, b.csv");
  const auto lasting = [](const std::string& name, const std::string& end_ns) {
    std::string line = counter(1, name, 1);
    return amd_header + line.replace(line.find("6000"), 4, end_ns);
  };
  // three runs of 5, 8 and 2 us: 5 us on average
  const auto three = files.read({lasting("SQ_INSTS_VALU_ADD_F64", "6000"), lasting("TCC_EA_RDREQ_sum", "9000"),
                                 lasting("SQ_INSTS_VALU_MUL_F64", "3000")});
  ASSERT_EQ(three.points.size(), 1U);
  EXPECT_DOUBLE_EQ(three.points.front().time.value, 5e-6);
  const auto twice = files.read(
      {amd_header + counter(1, "SQ_INSTS_VALU_ADD_F64", 1), amd_header + counter(1, "SQ_INSTS_VALU_ADD_F64", 1)});
  EXPECT_EQ(twice.points.size(), 2U) << "the same counters twice are two measurements";
}

TEST_F(Rocprofv3, TimestampsSince1970KeepTheirNanoseconds) {
  std::string line = counter(1, "SQ_INSTS_VALU_ADD_F64", 1);
  line.replace(line.rfind("1000,6000"), 9, "1763936786123456789,1763936786123461789");
  EXPECT_DOUBLE_EQ(files.point(amd_header + line).time.value, 5e-6);
}

TEST_F(Rocprofv3, TimesAndOneAgentAreDemanded) {
  refuses("Dispatch_Id,Agent_Id,Kernel_Name,Counter_Name,Counter_Value\n1,4,k,SQ_WAVES,1\n", "Timestamp");
  std::string other = counter(2, "SQ_INSTS_VALU_ADD_F64", 1);
  other.replace(other.find("Agent 4"), 7, "Agent 5");
  refuses(amd_header + counter(1, "SQ_INSTS_VALU_ADD_F64", 1) + other, "2 GPUs or agents");
}

TEST_F(Rocprofv3, AnAgentMayBeABareNumber) {
  std::string line = counter(1, "SQ_INSTS_VALU_ADD_F64", 1), other = counter(2, "SQ_INSTS_VALU_ADD_F64", 1);
  line.replace(line.find("\"Agent 4\""), 9, "4");
  other.replace(other.find("\"Agent 4\""), 9, "5");
  EXPECT_DOUBLE_EQ(files.point(amd_header + line).time.value, 5e-6);
  refuses(amd_header + line + other, "2 GPUs or agents");
}

TEST_F(Rocprofv3, CutFilesAreRefused) {
  const auto dispatch = [](int id) {
    return counter(id, "SQ_INSTS_VALU_ADD_F64", 1) + counter(id, "SQ_INSTS_VALU_MUL_F64", 2);
  };
  const std::string whole = amd_header + dispatch(1) + dispatch(2);
  ASSERT_EQ(files.message(whole), "");
  const auto last = counter(2, "SQ_INSTS_VALU_MUL_F64", 2).size();
  for (const std::size_t lost : {last, last / 2, last + 11})  // at the end of a line, and within one
    EXPECT_NE(files.message(whole.substr(0, whole.size() - lost)).find("cut off"), std::string::npos) << lost;
}

TEST_F(RocprofCompute, ALineADispatch) {
  // gfx90a: reads 2 of 32 and 8 of 64: 576; writes 4 of 64 and 6 of 32: 448, in each of two calls
  const Point point = files.point(
      "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp,TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum,TCC_EA_WRREQ_"
      "sum,"
      "TCC_EA_WRREQ_64B_sum\n0,\"vcopy(double*, int)\",2,100,1100,10,2,10,4\n1,\"vcopy(double*, "
      "int)\",2,2000,5000,10,2,10,4\n");
  EXPECT_EQ(point.count, 2);
  EXPECT_DOUBLE_EQ(point.time.value, 2e-6);  // 1000 ns and 3000 ns
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 576);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_written, 448);
  refuses("Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp,TCC_EA_RDREQ_sum\n0,k,2,100,11", "cut off");
}

}  // namespace
}  // namespace gable
