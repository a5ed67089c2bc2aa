#include "core/device/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/sequence.hpp"
#include "core/text/naming.hpp"

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
  naming(source, [&] {
    Entries more = parse_users_entries(text);
    refuse_known(known.devices, more.devices);
    refuse_known(known.cpus, more.cpus);
    append(known.devices, std::move(more.devices));
    append(known.cpus, std::move(more.cpus));
  });
}

const std::vector<Device>& devices() { return catalogue().devices; }
const std::vector<Cpu>& cpus() { return catalogue().cpus; }

/// How well a name is met by that of a device: 0 not at all, 1 as a part of it, 2 by its words, 3 by its last ones, 4
/// as a whole. "B200" is no word of "GB200".
static int fit_of(std::string_view name, const Device& device) {
  const std::string wanted = lower(name), known = lower(device.name);
  if (known == wanted) return 4;
  if (wanted.empty() || known.find(wanted) == std::string::npos) return 0;
  const auto words = words_of(wanted), there = words_of(known);
  const auto at = std::ranges::find_end(there, words);
  if (at.empty()) return 1;
  return at.end() == there.end() ? 3 : 2;
}

const Device& find_device(std::string_view name) {
  std::vector<const Device*> containing;
  int best = 1;
  for (const Device& device : devices()) {
    const int fit = fit_of(name, device);
    if (fit < best) continue;
    if (fit > best) containing.clear();
    best = fit;
    containing.push_back(&device);
  }
  if (containing.size() == 1) return *containing.front();
  auto candidates = mapped(containing, &Device::name);
  if (!containing.empty())
    throw Error(fmt::format("device \"{}\" is ambiguous in the catalogue: {}", name, fmt::join(candidates, ", ")));
  for (const Device& device : devices()) {
    if (is_near(name, device.name)) candidates.push_back(device.name);
  }
  throw Error(fmt::format("device \"{}\" is not in the catalogue: {}", name,
                          candidates.empty() ? "gable devices --catalogue lists what is, --devices-file adds more"
                                             : fmt::format("near it are {}", fmt::join(candidates, ", "))));
}

std::string datasheet_name(const Device& device) { return device.name + " (datasheet)"; }

const TheoreticalPeak* peak(const Device& device, DType dtype, Unit unit, std::optional<DType> accumulate) {
  return highest_of(device.peaks, &TheoreticalPeak::value, [&](const TheoreticalPeak& entry) {
    return entry.dtype == dtype && entry.name == to_string(unit) && (!accumulate || entry.accumulate == accumulate);
  });
}

const Cpu* find_cpu(std::string_view microarchitecture) { return find_by(cpus(), microarchitecture, &Cpu::name); }

}  // namespace gable::catalogue
