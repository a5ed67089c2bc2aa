#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "imported_file.hpp"

/// Tables in the forms that versions of AMD's profilers write, seen in public files, with made-up figures.
namespace gable {
namespace {

using namespace test;

class AmdTools : public OtherTools {
 protected:
  AmdTools() { on("gfx942"); }
  void on(const std::string& chip) { files.into.target.device.isa = {chip}; }
  Point only_point(const std::vector<std::string>& texts) const {
    const Result result = files.read(texts);
    EXPECT_EQ(result.points.size(), 1U);
    return result.points.at(0);
  }
  bool notes(const std::string& text, const std::string& part) const {
    return std::ranges::any_of(files.read(text).notes, [&](const auto& note) { return note.find(part) != note.npos; });
  }
};

const std::string v1_names =
    "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,obj,";

TEST_F(AmdTools, Omniperf1AndRocprofWriteALineADispatch) {
  on("gfx90a");
  const std::string ids = ",\"scale(float*, int) [clone .kd]\",0,0,0,7,7,512,256,0,0,8,16,0,0x0,0x7f00,";
  const std::string text = v1_names +
                           "SQ_INSTS_VALU_ADD_F32,SQ_INSTS_VALU_MUL_F32,SQ_INSTS_VALU_FMA_F32,SQ_INSTS_VALU_TRANS_F32,"
                           "TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum,TCC_EA_WRREQ_sum,TCC_EA_WRREQ_64B_sum,"
                           "DispatchNs,BeginNs,EndNs,CompleteNs\n0" +
                           ids + "5,0,7,0,30,10,20,20,1000,2000,6000,7000\n1" + ids +
                           "5,0,7,0,50,10,20,20,11000,12000,18000,19000\n";
  const Point point = only_point({text});
  EXPECT_EQ(point.op, "scale");
  EXPECT_EQ(point.count, 2);
  EXPECT_DOUBLE_EQ(point.time.value, 5e-6);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp32), 64 * (5 + 2 * 7));
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 10 * 32 + 30 * 64);  // of 40 requests on average
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_written, 20 * 64);
  // gfx906 has a second way to memory, whose counters are not here
  on("gfx906");
  EXPECT_TRUE(lacks(only_point({text}), "bytes of the main memory (gfx906"));
}

TEST_F(AmdTools, ABeginBeforeTheDispatchIsOfAnotherRun) {
  const std::string ids = ",k,0,0,0,7,7,512,256,0,0,8,16,0,0x0,0x7f00,";
  const auto text = [&](const std::string& begin, const std::string& end) {
    return v1_names + "DispatchNs,BeginNs,EndNs,CompleteNs\n0" + ids + "5000," + begin + "," + end + ",9000\n";
  };
  refuses(text("1000", "8000"), "begins before it was dispatched");
  EXPECT_DOUBLE_EQ(only_point({text("1000", "4000")}).time.value, 3e-6) << "both are of the other run";
  EXPECT_DOUBLE_EQ(only_point({text("6000", "8000")}).time.value, 2e-6);
}

TEST_F(AmdTools, RoundedTimestampsAreNoTimesAndAnotherFileMayHaveThem) {
  const std::string names =
      "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,SQ_INSTS_VALU_FMA_F64,Start_Timestamp,"
      "End_Timestamp\n";
  const std::string rounded = names + "0,k,2,64,10,1.62068E+14,1.62068E+14\n1,k,2,64,10,1.62068E+14,1.62068E+14\n";
  refuses(rounded, "timestamps such as 1.62068E+14 lost their last digits");
  const std::string times =
      "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Kernel_Name,Start_Timestamp,End_Timestamp\n"
      "0,2,1,7,7,64,k,1000,3000\n1,2,1,7,7,64,k,5000,9000\n";
  for (const auto& both : {std::vector{rounded, times}, std::vector{times, rounded}}) {
    const Point point = only_point(both);
    EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
    EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * 2 * 10);
  }
  // a duration of its own is a time
  EXPECT_DOUBLE_EQ(
      only_point({"Index,KernelName,gpu-id,BeginNs,EndNs,DurationNs\n0,k,1,8.1E+14,8.1E+14,4000\n"}).time.value, 4e-6);
}

