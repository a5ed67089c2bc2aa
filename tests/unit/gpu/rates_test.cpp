#include "backends/gpu/rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/device/catalogue.hpp"

namespace gable::gpu::test {
namespace {

DeviceFacts facts_of(const catalogue::Device& product) {
  DeviceFacts facts;
  facts.name = product.vendor + " " + product.name;
  facts.isa = product.isa;
  facts.multiprocessors = product.compute_units.value();
  return facts;
}

/// multiprocessors x rate x the clock that the vendor's table is for gives what the vendor prints, of every peak of
/// which the rate is known. Datasheets round: 2 %.
int compared_peaks(const std::string& name) {
  const auto& product = catalogue::find_device(name);
  const auto facts = facts_of(product);
  int compared = 0;
  for (const auto& peak : product.peaks) {
    const auto unit = parse_unit(peak.name);
    const auto known = rate(facts, unit.value(), peak.dtype.value(), peak.accumulate.value());
    // fp64 of matrix units is printed at the vector clock
    const bool matrix_clock = unit == Unit::matrix && peak.dtype != DType::fp64;
    const auto clock = matrix_clock ? product.matrix_clock_hz : product.clock_hz;
    if (!known || !clock) continue;
    EXPECT_NEAR(datasheet_rate(facts, *known, *clock) / peak.value, 1.0, 0.02)
        << name << " " << peak.name << " " << to_string(*peak.dtype) << " in " << to_string(*peak.accumulate);
    ++compared;
  }
  return compared;
}

TEST(Rates, TimesMultiprocessorsAndClockAreTheVendorsPeaks) {
  EXPECT_GE(compared_peaks("A100 SXM4 80GB"), 9);
  EXPECT_GE(compared_peaks("A40"), 8);
  EXPECT_GE(compared_peaks("GeForce RTX 3090"), 8);
  EXPECT_GE(compared_peaks("L40S"), 7);
  EXPECT_GE(compared_peaks("GeForce RTX 4090"), 8);
  EXPECT_GE(compared_peaks("H100 SXM5 80GB"), 9);
  EXPECT_GE(compared_peaks("H200 SXM 141GB"), 9);
  EXPECT_GE(compared_peaks("B200 (HGX)"), 3);
}

/// Compute units x rate x clock reproduces every peak that AMD prints of a chip whose rates are here, to its digits. Of
/// two vector peaks of a type the higher is the packed one.
TEST(Rates, OfAmdGiveEveryPrintedPeak) {
  constexpr auto known_chips = std::to_array<std::string_view>({"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100"});
  int compared = 0;
  for (const auto& product : catalogue::devices()) {
    if (std::ranges::find(known_chips, product.isa) == known_chips.end()) continue;
    const auto facts = facts_of(product);
    for (const auto& any : product.peaks) {
      const auto unit = parse_unit(any.name).value();
      const auto* printed = catalogue::peak(product, *any.dtype, unit, any.accumulate);
      const auto known = rate(facts, unit, *any.dtype, *any.accumulate);
      ASSERT_TRUE(known) << product.name << " " << any.name << " " << to_string(*any.dtype);
      EXPECT_NEAR(datasheet_rate(facts, *known, product.clock_hz.value()) / printed->value, 1.0, 0.005)
          << product.name << " " << any.name << " " << to_string(*any.dtype);
      ++compared;
    }
  }
  EXPECT_GE(compared, 110);
}

TEST(Rates, WhatAnAmdChipLacksHasNone) {
  const auto of = [](const char* name, Unit unit, DType storage, DType accumulate) {
    return rate(facts_of(catalogue::find_device(name)), unit, storage, accumulate);
  };
  EXPECT_FALSE(of("Instinct MI210", Unit::vector, DType::bf16, DType::bf16));
  EXPECT_FALSE(of("Instinct MI210", Unit::matrix, DType::fp8_e4m3fnuz, DType::fp32));
  EXPECT_FALSE(of("Instinct MI300X", Unit::matrix, DType::fp8_e4m3, DType::fp32));
  EXPECT_FALSE(of("Instinct MI355X", Unit::matrix, DType::fp8_e4m3fnuz, DType::fp32));
  EXPECT_FALSE(of("Instinct MI355X", Unit::matrix, DType::tf32, DType::fp32));
  EXPECT_FALSE(of("Instinct MI100", Unit::matrix, DType::fp64, DType::fp64));
}

/// CUTLASS' table of tcgen05.mma: kinds f8f6f4 and mxf8f6f4 twice Hopper's fp8 (4096 fma a cycle), mxf4 and mxf4nvf4
/// four times. B200's datasheet, dense: fp8 and fp6 4500, fp4 9000 TFLOP/s, rounded.
TEST(Rates, BlackwellMultipliesFourBitsTwiceAsFastInBlocksOnly) {
  const auto b200 = facts_of(catalogue::find_device("B200 (HGX)"));
  const auto of = [&](DType type) {
    const auto known = rate(b200, Unit::matrix, type, DType::fp32);
    return known ? known->per_cycle : 0.0;
  };
  for (const auto type :
       {DType::fp8_e4m3, DType::mxfp8_e4m3, DType::mxfp8_e5m2, DType::fp6_e2m3, DType::mxfp6_e3m2, DType::fp4_e2m1})
    EXPECT_EQ(of(type), 2 * 8192) << to_string(type);
  for (const auto type : {DType::nvfp4, DType::mxfp4}) EXPECT_EQ(of(type), 4 * 8192) << to_string(type);
  EXPECT_FALSE(rate(facts_of(catalogue::find_device("H200 SXM 141GB")), Unit::matrix, DType::nvfp4, DType::fp32));
  EXPECT_FALSE(rate(facts_of(catalogue::find_device("Instinct MI355X")), Unit::matrix, DType::nvfp4, DType::fp32));
}

/// MI355X product brief, dense: fp8 5033.2, fp6 and fp4 10066.3 TFLOP/s at 2.4 GHz on 256 compute units. The matrix
/// instruction is one, with scales or without.
TEST(Rates, Gfx950MultipliesNarrowTypesAlikeWithAndWithoutScales) {
  const auto mi355x = facts_of(catalogue::find_device("Instinct MI355X"));
  const auto peak = [&](DType type) {
    const auto known = rate(mi355x, Unit::matrix, type, DType::fp32);
    return known ? datasheet_rate(mi355x, *known, 2.4e9) / 1e12 : 0.0;
  };
  for (const auto type : {DType::fp8_e4m3, DType::fp8_e5m2, DType::mxfp8_e4m3, DType::mxfp8_e5m2})
    EXPECT_NEAR(peak(type), 5033.2, 0.1) << to_string(type);
  for (const auto type :
       {DType::fp6_e2m3, DType::fp6_e3m2, DType::mxfp6_e2m3, DType::mxfp6_e3m2, DType::fp4_e2m1, DType::mxfp4})
    EXPECT_NEAR(peak(type), 10066.3, 0.1) << to_string(type);
}

/// CUDA C++ Programming Guide, arithmetic throughput: what no datasheet prints.
TEST(Rates, OfTheGuide) {
  const auto h100 = facts_of(catalogue::find_device("H100 SXM5 80GB"));
  EXPECT_EQ(rate(h100, Unit::exp, DType::fp32, DType::fp32)->per_cycle, 16);
  EXPECT_EQ(rate(h100, Unit::vector, DType::int32, DType::int32)->per_cycle, 2 * 64);
  EXPECT_EQ(rate(h100, Unit::vector, DType::int8, DType::int32)->per_cycle, 8 * 64);
  EXPECT_EQ(rate(h100, Unit::vector, DType::bf16, DType::bf16)->per_cycle, 2 * 256);
  EXPECT_FALSE(rate(h100, Unit::matrix, DType::int4, DType::int32));
}

}  // namespace
}  // namespace gable::gpu::test
