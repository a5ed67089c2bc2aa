#include "backends/gpu/inventory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

#include "backends/gpu/rates.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"

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
  std::vector<std::string> remarks;
  for (const auto& device : inventory.devices) {
    auto reason = refuses(device, built);
    if (reason.empty()) {
      probe.devices.push_back(describe(device, inventory, built));
    } else {
      remarks.push_back(std::move(reason));
    }
  }
  if (!probe.devices.empty() && !inventory.timing_remark.empty()) remarks.push_back(inventory.timing_remark);
  probe.reason = fmt::format("{}", fmt::join(remarks, "; "));
  return probe;
}

DeviceFacts find_facts(const Inventory& inventory, const BuiltFor& built, const std::string& id) {
  for (const auto& device : inventory.devices) {
    if (id == fmt::format("{}:{}", built.backend, device.index)) return device;
  }
  throw Error(fmt::format("no device '{}' here{}", id, mask_text(inventory)));
}

namespace {

std::string microarchitecture(const DeviceFacts& device) {
  constexpr std::pair<std::string_view, const char*> amd[] = {
      {"gfx908", "CDNA"}, {"gfx90a", "CDNA2"}, {"gfx942", "CDNA3"}, {"gfx950", "CDNA4"}, {"gfx1100", "RDNA3"}};
  for (const auto& [isa, name] : amd) {
    if (device.isa == isa) return name;
  }
  switch (device.major) {
    case 7:
      return device.minor < 5 ? "Volta" : "Turing";
    case 8:
      return device.minor == 9 ? "Ada" : "Ampere";
    case 9:
      return "Hopper";
    case 10:
    case 12:
      return "Blackwell";
    default:
      return "";
  }
}

void add_fact(DeviceInfo& info, std::string name, std::string value, std::string source) {
  info.facts.push_back({std::move(name), std::move(value), std::move(source)});
}

/// Of a slice the management library reports the whole device.
void add_free_memory(DeviceInfo& info, const DeviceFacts& device) {
  const bool known = device.free_memory_bytes > 0 && !is_slice(device);
  if (known) {
    info.free_memory_bytes = device.free_memory_bytes;
    return;
  }
  const std::string why = is_slice(device) ? "told of the whole device only" : device.free_memory_unknown;
  add_fact(info, "free memory", "unknown", why + "; sizes are planned for all of it");
}

void add_levels(DeviceInfo& info, const DeviceFacts& device, const BuiltFor& built, const std::string& memory) {
  const std::string source = built.runtime + " runtime";
  const int all = device.multiprocessors;
  if (device.l2_bytes > 0) {
    info.memory.push_back({"L2", device.l2_bytes / device.l2_instances, device.l2_instances,
                           (all + device.l2_instances - 1) / device.l2_instances, 128,
                           device.l2_source.empty() ? source : device.l2_source});
  }
  if (device.infinity_cache_bytes > 0) {
    info.memory.push_back({"Infinity Cache", device.infinity_cache_bytes, 1, all, 128, device.infinity_cache_source});
  }
  info.memory.push_back({memory, device.memory_bytes, 1, all, 0, source});
}

/// multiprocessors x rate x maximum clock.
TheoreticalPeak derived_peak(const DeviceFacts& device, const Rate& rate) {
  TheoreticalPeak peak;
  peak.value = datasheet_rate(device, rate, device.clock_hz);
  peak.source = fmt::format("{} multiprocessors x {:g} per cycle x {} ({})", device.multiprocessors, rate.per_cycle,
                            format_quantity(device.clock_hz, "Hz"), rate.source);
  peak.confidence = Confidence::derived;
  return peak;
}

/// The vendor's own figure where the product is known: matrix units are specified at a lower clock than the maximum.
void add_compute_peaks(DeviceInfo& info, const DeviceFacts& device, const catalogue::Device* entry) {
  for (const Unit unit : {Unit::vector, Unit::matrix, Unit::exp, Unit::divide}) {
    for (const DType storage : all_dtypes) {
      for (const DType accumulate : all_dtypes) {
        const auto known = rate(device, unit, storage, accumulate);
        if (!known) continue;
        const auto* printed = entry == nullptr ? nullptr : catalogue::peak(*entry, storage, unit, accumulate);
        auto peak = printed != nullptr ? *printed : derived_peak(device, *known);
        peak.name = to_string(unit);
        peak.dtype = storage;
        peak.accumulate = accumulate;
        peak.unit = rate_unit(unit, storage);
        peak.per_core_and_cycle = known->per_cycle;
        info.peaks.push_back(std::move(peak));
      }
    }
  }
}

void add_memory_peak(DeviceInfo& info, const DeviceFacts& device, const catalogue::Device* entry) {
  TheoreticalPeak peak;
  peak.name = info.memory.back().name;
  peak.unit = "byte/s";
  if (entry != nullptr) {
    peak.value = entry->memory_byte_per_s;
    peak.source = entry->source;
    peak.confidence = entry->confidence;
  } else if (device.memory_clock_hz > 0 && device.memory_bus_bits > 0 && !is_slice(device)) {
    peak.value = 2.0 * device.memory_clock_hz * device.memory_bus_bits / 8.0;
    peak.source = "2 x memory clock x bus width, as the runtime gives them";
    peak.confidence = Confidence::derived;
  } else {
    return;
  }
  info.peaks.push_back(std::move(peak));
}

void add_partition(DeviceInfo& info, const DeviceFacts& device) {
  if (!device.compute_partition.empty()) {
    const std::string memory = device.memory_partition.empty() ? "" : ", " + device.memory_partition;
    add_fact(info, "partition mode", device.compute_partition + memory, "driver");
  } else {
    add_fact(info, "partition mode", is_slice(device) ? device.name.substr(device.name.find("MIG ")) : "whole device",
             "name of the device");
  }
  if (device.l2_instances > 1) {
    add_fact(info, "XCDs", std::to_string(device.l2_instances), "driver; each has an L2 of its own");
  }
  if (device.name.find("MI250") != std::string::npos) {
    add_fact(info, "module", "one of two dies (GCD), each a device of its own", "name of the device");
  }
}

void add_facts(DeviceInfo& info, const DeviceFacts& device, const Inventory& inventory, const BuiltFor& built) {
  const std::string source = built.runtime + " runtime";
  const std::string of_one = source + (built.vendor == "AMD" ? ", of a compute unit" : ", of a multiprocessor");
  add_fact(info, "UUID", device.uuid.empty() ? "unknown" : device.uuid, source);
  add_fact(info, "PCI bus", device.pci_bus.empty() ? "unknown" : device.pci_bus, source);
  add_fact(info, "ECC", device.ecc ? "on" : "off", source);
  add_partition(info, device);
  add_fact(info, "driver", inventory.driver_version.empty() ? "unknown" : inventory.driver_version, source);
  add_fact(info, "runtime", inventory.runtime_version, "of the build");
  for (const auto& mask : inventory.masks) add_fact(info, mask.variable, mask.value.value_or("not set"), "environment");
  add_fact(info, built.vendor == "AMD" ? "LDS" : "shared memory",
           format_quantity(device.shared_per_multiprocessor_bytes, "byte"), of_one);
  add_fact(info, "registers", std::to_string(device.registers_per_multiprocessor), of_one);
  add_fact(info, "copy engines", std::to_string(device.copy_engines), source);
}

}  // namespace