const std::string v3_names =
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Process_Id\",\"Grid_Size\","
    "\"Kernel_Name\",\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\","
    "\"End_Timestamp\"\n";
std::string v3_line(int dispatch, int process, int grid, const std::string& counter, const std::string& value,
                    const std::string& times) {
  return "1," + std::to_string(dispatch) + ",\"Agent 4\"," + std::to_string(process) + "," + std::to_string(grid) +
         ",\"axpy(double*) [clone .kd]\",\"" + counter + "\"," + value + "," + times + "\n";
}

TEST_F(AmdTools, LinesThatStandTwiceCountOnce) {
  const auto line = [](int dispatch, const std::string& counter) {
    return v3_line(dispatch, 7, 64, counter, "100.000000", dispatch == 1 ? "1000,3000" : "5000,9000");
  };
  std::string once = v3_names, twice = v3_names, whole_file_twice;
  for (const int dispatch : {1, 2}) {
    for (const char* counter : {"SQ_WAVES", "SQ_INSTS_VALU_FMA_F64"}) {
      once += line(dispatch, counter);
      twice += line(dispatch, counter) + line(dispatch, counter);
    }
  }
  whole_file_twice = once + once;  // with the names of the columns once more
  for (const std::string& text : {once, twice, whole_file_twice}) {
    const Point point = only_point({text});
    EXPECT_EQ(point.count, 2);
    EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
    EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * 2 * 100);
  }
  EXPECT_TRUE(notes(twice, "stand twice"));
  EXPECT_FALSE(notes(once, "stand twice"));
  const std::string other = v3_line(2, 7, 64, "SQ_INSTS_VALU_FMA_F64", "101.000000", "5000,9000");
  refuses(once + other, "line 6: SQ_INSTS_VALU_FMA_F64 of one dispatch is 101 here");
  const std::string pmc = "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp,SQ_INSTS_VALU_FMA_F64\n";
  const Point wide = only_point({pmc + "0,k,0,100,1100,9\n0,k,0,100,1100,9\n1,k,0,2000,5000,9\n1,k,0,2000,5000,9\n"});
  EXPECT_EQ(wide.count, 2);
  EXPECT_DOUBLE_EQ(wide.time.value, 2e-6);
  EXPECT_DOUBLE_EQ(operations(wide, Unit::vector, DType::fp64), 64 * 2 * 9);
}

TEST_F(AmdTools, ACounterOfSeveralPassesIsTheirMean) {
  const auto pass = [](int process, const std::string& waves, const std::string& counter, const std::string& times) {
    return v3_line(1, process, 64, "SQ_WAVES", waves, times) + v3_line(1, process, 64, "SQ_BUSY_CYCLES", "5", times) +
           v3_line(1, process, 64, "SQ_INSTS_VALU_MUL_F64", "8", times) + v3_line(1, process, 64, counter, "16", times);
  };
  const std::string one = pass(7, "1", "SQ_INSTS_VALU_FMA_F64", "1000,3000");
  const std::string two = pass(8, "1", "SQ_INSTS_VALU_ADD_F64", "1000,5000");
  // in two files, in one file of two processes, and in the form of rocprof-compute
  for (const auto& texts : {std::vector{v3_names + one, v3_names + two}, std::vector{v3_names + one + two}}) {
    const Point point = only_point(texts);
    EXPECT_EQ(point.count, std::nullopt);
    EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
    EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * (8 + 2 * 16 + 16));
  }
  const std::string rocpd =
      "GPU_ID,Dispatch_ID,Grid_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Kernel_ID,"
      "Counter_Name,Counter_Value\n0,1,64,k,1000,3000,5,SQ_INSTS_VALU_FMA_F64,16.0\n"
      "0,1,64,k,1000,3000,5,SQ_INSTS_VALU_MUL_F64,7.0\n"
      "0,1,64,k,9000,13000,5,SQ_INSTS_VALU_MUL_F64,9.0\n"
      "0,1,64,k,9000,13000,5,SQ_INSTS_VALU_ADD_F64,16.0\n";
  const Point point = only_point({rocpd});
  EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * (8 + 2 * 16 + 16));
  EXPECT_EQ(point.imported->tool, "rocprof-compute");
}

