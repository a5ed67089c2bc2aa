#include "core/device/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace gable::embedded {
extern const std::string_view devices_json;
}

namespace gable::catalogue {
namespace {

using nlohmann::json;

std::string text(const json& object, const char* key) { return object.value(key, std::string{}); }

template <class T>
std::optional<T> maybe(const json& object, const char* key) {
  return object.contains(key) ? std::optional<T>(object.at(key).get<T>()) : std::nullopt;
}

/// Nothing for storage types Gable does not have.
std::optional<TheoreticalPeak> read_peak(const json& entry) {
  const auto dtype = parse_dtype(text(entry, "dtype"));
  if (!dtype) return {};
  const bool integer = is_integer(*dtype);
  TheoreticalPeak peak;
  peak.name = entry.at("unit");
  peak.dtype = dtype;
  peak.accumulate = parse_dtype(text(entry, "accumulate"));
  peak.value = entry.at(integer ? "peak_op_per_s" : "peak_flop_per_s");
  peak.unit = integer ? "op/s" : "flop/s";
  peak.source = entry.at("source");
  if (entry.contains("instructions")) peak.source += fmt::format(" ({} instructions)", text(entry, "instructions"));
  peak.confidence = entry.at("confidence");
  return peak;
}

Device read_device(const json& entry) {
  Device device;
  device.name = entry.at("name");
  device.vendor = entry.at("vendor");
  device.architecture = entry.at("architecture");
  device.isa = entry.at("isa");
  device.compute_units = maybe<int>(entry, "compute_units");
  device.clock_hz = maybe<double>(entry, "clock_hz");
  device.matrix_clock_hz = maybe<double>(entry, "matrix_clock_hz");
  device.memory_type = entry.at("memory_type");
  device.memory_byte = entry.at("memory_byte");
  device.memory_byte_per_s = entry.at("memory_byte_per_s");
  device.l2_byte = maybe<double>(entry, "l2_byte");
  device.infinity_cache_byte = maybe<double>(entry, "infinity_cache_byte");
  device.l1_byte_per_unit = maybe<double>(entry, "l1_byte_per_unit");
  device.shared_byte_per_unit = maybe<double>(entry, "shared_byte_per_unit");
  device.link = text(entry, "link");
  device.link_byte_per_s = maybe<double>(entry, "link_byte_per_s");
  device.pcie_generation = maybe<int>(entry, "pcie_generation");
  device.tdp_w = maybe<double>(entry, "tdp_w");
  device.source = entry.at("source");
  device.confidence = entry.at("confidence");
  device.unconfirmed = entry.value("unconfirmed", std::vector<std::string>{});
  device.note = text(entry, "note");
  for (const json& peak : entry.at("peaks")) {
    if (auto known = read_peak(peak)) device.peaks.push_back(*std::move(known));
  }
  return device;
}

Cpu read_cpu(const json& entry) {
  Cpu cpu{.name = entry.at("name"),
          .vendor = entry.at("vendor"),
          .note = text(entry, "note"),
          .rates = {},
          .processors = {}};
  for (const json& rate : entry.at("rates")) {
    const DType dtype = parse_dtype(text(rate, "dtype")).value();
    cpu.rates.push_back({.dtype = dtype,
                         .unit = parse_unit(text(rate, "unit")).value(),
                         .per_cycle = rate.at(is_integer(dtype) ? "op_per_cycle" : "flop_per_cycle"),
                         .isa = rate.at("isa"),
                         .basis = rate.at("basis"),
                         .source = rate.at("source"),
                         .confidence = rate.at("confidence")});
  }
  for (const json& processor : entry.value("processors", json::array())) {
    cpu.processors.push_back({.name = processor.at("name"),
                              .cores = maybe<int>(processor, "cores"),
                              .memory_channels = maybe<int>(processor, "memory_channels"),
                              .memory_type = processor.at("memory_type"),
                              .memory_byte_per_s = processor.at("memory_byte_per_s"),
                              .source = processor.at("source"),
                              .confidence = processor.at("confidence")});
  }
  return cpu;
}

struct Catalogue {
  std::vector<Device> devices;
  std::vector<Cpu> cpus;
};

const Catalogue& catalogue() {
  static const Catalogue all = [] {
    const json document = json::parse(embedded::devices_json);
    Catalogue result;
    for (const json& entry : document.at("devices")) result.devices.push_back(read_device(entry));
    for (const json& entry : document.at("cpus")) result.cpus.push_back(read_cpu(entry));
    return result;
  }();
  return all;
}

std::string lower(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

const std::vector<Device>& devices() { return catalogue().devices; }
const std::vector<Cpu>& cpus() { return catalogue().cpus; }

const Device& find_device(std::string_view name) {
  const std::string wanted = lower(name);
  std::vector<const Device*> containing;
  for (const Device& device : devices()) {
    const std::string known = lower(device.name);
    if (known == wanted) return device;
    if (!wanted.empty() && known.find(wanted) != std::string::npos) containing.push_back(&device);
  }
  if (containing.size() == 1) return *containing.front();
  std::vector<std::string> candidates;
  if (containing.empty()) {
    for (const Device& device : devices()) candidates.push_back(device.name);
  }
  for (const Device* device : containing) candidates.push_back(device->name);
  throw Error(fmt::format("device \"{}\" is {} in the catalogue: {}", name, containing.empty() ? "not" : "ambiguous",
                          fmt::join(candidates, ", ")));
}

const TheoreticalPeak* peak(const Device& device, DType dtype, Unit unit, std::optional<DType> accumulate) {
  const TheoreticalPeak* best = nullptr;
  for (const TheoreticalPeak& entry : device.peaks) {
    if (entry.dtype != dtype || entry.name != to_string(unit)) continue;
    if (accumulate && entry.accumulate != accumulate) continue;
    if (!best || entry.value > best->value) best = &entry;
  }
  return best;
}

std::optional<CpuRate> cpu_rate(std::string_view microarchitecture, DType dtype, Unit unit) {
  for (const Cpu& cpu : cpus()) {
    if (cpu.name != microarchitecture) continue;
    for (const CpuRate& rate : cpu.rates) {
      if (rate.dtype == dtype && rate.unit == unit) return rate;
    }
  }
  return {};
}

}  // namespace gable::catalogue
