#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/roofline.hpp"

namespace gable {

/// The device's theoretical peak for another peak, or a compute row, by name, storage and accumulate type (where both
/// say one); null if it has none.
template <class Quantity>
const TheoreticalPeak* compute_peak(const DeviceInfo& device, const Quantity& wanted) {
  for (const TheoreticalPeak& peak : device.peaks) {
    const bool same_accumulate = !peak.accumulate || !wanted.accumulate || peak.accumulate == wanted.accumulate;
    if (peak.name == wanted.name && peak.dtype == wanted.dtype && same_accumulate) return &peak;
  }
  return nullptr;
}
/// The theoretical bandwidth of a memory level of the whole device, or null.
const TheoreticalPeak* level_peak(const DeviceInfo& device, std::string_view level);

/// Whether a peak is a figure of a datasheet: that of a CPU's unit is one only at a clock that is documented for all of
/// its cores (peak_clock()), and not of a part of it.
bool is_of_datasheet(const DeviceInfo& device, const TheoreticalPeak& peak);

/// What the datasheet promises of a peak to so many of the device's cores, in the peak's unit. Nothing of a CPU's unit
/// where no clock is documented for that many: for all cores, for one, or one for any number.
std::optional<double> datasheet_value(const DeviceInfo& device, const TheoreticalPeak& peak, int cores);

/// Fills datasheet and datasheet_source of a row of `row.threads` cores: datasheet_value() of the device's peak.
/// Removes them from a CPU's compute row that has a peak, but none of a datasheet. Leaves the row alone if there is no
/// peak, if it is one of the whole device's memory and the row is not, or for lines at random of a GPU: they count
/// whole, though a cache may move half of each.
void add_datasheet(const DeviceInfo& device, Ceiling& row);

/// A printed peak of a unit as a roof at no operating point. It must have a dtype.
ComputeRoof datasheet_roof(const TheoreticalPeak& peak, Unit unit);
/// A printed bandwidth of a memory level as a roof for every mix.
BandwidthRoof datasheet_roof(const std::string& level, double byte_per_s);
/// The same figures as roofs at no operating point, of what `threads` cores (0: all) of a scope see, and of the
/// catalogue's entry those dense peaks, and the bandwidth of main memory, that the device itself does not have. Caches
/// have none unless the device says.
Roofline datasheet_roofline(const DeviceInfo& device, Scope scope, int threads);

}  // namespace gable
