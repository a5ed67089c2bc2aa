#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "core/verdict/roofs.hpp"
#include "imported_file.hpp"

namespace gable {
namespace {

using ImportedCeilings = test::OtherTools;

const Ceiling& row_from(const Result& result, const std::string& source) {
  const auto found = std::ranges::find_if(result.ceilings,
                                          [&](const Ceiling& row) { return row.imported->counters.front() == source; });
  if (found == result.ceilings.end()) throw std::runtime_error("no row from " + source);
  return *found;
}

const std::string ert_file =
    R"({"empirical": {"gflops": {"data": [["FP64 GFLOPs", 288.5], ["GFLOPs", 250]], "metadata": {}},
        "gbytes": {"data": [["L1", 900], ["DRAM", 40.25]], "metadata": {}}}, "spec": {"gflops": {"data": [["GFLOPs", 999]]}}})";

TEST_F(ImportedCeilings, AreTheOtherToolsAndNeverRoofs) {
  const auto result = files.read(ert_file);
  ASSERT_EQ(result.ceilings.size(), 4U) << "stated figures of \"spec\" are none";
  const Ceiling flops = row_from(result, "FP64 GFLOPs");
  EXPECT_DOUBLE_EQ(flops.value.value, 288.5e9);
  EXPECT_EQ(flops.implementation, "imported/ert");
  EXPECT_EQ(flops.at, OperatingPoint::none);
  EXPECT_EQ(flops.dtype, DType::fp64);
  EXPECT_FALSE(row_from(result, "GFLOPs").dtype) << "it does not say its type";
  EXPECT_DOUBLE_EQ(row_from(result, "DRAM").value.value, 40.25e9);
  const Roofline roofline = roofline_of(result, "cuda:0", Scope::node);
  EXPECT_TRUE(roofline.compute().empty() && roofline.bandwidth().empty());
  EXPECT_FALSE(has_ceilings(result, "cuda:0", Scope::node));
}

TEST_F(ImportedCeilings, OfAdvisorAreNamedByTheirLabels) {
  const auto result = files.read(
      "sep=,\nName,Bandwidth,Type\nDRAM Bandwidth,0,memory\nScalar L1 bandwidth (single-threaded),62000000000,memory\n"
      "DP Vector FMA Peak,98500000000,compute\nScalar Add Peak,6500000000,compute\n"
      "Int64 Vector Add Peak,54000000000,compute\n");
  ASSERT_EQ(result.ceilings.size(), 4U);
  EXPECT_EQ(row_from(result, "DRAM Bandwidth").status, Status::unsupported) << "0 was not measured";
  const Ceiling cache = row_from(result, "Scalar L1 bandwidth (single-threaded)");
  EXPECT_EQ(cache.name, "L1");
  EXPECT_EQ(cache.variant, "Scalar, single-threaded");
  EXPECT_DOUBLE_EQ(cache.value.value, 62e9);
  const Ceiling vector = row_from(result, "DP Vector FMA Peak");
  EXPECT_EQ(vector.dtype, DType::fp64);
  EXPECT_EQ(vector.name, "vector");
  EXPECT_EQ(vector.variant, "FMA");
  EXPECT_DOUBLE_EQ(vector.value.value, 98.5e9);
  EXPECT_FALSE(row_from(result, "Scalar Add Peak").dtype) << "it does not say its type";
  EXPECT_NE(result.notes.at(0).find("1 peaks of integers"), std::string::npos);
  const auto open = files.read("Name,Bandwidth,Type\nL1 bandwidth (é,62000000000,memory\n");
  EXPECT_EQ(open.ceilings.at(0).variant, "é") << "no bracket closes, and no character is cut";
}

TEST_F(ImportedCeilings, OfRocprofComputeKnowItsSpellings) {
  const auto result = files.read(
      "device,HBMBw,HBMBwLow,hbmBwHigh,L2Bw,FP32Flops,FP64Flops,MFMABF16Flops,MFMAI8Ops,MFMAFI8OpsLow,MFMAF8Flops\n"
      "0,4000.5,3990,4010,10000,80000.5,40000,0,1500000.5,3,9\n");
  EXPECT_DOUBLE_EQ(row_from(result, "HBMBw").value.value, 4000.5e9);
  EXPECT_FALSE(row_from(result, "HBMBw").value.ci_low) << "Low and High are not intervals of 95 %";
  EXPECT_EQ(row_from(result, "MFMABF16Flops").status, Status::unsupported) << "0: not supported";
  EXPECT_EQ(row_from(result, "MFMAI8Ops").unit, "op/s");
  EXPECT_EQ(row_from(result, "FP32Flops").name, "vector");
  EXPECT_TRUE(
      std::ranges::any_of(result.notes, [](const std::string& note) { return note.find("MFMAF8Flops") != note.npos; }));
}

