#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace gable::gpu {

/// Sensors of a GPU in the files of Linux' amdgpu driver: hwmon, below the PCI device's folder. Each question reads its
/// file anew and is nothing where the chip or the driver has none, or where it says 0.
class Hwmon {
 public:
  /// Looks below /sys under `root` for a device at "0000:c1:00.0"; partitions of a device share its sensors.
  Hwmon(const std::filesystem::path& root, const std::string& pci_bus);

  /// Empty if there is a folder with sensors, else why not.
  const std::string& missing() const { return missing_; }
  /// power1_input, of the moment, or power1_average, W. Of the whole module: the second die of a module has none.
  std::optional<double> power_w() const;
  /// Whether it is power1_input that power_w() reads.
  bool power_is_of_the_moment() const;
  /// power1_cap, W.
  std::optional<double> power_cap_w() const;
  /// The temp*_input that is called junction, the hottest point, or else the highest of all, in degrees Celsius.
  std::optional<double> temperature_c() const;
  /// freq1_input, the shaders' clock at this moment, Hz.
  std::optional<double> clock_hz() const;

 private:
  std::optional<double> number(const char* file, double scale) const;
  std::filesystem::path folder_;
  std::string missing_;
};

}  // namespace gable::gpu
