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
    if (symbol == nullptr && missing_.empty()) missing_ = fmt::format("libnvidia-ml.so.1 has no {}", name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  int (*start)() = nullptr;
  find(start, "nvmlInit_v2");
  find(handle_by_pci_bus, "nvmlDeviceGetHandleByPciBusId_v2");
  find(power_usage, "nvmlDeviceGetPowerUsage");
  find(enforced_power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  find(temperature, "nvmlDeviceGetTemperature");
  find(clock_limits, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(persistence_mode, "nvmlDeviceGetPersistenceMode");
  find(driver_version, "nvmlSystemGetDriverVersion");
  if (!missing_.empty()) return;
  if (const int result = start(); result != 0) missing_ = fmt::format("nvmlInit_v2 returned {}", result);
}

}  // namespace gable::gpu
