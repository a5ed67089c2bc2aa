#include "backends/hip/rocm_smi.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "backends/gpu/loaded_library.hpp"

namespace gable::gpu {
namespace {

/// The domain in the upper half, bus << 8 | device << 3 | function in the lower 16 bits.
constexpr std::uint64_t without_function = 0xffffffff0000fff8;

std::optional<std::uint64_t> parse_address(const std::string& text) {
  unsigned domain = 0, bus = 0, device = 0;
  if (std::sscanf(text.c_str(), "%x:%x:%x", &domain, &bus, &device) != 3) return {};
  return std::uint64_t{domain} << 32 | bus << 8 | device << 3;
}

}  // namespace

const RocmSmi& RocmSmi::instance() {
  static const RocmSmi smi;
  return smi;
}

RocmSmi::RocmSmi() {
  // The name without a version comes with development packages only.
  LoadedLibrary library{"librocm_smi64.so", "librocm_smi64.so.1", "librocm_smi64.so.7", "librocm_smi64.so.6"};
  int (*start)(std::uint64_t flags) = nullptr;
  library.need(start, "rsmi_init");
  library.need(device_count_, "rsmi_num_monitor_devices");
  library.need(pci_id_, "rsmi_dev_pci_id_get");
  library.find(power, "rsmi_dev_power_get");
  library.find(average_power, "rsmi_dev_power_ave_get");
  library.find(power_cap, "rsmi_dev_power_cap_get");
  library.find(temperature, "rsmi_dev_temp_metric_get");
  missing_ = library.missing();
  if (!missing_.empty()) return;
  if (const int result = start(0); result != 0) missing_ = fmt::format("rsmi_init returned {}", result);
}

std::optional<std::uint32_t> RocmSmi::device_at(const std::string& pci_bus) const {
  const auto wanted = parse_address(pci_bus);
  std::uint32_t count = 0;
  if (!wanted || !missing_.empty() || !tells(device_count_, &count)) return {};
  for (std::uint32_t device = 0; device < count; ++device) {
    std::uint64_t id = 0;
    if (tells(pci_id_, device, &id) && (id & without_function) == *wanted) return device;
  }
  return {};
}

}  // namespace gable::gpu
