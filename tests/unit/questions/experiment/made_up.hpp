#pragma once
#include <string>

#include "core/operator.hpp"
#include "core/result/result.hpp"
#include "core/verdict/roofs.hpp"

/// Results made up by hand: every roof is a round figure, so that each answer can be computed on paper.
namespace gable::test {

/// One device, "dev": 1 MiB of cache, main memory at 10 GB/s, vector fp32 and fp64 at 100 and 50 GFLOP/s, a launch of
/// 10 us that adds to the work.
inline Result made_up_result() {
  Result result;
  DeviceInfo device;
  device.id = "dev";
  device.backend = "openmp";
  device.cores = device.threads = 1;
  device.memory = {{"L2", 1024.0 * 1024.0, 1, 1, 64, ""}, {"DRAM", 64e9, 1, 1, 64, ""}};
  device.free_memory_bytes = 8e9;
  result.devices = {device};
  const auto add = [&](CeilingKind kind, const std::string& name, double value, const std::string& unit) -> Ceiling& {
    Ceiling row{.id = name, .device = "dev", .threads = 1, .kind = kind, .name = name, .unit = unit};
    row.value.value = row.value.median = value;
    return result.ceilings.emplace_back(row);
  };
  for (const char* level : {"L2", "DRAM"}) {
    Ceiling& row = add(CeilingKind::bandwidth, level, level == std::string("L2") ? 100e9 : 10e9, "byte/s");
    row.access = Access::copy;
    row.stores = Stores::ordinary;
    row.at = OperatingPoint::sustained;
  }
  for (const auto& [dtype, rate] : {std::pair{DType::fp32, 100e9}, std::pair{DType::fp64, 50e9}}) {
    Ceiling& row = add(CeilingKind::compute, "vector", rate, "flop/s");
    row.dtype = row.accumulate = dtype;
    row.at = OperatingPoint::burst;
  }
  add(CeilingKind::overhead, "kokkos_launch", 10e-6, "s");
  return result;
}

/// The same with the verdicts of its points.
inline Result judged(Result result) {
  set_verdicts(result);
  return result;
}

/// A measured point of an operator of this build.
inline Point made_up_point(const std::string& op, const Params& params, double time_s, DType dtype = DType::fp32,
                           int launches = 1) {
  Point point;
  point.device = "dev";
  point.threads = 1;
  point.op = op;
  point.implementation = "kokkos";
  point.types = uniform_types(dtype);
  point.params = params.to_string();
  point.launches = launches;
  point.stages = repeated(find_spec(op).work(params, point.types), launches);
  point.time.value = point.time.median = time_s;
  point.time.blocks = 8;
  return point;
}

}  // namespace gable::test
