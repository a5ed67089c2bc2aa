#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "backends/gpu/ceilings/ceilings.hpp"
#include "core/worker/run_driver.hpp"
#include "tests/unit/gpu/fake_measurements.hpp"

namespace gable::gpu::test {
namespace {

constexpr double mib = 1024.0 * 1024.0;

std::vector<Item> all_of(const Opened& device) {
  std::vector<Item> items;
  for (auto make : {bandwidth_ceilings, latency_ceilings, launch_overheads, link_ceilings, working_set_sweeps}) {
    auto more = make(device.setup);
    std::move(more.begin(), more.end(), std::back_inserter(items));
  }
  return items;
}

TEST(Plan, EveryItemHasAnIdOfItsOwnThatComesOutTheSameTwice) {
  const auto first = all_of(Opened(h200())), second = all_of(Opened(h200()));
  EXPECT_EQ(ids(first), ids(second));
  EXPECT_TRUE(std::ranges::equal(first, second, {}, &Item::id, &Item::id)) << "another order";
}

TEST(Bandwidth, MemoryStreamsAreFarBeyondL2AndL2StreamsWellInsideIt) {
  const Opened device(h200());
  for (const auto& item : bandwidth_ceilings(device.setup)) item.run();
  const double l2 = device.setup->facts.l2_bytes;
  ASSERT_EQ(device.measurements->streams.size(), 10U);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto& memory = device.measurements->streams[i];
    EXPECT_GE(memory.working_set_bytes / arrays_of(memory.access), 4 * l2);
    EXPECT_LE(memory.working_set_bytes, device.setup->budget_bytes);
    EXPECT_LT(device.measurements->streams[i + 5].working_set_bytes, 0.5 * l2);
  }
}

/// Each die reads all of them, so that those of L2 fit into the L2 of one.
TEST(Bandwidth, LinesAtRandomAreAPowerOfTwoThatTheLevelOfEachDieHolds) {
  const std::map<std::string, std::vector<double>> sizes = {{"NVIDIA H200", {512, 8}},
                                                            {"AMD Instinct MI210", {512, 2}},
                                                            {"AMD Instinct MI300X", {1024, 128, 1}},
                                                            {"AMD Radeon RX 7900 XTX", {512, 32, 1}}};
  for (const auto& facts : {h200(), mi210(), mi300x(), rx7900xtx()}) {
    const Opened device(facts);
    for (const auto& item : bandwidth_ceilings(device.setup)) item.run();
    std::vector<double> found;
    for (const auto& stream : device.measurements->streams) {
      if (stream.access == Access::random) found.push_back(stream.working_set_bytes / mib);
    }
    EXPECT_EQ(found, sizes.at(facts.name)) << facts.name;
  }
  auto full = h200();
  full.free_memory_bytes = 1000 * mib;  // a quarter of it holds four times 50 MiB, but no power of two of that
  EXPECT_EQ(run(bandwidth_ceilings(Opened(full).setup), "ceiling/bandwidth/HBM/random/sustained/cuda").status,
            Status::skipped);
}

/// A read of a sector counts as a line of twice its bytes, so that a bound is reads / rate as on CPUs.
TEST(Bandwidth, LinesAtRandomHaveNoDatasheetThatTheyMayExceed) {
  const Opened device(h200());
  device.measurements->rate = 6e12;
  const auto row = run(bandwidth_ceilings(device.setup), "ceiling/bandwidth/HBM/random/sustained/cuda");
  EXPECT_NEAR(row.value.value, 6e12, 1e6);
  EXPECT_FALSE(row.datasheet || row.theory_at_clock);
  EXPECT_EQ(row.stores, Stores::none);
  EXPECT_EQ(row.working_set_bytes, 512 * mib);
}

TEST(Bandwidth, ARowIsWhatTheDeviceDidWithItsClockAndItsDatasheet) {
  const Opened device(h200());
  device.measurements->rate = 4.4e12;
  const auto row = run(bandwidth_ceilings(device.setup), "ceiling/bandwidth/HBM/read/sustained/cuda");
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_NEAR(row.value.value, 4.4e12, 1e6);
  ASSERT_TRUE(row.datasheet);
  EXPECT_NEAR(*row.datasheet, 4.8e12, 1e9);
  EXPECT_EQ(row.conditions.clock_hz, 1.5e9);
  EXPECT_EQ(row.threads, 132);
}

/// 132 multiprocessors x 128 byte x 1.5 GHz = 25.3 TB/s.
TEST(Bandwidth, SharedMemoryAboveItsBanksIsImplausible) {
  const Opened device(h200());
  const std::string id = "ceiling/bandwidth/shared/read/sustained/cuda";
  device.measurements->rate = 25e12;
  const auto possible = run(bandwidth_ceilings(device.setup), id);
  EXPECT_EQ(implausible(possible), "");
  EXPECT_NEAR(possible.theory_at_clock.value(), 25.344e12, 1e6);
  device.measurements->rate = 30e12;
  EXPECT_NE(implausible(run(bandwidth_ceilings(device.setup), id)), "");
}

TEST(Bandwidth, WhatDoesNotFitIsSkippedWithTheReason) {
  auto full = h200();
  full.free_memory_bytes = 400 * mib;  // a quarter of it is less than four times 50 MiB
  const Opened device(full);
  const auto row = run(bandwidth_ceilings(device.setup), "ceiling/bandwidth/HBM/triad/ordinary/sustained/cuda");
  EXPECT_EQ(row.status, Status::skipped);
  EXPECT_NE(row.reason.find("100 MiB"), std::string::npos) << row.reason;
  EXPECT_TRUE(device.measurements->streams.empty());
}

TEST(Bandwidth, TheRuntimesCopyStandsBesideTheCeiling) {
  const auto row =
      run(bandwidth_ceilings(Opened(h200()).setup), "ceiling/bandwidth/HBM/copy/ordinary/library/cuda_memcpy/runtime");
  EXPECT_EQ(row.at, OperatingPoint::library);
  EXPECT_FALSE(row.variant.empty());
}

TEST(Bandwidth, InfinityCacheHasRowsBetweenL2AndMainMemory) {
  const Opened device(mi300x());
  const auto items = bandwidth_ceilings(device.setup);
  const auto found = ids(items);
  EXPECT_TRUE(found.contains("ceiling/bandwidth/Infinity Cache/read/sustained/hip"));
  EXPECT_TRUE(found.contains("ceiling/bandwidth/Infinity Cache/copy/ordinary/sustained/hip"));
  EXPECT_TRUE(found.contains("ceiling/bandwidth/LDS/read/sustained/hip"));
  EXPECT_FALSE(found.contains("ceiling/bandwidth/shared/read/sustained/hip"));
  run(items, "ceiling/bandwidth/Infinity Cache/copy/ordinary/sustained/hip");
  const auto& stream = device.measurements->streams.back();
  EXPECT_GE(stream.working_set_bytes, 2 * 32 * mib);  // beyond all L2 together
  EXPECT_LE(stream.working_set_bytes, 0.5 * 256 * mib);
  EXPECT_FALSE(
      ids(bandwidth_ceilings(Opened(mi210()).setup)).contains("ceiling/bandwidth/Infinity Cache/read/sustained/hip"));
}

TEST(Bandwidth, MainMemoryIsFarBeyondTheInfinityCache) {
  for (const auto& facts : {mi300x(), mi300x_cpx(), rx7900xtx()}) {
    const Opened device(facts);
    EXPECT_GE(memory_set_bytes(*device.setup, 3) / 3, 4 * facts.infinity_cache_bytes) << facts.name;
  }
  auto full = mi300x();
  full.free_memory_bytes = 2048 * mib;  // a quarter of it is less than four times 256 MiB
  const auto row = run(bandwidth_ceilings(Opened(full).setup), "ceiling/bandwidth/HBM/read/sustained/hip");
  EXPECT_EQ(row.status, Status::skipped);
  EXPECT_EQ(row.reason, "four times Infinity Cache do not fit into 512 MiB, a quarter of the free memory");
}

/// 104 compute units x 128 byte (LDS) or 64 byte (L1) x 1.7 GHz; 304 x 128 x 2.1 GHz; none is stated for RDNA3 and L1
/// of MI300X.
TEST(Bandwidth, NearMemoriesHaveTheTheoryOfTheirArchitecture) {
  const auto row = [](const DeviceFacts& facts, const std::string& level) {
    return run(bandwidth_ceilings(Opened(facts).setup), "ceiling/bandwidth/" + level + "/read/sustained/hip");
  };
  EXPECT_NEAR(row(mi210(), "LDS").datasheet.value(), 22.63e12, 0.01e12);
  EXPECT_NEAR(row(mi210(), "L1").datasheet.value(), 11.31e12, 0.01e12);
  EXPECT_NEAR(row(mi300x(), "LDS").datasheet.value(), 81.72e12, 0.01e12);
  EXPECT_FALSE(row(mi300x(), "L1").datasheet);
  EXPECT_NEAR(row(mi300x(), "LDS").theory_at_clock.value(), 304 * 128 * 1.5e9, 1e6);
  EXPECT_FALSE(row(rx7900xtx(), "LDS").datasheet);
  EXPECT_FALSE(row(rx7900xtx(), "LDS").theory_at_clock);
  EXPECT_EQ(row(rx7900xtx(), "LDS").status, Status::ok);
}

ComputeKernel kernel(Unit unit, DType storage, DType accumulate, bool beside = false) {
  auto made = kernel_of(unit, storage, accumulate);
  made.instruction = beside ? "mma" : "native";
  made.beside = beside;
  return made;
}
/// What a build for sm_90a has.
std::vector<ComputeKernel> kernels_of_hopper() {
  using enum DType;
  auto kernels = missing_kernels("90a");
  for (const auto type : {fp64, fp32, fp16, bf16, int32}) kernels.push_back(kernel(Unit::vector, type, type));
  kernels.push_back(kernel(Unit::vector, int8, int32));
  for (const auto unit : {Unit::exp, Unit::divide}) {
    for (const auto type : {fp64, fp32}) kernels.push_back(kernel(unit, type, type));
  }
  for (const auto type : {fp16, bf16}) kernels.push_back(kernel(Unit::convert, type, fp32));
  for (const bool beside : {false, true}) {
    kernels.push_back(kernel(Unit::matrix, fp64, fp64, beside));
    for (const auto type : {tf32, fp16, bf16}) kernels.push_back(kernel(Unit::matrix, type, fp32, beside));
    kernels.push_back(kernel(Unit::matrix, fp16, fp16, beside));
    kernels.push_back(kernel(Unit::matrix, int8, int32, beside));
  }
  for (const auto type : {fp8_e4m3, fp8_e5m2}) kernels.push_back(kernel(Unit::matrix, type, fp32));
  return kernels;
}

/// s of all planned rounds of a calibration of an H200.
double planned_s(Mode mode) {
  const Opened device(h200(), mode);
  device.measurements->built = kernels_of_hopper();
  auto items = all_of(device);
  for (auto make : {compute_ceilings, library_ceilings}) {
    auto more = make(device.setup);
    std::move(more.begin(), more.end(), std::back_inserter(items));
  }
  const auto rounds = worker::rounds_of(mode);
  double sum = 0;
  for (const auto& item : items) {
    sum += rounds.of({item.planned, item.title, item.expected_s, item.timeout_s}) * item.expected_s;
  }
  return sum;
}

/// The goals of docs/benchmarks.md: quick in its three rounds, full with its further ones.
TEST(Plan, CalibratingAnH200TakesHalfAMinuteOrThree) {
  EXPECT_LE(planned_s(Mode::quick), 30.0);
  EXPECT_LE(planned_s(Mode::full) * (1 + worker::rounds_of(Mode::full).further), 180.0);
  EXPECT_GE(planned_s(Mode::full), 2 * planned_s(Mode::quick)) << "something is left out";
}

/// Divisions, in bursts with rests, and lines at random of L2 and, once more among the operators, of main memory.
TEST(Plan, ReciprocalsAndLinesAtRandomTakeHalfASecondOfAQuickRun) {
  const Opened device(h200());
  device.measurements->built = kernels_of_hopper();
  double sum = 0;
  for (auto make : {compute_ceilings, bandwidth_ceilings}) {
    for (const auto& item : make(device.setup)) {
      const auto& row = std::get<Ceiling>(item.planned);
      const bool twice = row.access == Access::random && row.name == "HBM";
      if (row.name == "divide" || row.access == Access::random) sum += (twice ? 2 : 1) * item.expected_s;
    }
  }
  EXPECT_LE(worker::rounds_of(Mode::quick).count * sum, 0.5);
}

TEST(Plan, OtherSizesOfALibrarysProductTakeFewerRounds) {
  const auto full = worker::rounds_of(Mode::full);
  const Opened device(h200(), Mode::full);
  int others = 0;
  for (const auto& item : library_ceilings(device.setup)) {
    const bool other = !std::get<Ceiling>(item.planned).variant.empty();
    others += other ? 1 : 0;
    EXPECT_EQ(full.of({item.planned, item.title, item.expected_s, item.timeout_s}), other ? 2 : full.of_a_long_item)
        << item.id();
  }
  EXPECT_EQ(others, 27);
  EXPECT_GE(2 * device.setup->policies.library.blocks, 6) << "blocks enough for an interval";
}

/// The library is judged beside what a unit sustains: both begin as warm.
TEST(Policies, LibraryAndSustainedRowsWarmUpAlike) {
  for (const Mode mode : {Mode::quick, Mode::full}) {
    EXPECT_EQ(policies_for(mode).library.warmup_s, policies_for(mode).sustained.warmup_s);
  }
}

TEST(Latency, OneThreadHasTheL2OfItsDieAndGoesOnIntoTheInfinityCache) {
  const Opened device(mi300x());
  const auto items = latency_ceilings(device.setup);
  for (const auto& item : items) item.run();
  const auto& chases = device.measurements->chases;
  ASSERT_EQ(chases.size(), 5U);
  EXPECT_EQ(items[0].id(), "ceiling/latency/LDS/pointer_chase");
  EXPECT_LE(chases[2].bytes, 0.5 * 4 * mib);
  EXPECT_EQ(items[3].id(), "ceiling/latency/Infinity Cache/pointer_chase");
  EXPECT_GE(chases[3].bytes, 4 * 4 * mib);
  EXPECT_LE(chases[3].bytes, 64 * mib) << "more would count misses of the TLB";
  EXPECT_GE(chases[4].bytes, 4 * 256 * mib);
}

TEST(Sweep, SpansBothSidesOfL2AndIsKeptWhole) {
  const Opened device(h200(), Mode::full);
  const auto items = working_set_sweeps(device.setup);
  ASSERT_EQ(items.size(), 2U);
  const auto curve = std::get<Curve>(items.front().run().front());
  ASSERT_EQ(curve.x.size(), curve.y.size());
  EXPECT_LT(curve.x.front(), 0.1 * device.setup->facts.l2_bytes);
  EXPECT_GE(curve.x.back(), 4 * device.setup->facts.l2_bytes);
  EXPECT_TRUE(std::ranges::is_sorted(curve.x));
  items.back().run();
  EXPECT_TRUE(device.measurements->streams.back().cold);
  EXPECT_FALSE(device.measurements->streams.front().cold);
}

/// Where L2 ends is found among sizes, no finer: in quick mode too they grow by less than a half there.
TEST(Sweep, TakesTwoSizesInADoublingWhereL2MayEnd) {
  const Opened device(h200(), Mode::quick);
  const double l2 = device.setup->facts.l2_bytes;
  const auto sizes = sweep_sizes(*device.setup);
  for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_LT(sizes[i] / sizes[i - 1], sizes[i] > 0.3 * l2 ? 1.42 : 2.01);
  EXPECT_EQ(std::ranges::count(sizes, l2), 1);
  EXPECT_LE(sizes.size(), 12U);
}

/// At 1e12 byte/s a pass takes four launches of 2e-6 s at 8 MB: of the sizes 1.56, 3.13, 6.25, 12.5 MiB … the last is
/// kept.
TEST(Sweep, ColdPassesAreLongerThanFourLaunchesOrLeftOut) {
  const Opened device(h200(), Mode::quick);
  device.measurements->launch_s = 2e-6;
  const auto items = working_set_sweeps(device.setup);
  const auto hot = std::get<Curve>(items.front().run().front()), cold = std::get<Curve>(items.back().run().front());
  EXPECT_EQ(hot.x.front(), 50 * mib / 32);
  EXPECT_EQ(cold.x.front(), 12.5 * mib);
  EXPECT_EQ(cold.x.back(), hot.x.back());
  EXPECT_EQ(cold.x.size(), hot.x.size() - 3);
  EXPECT_TRUE(std::ranges::is_sorted(cold.x));
  EXPECT_EQ(std::ranges::count(device.measurements->streams, 12.5 * mib, &StreamSpec::working_set_bytes), 2);
  EXPECT_EQ(std::ranges::count(device.measurements->streams, 6.25 * mib, &StreamSpec::working_set_bytes), 1);
}

TEST(Latency, EachLevelIsChasedWhereItHoldsTheCycle) {
  const Opened device(h200());
  for (const auto& item : latency_ceilings(device.setup)) item.run();
  const auto& chases = device.measurements->chases;
  ASSERT_EQ(chases.size(), 4U);
  const double l2 = device.setup->facts.l2_bytes;
  EXPECT_LE(chases[0].bytes, device.setup->facts.shared_per_block_bytes);
  EXPECT_LE(chases[1].bytes, 64 * 1024);
  EXPECT_GT(chases[2].bytes, device.setup->facts.shared_per_multiprocessor_bytes);
  EXPECT_LT(chases[2].bytes, l2);
  EXPECT_GE(chases[3].bytes, 4 * l2);
}

TEST(Links, PinnedMemoryIsTheCeilingAndPageableStandsBeside) {
  const auto items = link_ceilings(Opened(h200()).setup);
  ASSERT_EQ(items.size(), 6U);
  EXPECT_TRUE(run(items, "ceiling/link/host_to_device/cuda_memcpy").variant.empty());
  EXPECT_EQ(run(items, "ceiling/link/host_to_device/cuda_memcpy/pageable").variant, "pageable");
}

TEST(Links, EveryOtherDeviceOfTheProcessIsALink) {
  const Opened device(h200());
  device.measurements->others = {{1, true}, {2, false}};
  const auto items = link_ceilings(device.setup);
  EXPECT_TRUE(run(items, "ceiling/link/to_cuda:1/cuda_memcpy").variant.empty());
  EXPECT_EQ(run(items, "ceiling/link/to_cuda:2/cuda_memcpy/through_host").variant, "through_host");
}

}  // namespace
}  // namespace gable::gpu::test
