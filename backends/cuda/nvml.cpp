#include "nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <type_traits>

namespace gable::gpu {

const Nvml& Nvml::instance() {
  static const Nvml nvml;
  return nvml;
}

Nvml::Nvml() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    missing_ = dlerror();
    return;
  }
  const auto find = [&](auto& function, const char* name) {
    void* symbol = dlsym(library, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    return symbol != nullptr;
  };
  const auto need = [&](auto& function, const char* name) {
    if (!find(function, name) && missing_.empty()) missing_ = fmt::format("libnvidia-ml.so.1 has no {}", name);
  };
  int (*start)() = nullptr;
  need(start, "nvmlInit_v2");
  need(handle_by_pci_bus, "nvmlDeviceGetHandleByPciBusId_v2");
  find(memory_info, "nvmlDeviceGetMemoryInfo");
  find(power_usage, "nvmlDeviceGetPowerUsage");
  find(enforced_power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  find(temperature, "nvmlDeviceGetTemperature");
  // The second is the older name of the first.
  if (!find(clock_limits, "nvmlDeviceGetCurrentClocksEventReasons")) {
    find(clock_limits, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  find(persistence_mode, "nvmlDeviceGetPersistenceMode");
  find(driver_version, "nvmlSystemGetDriverVersion");
  if (!missing_.empty()) return;
  if (const int result = start(); result != 0) missing_ = fmt::format("nvmlInit_v2 returned {}", result);
}

}  // namespace gable::gpu
