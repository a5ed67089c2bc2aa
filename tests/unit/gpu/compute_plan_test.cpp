#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "backends/gpu/ceilings/ceilings.hpp"
#include "tests/unit/gpu/fake_measurements.hpp"

namespace gable::gpu::test {
namespace {

ComputeKernel kernel(Unit unit, DType storage, DType accumulate, std::string_view instruction) {
  auto made = kernel_of(unit, storage, accumulate);
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
struct OpenedH200 : Opened {
  explicit OpenedH200(Mode mode = Mode::quick) : Opened(h200(), mode) {
    using enum DType;
    auto beside = kernel(Unit::matrix, bf16, fp32, "mma");
    beside.beside = true;
    measurements->built = {kernel(Unit::vector, fp32, fp32, "fma"),
                           kernel(Unit::vector, int8, int32, "dot4"),
                           kernel(Unit::exp, fp32, fp32, "exp2"),
                           kernel(Unit::divide, fp32, fp32, "rcp"),
                           kernel(Unit::matrix, fp16, fp32, "wide"),
                           kernel(Unit::matrix, fp16, fp16, "wide"),
                           kernel(Unit::matrix, bf16, fp32, "wide"),
                           none(int4, int32),
                           beside};
  }
};

TEST(ComputeCeilings, AccumulateTypesAndOperatingPointsAreRowsOfTheirOwn) {
  const auto found = ids(compute_ceilings(OpenedH200().setup));
  for (const char* words : {"ceiling/compute/matrix/fp16/burst/wide", "ceiling/compute/matrix/fp16/in_fp16/burst/wide",
                            "ceiling/compute/matrix/bf16/sustained/wide", "ceiling/compute/vector/fp32/sustained/fma"})
    EXPECT_TRUE(found.contains(words)) << words;
  EXPECT_FALSE(found.contains("ceiling/compute/matrix/fp16/sustained/wide"));
  EXPECT_FALSE(found.contains("ceiling/compute/matrix/bf16/burst/mma/isa:mma"));
}

TEST(ComputeCeilings, FullModeSustainsEveryVectorAndMatrixUnitAndAddsKernelsBeside) {
  const auto found = ids(compute_ceilings(OpenedH200(Mode::full).setup));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/fp16/in_fp16/sustained/wide"));
  EXPECT_TRUE(found.contains("ceiling/compute/vector/int8/sustained/dot4"));
  EXPECT_FALSE(found.contains("ceiling/compute/exp/fp32/sustained/exp2"));
  EXPECT_FALSE(found.contains("ceiling/compute/divide/fp32/sustained/rcp"));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/bf16/burst/mma/isa:mma"));
}

TEST(ComputeCeilings, WhatHasNoKernelIsARowWithTheReason) {
  const auto row = run(compute_ceilings(OpenedH200().setup), "ceiling/compute/matrix/int4/burst");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_EQ(row.reason, "no such unit");
}

/// What the kernels of each architecture multiply, by backends/cuda/kernels and backends/hip/kernels, whose loops
/// build.cuda_loops and build.hip_isa read. Every other type that any matrix unit takes must have its reason.
TEST(ComputeCeilings, EveryTypeHasAKernelOrAReasonOnEachArchitecture) {
  using enum DType;
  const std::map<std::string, std::set<DType>> multiplied = {
      {"80", {fp64, tf32, fp16, bf16, int8, int4}},
      {"90a", {fp64, tf32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8}},
      {"100", {}},
      {"gfx90a", {fp64, fp32, fp16, bf16, int8}},
      {"gfx942", {fp64, fp32, tf32, fp16, bf16, fp8_e4m3fnuz, fp8_e5m2fnuz, int8}},
      {"gfx950",
       {fp64, fp32, fp16, bf16, fp8_e4m3, fp8_e5m2, fp6_e2m3, fp6_e3m2, fp4_e2m1, mxfp8_e4m3, mxfp8_e5m2, mxfp6_e2m3,
        mxfp6_e3m2, mxfp4, int8}},
      {"gfx1100", {fp16, bf16, int8, int4}}};
  for (const auto& [arch, types] : multiplied) {
    std::set<DType> told;
    for (const auto& kernel : missing_kernels(arch)) {
      EXPECT_EQ(kernel.unit, Unit::matrix);
      EXPECT_FALSE(kernel.reason.empty());
      told.insert(kernel.storage);
    }
    const bool amd = arch.starts_with("gfx");
    for (const auto type : all_dtypes) {
      const bool of_amd = type == fp32 || type == fp8_e4m3fnuz || type == fp8_e5m2fnuz;
      // Nobody asks for a product of int32; NVIDIA's units never had fp32, nor AMD's kinds of fp8.
      const bool asked = type != int32 && (amd || !of_amd) && !(arch == "gfx1100" && is_fp8(type) && of_amd);
      EXPECT_EQ(types.contains(type) != told.contains(type), asked) << arch << " " << to_string(type);
    }
  }
  EXPECT_TRUE(missing_kernels("75").empty());
}

/// 132 multiprocessors x 4096 flop a cycle x 1.5 GHz, the fake's clock, are 811 TFLOP/s; the datasheet says 989.4.
TEST(ComputeCeilings, HasBothFiguresOfTheory) {
  OpenedH200 device;
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

/// 132 multiprocessors x 16 reciprocals a cycle x 1.98 GHz, and at the fake's clock.
TEST(ComputeCeilings, DivisionsAreOfTheSpecialFunctionUnit) {
  OpenedH200 device;
  device.measurements->rate = 3e12;
  const auto row = run(compute_ceilings(device.setup), "ceiling/compute/divide/fp32/burst/rcp");
  EXPECT_EQ(row.unit, "op/s");
  EXPECT_NEAR(row.datasheet.value(), 4.18e12, 0.01e12);
  EXPECT_NEAR(row.theory_at_clock.value(), 3.168e12, 1e6);
}

TEST(ComputeCeilings, FasterThanTheUnitsAtTheirClockIsImplausible) {
  OpenedH200 device;
  device.measurements->rate = 900e12;
  EXPECT_FALSE(implausible(run(compute_ceilings(device.setup), "ceiling/compute/matrix/bf16/burst/wide")).empty());
}

TEST(LibraryCeilings, RecordsWhatTheLibraryChose) {
  OpenedH200 device;
  const auto row = run(library_ceilings(device.setup), "ceiling/compute/matrix/fp8_e4m3/library/library");
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(row.algorithm, "66, tile 20");
  EXPECT_EQ(device.measurements->gemms.front().n, 8192);
}

TEST(LibraryCeilings, EveryTypeIsARowAndOneTheLibraryLacksSaysWhy) {
  const OpenedH200 device;
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

/// What the units of sm_100 take is asked for, and the library's reason is the row's where it has none.
TEST(LibraryCeilings, BlackwellsHaveTheTypesOfLessThanEightBitsAndThoseWithScalesOfBlocks) {
  OpenedH200 device;
  device.setup->facts = b200();
  device.setup->device = describe(b200(), inventory_of({b200()}), device.setup->built);
  const auto items = library_ceilings(device.setup);
  const auto found = ids(items);
  for (const auto* type :
       {"mxfp8_e4m3", "mxfp8_e5m2", "nvfp4", "mxfp4", "fp4_e2m1", "fp6_e2m3", "fp6_e3m2", "mxfp6_e2m3", "mxfp6_e3m2"}) {
    EXPECT_TRUE(found.contains(std::string("ceiling/compute/matrix/") + type + "/library/library")) << type;
  }
  EXPECT_EQ(found.size(), 18U);
  const auto row = run(items, "ceiling/compute/matrix/nvfp4/library/library");
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(row.unit, "flop/s");
  EXPECT_EQ(row.accumulate, DType::fp32);
  EXPECT_NEAR(row.datasheet.value(), 9000e12, 0.07 * 9000e12) << "printed, or that of the maximum clock";
  EXPECT_EQ(row.working_set_bytes.value(), 8192.0 * 8192 * (2 * 9.0 / 16 + 2)) << "factors with scales, bf16 result";
  EXPECT_EQ(device.measurements->gemms.back().storage, DType::nvfp4);
  const auto refused = run(items, "ceiling/compute/matrix/fp6_e2m3/library/library");
  EXPECT_EQ(refused.status, Status::unsupported);
  EXPECT_EQ(refused.reason, "fp4 with scales alone");
  device.setup->request.dtypes = {DType::nvfp4};
  EXPECT_EQ(library_ceilings(device.setup).size(), 1U);
}

TEST(LibraryCeilings, FullModeMissesTheTileOnPurpose) {
  const OpenedH200 device(Mode::full);
  const auto items = library_ceilings(device.setup);
  const auto row = run(items, "ceiling/compute/matrix/int8/library/library/n=4097");
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_EQ(row.reason, "not a multiple of 16");
  EXPECT_TRUE(ids(items).contains("ceiling/compute/matrix/fp16/in_fp16/library/library/n=1024"));
}

TEST(LibraryCeilings, Fp32IsOfTheVectorUnits) {
  const auto found = ids(library_ceilings(OpenedH200().setup));
  EXPECT_TRUE(found.contains("ceiling/compute/vector/fp32/library/library"));
  EXPECT_TRUE(found.contains("ceiling/compute/matrix/tf32/library/library"));
}

TEST(LibraryCeilings, ShrinksToTheMemoryThereIs) {
  OpenedH200 device;
  device.setup->budget_bytes = 0.5e9;  // 8192 x 8192 doubles are 0.54e9 bytes each
  const auto row = run(library_ceilings(device.setup), "ceiling/compute/matrix/fp64/library/library");
  EXPECT_EQ(row.status, Status::ok);
  EXPECT_EQ(device.measurements->gemms.back().n, 4096);
  EXPECT_LE(row.working_set_bytes.value(), 0.5e9);
}

TEST(LibraryCeilings, AskForTheKindOfFp8AndTheUnitsThatTheChipHas) {
  OpenedH200 device;
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
  OpenedH200 device;
  device.setup->request.dtypes = {DType::bf16};
  for (const auto& id : ids(compute_ceilings(device.setup))) EXPECT_NE(id.find("/bf16/"), std::string::npos) << id;
  for (const auto& id : ids(library_ceilings(device.setup))) EXPECT_NE(id.find("/bf16/"), std::string::npos) << id;
  EXPECT_EQ(library_ceilings(device.setup).size(), 1U);
}

}  // namespace
}  // namespace gable::gpu::test
