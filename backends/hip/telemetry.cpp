#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "backends/gpu/loaded_library.hpp"
#include "backends/gpu/telemetry.hpp"

namespace gable::gpu {
namespace {

/// The few functions of ROCm SMI that Gable asks, by name out of librocm_smi64.so. Signatures and units are those of
/// its API reference; every function returns 0 for success. A function that a release lacks is null. Compiled, never
/// run with a GPU.
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

namespace {

constexpr double micro = 1e-6;
constexpr double milli = 1e-3;
constexpr std::uint32_t junction = 1, first_sensor = 0;
constexpr int current_value = 0;

/// Power of the whole module; the second die of a module reports 0.
std::optional<double> power_w(const RocmSmi& smi, std::uint32_t device) {
  std::uint64_t microwatt = 0;
  int kind = 0;
  const bool known =
      tells(smi.power, device, &microwatt, &kind) || tells(smi.average_power, device, first_sensor, &microwatt);
  if (!known || microwatt == 0) return {};
  return micro * static_cast<double>(microwatt);
}

}  // namespace

struct Telemetry::Handle {
  std::optional<std::uint32_t> device;
  std::string missing;
};

Telemetry::Telemetry(const DeviceFacts& device) : handle_(std::make_unique<Handle>()) {
  const auto& smi = RocmSmi::instance();
  handle_->missing = smi.missing();
  if (!handle_->missing.empty()) return;
  handle_->device = smi.device_at(device.pci_bus);
  if (!handle_->device) handle_->missing = fmt::format("ROCm SMI lists no device at {}", device.pci_bus);
}

Telemetry::~Telemetry() = default;
Telemetry::Telemetry(Telemetry&&) noexcept = default;
Telemetry& Telemetry::operator=(Telemetry&&) noexcept = default;

/// What held the clock back is left out: its structures differ between releases and chips.
Conditions Telemetry::now() const {
  Conditions conditions;
  if (!handle_->device) return conditions;
  const auto& smi = RocmSmi::instance();
  conditions.power_w = power_w(smi, *handle_->device);
  std::int64_t millicelsius = 0;
  if (tells(smi.temperature, *handle_->device, junction, current_value, &millicelsius)) {
    conditions.temperature_c = milli * static_cast<double>(millicelsius);
  }
  return conditions;
}

std::vector<Fact> Telemetry::facts() const {
  if (!handle_->device) return {{"ROCm SMI", "unknown", handle_->missing}};
  std::uint64_t microwatt = 0;
  const bool known = tells(RocmSmi::instance().power_cap, *handle_->device, first_sensor, &microwatt) && microwatt > 0;
  return {{"power cap", known ? fmt::format("{:.0f} W", micro * static_cast<double>(microwatt)) : "unknown",
           known ? "ROCm SMI" : "ROCm SMI does not tell"},
          {"clock limits", "unknown", "not asked of ROCm SMI"}};
}

}  // namespace gable::gpu
