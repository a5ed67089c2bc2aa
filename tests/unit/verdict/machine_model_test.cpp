#include "core/verdict/machine_model.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace gable {
namespace {

double ridge(const char* device, DType dtype, Unit unit, DType accumulate) {
  const MachineModel machine = machine_of(catalogue::find_device(device));
  for (const auto& [roof, flop_per_byte] : ridges(machine)) {
    if (roof.dtype == dtype && roof.unit == unit && roof.accumulate == accumulate) return flop_per_byte;
  }
  return 0;
}

/// The model's ridge points; it rounds 989.4 to 989, its A100 is at the round 2.0 TB/s, the catalogue's at 2039 GB/s.
TEST(MachineModel, RidgesOfTheCatalogueAreTheModels) {
  EXPECT_NEAR(ridge("A100 SXM4 80GB", DType::fp16, Unit::matrix, DType::fp32), 153.0, 0.05);
  EXPECT_NEAR(ridge("H100 SXM5 80GB", DType::bf16, Unit::matrix, DType::fp32), 295.2, 0.3);
  EXPECT_NEAR(ridge("H100 SXM5 80GB", DType::fp8_e4m3, Unit::matrix, DType::fp32), 590.7, 0.6);
  EXPECT_NEAR(ridge("H200 SXM 141GB", DType::bf16, Unit::matrix, DType::fp32), 206.0, 0.2);
}

TEST(MachineModel, BoundsWorkByWhatVendorsPrint) {
  const MachineModel machine = machine_of(catalogue::find_device("A100 SXM4 80GB"));
  Stage stage;
  stage.work = {{Unit::multiply_add, 312e12}};
  stage.bytes_read = 2039e9 / 2;
  const auto bound = machine.roofline.judge(std::vector{stage}, uniform_types(DType::fp16)).bound;
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->time_s, 1.0, 1e-9);
  EXPECT_EQ(bound->limit.kind, LimitKind::compute);
  EXPECT_EQ(machine.basis, Basis::datasheet);
  EXPECT_EQ(basis_text(machine.basis, machine.source), "datasheet, confirmed");
}

TEST(MachineModel, HowManyDevicesTheLinksJoin) {
  const auto joins = [](std::string_view name) {
    const MachineModel machine = machine_of(catalogue::find_device(name));
    return std::pair(machine.links, machine.linked_devices);
  };
  EXPECT_EQ(joins("Instinct MI300X"), std::pair(std::optional(7), std::optional(8)));     // seven links of its own
  EXPECT_EQ(joins("H100 PCIe 80GB"), std::pair(std::optional<int>(), std::optional(2)));  // a bridge
  EXPECT_EQ(joins("H200 NVL 141GB"), std::pair(std::optional<int>(), std::optional(4)));
  EXPECT_EQ(joins("H200 SXM 141GB"), std::pair(std::optional<int>(), std::optional<int>()));  // a switch
}

Result measured() {
  Result result;
  DeviceInfo device;
  device.id = "openmp";
  device.name = "some CPU";
  device.memory = {{"L1", 32e3, 2, 1, 64, "test"}, {"DRAM", 16e9, 2, 1, 64, "test"}};
  device.cores = 2;
  result.devices.push_back(device);
  Ceiling bandwidth;
  bandwidth.device = "openmp";
  bandwidth.kind = CeilingKind::bandwidth;
  bandwidth.name = "DRAM";
  bandwidth.unit = "byte/s";
  bandwidth.access = Access::triad;
  bandwidth.stores = Stores::ordinary;
  bandwidth.threads = 2;
  bandwidth.value.value = 20e9;
  result.ceilings.push_back(bandwidth);
  Ceiling compute = bandwidth;
  compute.kind = CeilingKind::compute;
  compute.name = "vector";
  compute.unit = "flop/s";
  compute.access = Access::none;
  compute.stores = Stores::none;
  compute.dtype = DType::fp64;
  compute.value.value = 100e9;
  result.ceilings.push_back(compute);
  return result;
}

TEST(MachineModel, OfAResultHasItsRoofsAndMemory) {
  const MachineModel machine = machine_of(measured(), "openmp", Scope::node);
  EXPECT_EQ(machine.name, "some CPU");
  EXPECT_EQ(machine.basis, Basis::measured);
  EXPECT_EQ(basis_text(machine.basis, machine.source), "measured");
  EXPECT_EQ(machine.memory_byte, 32e9);
  const auto list = ridges(machine);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_DOUBLE_EQ(list[0].flop_per_byte, 5.0);
}

TEST(MachineModel, ThatIsNotInTheResultIsAnError) {
  EXPECT_THROW(machine_of(measured(), "cuda:0", Scope::node), Error);
}

}  // namespace
}  // namespace gable