const catalogue::Device* find_product(const DeviceFacts& device, const BuiltFor& built) {
  if (is_slice(device)) return nullptr;
  return catalogue::find_product(device.name, built.vendor, device.multiprocessors, device.memory_bytes);
}

DeviceInfo describe(const DeviceFacts& device, const Inventory& inventory, const BuiltFor& built) {
  DeviceInfo info;
  info.id = fmt::format("{}:{}", built.backend, device.index);
  info.backend = built.backend;
  info.name = device.name;
  info.vendor = built.vendor;
  info.microarchitecture = microarchitecture(device);
  info.emulator = device.emulator;
  info.isa = {device.isa};
  info.cores = device.multiprocessors;
  info.threads = device.multiprocessors;
  if (device.clock_hz > 0) info.max_clock_hz = device.clock_hz;
  info.clock_source = device.clock_hz > 0 ? built.runtime + " runtime" : "the runtime gives none";
  add_free_memory(info, device);
  const auto* entry = find_product(device, built);
  const bool stacked = entry != nullptr ? entry->memory_type.starts_with("HBM") : device.memory_bus_bits >= 1024;
  add_levels(info, device, built, stacked ? "HBM" : "DRAM");
  if (device.clock_hz > 0) {
    add_compute_peaks(info, device, entry);
  } else {
    add_fact(info, "theoretical compute peaks", "unknown", "the runtime gives no clock");
  }
  add_memory_peak(info, device, entry);
  add_facts(info, device, inventory, built);
  if (entry == nullptr && !is_slice(device)) {
    add_fact(info, "catalogue", "unknown", "no entry of data/devices.json is this product");
  }
  return info;
}

}  // namespace gable::gpu