TEST_F(AmdTools, RunsOfAnotherSizeAreNotPasses) {
  const auto pass = [](int grid, const std::string& counter) {
    return v3_names + v3_line(1, 7, grid, counter, "16", "1000,3000");
  };
  EXPECT_EQ(files.read({pass(64, "SQ_INSTS_VALU_FMA_F64"), pass(64, "SQ_INSTS_VALU_ADD_F64")}).points.size(), 1U);
  EXPECT_EQ(files.read({pass(64, "SQ_INSTS_VALU_FMA_F64"), pass(128, "SQ_INSTS_VALU_ADD_F64")}).points.size(), 2U);
}

TEST_F(AmdTools, RanksOfMpiAreFurtherCalls) {
  std::string text = v3_names;
  for (const int rank : {7, 8}) text += v3_line(1, rank, 64, "SQ_INSTS_VALU_FMA_F64", "16", "1000,3000");
  const Point point = only_point({text});
  EXPECT_EQ(point.count, 2);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * 2 * 16);
}

TEST_F(AmdTools, EmptyCellsAreUnknownAndNotZero) {
  const std::string names =
      "Dispatch_ID,GPU_ID,Kernel_Name,Start_Timestamp,End_Timestamp,SQ_LEVEL_WAVES,"
      "SQ_INSTS_VALU_ADD_F64,SQ_INSTS_VALU_MUL_F64,SQ_INSTS_VALU_FMA_F64,SQ_INSTS_VALU_TRANS_F64"
      "\n";
  const Point whole = only_point({names + "0,4,k,1000,3000,,1,1,1,1\n1,4,k,5000,7000,,1,1,1,1\n"});
  EXPECT_FALSE(lacks(whole, "operations of fp64")) << "an empty column that nobody looks at";
  for (const char* cell : {"", "nan", "N/A"}) {
    const Point point = only_point({names + "0,4,k,1000,3000,,1,1,1,1\n1,4,k,5000,7000,,1,1," + cell + ",1\n"});
    EXPECT_TRUE(lacks(point, "operations of fp64")) << cell;
    EXPECT_EQ(point.count, 2);
  }
}

TEST_F(AmdTools, DispatchesWithoutATimeAreLeftOut) {
  const std::string text =
      "Dispatch_ID,GPU_ID,Kernel_Name,Start_Timestamp,End_Timestamp,SQ_INSTS_VALU_FMA_F64\n"
      "0,4,k,1000,3000,10\n1,4,k,0,0,999\n2,4,k,5000,9000,10\n";
  const Point point = only_point({text});
  EXPECT_EQ(point.count, 2);
  EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * 2 * 10);
  EXPECT_TRUE(notes(text, "1 of 3 dispatches have no time"));
}

