#include "core/device/datasheet.hpp"

namespace gable {

const TheoreticalPeak* compute_peak(const DeviceInfo& device, const Ceiling& row) {
  for (const auto& peak : device.peaks) {
    const bool same_accumulate = !peak.accumulate || !row.accumulate || peak.accumulate == row.accumulate;
    if (peak.name == row.name && peak.dtype == row.dtype && same_accumulate) return &peak;
  }
  return nullptr;
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

}  // namespace gable
