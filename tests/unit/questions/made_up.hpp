#pragma once
#include <string>

#include "core/result/result.hpp"

/// Results made up for tests of answers: a device with whatever roofs and operators a case needs. No figure is a
/// measurement.
namespace gable::test {

/// A figure with an interval of ±`half` of it; without one for 0.
inline Estimate made_up(double value, double half = 0.01) {
  Estimate estimate;
  estimate.value = estimate.median = value;
  estimate.blocks = estimate.used_blocks = half > 0 ? 8 : 3;
  if (half > 0) {
    estimate.ci_low = value * (1 - half);
    estimate.ci_high = value * (1 + half);
  }
  return estimate;
}

/// "openmp" on host "here" with 4 cores, L1 and `memory`; no rows.
inline Result made_up_result(const std::string& name = "Some CPU", const std::string& memory = "DRAM") {
  Result result;
  result.run.hostname = "here";
  result.run.mode = Mode::full;
  result.run.started_at = "2026-01-01T00:00:00Z";
  DeviceInfo device;
  device.id = device.backend = "openmp";
  device.name = name;
  device.cores = device.threads = 4;
  device.memory = {{"L1", 32768, 4, 1, 64, "made up"}, {memory, 6.4e10, 1, 4, 64, "made up"}};
  result.devices = {device};
  return result;
}

inline Ceiling& add_row(Result& result, CeilingKind kind, const std::string& name, const std::string& unit,
                        double value) {
  Ceiling row{.device = "openmp",
              .threads = 4,
              .kind = kind,
              .name = name,
              .implementation = "native",
              .unit = unit,
              .value = made_up(value)};
  row.id = "row " + std::to_string(result.ceilings.size());
  result.ceilings.push_back(row);
  return result.ceilings.back();
}

/// A compute roof of a vector unit.
inline Ceiling& add_peak(Result& result, DType dtype, double value, OperatingPoint at = OperatingPoint::burst) {
  Ceiling& row = add_row(result, CeilingKind::compute, "vector", is_integer(dtype) ? "op/s" : "flop/s", value);
  row.dtype = dtype;
  row.accumulate = uniform_types(dtype).accumulate;
  row.at = at;
  return row;
}

/// The main memory's triad.
inline Ceiling& add_memory(Result& result, double value) {
  Ceiling& row = add_row(result, CeilingKind::bandwidth, result.devices.front().memory.back().name, "byte/s", value);
  row.access = Access::triad;
  row.stores = Stores::ordinary;
  row.at = OperatingPoint::sustained;
  return row;
}

/// One fp32 stage from main memory, two thirds of its bytes reads, as the triad.
inline Point& add_point(Result& result, const std::string& op, double flop, double byte, double time_s) {
  Point row;
  row.id = "point " + std::to_string(result.points.size());
  row.device = "openmp";
  row.threads = 4;
  row.op = op;
  row.params = "n=1000";
  row.implementation = "kokkos";
  row.types = uniform_types(DType::fp32);
  row.cold = true;
  row.stages = {{op, {{Unit::vector, flop}}, byte * 2 / 3, byte / 3, byte, 1, {}}};
  row.time = made_up(time_s);
  result.points.push_back(row);
  return result.points.back();
}

}  // namespace gable::test