TEST_F(AmdTools, KernelTracesAndStatsHaveTimesAlone) {
  const std::string trace =
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\","
      "\"End_Timestamp\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
      "\"KERNEL_DISPATCH\",\"Agent 4\",1,9,\"axpy(double*)\",1,1000,3000,32,2,1\n"
      "\"KERNEL_DISPATCH\",\"Agent 4\",1,9,\"axpy(double*)\",2,5000,9000,32,2,1\n";
  const std::string stats =
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\",\"MaxNs\","
      "\"StdDev\"\n\"axpy(double*)\",2,6000,3000.000000,100.00,2000,4000,1414.2\n";
  // names of templates without quotes, as some versions of rocprof wrote them
  const std::string v1 =
      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"
      "void axpy<double, 4>(double*, int),2,6000,3000,100.0\n";
  for (const std::string& text : {trace, stats, v1}) {
    const Point point = only_point({text});
    EXPECT_TRUE(point.op.starts_with("axpy")) << point.op;
    EXPECT_EQ(point.count, 2);
    EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
    EXPECT_DOUBLE_EQ(test::calls_of(point).second, text == v1 ? 0 : 4e-6) << "v1 tells means alone";
    EXPECT_DOUBLE_EQ(test::calls_of(point).first, text == v1 ? 0 : 2e-6);
    EXPECT_TRUE(lacks(point, "bytes of the main memory"));
    EXPECT_TRUE(lacks(point, "operations of fp64"));
    EXPECT_EQ(bytes(point.stages), 0);
  }
  EXPECT_TRUE(notes(v1 + "_Znone,2,6000,3000,100.0\n", "names that stay mangled: 1"));
  // old versions of rocprofv3 wrote counters without times
  const std::string counters =
      "\"Dispatch_Id\",\"Agent_Id\",\"Grid_Size\",\"Kernel_Name\",\"Counter_Name\","
      "\"Counter_Value\"\n1,4,64,\"axpy(double*)\",\"SQ_INSTS_VALU_FMA_F64\",16\n"
      "2,4,64,\"axpy(double*)\",\"SQ_INSTS_VALU_FMA_F64\",16\n";
  refuses(counters, "no times of kernels");
  const Point joined = only_point({counters, trace});
  EXPECT_DOUBLE_EQ(joined.time.value, 3e-6);
  EXPECT_DOUBLE_EQ(test::calls_of(joined).first, 2e-6) << "of the file that has times";
  EXPECT_DOUBLE_EQ(operations(joined, Unit::vector, DType::fp64), 64 * 2 * 16);
  refuses("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\"\n\"k\",2,6000,1000\n",
          "line 2: 2 calls of 1000 ns are not 6000 ns");
}

TEST_F(AmdTools, FetchSizeIsInKibOnChipsThatCountItRight) {
  const std::string text = v3_names + v3_line(1, 7, 64, "FETCH_SIZE", "8.500000", "1000,3000") +
                           v3_line(1, 7, 64, "WRITE_SIZE", "2.000000", "1000,3000");
  const Point v3 = only_point({text});
  EXPECT_DOUBLE_EQ(v3.stages.front().bytes_read, 8.5 * 1024);
  EXPECT_DOUBLE_EQ(v3.stages.front().bytes_written, 2048);
  EXPECT_FALSE(lacks(v3, "bytes of the main memory"));
  const Point reads = only_point({v3_names + v3_line(1, 7, 64, "FETCH_SIZE", "8.500000", "1000,3000")});
  EXPECT_TRUE(lacks(reads, "bytes of the main memory that were written"));
  EXPECT_DOUBLE_EQ(bytes(reads.stages), 8704);
  // rocprof's own formula for gfx942 counts 128 byte for each request, that for gfx90a is right
  const std::string v1 = "Index,KernelName,gpu-id,FetchSize,WriteSize,BeginNs,EndNs\n0,k,1,8.5,2,1000,3000\n";
  EXPECT_TRUE(lacks(only_point({v1}), "bytes of the main memory that were read"));
  on("gfx90a");
  EXPECT_DOUBLE_EQ(bytes(only_point({v1}).stages), 10.5 * 1024);
  on("gfx950");
  EXPECT_TRUE(lacks(only_point({text}), "bytes of the main memory (FETCH_SIZE"));
  files.into.target.device.isa.clear();
  EXPECT_TRUE(lacks(only_point({text}), "bytes of the main memory (FETCH_SIZE"));
}

