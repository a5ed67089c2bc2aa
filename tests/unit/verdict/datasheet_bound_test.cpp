#include "core/verdict/machine_model.hpp"

#include <gtest/gtest.h>

#include "core/device/find_product.hpp"

namespace gable {
namespace {

DeviceInfo a100(double memory_byte) {
  DeviceInfo device;
  device.id = "cuda:0";
  device.backend = "cuda";
  device.name = "NVIDIA A100-SXM4-80GB";
  device.vendor = "NVIDIA";
  device.cores = device.threads = 108;
  device.memory = {{"L2", 40e6, 1, 108, 128, "test"}, {"HBM", memory_byte, 1, 108, 0, "test"}};
  device.peaks = {{"HBM", {}, {}, 2.0e12, "byte/s", {}, "test", Confidence::confirmed},
                  {"vector", DType::fp32, DType::fp32, 19.5e12, "flop/s", {}, "test", Confidence::confirmed}};
  return device;
}

Point point(double flop, double byte, double time_s, Unit unit = Unit::vector, DType dtype = DType::fp32) {
  Point point;
  point.device = "cuda:0";
  point.threads = 108;
  point.types = uniform_types(dtype);
  point.cold = true;
  Stage stage;
  stage.work = {{unit, flop}};
  stage.bytes_read = stage.working_set = byte;
  point.stages = {stage};
  point.time.value = time_s;
  return point;
}

TEST(Product, MemorySizeTellsTheVariantsApart) {
  DeviceInfo device = a100(85e9);  // as drivers give 80 GB: 79.3 GiB
  ASSERT_NE(catalogue::find_product(device), nullptr);
  EXPECT_EQ(catalogue::find_product(device)->name, "A100 SXM4 80GB");
  device.memory.back().size_bytes = 42.3e9;
  device.name = "NVIDIA A100-SXM4-40GB";
  EXPECT_EQ(catalogue::find_product(device)->name, "A100 SXM4 40GB");
  device.memory.back().size_bytes = 60e9;
  EXPECT_EQ(catalogue::find_product(device), nullptr) << "neither 40 nor 80 GB";
}

TEST(Product, NamesOfOtherVendors) {
  EXPECT_EQ(catalogue::find_product("AMD Instinct MI300X", "AMD", 304, 206e9)->name, "Instinct MI300X");
  EXPECT_EQ(catalogue::find_product("AMD Instinct MI250X/MI250", "AMD", 110, 68.7e9)->name,
            "Instinct MI250X (per GCD)");
  EXPECT_EQ(catalogue::find_product("AMD Instinct MI250X/MI250", "AMD", 104, 68.7e9)->name, "Instinct MI250 (per GCD)");
  EXPECT_EQ(catalogue::find_product("NVIDIA H200", "NVIDIA", 132, 150.1e9)->name, "H200 SXM 141GB");
  EXPECT_EQ(catalogue::find_product("NVIDIA H200 NVL", "NVIDIA", 132, 150.1e9)->name, "H200 NVL 141GB");
  EXPECT_EQ(catalogue::find_product("Tesla V100-PCIE-16GB", "NVIDIA", 80, 16.9e9)->name, "V100 PCIe 16GB");
  EXPECT_EQ(catalogue::find_product("Tesla V100-SXM2-16GB", "NVIDIA", 80, 16.9e9)->name, "V100 SXM2 16GB");
  EXPECT_EQ(catalogue::find_product("Tesla V100-FHHL-16GB", "NVIDIA", 80, 16.9e9), nullptr) << "a slower card";
  EXPECT_EQ(catalogue::find_product("NVIDIA A100-PCIE-40GB", "NVIDIA", 108, 42.3e9)->name, "A100 PCIe 40GB");
  EXPECT_EQ(catalogue::find_product("NVIDIA A100-PG509-200", "NVIDIA", 108, 42.3e9)->name, "A100 SXM4 40GB")
      << "only cards say their form";
  EXPECT_EQ(catalogue::find_product("NVIDIA H200 MIG 1g.18gb", "NVIDIA", 16, 18e9), nullptr);
  EXPECT_EQ(catalogue::find_product("AMD EPYC 7763", "AMD", 2, 25e9), nullptr);
}

/// 2.039e12 byte at the catalogue's 2039 GB/s are 1 s, half of what was measured.
TEST(DatasheetBound, OfMemoryThatTheDeviceDoesNotStateIsThatOfItsEntry) {
  DeviceInfo device = a100(85e9);
  device.peaks.erase(device.peaks.begin());
  const auto bound = datasheet_bound(point(1e10, 2.039e12, 2), device);
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->fraction, 0.5, 1e-3);
  device.name = "a card that nobody knows";
  EXPECT_FALSE(datasheet_bound(point(1e10, 2.039e12, 2), device));
}

/// 2e12 byte at 2e12 byte/s is 1 s, 50 % of the 2 s that were measured.
TEST(DatasheetBound, OfBytesIsTheMemorysOfTheDevice) {
  const auto bound = datasheet_bound(point(1e12, 2e12, 2), a100(80e9));
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->time_s, 1, 1e-12);
  EXPECT_NEAR(bound->fraction, 0.5, 1e-12);
  EXPECT_EQ(bound->limit, "HBM (datasheet)");
}

