// One item of each kind, really measured, for a moment. Nothing here says how fast anything must be.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/openmp/ceilings/benchmarks.hpp"
#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/vendor_library.hpp"
#include "core/measure/rounds.hpp"
#include "tests/unit/openmp_ceilings/synthetic_setup.hpp"

namespace gable::openmp::test {
namespace {

const Item& item_with(const std::vector<Item>& items, std::string_view part) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.id().find(part) != std::string::npos; });
  if (found == items.end()) throw std::runtime_error("no item " + std::string(part));
  return *found;
}

Ceiling measured(const Item& item) {
  const auto row = std::get<Ceiling>(item.run().at(0));
  EXPECT_EQ(row.id, item.id());
  EXPECT_GT(row.value.value, 0.0) << item.id();
  EXPECT_EQ(row.value.samples.size(), static_cast<std::size_t>(row.value.blocks)) << item.id();
  if (row.value.ci_low) {
    EXPECT_LE(*row.value.ci_low, row.value.value) << item.id();
    EXPECT_GE(*row.value.ci_high, row.value.value) << item.id();
  }
  return row;
}

Curve measured_curve(const Item& item) {
  const auto curve = std::get<Curve>(item.run().at(0));
  EXPECT_EQ(curve.id, item.id());
  EXPECT_TRUE(curve.status == Status::ok || curve.reason.starts_with(measure::held_back_prefix)) << curve.reason;
  EXPECT_EQ(curve.x.size(), curve.y.size());
  EXPECT_TRUE(std::all_of(curve.y.begin(), curve.y.end(), [](double y) { return y > 0; }));
  return curve;
}

TEST(Measured, ComputeSaysWhatItRanAndOnWhat) {
  const auto setup = small_setup(2);
  const auto row = measured(item_with(compute_ceilings(setup), "compute/vector/fp64/burst"));
  EXPECT_EQ(row.threads, setup->threads());
  EXPECT_EQ(row.unit, "flop/s");
  EXPECT_EQ(row.accumulate, DType::fp64);
  EXPECT_FALSE(row.implementation.empty());
  EXPECT_FALSE(row.data_pattern.empty());
}

TEST(Measured, ClockIsTakenInTheKernelsOwnClassAndGivesTheTheory) {
  auto setup = small_setup(1);
  setup->policies.burst.batch_s = 5e-4;  // long enough to set the clock
  TheoreticalPeak peak;
  peak.name = "vector";
  peak.dtype = DType::fp64;
  peak.per_core_and_cycle = 1e3;  // beyond any core: the row cannot be suspect
  peak.value = 1.0;
  setup->device.peaks = {peak};
  const auto row = measured(item_with(compute_ceilings(setup), "compute/vector/fp64/burst"));
  ASSERT_TRUE(row.conditions.clock_hz);
  EXPECT_NE(row.conditions.clock_source.find("chain"), std::string::npos);
  EXPECT_DOUBLE_EQ(row.theory_at_clock.value(), 1e3 * *row.conditions.clock_hz);
}

TEST(Measured, FigureBeyondPhysicsIsImplausible) {
  auto setup = small_setup(1);
  setup->policies.burst.batch_s = 5e-4;
  TheoreticalPeak peak;
  peak.name = "vector";
  peak.dtype = DType::fp64;
  peak.per_core_and_cycle = 1e-3;  // below any core
  peak.value = 1.0;
  setup->device.peaks = {peak};
  EXPECT_NE(implausible(measured(item_with(compute_ceilings(setup), "compute/vector/fp64/burst"))), "");
}

TEST(Measured, BandwidthCountsWriteAllocateBeyondTheInnermostLevelOnly) {
  const auto setup = small_setup(2);
  const auto items = bandwidth_ceilings(setup);
  const auto memory = measured(item_with(items, "DRAM/copy/ordinary"));
  EXPECT_DOUBLE_EQ(memory.with_write_allocate.value(), 1.5 * memory.value.value);
  for (const char* words : {"L1/copy/ordinary", "L2/read", "DRAM/triad/non_temporal"})
    EXPECT_FALSE(measured(item_with(items, words)).with_write_allocate) << words;
}

/// The planned one, where no ladder says how much of the cache there is: on a busy machine it may find little.
TEST(Measured, BandwidthKeepsToItsWorkingSet) {
  const auto setup = small_setup(2);
  setup->first_ladder("read", []() -> Setup::Ladder { throw std::runtime_error("no block fitted"); });
  const auto sets = setup->sets();
  const auto row = measured(item_with(bandwidth_ceilings(setup), "L2/triad/ordinary"));
  EXPECT_LE(row.working_set_bytes.value(), sets[1].bytes);
  EXPECT_GT(row.working_set_bytes.value(), 0.8 * sets[1].bytes);
}

TEST(Measured, LinesAtRandomComeFromAPowerOfTwoOfThem) {
  EXPECT_EQ(random_set_bytes(3 * 100e3, 3), 3 * 65536);
  EXPECT_EQ(random_set_bytes(4096, 1), 4096);
  EXPECT_EQ(random_set_bytes(1, 2), 2 * 512);
  const auto setup = small_setup(2);
  const auto sets = setup->sets();
  const auto row = measured(item_with(bandwidth_ceilings(setup), "DRAM/random"));
  EXPECT_EQ(row.working_set_bytes.value(), random_set_bytes(sets.back().bytes, 2));
  EXPECT_GT(row.value.value, 0);
  EXPECT_FALSE(row.with_write_allocate);
}

