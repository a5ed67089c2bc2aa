#include "backends/gpu/choice.hpp"

#include <gtest/gtest.h>

#include "backends/gpu/setup.hpp"
#include "core/error.hpp"
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
  try {
    find_facts(inventory, cuda_90a(), "cuda:7");
    FAIL() << "cuda:7 was found";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no device 'cuda:7' here");
  }
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

}  // namespace
}  // namespace gable::gpu::test
