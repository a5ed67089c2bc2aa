#pragma once
#include <string>

namespace gable::gpu {

/// The few functions of NVML that Gable asks, by name out of libnvidia-ml.so.1, which comes with the driver. Signatures
/// and constants are those of NVML's API reference; every function returns 0 for success. A function that a driver's
/// library does not have is null, and what it would tell is unknown: see tells() of loaded_library.hpp.
class Nvml {
 public:
  using Device = struct nvmlDevice_st*;
  /// nvmlMemory_t, byte.
  struct Memory {
    unsigned long long total, free, used;
  };

  /// Loads and starts it, once per process.
  static const Nvml& instance();
  /// Empty if the library is there and started, else why not.
  const std::string& missing() const { return missing_; }

  int (*handle_by_pci_bus)(const char* bus, Device* device){};
  int (*memory_info)(Device device, Memory* memory){};
  /// Its powers are of a moment up to 0.1 s ago, or an average over a second, which for a short row is mostly that of
  /// its neighbours.
  int (*total_energy)(Device device, unsigned long long* millijoule){};
  int (*enforced_power_limit)(Device device, unsigned* milliwatt){};
  int (*temperature)(Device device, int sensor, unsigned* celsius){};
  int (*clock)(Device device, int domain, unsigned* megahertz){};
  int (*clock_limits)(Device device, unsigned long long* reasons){};
  int (*persistence_mode)(Device device, int* mode){};
  int (*driver_version)(char* text, unsigned length){};

 private:
  Nvml();
  std::string missing_;
};

}  // namespace gable::gpu
