#include "tests/report/sample.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/verdict/roofs.hpp"

namespace gable::test {
namespace {

Estimate estimate(double value) {
  Estimate estimate;
  estimate.value = estimate.median = value;
  estimate.ci_low = estimate.median_ci_low = value * 0.99;
  estimate.ci_high = estimate.median_ci_high = value * 1.01;
  estimate.blocks = estimate.used_blocks = 8;
  estimate.samples.assign(8, value);
  return estimate;
}

DeviceInfo device(const std::string& id, const std::string& name, std::vector<MemoryLevel> memory) {
  DeviceInfo info;
  info.id = id;
  info.backend = id.substr(0, id.find(':'));
  info.name = name;
  info.cores = info.threads = 16;
  info.memory = std::move(memory);
  return info;
}

void add_roofs(Result& result, const std::string& id, Unit unit, DType dtype, double peak) {
  result.ceilings.push_back(sample_compute(id, unit, dtype, OperatingPoint::burst, peak));
  result.ceilings.push_back(sample_compute(id, unit, dtype, OperatingPoint::sustained, peak * 0.9));
  if (dtype != DType::int8)
    result.ceilings.push_back(sample_compute(id, unit, dtype, OperatingPoint::library, peak * 0.8));
}

void add_cpu(Result& result) {
  const std::string id = "openmp";
  result.devices.push_back(device(id, "Synthetic CPU",
                                  {{"L1", 32768, 16, 1, 64, "made up"},
                                   {"L2", 1048576, 16, 1, 64, "made up"},
                                   {"L3", 33554432, 1, 16, 64, "made up"},
                                   {"DRAM", 6.4e10, 1, 16, 64, "made up"}}));
  add_roofs(result, id, Unit::vector, DType::fp64, 6e11);
  add_roofs(result, id, Unit::vector, DType::fp32, 1.2e12);
  constexpr std::array<std::pair<const char*, double>, 4> levels{
      {{"L1", 6e12}, {"L2", 2.5e12}, {"L3", 9e11}, {"DRAM", 8e10}}};
  for (const auto& [level, rate] : levels) {
    result.ceilings.push_back(sample_bandwidth(id, level, Access::triad, Stores::ordinary, rate));
    result.ceilings.push_back(sample_bandwidth(id, level, Access::read, Stores::ordinary, rate * 1.2));
  }
  result.ceilings.push_back(sample_bandwidth(id, "DRAM", Access::triad, Stores::non_temporal, 1.05e11));
}

void add_gpu(Result& result) {
  const std::string id = "cuda:0";
  result.devices.push_back(
      device(id, "Synthetic GPU", {{"L2", 5e7, 1, 132, 128, "made up"}, {"HBM", 8e10, 1, 132, 64, "made up"}}));
  add_roofs(result, id, Unit::vector, DType::fp32, 6e13);
  add_roofs(result, id, Unit::matrix, DType::fp16, 9e14);
  add_roofs(result, id, Unit::matrix, DType::int8, 1.8e15);
  result.ceilings.push_back(sample_bandwidth(id, "L2", Access::triad, Stores::ordinary, 8e12));
  result.ceilings.push_back(sample_bandwidth(id, "HBM", Access::triad, Stores::ordinary, 3e12));
}

void add_points(Result& result, const std::string& id, Unit unit, DType dtype, DType other, double peak, double rate,
                int count) {
  constexpr std::array<const char*, 8> names{"relu", "gelu",      "softmax", "layernorm",
                                             "gemv", "attention", "spmv",    "gemm"};
  for (int i = 0; i < count; ++i) {
    const double intensity = 0.1 * std::pow(1e4, count > 1 ? static_cast<double>(i) / (count - 1) : 0.5);
    Point point;
    point.device = id;
    point.threads = 16;
    point.op = names[static_cast<std::size_t>(i * 8 / count)];
    point.implementation = i % 3 == 2 ? "vendor" : "kokkos";
    point.types = uniform_types(i % 2 == 0 ? dtype : other);
    point.params = fmt::format("m={},n={}", 1024 + 64 * i, 4096);
    point.id = fmt::format("point/{}/{}", point.op, i);
    const double bytes = 1e9;
    point.types.compute = dtype;
    point.types.accumulate = uniform_types(dtype).accumulate;
    point.stages = {{point.op, {{unit, intensity * bytes}}, bytes * 2 / 3, bytes / 3, bytes, 1, {}}};
    const double bound = std::max(bytes / rate, intensity * bytes / peak);
    point.time = estimate(bound / (0.35 + 0.6 * std::abs(std::sin(1.7 * i))));
    result.points.push_back(point);
  }
}

}  // namespace

Ceiling sample_compute(const std::string& device, Unit unit, DType dtype, OperatingPoint at, double value) {
  Ceiling row{.device = device,
              .threads = 16,
              .kind = CeilingKind::compute,
              .name = std::string(to_string(unit)),
              .dtype = dtype,
              .accumulate = uniform_types(dtype).accumulate,
              .at = at,
              .implementation = at == OperatingPoint::library ? "library" : "native",
              .data_pattern = "random_normal",
              .unit = is_integer(dtype) ? "op/s" : "flop/s",
              .value = estimate(value)};
  row.id = fmt::format("ceiling/compute/{}/{}/{}", row.name, to_string(dtype), to_string(at));
  row.conditions.clock_hz = 3.1e9;
  row.datasheet = value * 1.25;
  row.theory_at_clock = value * 1.02;
  return row;
}

Ceiling sample_bandwidth(const std::string& device, const std::string& level, Access access, Stores stores,
                         double value) {
  Ceiling row{.device = device,
              .threads = 16,
              .kind = CeilingKind::bandwidth,
              .name = level,
              .access = access,
              .stores = stores,
              .at = OperatingPoint::sustained,
              .implementation = "native",
              .data_pattern = "index",
              .unit = "byte/s",
              .value = estimate(value)};
  if (stores == Stores::ordinary && access == Access::triad) row.with_write_allocate = value * 4 / 3;
  row.id = fmt::format("ceiling/bandwidth/{}/{}/{}", level, to_string(access), to_string(stores));
  return row;
}

Result sample_result(Devices devices, int points) {
  Result result;
  result.run.started_at = "2026-01-02T03:04:05Z";
  result.run.mode = Mode::full;
  if (devices != Devices::gpu) {
    add_cpu(result);
    add_points(result, "openmp", Unit::vector, DType::fp32, DType::fp64, 1.2e12, 8e10, points);
  }
  if (devices != Devices::cpu) {
    add_gpu(result);
    add_points(result, "cuda:0", Unit::matrix, DType::fp16, DType::bf16, 9e14, 3e12, points);
  }
  set_verdicts(result);
  return result;
}

}  // namespace gable::test