TEST_F(AmdTools, TextThatRocprofPrints) {
  const std::string v1 =
      "ROCProfiler: input from \"in.txt\"\ndispatch[0], gpu-id(0), queue-id(0), queue-index(0), pid(7), tid(7), "
      "grd(64), wgr(64), lds(0), scr(0), vgpr(8), sgpr(16), fbar(0), sig(0x0), obj(0x7f), kernel-name(\"axpy(double*, "
      "int) [clone .kd]\"), time(500,1000,4000,4500)\n  SQ_INSTS_VALU_FMA_F64 (16.0000000000)\n  SQ_WAVES (1)\n";
  const std::string v2 =
      "Dispatch_ID(1), GPU_ID(4), Queue_ID(1), Process_ID(7), Thread_ID(7), Grid_Size(64), Workgroup_Size(64), LDS(0), "
      "Kernel_Name(\"axpy(double*, int)\"), Begin_Timestamp(1000), End_Timestamp(4000), Correlation_ID(0), "
      "SQ_WAVES(1.000000), SQ_INSTS_VALU_FMA_F64(16.000000)\n";
  for (const std::string& text : {v1, v2}) {
    const Point point = only_point({text});
    EXPECT_EQ(point.op, "axpy");
    EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
    EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * 2 * 16);
  }
  refuses(v2.substr(0, v2.size() - 5) + "\n", "cut off");
  // 3 us are no 3 cycles: some versions print other numbers for the times
  std::string other_times = v2;
  other_times.replace(other_times.find("SQ_WAVES(1.0"), 12, "GRBM_COUNT(3.0");
  refuses(other_times, "GRBM_COUNT");
  other_times.replace(other_times.find("GRBM_COUNT(3.0"), 14, "GRBM_COUNT(6000.0");
  EXPECT_EQ(files.message(other_times), "");
}

TEST_F(AmdTools, JsonOfRocprofv3SumsThePartsOfTheChip) {
  const std::string dispatch = R"({"agent_id": {"handle": 3}, "kernel_id": 9, "dispatch_id": 1,
    "grid_size": {"x": 64, "y": 1, "z": 1}})";
  const std::string begin = R"({"rocprofiler-sdk-tool": [{"kernel_symbols": [{"kernel_id": 9,
    "kernel_name": "_Z4axpyPd.kd", "formatted_kernel_name": "axpy"}],
    "counters": [{"id": {"handle": 5}, "name": "SQ_INSTS_VALU_FMA_F64"}], )";
  const std::string counted = begin + R"("callback_records": {"counter_collection": [{"dispatch_data":
    {"dispatch_info": )" + dispatch +
                              R"(, "start_timestamp": 1000, "end_timestamp": 4000},
    "records": [{"counter_id": {"handle": 5}, "value": 10.0}, {"counter_id": {"handle": 5}, "value": 6.0}]}]}}]})";
  const Point point = only_point({counted});
  EXPECT_EQ(point.op, "axpy");
  EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * 2 * 16);
  const std::string traced = begin + R"("buffer_records": {"kernel_dispatch": [{"dispatch_info": )" + dispatch +
                             R"(, "start_timestamp": 1000, "end_timestamp": 4000}]}}]})";
  EXPECT_DOUBLE_EQ(only_point({traced}).time.value, 3e-6);
  refuses(begin + R"("buffer_records": {}}]})", "no dispatch of a kernel");
}

/// Keys of JSON have no order: names and counted dispatches stand behind a trace here, which counts nothing then.
TEST_F(AmdTools, JsonOfRocprofv3MayBeInAnyOrder) {
  const auto dispatch = [](int kernel, int end) {
    return R"({"end_timestamp": )" + std::to_string(end) + R"(, "start_timestamp": 1000, "dispatch_info": {"grid_size":
      {"x": 64, "y": 1, "z": 1}, "dispatch_id": 1, "kernel_id": )" +
           std::to_string(kernel) + R"(, "agent_id": {"handle": 3}}})";
  };
  const auto text = [&](int kernel) {
    return R"({"rocprofiler-sdk-tool": [{"buffer_records": {"kernel_dispatch": [)" + dispatch(kernel, 9000) +
           R"(]}, "callback_records": {"counter_collection": [{"records": [{"value": 8.0, "counter_id": {"handle": 5}},
             {"value": 2.0, "counter_id": {"handle": 6}}], "dispatch_data": )" +
           dispatch(kernel, 4000) +
           R"(}]}, "counters": [{"name": "SQ_INSTS_VALU_FMA_F64", "id": {"handle": 5}}],
             "kernel_symbols": [{"kernel_id": 9, "kernel_name": "axpy"}]}]})";
  };
  const Point point = only_point({text(9)});
  EXPECT_EQ(point.op, "axpy");
  EXPECT_DOUBLE_EQ(point.time.value, 3e-6);
  EXPECT_DOUBLE_EQ(operations(point, Unit::vector, DType::fp64), 64 * 2 * 8);
  refuses(text(8), "kernel 8 has no name");
  std::string lacks_id = text(9);
  lacks_id.replace(lacks_id.find("dispatch_id"), 8, "DISPATCH");
  refuses(lacks_id, "lacks the whole number dispatch_id");
}

