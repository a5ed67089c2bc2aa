#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace gable::gpu {

/// The few functions of ROCm SMI that Gable asks, by name out of librocm_smi64.so. Signatures and units are those of
/// its API reference; every function returns 0 for success. A function that a release does not have is null. Compiled,
/// never run with a GPU.
class RocmSmi {
 public:
  /// Loads and starts it, once per process.
  static const RocmSmi& instance();
  /// Empty if the library is there and started, else why not.
  const std::string& missing() const { return missing_; }

  /// ROCm SMI's own number of the device at "0000:c1:00.0"; nothing if it lists none there. Partitions differ in the
  /// PCI function only and are one device for it: the first is taken.
  std::optional<std::uint32_t> device_at(const std::string& pci_bus) const;

  int (*power)(std::uint32_t device, std::uint64_t* microwatt, int* kind){};
  int (*average_power)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* microwatt){};
  int (*power_cap)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* microwatt){};
  int (*temperature)(std::uint32_t device, std::uint32_t sensor, int metric, std::int64_t* millicelsius){};

 private:
  RocmSmi();
  int (*device_count_)(std::uint32_t* count){};
  int (*pci_id_)(std::uint32_t device, std::uint64_t* id){};
  std::string missing_;
};

}  // namespace gable::gpu
