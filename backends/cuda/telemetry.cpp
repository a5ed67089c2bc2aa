#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "backends/gpu/loaded_library.hpp"
#include "backends/gpu/telemetry.hpp"
#include "nvml.hpp"

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
  library.find(total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  library.find(enforced_power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  library.find(temperature, "nvmlDeviceGetTemperature");
  library.find(clock, "nvmlDeviceGetClockInfo");
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

namespace {

constexpr double milli = 1e-3, mega = 1e6;
constexpr int gpu_sensor = 0;
constexpr int multiprocessors = 1;  // NVML_CLOCK_SM

/// nvmlClocksThrottleReasons of NVML's API reference. Idleness and the settings of applications hold no clock back.
constexpr std::pair<unsigned long long, const char*> limits[] = {
    {0x04, "power cap"},        {0x08, "hardware slowdown"}, {0x10, "sync boost"},
    {0x20, "software thermal"}, {0x40, "hardware thermal"},  {0x80, "power brake"},
};

std::string limits_text(unsigned long long reasons) {
  std::vector<std::string> names;
  for (const auto& [bit, name] : limits) {
    if ((reasons & bit) != 0) names.emplace_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

struct Telemetry::Handle {
  Nvml::Device device{};
  std::string missing;
};

Telemetry::Telemetry(const DeviceFacts& device) : handle_(std::make_unique<Handle>()) {
  const auto& nvml = Nvml::instance();
  handle_->missing = nvml.missing();
  if (!handle_->missing.empty()) return;
  const int result = nvml.handle_by_pci_bus(device.pci_bus.c_str(), &handle_->device);
  if (result != 0) {
    handle_->missing = fmt::format("nvmlDeviceGetHandleByPciBusId_v2 of {} returned {}", device.pci_bus, result);
  }
}

Telemetry::~Telemetry() = default;

Conditions Telemetry::now() const {
  Conditions conditions;
  if (!handle_->missing.empty()) return conditions;
  const auto& nvml = Nvml::instance();
  unsigned value = 0;
  if (tells(nvml.temperature, handle_->device, gpu_sensor, &value)) conditions.temperature_c = value;
  if (tells(nvml.clock, handle_->device, multiprocessors, &value)) {
    conditions.clock_hz = mega * value;
    conditions.clock_source = "NVML, read while the device worked";
  }
  unsigned long long reasons = 0;
  if (tells(nvml.clock_limits, handle_->device, &reasons)) conditions.clock_limits = limits_text(reasons);
  return conditions;
}

std::optional<double> Telemetry::energy_j() const {
  unsigned long long millijoule = 0;
  if (!handle_->missing.empty() || !tells(Nvml::instance().total_energy, handle_->device, &millijoule)) return {};
  return milli * static_cast<double>(millijoule);
}

std::vector<Fact> Telemetry::facts() const {
  if (!handle_->missing.empty()) return {{"NVML", "unknown", handle_->missing}};
  const auto& nvml = Nvml::instance();
  std::vector<Fact> facts;
  const auto add = [&](const char* name, bool known, std::string value) {
    facts.push_back({name, known ? std::move(value) : "unknown", known ? "NVML" : "NVML does not tell"});
  };
  // Asked before what was answered is an argument: arguments are evaluated in any order.
  char text[96] = {};
  const bool knows_driver = tells(nvml.driver_version, text, sizeof text);
  add("driver build", knows_driver, text);
  unsigned limit = 0;
  const bool knows_limit = tells(nvml.enforced_power_limit, handle_->device, &limit);
  add("power cap", knows_limit, fmt::format("{:.0f} W", milli * limit));
  add("power of rows", energy_j().has_value(), "mean over the work of rows that are long enough");
  int mode = 0;
  const bool knows_mode = tells(nvml.persistence_mode, handle_->device, &mode);
  add("persistence mode", knows_mode, mode != 0 ? "on" : "off");
  return facts;
}

}  // namespace gable::gpu
