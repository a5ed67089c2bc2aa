#pragma once
#include <optional>
#include <string_view>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"

namespace gable {

/// The device's theoretical peak for a compute row, by name, storage and accumulate type; null if it has none.
const TheoreticalPeak* compute_peak(const DeviceInfo& device, const Ceiling& row);
/// The theoretical bandwidth of a memory level of the whole device, or null.
const TheoreticalPeak* level_peak(const DeviceInfo& device, std::string_view level);

/// Fills datasheet and datasheet_source of a row of `row.threads` cores: the device's peak, of a compute row the share
/// of its cores. Leaves the row alone if there is no figure, or if it is one of the whole device's memory and the row
/// is not.
void add_datasheet(const DeviceInfo& device, Ceiling& row);

}  // namespace gable