TEST_F(ImportedCeilings, OfNewerRocprofComputeHaveItsOtherColumns) {
  const auto result = files.read(
      "device,HBMBw,MALLBw,L0Bw,LDSBw,FP16Flops,I8Ops,I32Ops,I64Ops,WMMAF16Flops,WMMABF16Flops,WMMAI8Ops\n"
      "0,900.5,1500.5,9000.5,8000.5,90000.5,70000.5,40000.5,9.5,120000.5,130000.5,240000.5\n");
  for (const auto& [column, name, figure] :
       {std::tuple{"MALLBw", "MALL", 1500.5e9}, std::tuple{"L0Bw", "L0", 9000.5e9},
        std::tuple{"LDSBw", "LDS", 8000.5e9}, std::tuple{"FP16Flops", "vector", 90000.5e9},
        std::tuple{"I8Ops", "vector", 70000.5e9}, std::tuple{"I32Ops", "vector", 40000.5e9},
        std::tuple{"WMMAF16Flops", "matrix", 120000.5e9}, std::tuple{"WMMABF16Flops", "matrix", 130000.5e9},
        std::tuple{"WMMAI8Ops", "matrix", 240000.5e9}}) {
    EXPECT_EQ(row_from(result, column).name, name) << column;
    EXPECT_DOUBLE_EQ(row_from(result, column).value.value, figure) << column;
  }
  EXPECT_EQ(row_from(result, "I32Ops").dtype, DType::int32);
  EXPECT_EQ(row_from(result, "I32Ops").unit, "op/s");
  EXPECT_EQ(row_from(result, "WMMAF16Flops").accumulate, DType::fp32);
  EXPECT_TRUE(std::ranges::any_of(result.notes, [](const std::string& note) {
    return note.find("I64Ops") != note.npos;
  })) << "gable has no rate of 64-bit integers";
}

TEST_F(ImportedCeilings, OfCarmHaveTwoLinesOfNames) {
  const auto result = files.read(
      "Name:,box,L1 Size:,32,L2 Size:,512,L3 Size:,8192,,L1,L1,L2,L2,L3,L3,DRAM,DRAM,FP,FP,FP FMA,FP_FMA\n"
      "Date,ISA,Precision,Threads,Loads,Stores,Interleaved,DRAM Bytes,FP "
      "Inst.,GB/s,I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,Gflop/s,I/Cycle,Gflop/s,I/Cycle\n"
      "2026-01-01,avx2,dp,4,2,1,No,524288,add,800.5,2,400,1,0,0,20,0.1,64,2,128,2\n");
  EXPECT_EQ(result.ceilings.size(), 5U) << "the L3 was not measured";
  EXPECT_DOUBLE_EQ(row_from(result, "L1").value.value, 800.5e9);
  EXPECT_EQ(row_from(result, "L1").access, Access::triad) << "two loads a store";
  EXPECT_DOUBLE_EQ(row_from(result, "FP FMA").value.value, 128e9);
  EXPECT_EQ(row_from(result, "FP").variant, "avx2 add");
}

TEST_F(ImportedCeilings, OfBabelStreamAreMegabytesOfTheBestRun) {
  const std::string table =
      "BabelStream\nVersion: 5.0\nImplementation: CUDA\nFunction    MBytes/sec  Min (sec)   Max         Average\n"
      "Copy        1000000.250 0.00038     0.00039     0.00039\nTriad       900000.500 0.00058     0.00060     "
      "0.00059\n";
  const auto result = files.read(table);
  EXPECT_DOUBLE_EQ(row_from(result, "Copy").value.value, 1000000.25e6);
  EXPECT_EQ(row_from(result, "Triad").access, Access::triad);
  EXPECT_EQ(row_from(result, "Triad").imported->version, "5.0");
  refuses("Validation failed on a[]. Average error 2\n" + table, "failed");
}

TEST_F(ImportedCeilings, OfClpeakHaveALineAWidth) {
  const auto result = files.read(
      "Platform: P\n  Device: D\n    Driver version  : 1.2\n\n    Global memory bandwidth (GBPS)\n      float   : "
      "32.5\n"
      "      float2  : 31.25\n\n    Double-precision compute (GFLOPS)\n      double   : 211.5\n\n    Integer compute "
      "Fast 24bit "
      "(GIOPS)\n      int   : 58.5\n\n    Kernel launch latency : 6.5 us\n");
  ASSERT_EQ(result.ceilings.size(), 4U);
  EXPECT_DOUBLE_EQ(result.ceilings[0].value.value, 32.5e9);
  EXPECT_EQ(result.ceilings[1].variant, "float2");
  EXPECT_EQ(result.ceilings[2].dtype, DType::fp64);
  EXPECT_DOUBLE_EQ(result.ceilings[3].value.value, 6.5e-6);
  EXPECT_EQ(result.ceilings[3].kind, CeilingKind::overhead);
}

