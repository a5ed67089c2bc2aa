#include "backends/hip/hwmon.hpp"

#include "tests/unit/gpu/made_up_system.hpp"

namespace gable::gpu::test {
namespace {

/// hwmon numbers of Linux' amdgpu driver: microwatt, millidegrees, hertz.
class Sensors : public MadeUpSystem {
 protected:
  const std::filesystem::path of = "bus/pci/devices/0000:03:00.0/hwmon/hwmon4";
  Hwmon at(const std::string& pci_bus) const { return {root_, pci_bus}; }
};

TEST_F(Sensors, FiguresAreInWattCelsiusAndHertz) {
  write(of / "power1_input", "512500000\n");
  write(of / "power1_average", "300000000\n");
  write(of / "power1_cap", "750000000\n");
  write(of / "freq1_input", "2098000000\n");
  const auto hwmon = at("0000:03:00.0");
  EXPECT_EQ(hwmon.missing(), "");
  EXPECT_DOUBLE_EQ(hwmon.power_w().value(), 512.5);
  EXPECT_TRUE(hwmon.power_is_of_the_moment());
  EXPECT_DOUBLE_EQ(hwmon.power_cap_w().value(), 750.0);
  EXPECT_DOUBLE_EQ(hwmon.clock_hz().value(), 2.098e9);
}

TEST_F(Sensors, AnAverageStandsInForThePowerOfTheMoment) {
  write(of / "power1_average", "300000000\n");
  EXPECT_DOUBLE_EQ(at("0000:03:00.0").power_w().value(), 300.0);
  EXPECT_FALSE(at("0000:03:00.0").power_is_of_the_moment());
}

TEST_F(Sensors, TheJunctionIsTheTemperatureElseTheHighestIs) {
  write(of / "temp1_input", "45000\n");
  write(of / "temp2_input", "61000\n");
  write(of / "temp3_input", "72000\n");
  EXPECT_DOUBLE_EQ(at("0000:03:00.0").temperature_c().value(), 72.0);
  write(of / "temp1_label", "edge\n");
  write(of / "temp2_label", "junction\n");
  write(of / "temp3_label", "mem\n");
  EXPECT_DOUBLE_EQ(at("0000:03:00.0").temperature_c().value(), 61.0);
}

TEST_F(Sensors, AnyPartitionOfADeviceHasItsSensors) {
  write(of / "power1_input", "512500000\n");
  EXPECT_DOUBLE_EQ(at("0000:03:00.5").power_w().value(), 512.5);
}

/// The second die of a module says 0 or has no file.
TEST_F(Sensors, NoPowerIsUnknownAndNotZero) {
  write(of / "power1_input", "0\n");
  write(of / "temp1_input", "nonsense\n");
  const auto hwmon = at("0000:03:00.0");
  EXPECT_EQ(hwmon.missing(), "");
  EXPECT_FALSE(hwmon.power_w());
  EXPECT_FALSE(hwmon.power_cap_w());
  EXPECT_FALSE(hwmon.temperature_c());
  EXPECT_FALSE(hwmon.clock_hz());
}

TEST_F(Sensors, ADeviceWithoutThemIsAGapWithTheReason) {
  const auto hwmon = at("0000:c1:00.0");
  EXPECT_FALSE(hwmon.power_w());
  EXPECT_FALSE(hwmon.temperature_c());
  EXPECT_EQ(hwmon.missing(), "the driver has no hwmon folder for the device at 0000:c1:00.0");
  EXPECT_EQ(at("").missing(), "the driver has no hwmon folder for the device at (no address)");
}

}  // namespace
}  // namespace gable::gpu::test
