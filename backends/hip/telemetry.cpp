#include "backends/gpu/telemetry.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "backends/gpu/loaded_library.hpp"
#include "backends/hip/rocm_smi.hpp"

namespace gable::gpu {
namespace {

constexpr double micro = 1e-6;
constexpr double milli = 1e-3;
constexpr std::uint32_t junction = 1, first_sensor = 0;
constexpr int current_value = 0;

/// Of the whole module; the second die of one tells 0.
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

/// What held the clock back is left out: releases and chips tell it in structures that differ.
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