/// 39e12 flop at 19.5e12 flop/s are 2 s.
TEST(DatasheetBound, OfArithmeticIsTheUnits) {
  const auto bound = datasheet_bound(point(39e12, 1e9, 4), a100(80e9));
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->fraction, 0.5, 1e-12);
  EXPECT_EQ(bound->limit, "vector fp32 (datasheet)");
}

/// The catalogue has 312 TFLOP/s fp16 -> fp32 of the matrix units, which the device itself does not list.
TEST(DatasheetBound, TheCatalogueFillsWhatTheDeviceLacks) {
  auto fp16 = point(624e12, 1e9, 4, Unit::matrix, DType::fp16);
  fp16.types.compute = DType::fp16;
  const auto bound = datasheet_bound(fp16, a100(80e9));
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->fraction, 0.5, 1e-9);
  EXPECT_FALSE(datasheet_bound(fp16, a100(60e9))) << "no such product: no roof";
}

TEST(DatasheetBound, IsNotGuessed) {
  DeviceInfo device = a100(80e9);
  auto hot = point(1e9, 1e6, 1);
  hot.cold = false;
  EXPECT_FALSE(datasheet_bound(hot, device)) << "vendors print no bandwidth of the L2 that these data stay in";
  hot.regime = Regime::compute_bound;
  EXPECT_TRUE(datasheet_bound(hot, device)) << "arithmetic that decides needs no memory";
  device.peaks.clear();
  device.memory.back().size_bytes = 60e9;
  EXPECT_FALSE(datasheet_bound(point(1e12, 2e12, 2), device));
  Point failed = point(1e12, 2e12, 2);
  failed.status = Status::error;
  EXPECT_FALSE(datasheet_bound(failed, a100(80e9)));
}

/// Vendors print nothing for exponentials: the bound is that of the bytes, unless the exponentials decide.
TEST(DatasheetBound, LeavesOutExponentials) {
  auto softmax = point(1e9, 2e12, 2);
  softmax.stages.front().work.push_back({Unit::exp, 1e15});
  const auto bound = datasheet_bound(softmax, a100(80e9));
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->fraction, 0.5, 1e-12);
  softmax.limit_unit = Unit::exp;
  EXPECT_FALSE(datasheet_bound(softmax, a100(80e9)));
}

/// Half of the cores have half of the arithmetic, and no claim on the whole memory.
TEST(DatasheetBound, OfAPartOfTheCores) {
  auto half = point(19.5e12, 1e9, 4);
  half.threads = 54;
  half.regime = Regime::compute_bound;
  const auto bound = datasheet_bound(half, a100(80e9));
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->fraction, 0.5, 1e-12);
}

}  // namespace
}  // namespace gable
