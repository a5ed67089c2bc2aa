#pragma once
#include "core/result/result.hpp"

namespace gable::test {

/// A result in which every field differs from its default and every optional is there.
inline Estimate full_estimate(double scale) {
  Estimate estimate;
  estimate.value = 0.1 * scale;
  estimate.ci_low = estimate.value * (1 - 1.0 / 3000);
  estimate.ci_high = estimate.value * (1 + 1.0 / 3000);
  estimate.estimator = Estimator::undisturbed;
  estimate.blocks = 8;
  estimate.used_blocks = 7;
  // The value is the median of the first seven, the median that of all eight.
  for (int i = 0; i < 8; ++i) estimate.samples.push_back(estimate.value * (1 + (i - 3) / 7000.0));
  estimate.median = (estimate.samples[3] + estimate.samples[4]) / 2;
  estimate.rounds = {0, 0, 0, 1, 1, 1, 2, 4};
  estimate.ended_s = {1.75e9, 1.75e9 + 5.125, 1.75e9 + 11, 1.75e9 + 20.5};
  estimate.disturbed_samples = {7};
  estimate.median_ci_low = estimate.median * 0.9;
  estimate.median_ci_high = estimate.median * 1.1;
  estimate.stop = StopReason::precise;
  estimate.seen = {.involuntary_switches = 0.25,
                   .sentinel_slowdown = 1.0 + 1.0 / 3,
                   .throughput_slowdown = 1.75,
                   .preemption_slowdown = 1.5,
                   .most_preemption = 1.75,
                   .disturbed_blocks = 1,
                   .stolen_s = 0.03,
                   .throttled_s = 0.25,
                   .moved_blocks = 2,
                   .waiting_share = 0.125};
  estimate.sentinel_s = {1.483e-5, 1.484e-5, 1.482e-5, 1.483e-5, 1.483e-5, 1.483e-5, 1.483e-5, 1.9e-5};
  estimate.throughput_s = {1.28e-5, 1.28e-5, 1.281e-5, 1.28e-5, 1.28e-5, 1.28e-5, 1.28e-5, 1.28e-5};
  estimate.preemption = {1, 1, 1.001, 1, 1, 1, 1, 1.5};
  estimate.interrupted_samples = {7};
  return estimate;
}

inline Ceiling full_ceiling() {
  return {.id = "compute/vector/fp16/burst",
          .device = "openmp",
          .scope = Scope::socket,
          .threads = 2,
          .kind = CeilingKind::compute,
          .name = "vector",
          .dtype = DType::fp16,
          .accumulate = DType::fp32,
          .at = OperatingPoint::burst,
          .implementation = "avx2",
          .variant = "no_fma",
          .algorithm = "66, tile 20, stages 36",
          .data_pattern = "random_normal",
          .unit = "flop/s",
          .value = full_estimate(1e12),
          .working_set_bytes = 4096,
          .conditions = {3.4e9, "dependent FMA chain", 61.7, 55.5, "power cap", 0.75},
          .datasheet = 1.2e11,
          .datasheet_source = "catalogue",
          .theory_at_clock = 1.01e11,
          .status = Status::suspect,
          .reason = "an \"odd\" reason: ü\n2nd line"};
}

inline Ceiling bandwidth_ceiling(const std::string& level, double byte_per_s) {
  return {.id = "bandwidth/" + level + "/triad/ordinary",
          .device = "openmp",
          .threads = 2,
          .kind = CeilingKind::bandwidth,
          .name = level,
          .access = Access::triad,
          .stores = Stores::ordinary,
          .at = OperatingPoint::sustained,
          .implementation = "avx2",
          .data_pattern = "index",
          .unit = "byte/s",
          .value = full_estimate(byte_per_s * 10),
          .with_write_allocate = byte_per_s * 4 / 3};
}

inline Point full_point() {
  Point row;
  row.id = "gemv/kokkos/fp16/m=64,n=32";
  row.device = "openmp";
  row.scope = Scope::numa;
  row.threads = 2;
  row.op = "gemv";
  row.implementation = "kokkos";
  row.types = {DType::int8, DType::fp16, DType::bf16, DType::fp32, DType::tf32};
  row.params = "m=64,n=32";
  row.stages = {{"product", {{Unit::matrix, 4096}, {Unit::exp, 64}}, 2112, 128, 2240, 3, {{"L2", 9000}}},
                {"scale", {{Unit::convert, 64}}, 128, 128, 256, 1, {}}};
  row.cold = true;
  row.launches = 3;
  row.graph = true;
  row.count = 2.5;
  row.label = "a layer";
  row.time = full_estimate(1e-5);
  row.conditions = {2.0e9, "counter", 70.5, 66.25, "", 0.25};
  row.regime = Regime::overhead_bound;
  row.limit = "kokkos_launch";
  row.bound_s = 5e-7;
  row.fraction_of_limit = 0.5;
  row.status = Status::ok;
  return row;
}

inline Curve full_curve() {
  return {"sweep/triad",
          "openmp",
          Scope::core,
          1,
          "working_set_sweep",
          "triad",
          "working set",
          "byte",
          "bandwidth",
          "byte/s",
          {1024, 2048.5, 1e9},
          {3e11, 2e11, 2.5e10},
          {3.1e11, 2e11, 2.5e10, 2.9e11, 2e11, 2.5e10},
          Status::skipped,
          "cut short"};
}

inline DeviceInfo full_device() {
  DeviceInfo device;
  device.id = "openmp";
  device.backend = "openmp";
  device.name = "A CPU";
  device.vendor = "Somebody";
  device.microarchitecture = "Zen 3";
  device.isa = {"avx2", "fma"};
  device.sockets = 2;
  device.cores = 3;
  device.threads = 6;
  device.cpus = {0, 2, 4};
  device.base_clock_hz = 2.45e9;
  device.max_clock_hz = 3.5e9;
  device.clock_source = "cpufreq";
  device.memory = {
      {"L1", 32768, 3, 1, 64, "hwloc"}, {"L2", 524288, 3, 1, 64, "hwloc"}, {"DRAM", 8e9, 2, 3, 64, "sysfs"}};
  device.numa = {{0, 4e9, {0, 2}}, {1, 4e9, {4}}};
  device.free_memory_bytes = 7e9;
  device.peaks = {{"vector", DType::fp64, DType::fp64, 1.2e11, "flop/s", 16.0, "2 x 4 x 2", Confidence::derived}};
  device.facts = {{"governor", "performance", "sysfs"}, {"governor", "again", "test of order"}};
  return device;
}

inline Result full_result() {
  Result result;
  result.build = {"0.1.0", "abcdef0", true, "GNU 12.2", "-O3", "Release", {{"zlib", "1"}, {"fmt", "9.1.0"}}};
  Build worker = result.build;
  worker.libraries.emplace_back("Kokkos", "4.6.99");
  worker.target = "native (x86-64-v3 with gfni)";
  result.workers = {{"gable-worker-openmp-native", worker}, {"gable-worker-a", result.build}};
  result.run = {"2026-01-31T12:00:00Z",
                "2026-01-31T12:05:00Z",
                {"gable", "measure", "--device=openmp"},
                Mode::full,
                true,
                2,
                "node017",
                "Some Linux 12",
                "Linux 6.1 x86_64",
                {{"hypervisor", "none", "CPUID leaf 1"}}};
  Request& request = result.request.emplace();
  request.mode = Mode::full;
  request.threads = 3;
  request.dtypes = {DType::fp64};
  request.cases = {{.op = "gemm", .params = {Params::parse("m=64,n=32,k=16")}, .count = 2.5, .label = "layer, first"}};
  result.devices = {full_device()};
  result.ceilings = {full_ceiling(), bandwidth_ceiling("L1", 3e11), bandwidth_ceiling("DRAM", 2.5e10)};
  result.curves = {full_curve()};
  result.points = {full_point()};
  result.notes = {"no counter for power"};
  return result;
}

}  // namespace gable::test
