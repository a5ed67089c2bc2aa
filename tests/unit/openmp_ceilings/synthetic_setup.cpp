#include "tests/unit/openmp_ceilings/synthetic_setup.hpp"

#include <algorithm>

#include "backends/openmp/topology.hpp"

namespace gable::openmp::test {
namespace {

constexpr double kib = 1024.0, mib = 1024.0 * kib, gib = 1024.0 * mib;

const isa::ComputeKernel narrow_compute[] = {{"vector", "fp64", "fp64", "", "mul", 4, 2, nullptr, nullptr, 0},
                                             {"scalar", "fp64", "fp64", "", "mul", 1, 1, nullptr, nullptr, 0}};
const isa::ComputeKernel wide_compute[] = {{"vector", "fp64", "fp64", "", "fma", 16, 2, nullptr, nullptr, 0},
                                           {"vector", "fp32", "fp32", "", "fma", 32, 2, nullptr, nullptr, 0},
                                           {"vector", "fp64", "fp64", "no_fma", "mul+add", 8, 2, nullptr, nullptr, 0},
                                           {"vector", "fp64", "fp64", "no_ilp", "fma", 8, 1, nullptr, nullptr, 0},
                                           {"vector", "int32", "int32", "", "mulld", 8, 1, nullptr, nullptr, 0}};
const isa::ComputeKernel tile_compute[] = {{"matrix", "int8", "int32", "", "tdp", 1024, 1, nullptr, nullptr, 0}};
const isa::StreamKernel streams[] = {{"read", "none", nullptr},          {"write", "ordinary", nullptr},
                                     {"copy", "ordinary", nullptr},      {"triad", "ordinary", nullptr},
                                     {"write", "non_temporal", nullptr}, {"triad", "non_temporal", nullptr},
                                     {"random", "none", nullptr}};
const isa::IsaTable narrow{"narrow", 128, narrow_compute, streams};
const isa::IsaTable wide{"wide", 256, wide_compute, streams};
const isa::IsaTable tiles{"tiles", 512, tile_compute, {}};

measure::Policy shortest() {
  measure::Policy policy;
  policy.batch_s = 1e-5;
  policy.batches_per_block = 1;
  policy.blocks = 6;
  policy.time_limit_s = 5.0;
  policy.ceiling = true;
  return policy;
}

}  // namespace

SharedSetup synthetic_setup(Mode mode, std::vector<DType> dtypes) {
  auto setup = std::make_shared<Setup>();
  setup->device.id = "openmp";
  setup->device.cores = setup->device.threads = 4;
  setup->device.cpus = {0, 1, 2, 3};
  setup->device.memory = {{"L1", 32 * kib, 4, 1, 64, "test"},
                          {"L2", 512 * kib, 4, 1, 64, "test"},
                          {"L3", 16 * mib, 1, 4, 64, "test"},
                          {"DRAM", 16 * gib, 1, 4, 64, "test"}};
  setup->device.peaks = {
      {"vector", DType::fp64, {}, 4 * 16 * 2e9, "flop/s", 16.0, "4 cores x 16 x 2 GHz", Confidence::confirmed},
      {"DRAM", {}, {}, 50e9, "byte/s", {}, "two channels", Confidence::confirmed}};
  setup->request.mode = mode;
  setup->request.dtypes = std::move(dtypes);
  setup->cpus = setup->device.cpus;
  setup->instructions.tables = {&narrow, &wide};
  setup->instructions.missing = {{&tiles, "CPU has no TILES"}};
  setup->policies = policies_for(mode);
  setup->budget_bytes = 2 * gib;
  return setup;
}

SharedSetup small_setup(int threads) {
  auto setup = std::make_shared<Setup>();
  setup->device = probe().devices.at(0);
  const int cores = std::min(threads, setup->device.cores);
  setup->cpus.assign(setup->device.cpus.begin(), setup->device.cpus.begin() + cores);
  setup->instructions = native_instructions();
  // Small caches make a small memory.
  setup->device.memory = {{"L1", 16 * kib, cores, 1, 64, "test"},
                          {"L2", 128 * kib, cores, 1, 64, "test"},
                          {"DRAM", 1 * gib, 1, cores, 64, "test"}};
  setup->budget_bytes = 64 * mib;
  const auto policy = shortest();
  setup->policies = {policy, policy, policy, policy, policy, policy, policy};
  setup->pinned = std::make_shared<PinnedThreads>(setup->cpus);
  return setup;
}

}  // namespace gable::openmp::test
