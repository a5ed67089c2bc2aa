#include <cstdint>

#include "databases.hpp"
#include "readers.hpp"

namespace gable::attack {
namespace {

/// A small file of each format that is imported.
std::vector<std::string> imported_files() {
  return {
      "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\"\n"
      "\"\",\"\",\"\",\"us\",\"Mbyte\"\n\"0\",\"1\",\"void axpy<double>(double*)\",\"12.5\",\"6.25\"\n",
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n==PROF== x\n"
      "\"0\",\"1\",\"_Z4axpyPd\",\"gpu__time_duration.sum\",\"nsecond\",\"1,234,567\"\n"
      "\"0\",\"1\",\"_Z4axpyPd\",\"dram__bytes.sum\",\"Kbyte\",\"12.5\"\n",
      "Dispatch_Id,Agent_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"
      "1,4,\"k(int, int)\",SQ_INSTS_VALU_FMA_F64,5,100,200\n1,4,\"k(int, int)\",TCC_EA_RDREQ_sum,5,100,200\n",
      "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp,TCC_EA_RDREQ_sum\n0,k,2,100,200,7\n",
      "device,HBMBw,HBMBwLow,L2Bw,FP32Flops,MFMAI8Ops\n0,4000.5,3990,10000,80000.5,0\n",
      "STRUCT,Info,3\nTABLE,Region a,Group 1 Raw,MEM_DP,1\nRegion Info,HWThread 0\ncall count,2\n"
      "TABLE,Region a,Group 1 Metric,MEM_DP,3\nMetric,HWThread 0\nRuntime (RDTSC) [s],2\nDP [MFLOP/s],100\n"
      "Memory data volume [GBytes],1.5\n",
      "loop_name,self_elapsed_time,self_gflop,self_dram_gb\n\"[loop in f at a.cpp:3]\",0.5,1.5,2.5\n",
      "Name,Bandwidth,Type\nL1 bandwidth (single-threaded),62000000000,memory\nDP Vector FMA "
      "Peak,98500000000,compute\n",
      "2000000,ns,duration_time,2000000,100.00,,\n10,,fp_arith_inst_retired.scalar_double:u,1,100.00,,\n"
      "4,,umc_cas_cmd.rd,1,50.00,,\n2.5,MiB,uncore_imc/cas_count_write/,1,100.00,,\n<not counted>,,cycles,0,0.00,,\n",
      "Name:,box,L1 Size:,32,,L1,L1,DRAM,DRAM,FP,FP\nDate,ISA,Precision,Threads,Loads,Stores,FP "
      "Inst.,GB/s,I/Cycle,GB/s,"
      "Gflop/s\n2026,avx2,dp,4,2,1,add,800.5,2,20,64\n",
      "Date,Method,Name,ISA,Precision,Threads,AI,GFLOPS,Bandwidth,Time\n2026,PMU,app,avx2,dp,4,0.25,2.5,10.5,0.5\n",
      "BabelStream\nVersion: 5.0\nFunction    MBytes/sec  Min (sec)\nCopy        1000.250 0.1\nDot  900.5 0.1\n",
      "Device: D\n\n  Global memory bandwidth (GBPS)\n    float   : 32.5\n\n  Kernel launch latency : 6.5 us\n",
      "Backend 1/2: GPU0\n  MUL_MAT(type_a=f16,type_b=f32,m=4,n=2,k=32,bs=[1,1],nr=[1,1]):  9 runs -  2.00 us/run -  "
      "512 "
      "FLOP/run - 0.26 GFLOPS\n  ADD(type=f32,ne=[4,1]):  9 runs -  2.00 us/run -  48 kB/run -  24.00 GB/s\n"};
}

/// Of files in which the output of a program may stand, too: a reader may skip every line that it does not know.
Mutated mutate_mixed(const std::string& given, Random& random) { return {mutate_csv(given, random).text, false}; }

/// A gzip file whose only block is stored as it is (RFC 1951, 1952).
std::string gzip_of(const std::string& text) {
  std::uint32_t crc = ~0U;
  for (const char byte : text) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
  }
  std::string file("\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01", 11);
  const auto append = [&](std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  append(text.size(), 2);
  append(~text.size(), 2);
  file += text;
  append(~crc, 4);
  append(text.size(), 4);
  return file;
}

}  // namespace

std::vector<Reader> tools_readers(const std::string& folder, const Read& import) {
  return {
      {"files of other tools", imported_files(), mutate_mixed, import},
      {"ceilings of ERT",
       {R"({"empirical": {"gflops": {"data": [["FP64 GFLOPs", 288.5], ["GFLOPs", 250]], "metadata": {}},
        "gbytes": {"data": [["L1", 900.5], ["DRAM", 40]]}}})"},
       mutate_json,
       import},
      {"regions of Caliper",
       {R"({"data": [[0, 0.5, null], [0, 2.25, 0], [0, 1.5, 1]], "columns": ["mpi.rank", "time", "path"],
        "column_metadata": [{"is_value": true}, {"is_value": true, "attribute.unit": "sec"}, {"is_value": false}],
        "nodes": [{"label": "main", "column": "path"}, {"label": "sum", "column": "path", "parent": 0}]})",
        R"([{"path": "main", "sum#time.duration.ns": 250}, {"path": "main/sum", "sum#time.duration.ns": 4000}])"},
       mutate_json,
       import},
      {"traces of PyTorch",
       {R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 2,
        "ts": 10, "dur": 9.5, "args": {"External id": 1, "Input Dims": [[4], [2, 8], [8, 4], []],
        "Input type": ["float", "float", "float", "Scalar"], "Input Strides": [[1], [8, 1], [1, 8], []]}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 12, "dur": 1,
        "args": {"correlation": 3}}, {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 15, "dur": 4,
        "args": {"correlation": 3, "External id": 1, "device": 0}}]})"},
       mutate_json,
       import},
      {"JSON of rocprofv3",
       {R"({"rocprofiler-sdk-tool": [{"kernel_symbols": [{"kernel_id": 9, "kernel_name": "axpy"}], "counters": [{"id":
        {"handle": 5}, "name": "SQ_INSTS_VALU_FMA_F64"}], "callback_records": {"counter_collection": [{"dispatch_data":
        {"dispatch_info": {"agent_id": {"handle": 3}, "kernel_id": 9, "dispatch_id": 1, "grid_size": {"x": 64, "y": 1,
        "z": 1}}, "start_timestamp": 1000, "end_timestamp": 4000}, "records": [{"counter_id": {"handle": 5}, "value":
        10.0}]}]}, "buffer_records": {"kernel_dispatch": []}}]})"},
       mutate_json,
       import},
      {"databases", databases(), mutate_sql,
       [folder, import](const std::string& statements, Random& random) {
         import(database_of(folder, statements, random), random);
       }},
      {"gzip files", imported_files(), mutate_mixed, [import](const std::string& text, Random& random) {
         std::string file = gzip_of(text.substr(0, 60000));
         if (below(random, 2) == 0) file[below(random, file.size())] ^= static_cast<char>(1 + below(random, 255));
         import(file, random);
       }}};
}

}  // namespace gable::attack
