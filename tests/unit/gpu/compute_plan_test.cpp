#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>

#include "backends/gpu/ceilings/ceilings.hpp"
#include "backends/gpu/inventory.hpp"
#include "tests/unit/gpu/fake_device.hpp"
#include "tests/unit/gpu/fake_measurements.hpp"

namespace gable::gpu::test {
namespace {

ComputeKernel kernel(Unit unit, DType storage, DType accumulate, std::string_view instruction) {
  ComputeKernel made;
  made.unit = unit;
  made.storage = storage;
  made.accumulate = accumulate;
  made.instruction = instruction;
  made.operations = 1e6;
  return made;
}

ComputeKernel none(DType storage, DType accumulate) {
  auto made = kernel(Unit::matrix, storage, accumulate, "");
  made.reason = "no such unit";
  return made;
}

/// An opened H200 with a kernel of each kind.
struct Opened {
  std::shared_ptr<FakeMeasurements> measurements = std::make_shared<FakeMeasurements>();
  std::shared_ptr<Setup> setup = std::make_shared<Setup>();

  explicit Opened(Mode mode = Mode::quick) {
    using enum DType;
    setup->facts = h200();
    setup->built = cuda_90a();
    setup->device = describe(setup->facts, inventory_of({setup->facts}), setup->built);
    setup->request.mode = mode;
    setup->policies = policies_for(mode);
    setup->budget_bytes = 30e9;
    auto beside = kernel(Unit::matrix, bf16, fp32, "mma");
    beside.beside = true;
    measurements->built = {kernel(Unit::vector, fp32, fp32, "fma"),
                           kernel(Unit::vector, int8, int32, "dot4"),
                           kernel(Unit::exp, fp32, fp32, "exp2"),
                           kernel(Unit::matrix, fp16, fp32, "wide"),
                           kernel(Unit::matrix, fp16, fp16, "wide"),
                           kernel(Unit::matrix, bf16, fp32, "wide"),
                           none(int4, int32),
                           beside};
    setup->measurements = measurements;
  }
};

std::set<std::string> ids(const std::vector<Item>& items) {
  std::set<std::string> found;
  for (const auto& item : items) EXPECT_TRUE(found.insert(item.id()).second) << item.id();
  return found;
}

Ceiling run(const std::vector<Item>& items, const std::string& id) {
  const auto found = std::ranges::find(items, id, &Item::id);
  if (found == items.end()) throw std::runtime_error("no item " + id);
  return std::get<Ceiling>(found->run().front());
}

TEST(ComputeCeilings, AccumulateTypesAndOperatingPointsAreRowsOfTheirOwn) {
  const auto found = ids(compute_ceilings(Opened().setup));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/fp16/burst/wide"));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/fp16/in_fp16/burst/wide"));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/bf16/sustained/wide"));
  EXPECT_TRUE(found.contains("ceiling/compute/vector/fp32/sustained/fma"));
  EXPECT_FALSE(found.contains("ceiling/compute/matrix/fp16/sustained/wide"));
  EXPECT_FALSE(found.contains("ceiling/compute/matrix/bf16/burst/mma/isa:mma"));
}

TEST(ComputeCeilings, FullModeSustainsEveryVectorAndMatrixUnitAndAddsKernelsBeside) {
  const auto found = ids(compute_ceilings(Opened(Mode::full).setup));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/fp16/in_fp16/sustained/wide"));
  EXPECT_TRUE(found.contains("ceiling/compute/vector/int8/sustained/dot4"));
  EXPECT_FALSE(found.contains("ceiling/compute/exp/fp32/sustained/exp2"));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/bf16/burst/mma/isa:mma"));
}

TEST(ComputeCeilings, WhatHasNoKernelIsARowWithTheReason) {
  const auto row = run(compute_ceilings(Opened().setup), "ceiling/compute/matrix/int4/burst");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_EQ(row.reason, "no such unit");
}

/// 132 multiprocessors x 4096 flop a cycle x 1.5 GHz, the fake's clock, are 811 TFLOP/s; the datasheet says 989.4.
TEST(ComputeCeilings, HasBothFiguresOfTheory) {
  Opened device;
  device.measurements->rate = 800e12;
  const auto row = run(compute_ceilings(device.setup), "ceiling/compute/matrix/bf16/burst/wide");
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(row.unit, "flop/s");
  EXPECT_EQ(row.data_pattern, "random_normal");
  EXPECT_NEAR(row.value.value, 800e12, 1e9);
  EXPECT_NEAR(row.theory_at_clock.value(), 811.0e12, 0.1e12);
  EXPECT_NEAR(row.datasheet.value(), 989.4e12, 0.1e12);
  EXPECT_EQ(run(compute_ceilings(device.setup), "ceiling/compute/vector/int8/burst/dot4").unit, "op/s");
}

