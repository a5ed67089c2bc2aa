#include "backends/gpu/telemetry.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gable::gpu::test {
namespace {

DeviceFacts at(const char* pci_bus) {
  DeviceFacts device;
  device.pci_bus = pci_bus;
  return device;
}

std::string fact(const Telemetry& telemetry, std::string_view name) {
  const auto facts = telemetry.facts();
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? "absent" : found->value;
}

TEST(RocmSmi, PowerAndTemperatureAreInWattAndCelsius) {
  const Telemetry telemetry(at("0000:03:00.0"));
  EXPECT_DOUBLE_EQ(telemetry.now().power_w.value(), 512.5);
  EXPECT_DOUBLE_EQ(telemetry.now().temperature_c.value(), 61.0);
  EXPECT_EQ(fact(telemetry, "power cap"), "750 W");
}

TEST(RocmSmi, AnyPartitionOfADeviceIsThatDevice) {
  EXPECT_DOUBLE_EQ(Telemetry(at("0000:03:00.5")).now().power_w.value(), 512.5);
}

TEST(RocmSmi, NoPowerIsUnknownAndNotZero) {
  const Telemetry telemetry(at("0001:c1:00.0"));
  EXPECT_FALSE(telemetry.now().power_w);
  EXPECT_TRUE(telemetry.now().temperature_c);
  EXPECT_EQ(fact(telemetry, "power cap"), "unknown");
}

TEST(RocmSmi, ADeviceThatItDoesNotListIsAGapWithTheReason) {
  const Telemetry telemetry(at("0000:c1:00.0"));
  EXPECT_FALSE(telemetry.now().temperature_c);
  const auto facts = telemetry.facts();
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts.front().source, "ROCm SMI lists no device at 0000:c1:00.0");
}

}  // namespace
}  // namespace gable::gpu::test