TEST_F(ImportedCeilings, OfBabelStreamHaveTheUnitOfTheirHeading) {
  const auto copy = [&](const std::string& unit, const std::string& figure) {
    const auto result =
        files.read("BabelStream\nFunction    " + unit + " Min (sec)   Max         Average\nCopy        " + figure +
                   " 0.00025     0.00039     0.00039\n");
    return row_from(result, "Copy").value.value;
  };
  EXPECT_DOUBLE_EQ(copy("MB/s", "10000.500"), 10000.5e6);
  EXPECT_DOUBLE_EQ(copy("GB/s", "10.005"), 10.005e9) << "a fraction of three digits beside one of five";
  EXPECT_DOUBLE_EQ(copy("GiBytes/sec", "10.5"), 10.5 * 1073741824);
  EXPECT_DOUBLE_EQ(copy("MBytes/sec", "1.979008268e6"), 1.979008268e12);
  const auto touching =
      "BabelStream\nFunction    MBytes/sec  Min (sec)\nCopy        1.979008268e60.00027     0.34157\n";
  refuses(touching, "line 3");
  refuses(touching, "touch");
}

TEST_F(ImportedCeilings, OfSeveralRunsAreOneWithTheirSpread) {
  const auto run = [](const std::string& size, const std::string& triad) {
    return "BabelStream\nArray size: " + size + " (=0.3 GB)\nFunction    MBytes/sec  Min (sec)\nTriad       " + triad +
           " 0.00025\n";
  };
  const auto result = files.read(run("268.4 MB", "100.5") + run("268.4 MB", "120.5") + run("2147.5 MB", "90.5") +
                                 run("268.4 MB", "110.5"));
  ASSERT_EQ(result.ceilings.size(), 2U) << "a row a size";
  EXPECT_EQ(result.ceilings[0].variant, "arrays of 268.4 MB");
  EXPECT_DOUBLE_EQ(result.ceilings[0].value.value, 110.5e6);
  EXPECT_EQ(result.ceilings[0].value.samples.size(), 3U);
  EXPECT_DOUBLE_EQ(result.ceilings[1].value.value, 90.5e6);
}

TEST_F(ImportedCeilings, OfStreamHaveScale) {
  const std::string table =
      "STREAM version $Revision: 5.8 $\nFunction      Rate (MB/s)   Avg time     Min time     Max time\n"
      "Copy:       40000.5000       0.0081       0.0080       0.0082\nScale:      41000.5000       0.0079       0.0078 "
      "    "
      "  0.0080\n";
  const auto result = files.read(table);
  EXPECT_DOUBLE_EQ(row_from(result, "Scale").value.value, 41000.5e6);
  EXPECT_EQ(row_from(result, "Scale").variant, "scale");
  EXPECT_EQ(row_from(result, "Copy").implementation, "imported/stream");
  EXPECT_EQ(row_from(result, "Copy").imported->version, "5.8");
  EXPECT_NE(files.message(table + "Failed Validation on array a[], AvgRelAbsErr > epsilon\n"), "");
}

const std::string two_devices =
    "Platform: P\n  Device: First\n    Driver version  : 1.2\n\n    Global memory bandwidth (GBPS)\n"
    "      float   : 32.5\n      float2  : clEnqueueNDRangeKernel (-54)\n      Tests skipped\n\n"
    "    Single-precision compute (GFLOPS)\n      half   : 99.5\n\n"
    "  Device: Second\n    Global memory bandwidth (GBPS)\n      float   : 64.5\n";

TEST_F(ImportedCeilings, OfClpeakKeepWhatDidNotFailAndNameTheirDevice) {
  const auto result = files.read(two_devices);
  ASSERT_EQ(result.ceilings.size(), 3U);
  EXPECT_EQ(result.ceilings[0].variant, "float, First");
  EXPECT_EQ(result.ceilings[1].dtype, DType::fp16) << "half below the heading of single precision";
  EXPECT_DOUBLE_EQ(result.ceilings[2].value.value, 64.5e9);
  EXPECT_NE(result.notes.at(0).find("line 7"), std::string::npos) << result.notes.at(0);
  files.into.target.device.name = "Second";
  EXPECT_EQ(files.read(two_devices).ceilings.size(), 1U) << "of the device that the user names";
}