/// Keys that look like paths are keys; a kernel 0 without a name is one, too.
TEST_F(AmdTools, JsonOfRocprofv3MayHoldAnyKeys) {
  for (const char* forged :
       {"rocprofiler-sdk-tool/*/kernel_symbols", "rocprofiler-sdk-tool/*/callback_records/counter_collection"})
    EXPECT_NE(files.message(std::string(R"({"x":"rocprofiler-sdk-tool",")") + forged +
                            R"(":[{"kernel_id":1,"kernel_name":"k"}]})"),
              "")
        << forged;
  const std::string nameless =
      R"({"rocprofiler-sdk-tool":[{"kernel_symbols":[],"buffer_records":{"kernel_dispatch":[{"start_timestamp":1,)"
      R"("end_timestamp":9,"dispatch_info":{"kernel_id":0,"dispatch_id":1,"agent_id":{"handle":2},)"
      R"("grid_size":{"x":1,"y":1,"z":1}}}]}}]})";
  refuses(nameless, "kernel 0 has no name");
}

TEST_F(AmdTools, FilesWithoutKernelsAreNamed) {
  for (const auto& [text, what] :
       {std::pair{"\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"hipMemcpy\",3,900,300,9.0\n"
                  "\"hsa_queue_create\",1,90,90,1.0\n",
                  "calls on the host"},
        std::pair{"\"Domain\",\"Function\",\"Process_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
                  "\"HIP_RUNTIME_API\",\"hipMalloc\",7,1,2\n",
                  "calls on the host that rocprofv3 traced"},
        std::pair{"Dispatch_ID,Kernel_Name,GPU_ID\n0,k,2\n", "a list of kernels"},
        std::pair{"workload_name,command,gpu_model,gpu_arch\nv,./v,MI300X,gfx942\n", "the machine"},
        std::pair{"{ \"traceEvents\":[{}\n,{\"args\":{\"name\":\"CPU HIP API\"},\"ph\":\"M\"}]}\n", "a browser"},
        std::pair{"3,\"k(int) [clone .kd]\",0,0,5,7,7,64,64,0,0,8,16,0,0x0,0x7f,1,2,3,4\n",
                  "without the line that names their columns"}}) {
    refuses(text, what);
  }
}

TEST_F(AmdTools, ALastLineWithoutAnEndIsWholeWhereItsTimestampIs) {
  const std::string trace =
      "Kind,Agent_Id,Dispatch_Id,Kernel_Name,Start_Timestamp,End_Timestamp\n"
      "KERNEL_DISPATCH,4,1,k,100200,100700";
  EXPECT_DOUBLE_EQ(only_point({trace}).time.value, 5e-7);
  refuses(trace.substr(0, trace.size() - 1), "cut off");
}

TEST_F(AmdTools, RooflinesHaveFp8OfTheChip) {
  const std::string text =
      "device,HBMBw,HBMBwLow,hbmBwHigh,MFMAF8Flops,MFMAF8FlopsLow,MFMAF8FlopsHigh\n"
      "0,4000.5,3999.5,4001.5,900000.5,899999.5,900001.5\n";
  const auto type = [&]() -> std::optional<DType> {
    const Result result = files.read(text);
    return result.ceilings.size() == 2 ? result.ceilings.back().dtype : std::nullopt;
  };
  EXPECT_EQ(type(), DType::fp8_e4m3fnuz);
  on("gfx950");
  EXPECT_EQ(type(), DType::fp8_e4m3);
  files.into.target.device.isa.clear();
  EXPECT_EQ(type(), std::nullopt);
  EXPECT_TRUE(notes(text, "other types of fp8"));
}

}  // namespace
}  // namespace gable