TEST(Measured, StreamsWorkOnRandomValuesWhateverRanBefore) {
  const auto setup = small_setup(1);
  auto slice = setup->slice(0);
  std::fill(slice.begin(), slice.end(), 0.0);
  const auto triad = stream_kernel(setup->instructions, Access::triad, Stores::ordinary);
  StreamBenchmark benchmark(*setup, triad, 24.0 * 1024);
  benchmark.run(1);
  // a = b + 3 c with b and c in [0.5, 1.5)
  EXPECT_GE(slice[0], 2.0);
  EXPECT_LT(slice[0], 6.0);
  EXPECT_NE(slice[0], slice[1]);
}

TEST(Measured, LatencyIsATimeOfOneThread) {
  const auto row = measured(item_with(latency_ceilings(small_setup(2)), "latency/L2"));
  EXPECT_EQ(row.unit, "s");
  EXPECT_EQ(row.threads, 1);
  EXPECT_GT(row.working_set_bytes.value(), 0.0);
}

TEST(Measured, ParallelRegionCostsATime) {
  const auto row = measured(parallel_region_overhead(small_setup(2)));
  EXPECT_EQ(row.kind, CeilingKind::overhead);
  EXPECT_EQ(row.unit, "s");
}

TEST(Measured, LibraryRunsOnRandomData) {
  auto setup = small_setup(2);
  const auto library = make_vendor_library(setup->cpus);
  setup->library = library.get();
  if (!library->refuses_gemm(uniform_types(DType::fp32)).empty()) GTEST_SKIP() << "no CBLAS in this build";
  const auto row = measured(item_with(library_ceilings(setup), "vector/fp32/library"));
  EXPECT_EQ(row.implementation, library->name(uniform_types(DType::fp32)));
  EXPECT_EQ(row.data_pattern, "random_normal");
}

TEST(Measured, SweepKeepsTheWholeCurve) {
  const auto setup = small_setup(2);
  const auto curve = measured_curve(item_with(working_set_sweeps(setup), "working_set_sweep/read"));
  EXPECT_GT(curve.x.size(), 10U);
  EXPECT_TRUE(std::is_sorted(curve.x.begin(), curve.x.end()));
  EXPECT_GE(curve.x.back(), 0.5 * setup->sets().back().bytes);
}

TEST(Measured, RowsKeepTheirPlannedSizesWhereTheLadderFailed) {
  const auto setup = small_setup(1);
  int calls = 0;
  const auto climb = [&]() -> Setup::Ladder {
    ++calls;
    throw std::runtime_error("no block fitted");
  };
  setup->first_ladder("read", climb);
  setup->first_ladder("random", climb);
  EXPECT_TRUE(setup->first_ladder("read", climb).set_bytes.empty());
  EXPECT_EQ(calls, 2) << "once a series";
  const auto row = measured(item_with(bandwidth_ceilings(setup), "L2/read"));
  EXPECT_GT(row.working_set_bytes.value(), 0.8 * setup->sets()[1].bytes);
  EXPECT_NE(row.reason.find("caches as told"), std::string::npos) << row.reason;
  EXPECT_NE(row.reason.find("no block fitted"), std::string::npos) << row.reason;
  EXPECT_GT(measured_curve(item_with(working_set_sweeps(setup), "working_set_sweep/read")).x.size(), 10U)
      << "measures its own";
}

TEST(Ladder, IsSuspectWhereAThreadWasHeldBack) {
  const auto of = [](double preemption) {
    const std::vector<Block> blocks(3, {.figure = 1e9, .batches = 1, .preemption = preemption});
    return measure::estimate(blocks, {.ceiling = true});
  };
  Setup::Ladder ladder;
  ladder.add(1e5, of(1));
  Curve curve;
  ladder.fill(curve);
  EXPECT_EQ(curve.status, Status::ok);
  EXPECT_EQ(ladder.why_not(), "");
  ladder.add(2e5, of(5));
  ladder.add(4e5, of(1));
  ladder.fill(curve);
  EXPECT_EQ(curve.x, (std::vector<double>{1e5, 2e5, 4e5}));
  EXPECT_EQ(curve.status, Status::suspect);
  EXPECT_TRUE(curve.reason.starts_with(measure::held_back_prefix)) << curve.reason;
  EXPECT_NE(ladder.why_not().find("caches as told"), std::string::npos) << "no row is sized by it";
}

TEST(Measured, ScalingHasOnePointACoreCount) {
  auto setup = small_setup(2);
  if (setup->threads() < 2) GTEST_SKIP() << "one core";
  setup->request.mode = Mode::full;
  for (const auto& item : core_scaling(setup)) {
    EXPECT_EQ(measured_curve(item).x, (std::vector<double>{1.0, 2.0})) << item.id();
  }
}

TEST(Measured, NumaMatrixHasOnePointAPairOfDomains) {
  auto setup = small_setup(2);
  if (setup->threads() < 2) GTEST_SKIP() << "one core";
  setup->device.numa = {{0, 1e9, {setup->cpus[0]}}, {1, 1e9, {setup->cpus[1]}}};
  const auto items = numa_matrix(setup);
  EXPECT_EQ(items.size(), 4U);
  for (const auto& item : items) EXPECT_EQ(measured_curve(item).x, (std::vector<double>{0.0, 1.0})) << item.id();
}

}  // namespace
}  // namespace gable::openmp::test
