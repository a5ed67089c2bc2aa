#include "core/device/datasheet.hpp"

#include <fmt/format.h>

#include "core/device/find_product.hpp"

namespace gable {

ComputeRoof datasheet_roof(const TheoreticalPeak& peak, Unit unit) {
  const DType accumulate = peak.accumulate.value_or(uniform_types(*peak.dtype).accumulate);
  std::string label = fmt::format("{} {}", peak.name, to_string(*peak.dtype));
  if (accumulate != *peak.dtype) label += fmt::format(" -> {}", to_string(accumulate));
  return {.unit = unit,
          .dtype = *peak.dtype,
          .accumulate = accumulate,
          .at = OperatingPoint::none,
          .flop_per_s = peak.value,
          .low = peak.value,
          .high = peak.value,
          .label = label + " (datasheet)"};
}

BandwidthRoof datasheet_roof(const std::string& level, double byte_per_s) {
  return {
      .level = level, .byte_per_s = byte_per_s, .low = byte_per_s, .high = byte_per_s, .label = level + " (datasheet)"};
}

const TheoreticalPeak* level_peak(const DeviceInfo& device, std::string_view level) {
  for (const auto& peak : device.peaks) {
    if (peak.name == level && !peak.dtype) return &peak;
  }
  return nullptr;
}

void add_datasheet(const DeviceInfo& device, Ceiling& row) {
  const bool compute = row.kind == CeilingKind::compute;
  const auto* peak = compute ? compute_peak(device, row) : level_peak(device, row.name);
  if (peak == nullptr || device.cores < 1) return;
  if (!compute && row.threads != device.cores) return;
  row.datasheet = compute ? peak->value * row.threads / device.cores : peak->value;
  row.datasheet_source = peak->source;
}

Roofline datasheet_roofline(const DeviceInfo& device, Scope scope, int threads) {
  const DeviceInfo part = part_of(device, scope, threads);
  Roofline roofline;
  roofline.set_levels(levels_of(device, scope, threads));
  std::vector<TheoreticalPeak> peaks = device.peaks;
  const auto* entry = catalogue::find_product(device);
  if (entry != nullptr) {
    for (const TheoreticalPeak& peak : entry->peaks) {
      if (peak.dtype && compute_peak(device, peak) == nullptr) peaks.push_back(peak);
    }
  }
  const double share = device.cores > 0 ? static_cast<double>(part.cores) / device.cores : 1;
  for (TheoreticalPeak& peak : peaks) {
    const auto unit = parse_unit(peak.name);
    if (!unit || !peak.dtype || !(peak.value > 0)) continue;
    peak.value *= share;
    roofline.add(datasheet_roof(peak, *unit));
  }
  if (part.cores < device.cores) return roofline;  // less than all cores need not reach the whole device's memory
  for (const Level& level : roofline.levels()) {
    const auto* peak = level_peak(device, level.name);
    const bool outermost = &level == &roofline.levels().back();
    if (peak != nullptr)
      roofline.add(datasheet_roof(level.name, peak->value));
    else if (outermost && entry != nullptr)
      roofline.add(datasheet_roof(level.name, entry->memory_byte_per_s));
  }
  return roofline;
}

}  // namespace gable
