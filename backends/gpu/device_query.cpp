#include "backends/gpu/inventory.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>

#include "backends/gpu/vendor_facts.hpp"
#include "core/text/environment.hpp"
#include "runtime_names.hpp"

namespace gable::gpu {
namespace {

Mask mask_of(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return {variable, value == nullptr ? std::nullopt : std::optional<std::string>(value)};
}

/// "0000:C1:00.0" as the system's folders write it.
std::string pci_bus(int index) {
  char text[32] = {};
  if (GABLE_RUNTIME(DeviceGetPCIBusId)(text, sizeof text, index) != GABLE_RUNTIME(Success)) return "";
  std::string bus = text;
  for (char& c : bus) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return bus;
}

/// The emulated runtime of the tests (tests/gpu/emulated), in whose process kernels run on no device, says so by this
/// variable.
std::optional<std::string> emulator() {
  const auto* name = static_cast<const char*>(dlsym(RTLD_DEFAULT, "gable_emulated_device"));
  return name == nullptr ? std::nullopt : std::optional<std::string>(name);
}

DeviceFacts facts_of(int index, const DeviceProperties& properties) {
  DeviceFacts facts;
  facts.index = index;
  facts.name = properties.name;
  facts.pci_bus = pci_bus(index);
  facts.multiprocessors = properties.multiProcessorCount;
  facts.memory_bus_bits = properties.memoryBusWidth;
  facts.memory_bytes = static_cast<double>(properties.totalGlobalMem);
  facts.l2_bytes = properties.l2CacheSize;
  facts.shared_per_multiprocessor_bytes = static_cast<double>(properties.sharedMemPerMultiprocessor);
  facts.shared_per_block_bytes = static_cast<double>(properties.sharedMemPerBlockOptin);
  facts.registers_per_multiprocessor = properties.regsPerMultiprocessor;
  facts.copy_engines = properties.asyncEngineCount;
  facts.ecc = properties.ECCEnabled != 0;
  facts.emulator = emulator();
  add_vendor_facts(facts, properties);
  return facts;
}

}  // namespace

Inventory query_devices() {
  Inventory inventory;
  for (const auto& variable : mask_variables()) inventory.masks.push_back(mask_of(variable));
  inventory.timing_remark = remark_on_timing(timing_variables());
  int version = 0;
  if (GABLE_RUNTIME(DriverGetVersion)(&version) == GABLE_RUNTIME(Success)) {
    inventory.driver_version = version_text(version);
  }
  if (GABLE_RUNTIME(RuntimeGetVersion)(&version) == GABLE_RUNTIME(Success)) {
    inventory.runtime_version = version_text(version);
  }
  int count = 0;
  const auto result = GABLE_RUNTIME(GetDeviceCount)(&count);
  if (result != GABLE_RUNTIME(Success)) {
    inventory.error = GABLE_RUNTIME(GetErrorString)(result);
    inventory.driver_too_old = result == GABLE_RUNTIME(ErrorInsufficientDriver);
    return inventory;
  }
  for (int index = 0; index < count; ++index) {
    DeviceProperties properties{};
    const auto asked = GABLE_RUNTIME(GetDeviceProperties)(&properties, index);
    if (asked == GABLE_RUNTIME(Success)) {
      inventory.devices.push_back(facts_of(index, properties));
    } else {
      inventory.error = fmt::format("device {}: {}", index, GABLE_RUNTIME(GetErrorString)(asked));
    }
  }
  return inventory;
}

}  // namespace gable::gpu
