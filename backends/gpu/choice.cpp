#include "backends/gpu/choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/gpu/describe.hpp"
#include "core/error.hpp"

namespace gable::gpu {
namespace {

/// "90a" -> 9, 0, specific.
struct Target {
  int major{}, minor{};
  bool specific{};
};

Target parse_target(const std::string& arch) {
  const std::string digits = arch.substr(0, arch.find_first_not_of("0123456789"));
  const int number = digits.empty() ? 0 : std::stoi(digits);
  return {number / 10, number % 10, digits.size() != arch.size()};
}

std::string mask_text(const Inventory& inventory) {
  std::string text;
  for (const auto& mask : inventory.masks) {
    if (mask.value) text += fmt::format(" ({} is '{}')", mask.variable, *mask.value);
  }
  return text;
}

std::string why_none(const Inventory& inventory, const BuiltFor& built) {
  if (inventory.driver_too_old && !inventory.driver_version.empty()) {
    return fmt::format(
        "the driver is for {0} {1}, this worker was built with {0} {2}: install a newer driver, or "
        "build with {0} {1}",
        built.runtime, inventory.driver_version, inventory.runtime_version);
  }
  return (inventory.error.empty() ? "the driver lists none" : inventory.error) + mask_text(inventory);
}

}  // namespace

bool is_slice(const DeviceFacts& device) {
  const bool partition = !device.compute_partition.empty() && device.compute_partition != "SPX";
  return partition || device.name.find(" MIG ") != std::string::npos;
}

std::string refuses(const DeviceFacts& device, const BuiltFor& built) {
  bool fits = device.isa == built.arch;
  if (device.major > 0) {
    const Target target = parse_target(built.arch);
    const bool same = device.major == target.major && device.minor == target.minor;
    fits = target.specific ? same : device.major == target.major && device.minor >= target.minor;
  }
  if (fits) return "";
  return fmt::format("{}:{}, {}, is {}; this worker was built for {}", built.backend, device.index, device.name,
                     device.isa, device.major > 0 ? "sm_" + built.arch : built.arch);
}

Probe make_probe(const Inventory& inventory, const BuiltFor& built) {
  Probe probe;
  if (inventory.devices.empty()) {
    probe.reason = why_none(inventory, built);
    return probe;
  }
  std::vector<std::string> refused;
  for (const auto& device : inventory.devices) {
    auto reason = refuses(device, built);
    if (reason.empty()) {
      probe.devices.push_back(describe(device, inventory, built));
    } else {
      refused.push_back(std::move(reason));
    }
  }
  probe.reason = fmt::format("{}", fmt::join(refused, "; "));
  return probe;
}

DeviceFacts find_facts(const Inventory& inventory, const BuiltFor& built, const std::string& id) {
  for (const auto& device : inventory.devices) {
    if (id == fmt::format("{}:{}", built.backend, device.index)) return device;
  }
  throw Error(fmt::format("no device '{}' here{}", id, mask_text(inventory)));
}

}  // namespace gable::gpu
