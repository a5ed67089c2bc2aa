// What is planned for a machine that does not exist: every row there, each with its reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backends/openmp/ceilings/bandwidth.hpp"
#include "backends/openmp/ceilings/compute.hpp"
#include "backends/openmp/ceilings/datasheet.hpp"
#include "backends/openmp/ceilings/latency.hpp"
#include "backends/openmp/ceilings/library.hpp"
#include "backends/openmp/ceilings/numa.hpp"
#include "backends/openmp/ceilings/overhead.hpp"
#include "backends/openmp/ceilings/row.hpp"
#include "backends/openmp/ceilings/scaling.hpp"
#include "backends/openmp/ceilings/sweep.hpp"
#include "tests/unit/openmp_ceilings/synthetic_setup.hpp"

namespace gable::openmp::test {
namespace {

std::set<std::string> ids(const std::vector<Item>& items) {
  std::set<std::string> found;
  for (const auto& item : items) found.insert(item.id);
  return found;
}

std::vector<Item> everything(const SharedSetup& setup) {
  std::vector<Item> all;
  for (auto& part : {compute_ceilings(setup), library_ceilings(setup), bandwidth_ceilings(setup),
                     latency_ceilings(setup), working_set_sweeps(setup), core_scaling(setup), numa_matrix(setup)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  all.push_back(parallel_region_overhead(setup));
  return all;
}

/// The row of an item that needs no measuring.
Ceiling unmeasured(const std::vector<Item>& items, const std::string& id) {
  const auto item = std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.id == id; });
  if (item == items.end()) {
    ADD_FAILURE() << "no item " << id;
    return {};
  }
  const auto rows = item->run();
  EXPECT_EQ(rows.size(), 1U);
  return std::get<Ceiling>(rows.at(0));
}

TEST(Plan, IdsAreUniqueInBothModes) {
  for (const auto mode : {Mode::quick, Mode::full}) {
    const auto items = everything(synthetic_setup(mode));
    EXPECT_EQ(ids(items).size(), items.size()) << to_string(mode);
  }
}

TEST(Plan, EveryItemHasATitleAndAnHonestLimit) {
  for (const auto& item : everything(synthetic_setup())) {
    EXPECT_FALSE(item.title.empty()) << item.id;
    EXPECT_GE(item.limit_s, 10.0 * item.expected_s) << item.id;
  }
}

TEST(Plan, IdIsMadeOfWhatIdentifiesTheRow) {
  Ceiling row;
  row.kind = CeilingKind::bandwidth;
  row.name = "DRAM";
  row.access = Access::triad;
  row.stores = Stores::non_temporal;
  row.implementation = "avx2";
  EXPECT_EQ(ceiling_id(row), "ceiling/bandwidth/DRAM/triad/non_temporal/avx2");
  row = {};
  row.kind = CeilingKind::compute;
  row.name = "vector";
  row.dtype = DType::fp64;
  row.at = OperatingPoint::burst;
  row.implementation = "sse2";
  row.variant = "isa:sse2";
  EXPECT_EQ(ceiling_id(row), "ceiling/compute/vector/fp64/burst/sse2/isa:sse2");
}

TEST(ComputePlan, CeilingIsTheWidestKernelAtBothOperatingPoints) {
  const auto found = ids(compute_ceilings(synthetic_setup()));
  EXPECT_TRUE(found.contains("ceiling/compute/vector/fp64/burst/wide"));
  EXPECT_TRUE(found.contains("ceiling/compute/vector/fp64/sustained/wide"));
  EXPECT_TRUE(found.contains("ceiling/compute/scalar/fp64/burst/narrow"));
  EXPECT_FALSE(found.contains("ceiling/compute/vector/fp64/burst/narrow"));
}

TEST(ComputePlan, KernelsNobodyAskedForAreThereToo) {
  EXPECT_TRUE(ids(compute_ceilings(synthetic_setup())).contains("ceiling/compute/vector/int32/burst/wide"));
}

TEST(ComputePlan, NarrowerInstructionSetsAndVariantsAreRowsOfFullMode) {
  const std::string beside[] = {"ceiling/compute/vector/fp64/burst/narrow/isa:narrow",
                                "ceiling/compute/vector/fp64/burst/wide/no_fma",
                                "ceiling/compute/vector/fp64/burst/wide/no_ilp"};
  const auto quick = ids(compute_ceilings(synthetic_setup(Mode::quick)));
  const auto full = ids(compute_ceilings(synthetic_setup(Mode::full)));
  for (const auto& id : beside) {
    EXPECT_FALSE(quick.contains(id)) << id;
    EXPECT_TRUE(full.contains(id)) << id;
  }
}

TEST(ComputePlan, WhatTheCpuCannotDoIsThereWithTheReason) {
  const auto items = compute_ceilings(synthetic_setup());
  const auto int8 = unmeasured(items, "ceiling/compute/matrix/int8/burst");
  EXPECT_EQ(int8.status, Status::unsupported);
  EXPECT_EQ(int8.reason, "CPU has no TILES");
  EXPECT_EQ(int8.unit, "op/s");
  for (const char* id : {"vector/fp16", "vector/bf16", "matrix/bf16", "exp/fp32", "convert/fp16", "convert/bf16"}) {
    const auto row = unmeasured(items, std::string("ceiling/compute/") + id + "/burst");
    EXPECT_EQ(row.status, Status::unsupported) << id;
    EXPECT_FALSE(row.reason.empty()) << id;
  }
}

TEST(ComputePlan, DTypeFilterKeepsOnlyItsRows) {
  const auto setup = synthetic_setup(Mode::full, {DType::fp32});
  for (auto items : {compute_ceilings(setup), library_ceilings(setup)}) {
    EXPECT_FALSE(items.empty());
    for (const auto& item : items) EXPECT_NE(item.id.find("/fp32/"), std::string::npos) << item.id;
  }
  EXPECT_EQ(bandwidth_ceilings(setup).size(), bandwidth_ceilings(synthetic_setup(Mode::full)).size());
}

TEST(LibraryPlan, WithoutALibraryEveryTypeSaysSo) {
  const auto items = library_ceilings(synthetic_setup());
  EXPECT_EQ(items.size(), 5U);
  const auto row = unmeasured(items, "ceiling/compute/vector/fp64/library");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_FALSE(row.reason.empty());
}

TEST(BandwidthPlan, EveryLevelHasItsMixesAndOnlyMainMemoryNonTemporalOnes) {
  const auto found = ids(bandwidth_ceilings(synthetic_setup()));
  for (const std::string level : {"L1", "L2", "L3", "DRAM"}) {
    EXPECT_TRUE(found.contains("ceiling/bandwidth/" + level + "/read/wide")) << level;
    for (const std::string mix : {"write", "copy", "triad"}) {
      if (mix == "copy" && level == "DRAM") continue;
      EXPECT_TRUE(found.contains("ceiling/bandwidth/" + level + "/" + mix + "/ordinary/wide")) << level << mix;
    }
    EXPECT_EQ(found.contains("ceiling/bandwidth/" + level + "/triad/non_temporal/wide"), level == "DRAM") << level;
  }
}

TEST(BandwidthPlan, KernelThatNoTableHasIsUnsupported) {
  // The synthetic tables have no non-temporal copy.
  const auto row = unmeasured(bandwidth_ceilings(synthetic_setup()), "ceiling/bandwidth/DRAM/copy/non_temporal");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_FALSE(row.reason.empty());
}

TEST(BandwidthPlan, MainMemoryThatDoesNotFitIsSkippedWithTheReason) {
  auto setup = synthetic_setup();
  setup->budget_bytes = 1e6;
  const auto row = unmeasured(bandwidth_ceilings(setup), "ceiling/bandwidth/DRAM/read/wide");
  EXPECT_EQ(row.status, Status::skipped);
  EXPECT_FALSE(row.reason.empty());
  EXPECT_EQ(unmeasured(latency_ceilings(setup), "ceiling/latency/DRAM/pointer_chase").status, Status::skipped);
}

TEST(LatencyPlan, OneRowALevelOfOneThread) {
  const auto found = ids(latency_ceilings(synthetic_setup()));
  EXPECT_EQ(found.size(), 4U);
  EXPECT_TRUE(found.contains("ceiling/latency/L2/pointer_chase"));
}

TEST(CurvePlan, ScalingNeedsFullModeAndSeveralCores) {
  EXPECT_TRUE(core_scaling(synthetic_setup(Mode::quick)).empty());
  EXPECT_EQ(core_scaling(synthetic_setup(Mode::full)).size(), 2U);
  auto one = synthetic_setup(Mode::full);
  one->cpus = {0};
  EXPECT_TRUE(core_scaling(one).empty());
}

TEST(CurvePlan, NumaMatrixNeedsTwoDomains) {
  auto setup = synthetic_setup();
  setup->device.numa = {{0, 8e9, {0, 1, 2, 3}}};
  EXPECT_TRUE(numa_matrix(setup).empty());
  setup->device.numa = {{0, 8e9, {0, 1}}, {1, 8e9, {2, 3}}};
  EXPECT_EQ(numa_matrix(setup).size(), 4U);
  setup->cpus = {0, 1};  // a scope within one domain
  EXPECT_TRUE(numa_matrix(setup).empty());
}

TEST(Datasheet, ComputeIsTheShareOfTheCoresMemoryThatOfTheWholeDevice) {
  const auto setup = synthetic_setup();
  Ceiling vector;
  vector.kind = CeilingKind::compute;
  vector.name = "vector";
  vector.dtype = DType::fp64;
  vector.threads = 2;
  add_datasheet(setup->device, vector);
  EXPECT_DOUBLE_EQ(vector.datasheet.value(), 2 * 16 * 2e9);
  EXPECT_EQ(vector.datasheet_source, "4 cores x 16 x 2 GHz");
  Ceiling memory;
  memory.kind = CeilingKind::bandwidth;
  memory.name = "DRAM";
  memory.threads = 2;
  add_datasheet(setup->device, memory);
  EXPECT_FALSE(memory.datasheet);
  memory.threads = 4;
  add_datasheet(setup->device, memory);
  EXPECT_DOUBLE_EQ(memory.datasheet.value(), 50e9);
}

}  // namespace
}  // namespace gable::openmp::test
