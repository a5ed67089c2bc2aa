#include "core/analysis/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/analysis/place.hpp"
#include "core/device/datasheet.hpp"
#include "core/error.hpp"

namespace gable::analysis {
Machine machine_of(const catalogue::Device& device) {
  Machine machine;
  machine.name = device.name;
  machine.basis = fmt::format("datasheet, {}", device.confidence);
  machine.memory_byte = device.memory_byte;
  machine.link_byte_per_s = device.link_byte_per_s;
  machine.power_w = device.tdp_w;
  machine.roofline.set_levels({{device.memory_type, 0}});
  machine.roofline.add(BandwidthRoof{.level = device.memory_type,
                                     .byte_per_s = device.memory_byte_per_s,
                                     .low = device.memory_byte_per_s,
                                     .high = device.memory_byte_per_s,
                                     .label = device.memory_type + " (datasheet)"});
  for (const TheoreticalPeak& peak : device.peaks) {
    if (const auto unit = parse_unit(peak.name); unit && peak.dtype) machine.roofline.add(datasheet_roof(peak, *unit));
  }
  return machine;
}

Machine machine_of(const Result& result, const std::string& device, Scope scope) {
  Machine machine;
  machine.roofline = roofline_of(result, device, scope);
  const auto info = std::ranges::find(result.devices, device, &DeviceInfo::id);
  machine.name = info->name;
  machine.basis = "measured";
  if (!info->memory.empty()) machine.memory_byte = info->memory.back().size_bytes * info->memory.back().instances;
  return machine;
}

std::vector<Ridge> ridges(const Machine& machine) {
  const auto& levels = machine.roofline.levels();
  const auto bandwidth = levels.empty() ? std::nullopt : machine.roofline.byte_per_s(levels.back().name);
  std::vector<Ridge> list;
  if (!bandwidth) return list;
  for (const ComputeRoof& roof : machine.roofline.compute()) {
    if (roof.unit == Unit::exp || roof.unit == Unit::convert) continue;
    list.push_back({roof, roof.flop_per_s / *bandwidth});
  }
  std::ranges::stable_sort(list, std::greater<>{}, &Ridge::flop_per_byte);
  return list;
}

}  // namespace gable::analysis
