#include "core/device/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/device/find_product.hpp"
#include "core/error.hpp"

namespace gable::embedded {
extern const std::string_view devices_json;
}

namespace gable::catalogue {
namespace {

Entries& catalogue() {
  static Entries all = parse_entries(embedded::devices_json);
  return all;
}

}  // namespace

void add(std::string_view text, const std::string& source) {
  Entries& known = catalogue();
  try {
    Entries more = parse_users_entries(text);
    refuse_known(known.devices, more.devices);
    refuse_known(known.cpus, more.cpus);
    append(known.devices, std::move(more.devices));
    append(known.cpus, std::move(more.cpus));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", source, error.what()));
  }
}

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
  for (const Device* device : containing) candidates.push_back(device->name);
  if (!containing.empty())
    throw Error(fmt::format("device \"{}\" is ambiguous in the catalogue: {}", name, fmt::join(candidates, ", ")));
  for (const Device& device : devices()) {
    if (is_near(name, device.name)) candidates.push_back(device.name);
  }
  throw Error(fmt::format("device \"{}\" is not in the catalogue: {}", name,
                          candidates.empty() ? "gable devices --catalogue lists what is"
                                             : fmt::format("near it are {}", fmt::join(candidates, ", "))));
}

std::string datasheet_name(const Device& device) { return device.name + " (datasheet)"; }

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
