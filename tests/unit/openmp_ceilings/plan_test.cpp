// What is planned for a machine that does not exist: every row there, each with its reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/ceilings/setup.hpp"
#include "core/device/datasheet.hpp"
#include "core/model/roofline.hpp"
#include "core/operator.hpp"
#include "core/worker/run_driver.hpp"
#include "tests/unit/openmp_ceilings/synthetic_setup.hpp"

namespace gable::openmp::test {
namespace {

std::set<std::string> ids(const std::vector<Item>& items) {
  std::set<std::string> found;
  for (const auto& item : items) found.insert(item.id());
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
  const auto item = std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.id() == id; });
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
    EXPECT_FALSE(item.title.empty()) << item.id();
    EXPECT_GE(item.timeout_s, 10.0 * item.expected_s) << item.id();
  }
}

/// A full run of two cores beside an L3 of 260 MB, as virtual machines have it, also ends within two minutes.
TEST(Plan, ALargeCacheMakesAFullRunAtMostAThirdLonger) {
  const auto rounds = worker::rounds_of(Mode::full);
  const auto planned_s = [&](double l3_mib) {
    auto setup = synthetic_setup(Mode::full);
    setup->device.memory[2].size_bytes = l3_mib * 1024 * 1024;
    setup->cpus = {0, 1};
    setup->budget_bytes = 6e9;
    double sum = 0;
    for (const auto& item : everything(setup))
      sum += rounds.of({item.planned, item.title, item.expected_s, item.timeout_s}) * item.expected_s;
    return sum;
  };
  EXPECT_LE(planned_s(260), planned_s(32) * 4 / 3 + 10);
  EXPECT_LE(planned_s(260), 70.0);
}

TEST(Plan, IdIsMadeOfWhatIdentifiesTheRow) {
  Ceiling row{.kind = CeilingKind::bandwidth,
              .name = "DRAM",
              .access = Access::triad,
              .stores = Stores::non_temporal,
              .at = OperatingPoint::sustained,
              .implementation = "avx2"};
  EXPECT_EQ(ceiling_id(row), "ceiling/bandwidth/DRAM/triad/non_temporal/sustained/avx2");
  row = {};
  row.kind = CeilingKind::compute;
  row.name = "vector";
  row.dtype = DType::fp64;
  row.at = OperatingPoint::burst;
  row.implementation = "sse2";
  row.variant = "isa:sse2";
  EXPECT_EQ(ceiling_id(row), "ceiling/compute/vector/fp64/burst/sse2/isa:sse2");
}

