#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "backends/gpu/inventory.hpp"
#include "backends/gpu/rates.hpp"
#include "backends/gpu/setup.hpp"
#include "core/device/datasheet.hpp"
#include "core/error.hpp"
#include "core/text/environment.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/gpu/fake_device.hpp"

namespace gable::gpu::test {
namespace {

BuiltFor built_for_arch(const std::string& arch) {
  auto built = cuda_90a();
  built.arch = arch;
  return built;
}

TEST(Refuses, MachineCodeRunsOnItsOwnMajorVersionAndNoSmallerAMinorOne) {
  auto ada = a100();
  ada.minor = 9;
  ada.isa = "sm_89";
  EXPECT_EQ(refuses(a100(), built_for_arch("80")), "");
  EXPECT_EQ(refuses(ada, built_for_arch("80")), "");
  EXPECT_NE(refuses(h200(), built_for_arch("80")), "");
  EXPECT_NE(refuses(a100(), built_for_arch("90a")), "");
}

TEST(Refuses, AnArchitectureSpecificTargetRunsOnExactlyThatVersion) {
  auto newer = h200();
  newer.minor = 1;
  EXPECT_EQ(refuses(h200(), built_for_arch("90a")), "");
  EXPECT_NE(refuses(newer, built_for_arch("90a")), "");
  EXPECT_EQ(refuses(newer, built_for_arch("90")), "");
}

TEST(Refuses, AnAmdDeviceNeedsItsOwnName) {
  EXPECT_EQ(refuses(mi300x(), hip("gfx942")), "");
  EXPECT_EQ(refuses(mi300x(), hip("gfx90a")),
            "hip:0, AMD Instinct MI300X, is gfx942; this worker was built for gfx90a");
  EXPECT_NE(refuses(mi210(), hip("gfx908")), "");
}

TEST(Slice, IsAPartitionOtherThanTheWholeDevice) {
  EXPECT_FALSE(is_slice(mi300x()));
  EXPECT_TRUE(is_slice(mi300x_cpx()));
  EXPECT_FALSE(is_slice(mi250x_die()));
  EXPECT_TRUE(is_slice(slice_of_h200()));
}

TEST(Probe, EveryMaskThatIsSetIsNamed) {
  Inventory inventory;
  inventory.error = "no ROCm-capable device is detected";
  inventory.masks = {{"HIP_VISIBLE_DEVICES", std::nullopt}, {"ROCR_VISIBLE_DEVICES", "3"}};
  EXPECT_EQ(make_probe(inventory, hip("gfx942")).reason,
            "no ROCm-capable device is detected (ROCR_VISIBLE_DEVICES is '3')");
}

TEST(Probe, AWorkerBuiltForAnotherArchitectureSaysSo) {
  const auto probe = make_probe(inventory_of({a100()}), cuda_90a());
  EXPECT_TRUE(probe.devices.empty());
  EXPECT_EQ(probe.reason, "cuda:0, NVIDIA A100-SXM4-80GB, is sm_80; this worker was built for sm_90a");
}

TEST(Probe, KeepsTheRuntimesNumbersWhenSomeDevicesAreLeftOut) {
  const auto probe = make_probe(inventory_of({a100(0), h200(1)}), cuda_90a());
  ASSERT_EQ(probe.devices.size(), 1U);
  EXPECT_EQ(probe.devices.front().id, "cuda:1");
  EXPECT_NE(probe.reason.find("cuda:0"), std::string::npos);
}

TEST(Probe, VariablesThatChangeTimesAreNamedBesideTheDevices) {
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  ::unsetenv("NVIDIA_TF32_OVERRIDE");
  auto inventory = inventory_of({h200()});
  inventory.timing_remark = remark_on_timing({"NVIDIA_TF32_OVERRIDE", "CUDA_LAUNCH_BLOCKING"});
  ::unsetenv("CUDA_LAUNCH_BLOCKING");
  const auto probe = make_probe(inventory, cuda_90a());
  EXPECT_EQ(probe.devices.size(), 1U);
  EXPECT_EQ(probe.reason, "CUDA_LAUNCH_BLOCKING=1 may change every time that is measured");
  EXPECT_EQ(remark_on_timing({"NVIDIA_TF32_OVERRIDE"}), "");
}

TEST(Probe, ADriverOlderThanTheToolkitIsNamedWithBothVersions) {
  Inventory inventory;
  inventory.error = "CUDA driver version is insufficient for CUDA runtime version";
  inventory.driver_too_old = true;
  inventory.driver_version = "12.2";
  inventory.runtime_version = "13.0";
  EXPECT_EQ(make_probe(inventory, cuda_90a()).reason,
            "the driver is for CUDA 12.2, this worker was built with CUDA 13.0: install a newer driver, or "
            "build with CUDA 12.2");
}

TEST(Probe, WithoutADeviceTheDriversReasonIsGivenAndTheMaskThatMayHideThem) {
  Inventory inventory;
  inventory.error = "no CUDA-capable device is detected";
  inventory.driver_version = "13.0";
  EXPECT_EQ(make_probe(inventory, cuda_90a()).reason, "no CUDA-capable device is detected");
  inventory.masks = {{"CUDA_VISIBLE_DEVICES", "7"}};
  EXPECT_EQ(make_probe(inventory, cuda_90a()).reason,
            "no CUDA-capable device is detected (CUDA_VISIBLE_DEVICES is '7')");
  inventory.error.clear();
  inventory.masks = {{"CUDA_VISIBLE_DEVICES", ""}};
  EXPECT_EQ(make_probe(inventory, cuda_90a()).reason, "the driver lists none (CUDA_VISIBLE_DEVICES is '')");
}

TEST(FindFacts, AnIndexThatDoesNotExistIsNamed) {
  const auto inventory = inventory_of({h200(0), h200(1)});
  EXPECT_EQ(find_facts(inventory, cuda_90a(), "cuda:1").index, 1);
  EXPECT_EQ(error_of([&] { find_facts(inventory, cuda_90a(), "cuda:7"); }), "no device 'cuda:7' here");
}

TEST(CheckRequest, ThreadsAndPartsOfAMachineAreForCpus) {
  DeviceInfo device;
  device.id = "cuda:0";
  EXPECT_NO_THROW(check_request(device, Request{}));
  Request threads;
  threads.threads = 4;
  EXPECT_THROW(check_request(device, threads), Error);
  Request core;
  core.scope = Scope::core;
  EXPECT_THROW(check_request(device, core), Error);
}

DeviceInfo described(const DeviceFacts& device) { return describe(device, inventory_of({device}), build_of(device)); }

TEST(GpuInventory, AnEmulatedDeviceSaysSo) {
  DeviceFacts device = h200();
  EXPECT_FALSE(described(device).emulator.has_value());
  device.emulator = "an interpreter";
  EXPECT_EQ(described(device).emulator, "an interpreter");
}

const TheoreticalPeak* find(const DeviceInfo& device, Unit unit, DType storage, DType accumulate) {
  Ceiling row{
      .kind = CeilingKind::compute, .name = std::string(to_string(unit)), .dtype = storage, .accumulate = accumulate};
  return compute_peak(device, row);
}

std::string fact(const DeviceInfo& device, std::string_view name) {
  const auto found = std::ranges::find(device.facts, name, &Fact::name);
  return found == device.facts.end() ? "absent" : found->value;
}

std::string product_name(const DeviceFacts& device) {
  const auto* found = find_product(device, build_of(device));
  return found == nullptr ? "" : found->name;
}

TEST(Product, IsFoundByModelMultiprocessorsAndMemory) {
  EXPECT_EQ(product_name(h200()), "H200 SXM 141GB");
  EXPECT_EQ(product_name(a100()), "A100 SXM4 80GB");
  auto card = a100();
  card.name = "NVIDIA A100 80GB PCIe";
  EXPECT_EQ(product_name(card), "A100 PCIe 80GB");
}

TEST(Product, NothingStandsInForAnotherOne) {
  auto fewer = h200();
  fewer.multiprocessors = 120;
  EXPECT_EQ(product_name(fewer), "");
  auto smaller = h200();
  smaller.memory_bytes = 100e9;
  EXPECT_EQ(product_name(smaller), "");
  EXPECT_EQ(product_name(slice_of_h200()), "");
}

TEST(Describe, RowsAreOfMultiprocessorsAndLevelsAreThoseThatOutliveALaunch) {
  const auto device = described(h200(3));
  EXPECT_EQ(device.id, "cuda:3");
  EXPECT_EQ(device.cores, 132);
  ASSERT_EQ(device.memory.size(), 2U);
  EXPECT_EQ(device.memory[0].name, "L2");
  EXPECT_DOUBLE_EQ(device.memory[0].size_bytes, 52428800);
  EXPECT_EQ(device.memory[1].name, "HBM");
  EXPECT_EQ(fact(device, "ECC"), "on");
  EXPECT_EQ(fact(device, "UUID"), "GPU-01020304-0506-0708-090a-0b0c0d0e0f10");
  EXPECT_EQ(fact(device, "partition mode"), "whole device");
  EXPECT_EQ(fact(device, "driver"), "13.0");
  EXPECT_EQ(fact(device, "CUDA_VISIBLE_DEVICES"), "not set");
}

/// The vendor's figures (H100 and A100 whitepapers, H200 datasheet) to the digits that it prints.
TEST(Describe, PeaksAgreeWithTheVendorsOwn) {
  const auto h = described(h200());
  const auto* fp64 = find(h, Unit::vector, DType::fp64, DType::fp64);
  ASSERT_NE(fp64, nullptr);
  EXPECT_NEAR(fp64->value, 33.5e12, 0.6e12);
  EXPECT_NEAR(find(h, Unit::vector, DType::fp32, DType::fp32)->value, 66.9e12, 0.6e12);
  EXPECT_NEAR(find(h, Unit::vector, DType::fp16, DType::fp16)->value, 133.8e12, 0.1e12);
  EXPECT_NEAR(find(h, Unit::matrix, DType::fp64, DType::fp64)->value, 66.9e12, 0.6e12);
  EXPECT_NEAR(find(h, Unit::matrix, DType::bf16, DType::fp32)->value, 989e12, 1e12);
  EXPECT_NEAR(level_peak(h, "HBM")->value, 4.8e12, 1e9);
  const auto a = described(a100());
  EXPECT_NEAR(find(a, Unit::matrix, DType::fp16, DType::fp32)->value, 312e12, 0.5e12);
  EXPECT_NEAR(find(a, Unit::matrix, DType::tf32, DType::fp32)->value, 156e12, 0.5e12);
  EXPECT_NEAR(find(a, Unit::matrix, DType::int8, DType::int32)->value, 624e12, 1e12);
  EXPECT_NEAR(find(a, Unit::vector, DType::bf16, DType::bf16)->value, 39e12, 0.1e12);
  EXPECT_NEAR(level_peak(a, "HBM")->value, 2.039e12, 1e9);
}

/// 989 TFLOP/s are at the matrix clock of 1830 MHz.
TEST(Rates, MatrixRatesGiveTheDatasheetAtItsClock) {
  const auto bf16 = rate(h200(), Unit::matrix, DType::bf16, DType::fp32);
  ASSERT_TRUE(bf16);
  EXPECT_NEAR(datasheet_rate(h200(), *bf16, 1.83e9), 989.4e12, 0.1e12);
  const auto fp8 = rate(h200(), Unit::matrix, DType::fp8_e4m3, DType::fp32);
  ASSERT_TRUE(fp8);
  EXPECT_NEAR(datasheet_rate(h200(), *fp8, 1.83e9), 1978.9e12, 0.2e12);
}

TEST(Rates, AnUnknownArchitectureHasNone) {
  auto device = h200();
  device.isa = "sm_120";
  EXPECT_FALSE(rate(device, Unit::vector, DType::fp32, DType::fp32));
}

TEST(Describe, ASliceHasNoBandwidthOfTheWholeDevice) {
  const auto slice = described(slice_of_h200());
  EXPECT_EQ(fact(slice, "partition mode"), "MIG 1g.18gb");
  EXPECT_EQ(level_peak(slice, "HBM"), nullptr);
  EXPECT_NEAR(find(slice, Unit::vector, DType::fp32, DType::fp32)->value, 16 * 256 * 1.98e9, 1e9);
}

TEST(Describe, FreeMemoryThatNobodyTellsIsUnknownWithTheReason) {
  const auto told = described(h200());
  EXPECT_EQ(told.free_memory_bytes, 149.5e9);
  EXPECT_EQ(fact(told, "free memory"), "absent");
  auto device = h200();
  device.free_memory_bytes = 0;
  device.free_memory_unknown = "libnvidia-ml.so.1: cannot open shared object file";
  const auto untold = described(device);
  EXPECT_EQ(untold.free_memory_bytes, 0);
  EXPECT_EQ(fact(untold, "free memory"), "unknown");
  const auto found = std::ranges::find(untold.facts, "free memory", &Fact::name);
  EXPECT_TRUE(found->source.starts_with(device.free_memory_unknown)) << found->source;
}

/// The slice may be full while the rest of the device is empty.
TEST(Describe, TheWholeDevicesFreeMemoryIsNotThatOfASlice) {
  const auto slice = described(slice_of_h200());
  EXPECT_EQ(slice.free_memory_bytes, 0);
  EXPECT_EQ(fact(slice, "free memory"), "unknown");
}

TEST(Product, OfAmdIsFoundByItsModelNotByItsFamily) {
  EXPECT_EQ(product_name(mi210()), "Instinct MI210");
  EXPECT_EQ(product_name(mi250x_die()), "Instinct MI250X (per GCD)");
  EXPECT_EQ(product_name(mi300x()), "Instinct MI300X");
  EXPECT_EQ(product_name(rx7900xtx()), "Radeon RX 7900 XTX");
  EXPECT_EQ(product_name(mi300x_cpx()), "");
  auto mi250_die = mi250x_die();
  mi250_die.multiprocessors = 104;  // as many as an MI210, which it is not
  EXPECT_EQ(product_name(mi250_die), "Instinct MI250 (per GCD)");
}

TEST(Describe, AmdLevelsAreWhatKeepsDataFromOneLaunchToTheNext) {
  constexpr double mib = 1024.0 * 1024.0;
  const auto spx = described(mi300x());
  ASSERT_EQ(spx.memory.size(), 3U);
  EXPECT_EQ(spx.memory[0].name, "L2");
  EXPECT_EQ(spx.memory[0].size_bytes, 4 * mib);
  EXPECT_EQ(spx.memory[0].instances, 8);
  EXPECT_EQ(spx.memory[0].shared_by, 38);
  EXPECT_EQ(spx.memory[1].name, "Infinity Cache");
  EXPECT_EQ(spx.memory[2].name, "HBM");
  const auto levels = levels_of(spx, Scope::node, spx.cores);
  EXPECT_EQ(levels[0].capacity_bytes, 32 * mib);
  EXPECT_EQ(levels[1].capacity_bytes, 256 * mib);
  const auto radeon = described(rx7900xtx());
  ASSERT_EQ(radeon.memory.size(), 3U);
  EXPECT_EQ(radeon.memory[2].name, "DRAM");
  EXPECT_EQ(described(mi210()).memory.size(), 2U);
}

TEST(Describe, PartitionsAndDiesAreFacts) {
  const auto spx = described(mi300x());
  EXPECT_EQ(fact(spx, "partition mode"), "SPX, NPS1");
  EXPECT_EQ(fact(spx, "XCDs"), "8");
  const auto cpx = described(mi300x_cpx());
  EXPECT_EQ(fact(cpx, "partition mode"), "CPX, NPS4");
  EXPECT_EQ(cpx.free_memory_bytes, 0);  // the driver's figure is of all partitions
  EXPECT_EQ(fact(cpx, "free memory"), "unknown");
  const auto die = described(mi250x_die());
  EXPECT_EQ(fact(die, "partition mode"), "whole device");
  EXPECT_EQ(fact(die, "module"), "one of two dies (GCD), each a device of its own");
  EXPECT_EQ(fact(described(mi210()), "module"), "absent");
  EXPECT_EQ(fact(die, "LDS"), "65.5 kB") << "a compute unit's";
  EXPECT_EQ(fact(die, "shared memory"), "absent");
}

/// AMD's data sheets and product pages (data/devices.json names them) to the digits that they print.
TEST(Describe, AmdPeaksAgreeWithTheVendorsOwn) {
  const auto x = described(mi300x());
  EXPECT_NEAR(find(x, Unit::vector, DType::fp64, DType::fp64)->value, 81.7e12, 0.1e12);
  EXPECT_NEAR(find(x, Unit::vector, DType::fp32, DType::fp32)->value, 163.4e12, 0.1e12);
  EXPECT_NEAR(find(x, Unit::matrix, DType::tf32, DType::fp32)->value, 653.7e12, 0.1e12);
  EXPECT_NEAR(find(x, Unit::matrix, DType::fp8_e4m3fnuz, DType::fp32)->value, 2614.9e12, 0.1e12);
  EXPECT_EQ(find(x, Unit::matrix, DType::fp8_e4m3, DType::fp32), nullptr);
  EXPECT_EQ(find(x, Unit::vector, DType::bf16, DType::bf16), nullptr);
  EXPECT_EQ(level_peak(x, "HBM")->value, 5.3e12);
  const auto die = described(mi250x_die());
  EXPECT_NEAR(find(die, Unit::matrix, DType::fp64, DType::fp64)->value, 47.9e12, 0.1e12);
  EXPECT_NEAR(find(die, Unit::vector, DType::fp32, DType::fp32)->value, 47.9e12, 0.1e12);  // packed
  EXPECT_EQ(level_peak(die, "HBM")->value, 1638.4e9);
  const auto cpx = described(mi300x_cpx());
  EXPECT_NEAR(find(cpx, Unit::matrix, DType::bf16, DType::fp32)->value, 1307.4e12 / 8, 0.1e12);
  EXPECT_EQ(level_peak(cpx, "HBM"), nullptr);
}

/// HBM2 moves twice a clock, 4096 bit wide; of GDDR6 and HBM3 HIP's clock says nothing.
TEST(Describe, AmdBandwidthOfAnUnknownProductIsDerivedOnlyWhereTheClockIsTheBuss) {
  auto unknown = mi210();
  unknown.name = "AMD Instinct MI210 VF";
  unknown.multiprocessors = 100;
  EXPECT_NEAR(level_peak(described(unknown), "HBM")->value, 1638.4e9, 1e6);
  auto radeon = rx7900xtx();
  radeon.multiprocessors = 84;
  EXPECT_EQ(level_peak(described(radeon), "DRAM"), nullptr);
}

TEST(Describe, WithoutAClockThereIsNoTheory) {
  auto device = h200();
  device.clock_hz = 0;
  const auto info = described(device);
  EXPECT_FALSE(info.max_clock_hz);
  EXPECT_EQ(find(info, Unit::vector, DType::fp32, DType::fp32), nullptr);
  EXPECT_EQ(fact(info, "theoretical compute peaks"), "unknown");
}

}  // namespace
}  // namespace gable::gpu::test