TEST_F(ImportedCeilings, OfClpeakAreReadFromXmlOfBothVersions) {
  const auto second = files.read(
      "<?xml version=\"1.0\"?>\n<clpeak format_version=\"2\" clpeak_version=\"2.0.18\">\n"
      "<run backend=\"CPU\" platform=\"CPU\" device=\"D\" driver=\"\">\n<category name=\"fp_compute\">\n"
      "<test name=\"double_precision_compute_avx2_fma\" unit=\"gflops\"><metric name=\"double4\">211.5</metric>\n"
      "<metric name=\"double8\" status=\"unsupported\" reason=\"no\"/></test>\n"
      "<test name=\"double_precision_divide\" unit=\"gflops\"><metric "
      "name=\"double4\">11.5</metric></test></category>\n"
      "<test name=\"global_memory_bandwidth\" unit=\"gbps\"><metric "
      "name=\"float\">32.5</metric></test></run></clpeak>\n");
  ASSERT_EQ(second.ceilings.size(), 2U) << "a division is no peak";
  EXPECT_DOUBLE_EQ(second.ceilings[0].value.value, 211.5e9);
  EXPECT_EQ(second.ceilings[0].dtype, DType::fp64);
  EXPECT_EQ(second.ceilings[0].imported->version, "2.0.18");
  const auto first = files.read(
      "<clpeak os=\"Linux\"><platform name=\"P\"><device name=\"D\"><global_memory_bandwidth unit=\"gbps\">\n"
      "<float>32.5</float><float2>33.5</float2></global_memory_bandwidth>\n"
      "<kernel_launch_latency unit=\"us\">6.5</kernel_launch_latency></device></platform></clpeak>\n");
  ASSERT_EQ(first.ceilings.size(), 3U);
  EXPECT_DOUBLE_EQ(first.ceilings[1].value.value, 33.5e9);
  EXPECT_DOUBLE_EQ(first.ceilings[2].value.value, 6.5e-6);
}

TEST_F(ImportedCeilings, OfErtHaveTheUnitOfTheirLabel) {
  const auto result = files.read(
      R"({"empirical": {"gflops": {"data": [["FP64 Vector GFLOPs FMA", 800.5], ["FP64 Scalar GFLOPs", 50.5],
          ["Peak SP Scalar GFlops", 60.5]]}}})");
  EXPECT_EQ(row_from(result, "FP64 Vector GFLOPs FMA").name, "vector");
  EXPECT_EQ(row_from(result, "FP64 Scalar GFLOPs").name, "scalar");
  EXPECT_EQ(row_from(result, "Peak SP Scalar GFlops").dtype, DType::fp32);
}

TEST_F(ImportedCeilings, JudgePointsOnlyWhereGableMeasuredThem) {
  const std::string perf =
      "1000000,ns,duration_time,1,100.00,,\n1000000,,fp_ret_sse_avx_ops.all,1,100.00,,\n1000,,umc_cas_cmd.rd,1,100.00,,"
      "\n"
      "0,,umc_cas_cmd.wr,1,100.00,,\n";
  files.into.target.dtype = DType::fp64;
  files.into.target.device.memory = {{"DRAM", 1e9, 1, 1, 64, ""}};
  EXPECT_FALSE(files.point({perf, ert_file}).bound_s) << "ERT's figures bound nothing";
  // a roof of gable: 64000 byte at 1e8 byte/s take 640 us of the 1000; 1e6 flop at 1e10 flop/s take 100 us
  Ceiling memory{
      .device = "cuda:0", .kind = CeilingKind::bandwidth, .name = "DRAM", .access = Access::read, .unit = "byte/s"};
  memory.value.value = 1e8;
  Ceiling vector = memory;
  vector.kind = CeilingKind::compute;
  vector.name = "vector";
  vector.dtype = DType::fp64;
  vector.access = Access::none;
  vector.unit = "flop/s";
  vector.value.value = 1e10;
  files.into.roofs = {memory, vector};
  const Point judged = files.point({perf, ert_file});
  EXPECT_DOUBLE_EQ(judged.bound_s.value(), 640e-6);
  EXPECT_EQ(judged.regime, Regime::memory_bound);
  EXPECT_DOUBLE_EQ(judged.fraction_of_limit.value(), 0.64);
  // 1 us instead of 1 ms: 640 times above; 0.4 ms: 1.6 times; 0.1 ms: 6.4 times
  const auto reason = [&](const std::string& time_ns) {
    const Point point = files.point(time_ns + perf.substr(perf.find(',')));
    EXPECT_EQ(point.status, Status::suspect);
    return point.reason;
  };
  EXPECT_NE(reason("1000").find("factor of 1,000 is the time or its unit"), std::string::npos) << reason("1000");
  EXPECT_NE(reason("400000").find("factor of 2 is the count"), std::string::npos) << reason("400000");
  EXPECT_NE(reason("100000").find("factor of 8 is the unit: bits"), std::string::npos) << reason("100000");
  EXPECT_LT(reason("1000").find("factor"), reason("1000").find("no roof is measured so much too low"));
}

}  // namespace
}  // namespace gable
