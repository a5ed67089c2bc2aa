#include "backends/gpu/rates.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/device/catalogue.hpp"

namespace gable::gpu::test {
namespace {

/// "sm_86" -> 8, 6.
DeviceFacts facts_of(const catalogue::Device& product) {
  DeviceFacts facts;
  facts.name = "NVIDIA " + product.name;
  const int capability = std::stoi(product.isa.substr(3));
  facts.major = capability / 10;
  facts.minor = capability % 10;
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
    EXPECT_NEAR(theory(facts, *known, *clock) / peak.value, 1.0, 0.02)
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
