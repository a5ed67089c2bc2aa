#include "nvml.hpp"

#include <fmt/format.h>

#include "backends/gpu/loaded_library.hpp"

namespace gable::gpu {

const Nvml& Nvml::instance() {
  static const Nvml nvml;
  return nvml;
}

Nvml::Nvml() {
  LoadedLibrary library{"libnvidia-ml.so.1"};
  int (*start)() = nullptr;
  library.need(start, "nvmlInit_v2");
  library.need(handle_by_pci_bus, "nvmlDeviceGetHandleByPciBusId_v2");
  library.find(memory_info, "nvmlDeviceGetMemoryInfo");
  library.find(power_usage, "nvmlDeviceGetPowerUsage");
  library.find(enforced_power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  library.find(temperature, "nvmlDeviceGetTemperature");
  // The second is the older name of the first.
  if (!library.find(clock_limits, "nvmlDeviceGetCurrentClocksEventReasons")) {
    library.find(clock_limits, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  library.find(persistence_mode, "nvmlDeviceGetPersistenceMode");
  library.find(driver_version, "nvmlSystemGetDriverVersion");
  missing_ = library.missing();
  if (!missing_.empty()) return;
  if (const int result = start(); result != 0) missing_ = fmt::format("nvmlInit_v2 returned {}", result);
}

}  // namespace gable::gpu