TEST(Plan, IdHasTheAccumulateTypeWhereItIsNotTheUsualOne) {
  Ceiling row{.kind = CeilingKind::compute,
              .name = "matrix",
              .dtype = DType::fp16,
              .accumulate = DType::fp32,
              .at = OperatingPoint::burst};
  EXPECT_EQ(ceiling_id(row), "ceiling/compute/matrix/fp16/burst");
  row.accumulate = DType::fp16;
  EXPECT_EQ(ceiling_id(row), "ceiling/compute/matrix/fp16/in_fp16/burst");
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

TEST(ComputePlan, ATypeAskedForThatNoKernelHasIsUnsupported) {
  const auto items = compute_ceilings(synthetic_setup(Mode::quick, {DType::int4}));
  const auto row = unmeasured(items, "ceiling/compute/vector/int4/burst");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_FALSE(row.reason.empty());
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

TEST(ComputePlan, ATwoByteTypeBringsTheRoofsItIsComputedUnder) {
  const auto found = ids(compute_ceilings(synthetic_setup(Mode::quick, {DType::fp16})));
  for (const char* id :
       {"vector/fp32/burst/wide", "vector/fp16/burst", "matrix/fp16/burst", "exp/fp32/burst", "convert/fp16/burst"}) {
    EXPECT_TRUE(found.contains(std::string("ceiling/compute/") + id)) << id;
  }
  for (const auto& id : found) {
    EXPECT_EQ(id.find("/fp64/"), std::string::npos) << id;
    EXPECT_EQ(id.find("/bf16/"), std::string::npos) << id;
  }
  EXPECT_TRUE(ids(compute_ceilings(synthetic_setup(Mode::quick, {DType::int8})))
                  .contains("ceiling/compute/vector/int32/burst/wide"));
}

/// Every term of every operator's bound has its roof among the rows that are planned for the operator's type alone.
TEST(ComputePlan, OperatorsOfOneTypeFindAllTheirRoofs) {
  for (const DType dtype : {DType::fp64, DType::fp32, DType::fp16, DType::bf16}) {
    const auto setup = small_setup(1);
    setup->request.dtypes = {dtype};
    std::vector<Ceiling> rows;
    for (const auto& item : compute_ceilings(setup)) {
      rows.push_back(std::get<Ceiling>(item.planned));
      rows.back().status = Status::ok;  // on a processor that has it
      rows.back().value.value = 1e9;
    }
    const auto roofline = make_roofline(rows, "openmp", Scope::node, {});
    for (const OperatorSpec* spec : operator_specs()) {
      const auto its = std::ranges::find(spec->types, dtype, &Types::a);
      if (its == spec->types.end()) continue;
      const Types types = *its;
      for (const Stage& stage : spec->work(spec->conformance_params().front(), types)) {
        for (const UnitWork& work : stage.work) {
          EXPECT_NE(roofline.peak(types, work.unit), nullptr)
              << spec->name << ' ' << to_string(dtype) << ' ' << to_string(work.unit);
        }
      }
    }
  }
}

TEST(ComputePlan, DTypeFilterKeepsOnlyItsRows) {
  const auto setup = synthetic_setup(Mode::full, {DType::fp32});
  for (auto items : {compute_ceilings(setup), library_ceilings(setup)}) {
    EXPECT_FALSE(items.empty());
    for (const auto& item : items) EXPECT_NE(item.id().find("/fp32/"), std::string::npos) << item.id();
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
    EXPECT_TRUE(found.contains("ceiling/bandwidth/" + level + "/read/sustained/wide")) << level;
    for (const std::string mix : {"write", "copy", "triad"}) {
      if (mix == "copy" && level == "DRAM") continue;
      EXPECT_TRUE(found.contains("ceiling/bandwidth/" + level + "/" + mix + "/ordinary/sustained/wide"))
          << level << mix;
    }
    EXPECT_EQ(found.contains("ceiling/bandwidth/" + level + "/triad/non_temporal/sustained/wide"), level == "DRAM")
        << level;
  }
}

TEST(BandwidthPlan, LinesAreReadAtRandomFromAllButTheInnermostCache) {
  auto setup = synthetic_setup();
  setup->device.memory[2].size_bytes = 3.0 * 1024 * 1024;  // a power of two of it is no more than L2 holds
  setup->budget_bytes = 1e6;                               // main memory does not fit
  const auto items = bandwidth_ceilings(setup);
  const auto found = ids(items);
  EXPECT_FALSE(found.contains("ceiling/bandwidth/L1/random/sustained/wide"));
  EXPECT_TRUE(found.contains("ceiling/bandwidth/L2/random/sustained/wide"));
  const auto l3 = unmeasured(items, "ceiling/bandwidth/L3/random/sustained/wide");
  EXPECT_EQ(l3.status, Status::skipped);
  EXPECT_NE(l3.reason.find("2.00 MiB, is hardly more than L2 holds"), std::string::npos) << l3.reason;
  EXPECT_EQ(unmeasured(items, "ceiling/bandwidth/DRAM/random/sustained/wide").status, Status::skipped);
}

TEST(BandwidthPlan, OfItsOperatingPointsOnlyTheSustainedOneIsMeasured) {
  auto setup = synthetic_setup();
  setup->budget_bytes = 1e6;  // main memory does not fit: its rows need no measuring
  for (const auto& item : bandwidth_ceilings(setup)) {
    EXPECT_NE(item.id().find("/sustained"), std::string::npos) << item.id();
    if (item.id().find("/DRAM/") == std::string::npos) continue;
    EXPECT_EQ(std::get<Ceiling>(item.run().at(0)).at, OperatingPoint::sustained) << item.id();
  }
}

TEST(BandwidthPlan, KernelThatNoTableHasIsUnsupported) {
  // The synthetic tables have no non-temporal copy.
  const auto row =
      unmeasured(bandwidth_ceilings(synthetic_setup()), "ceiling/bandwidth/DRAM/copy/non_temporal/sustained");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_FALSE(row.reason.empty());
}

TEST(BandwidthPlan, MainMemoryThatDoesNotFitIsSkippedWithTheReason) {
  auto setup = synthetic_setup();
  setup->budget_bytes = 1e6;
  const auto row = unmeasured(bandwidth_ceilings(setup), "ceiling/bandwidth/DRAM/read/sustained/wide");
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
  Ceiling memory{.threads = 2, .kind = CeilingKind::bandwidth, .name = "DRAM"};
  add_datasheet(setup->device, memory);
  EXPECT_FALSE(memory.datasheet);
  memory.threads = 4;
  add_datasheet(setup->device, memory);
  EXPECT_DOUBLE_EQ(memory.datasheet.value(), 50e9);
}

}  // namespace
}  // namespace gable::openmp::test
