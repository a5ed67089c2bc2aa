#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "backends/gpu/telemetry.hpp"

namespace gable::gpu::test {
namespace {

/// The library that is found is fake_nvml.cpp: a device that counts its energy, and one that does not.
Telemetry at(const char* pci_bus) {
  DeviceFacts device;
  device.pci_bus = pci_bus;
  return Telemetry(device);
}

std::string fact(const Telemetry& telemetry, std::string_view name) {
  const auto facts = telemetry.facts();
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? "absent" : found->value;
}

TEST(Nvml, EnergyIsCountedInMillijoules) {
  const auto telemetry = at("0000:18:00.0");
  EXPECT_DOUBLE_EQ(telemetry.energy_j().value(), 2952.512);
  EXPECT_FALSE(telemetry.now().power_w) << "it would be of neighbouring rows too";
  EXPECT_EQ(fact(telemetry, "power of rows"), "mean over the work of rows that are long enough");
}

TEST(Nvml, TheClockIsThatOfTheMultiprocessors) {
  const auto told = at("0000:18:00.0").now();
  EXPECT_DOUBLE_EQ(told.clock_hz.value(), 1.395e9);
  EXPECT_EQ(told.clock_source, "NVML, read while the device worked");
}

TEST(Nvml, FactsAreWhatItAnswered) {
  const auto telemetry = at("0000:18:00.0");
  EXPECT_EQ(fact(telemetry, "driver build"), "580.159.04");
  EXPECT_EQ(fact(telemetry, "persistence mode"), "on");
  EXPECT_EQ(fact(telemetry, "power cap"), "unknown") << "this driver has no such function";
}

TEST(Nvml, WhereADeviceCountsNoneItsPowerIsUnknown) {
  const auto telemetry = at("0000:3b:00.0");
  EXPECT_FALSE(telemetry.energy_j());
  EXPECT_EQ(fact(telemetry, "power of rows"), "unknown");
}

TEST(Nvml, ADeviceThatItDoesNotKnowIsAGapWithTheReason) {
  const auto telemetry = at("0000:ff:00.0");
  EXPECT_FALSE(telemetry.energy_j());
  ASSERT_EQ(telemetry.facts().size(), 1U);
  EXPECT_EQ(telemetry.facts().front().source, "nvmlDeviceGetHandleByPciBusId_v2 of 0000:ff:00.0 returned 6");
}

}  // namespace
}  // namespace gable::gpu::test
