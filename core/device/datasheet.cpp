#include "core/device/datasheet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/device/datasheet_peaks.hpp"
#include "core/device/device_parts.hpp"
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

bool is_of_datasheet(const DeviceInfo& device, const TheoreticalPeak& peak) {
  if (!is_cpu(device) || !peak.dtype) return true;
  const auto at = [&](std::string_view clock) { return peak.source.find(clock) != std::string::npos; };
  return !is_part(device) && !at("GHz (maximum clock") && !at("GHz (nominal clock");
}

std::optional<double> datasheet_value(const DeviceInfo& device, const TheoreticalPeak& peak, int cores) {
  if (!is_cpu(device)) return peak.value * cores / std::max(1, device.cores);
  if (cores == device.cores && is_of_datasheet(device, peak)) return peak.value;
  const auto* processor = is_part(device) || has_kinds_of_cores(device) ? nullptr : processor_of(device);
  if (processor == nullptr || !processor->boost_clock_hz || !peak.per_core_and_cycle) return {};
  const bool one_clock_for_all = processor->clock_hz == processor->boost_clock_hz;
  if (cores != 1 && !one_clock_for_all) return {};
  return cores * *peak.per_core_and_cycle * *processor->boost_clock_hz;
}

void add_datasheet(const DeviceInfo& device, Ceiling& row) {
  const bool compute = row.kind == CeilingKind::compute;
  const auto* peak = compute ? compute_peak(device, row) : level_peak(device, row.name);
  if (peak == nullptr || device.cores < 1) return;
  if (row.access == Access::random && !is_cpu(device)) return;
  if (!compute && row.threads != device.cores) return;
  row.datasheet = compute ? datasheet_value(device, *peak, row.threads) : peak->value;
  row.datasheet_source = row.datasheet ? peak->source : "";
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
  for (TheoreticalPeak& peak : peaks) {
    const auto unit = parse_unit(peak.name);
    if (!unit || !peak.dtype || !(peak.value > 0)) continue;
    const auto value = datasheet_value(device, peak, part.cores);
    if (!value) continue;
    peak.value = *value;
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