TEST(ComputeCeilings, FasterThanTheUnitsAtTheirClockIsImplausible) {
  Opened device;
  device.measurements->rate = 900e12;
  const auto row = run(compute_ceilings(device.setup), "ceiling/compute/matrix/bf16/burst/wide");
  EXPECT_FALSE(implausible(row).empty());
}

TEST(LibraryCeilings, RecordsWhatTheLibraryChose) {
  Opened device;
  const auto row = run(library_ceilings(device.setup), "ceiling/compute/matrix/fp8_e4m3/library/library");
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(row.algorithm, "66, tile 20");
  EXPECT_EQ(device.measurements->gemms.front().n, 8192);
}

TEST(LibraryCeilings, EveryTypeIsARowAndOneTheLibraryLacksSaysWhy) {
  const Opened device;
  const auto items = library_ceilings(device.setup);
  EXPECT_EQ(ids(items),
            (std::set<std::string>{
                "ceiling/compute/matrix/fp64/library/library", "ceiling/compute/vector/fp32/library/library",
                "ceiling/compute/matrix/tf32/library/library", "ceiling/compute/matrix/fp16/library/library",
                "ceiling/compute/matrix/fp16/in_fp16/library/library", "ceiling/compute/matrix/bf16/library/library",
                "ceiling/compute/matrix/fp8_e4m3/library/library", "ceiling/compute/matrix/fp8_e5m2/library/library",
                "ceiling/compute/matrix/int8/library/library"}));
  const auto row = run(items, "ceiling/compute/matrix/fp8_e5m2/library/library");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_EQ(row.reason, "one factor at most is fp8_e5m2");
}

TEST(LibraryCeilings, FullModeMissesTheTileOnPurpose) {
  const Opened device(Mode::full);
  const auto items = library_ceilings(device.setup);
  const auto row = run(items, "ceiling/compute/matrix/int8/library/library/n=4097");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_EQ(row.reason, "not a multiple of 16");
  EXPECT_TRUE(ids(items).contains("ceiling/compute/matrix/fp16/in_fp16/library/library/n=1024"));
}

TEST(LibraryCeilings, Fp32IsOfTheVectorUnits) {
  const auto found = ids(library_ceilings(Opened().setup));
  EXPECT_TRUE(found.contains("ceiling/compute/vector/fp32/library/library"));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/tf32/library/library"));
}

TEST(LibraryCeilings, ShrinksToTheMemoryThereIs) {
  Opened device;
  device.setup->budget_bytes = 0.5e9;  // 8192 x 8192 doubles are 0.54e9 bytes each
  const auto row = run(library_ceilings(device.setup), "ceiling/compute/matrix/fp64/library/library");
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(device.measurements->gemms.back().n, 4096);
  EXPECT_LE(row.working_set_bytes.value(), 0.5e9);
}

TEST(LibraryCeilings, AskForTheKindOfFp8AndTheUnitsThatTheChipHas) {
  Opened device;
  device.setup->facts = mi300x();
  const auto cdna3 = ids(library_ceilings(device.setup));
  EXPECT_TRUE(cdna3.contains("ceiling/compute/matrix/fp8_e4m3fnuz/library/library"));
  EXPECT_TRUE(cdna3.contains("ceiling/compute/matrix/fp8_e5m2fnuz/library/library"));
  EXPECT_FALSE(cdna3.contains("ceiling/compute/matrix/fp8_e4m3/library/library"));
  EXPECT_TRUE(cdna3.contains("ceiling/compute/matrix/fp32/library/library"));
  device.setup->facts = rx7900xtx();
  EXPECT_TRUE(ids(library_ceilings(device.setup)).contains("ceiling/compute/vector/fp64/library/library"));
}

TEST(ComputeAndLibrary, RequestedTypesOnly) {
  Opened device;
  device.setup->request.dtypes = {DType::bf16};
  for (const auto& id : ids(compute_ceilings(device.setup))) EXPECT_NE(id.find("/bf16/"), std::string::npos) << id;
  for (const auto& id : ids(library_ceilings(device.setup))) EXPECT_NE(id.find("/bf16/"), std::string::npos) << id;
  EXPECT_EQ(library_ceilings(device.setup).size(), 1U);
}

}  // namespace
}  // namespace gable::gpu::test
