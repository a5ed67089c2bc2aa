#pragma once
#include <string_view>

#include "core/device/catalogue.hpp"
#include "core/device/device_info.hpp"

namespace gable::catalogue {

/// The catalogue's entry for exactly this product, or null: its model (the first word with a digit) in the device's
/// name, in any case, of the form that the name states (PCIe, NVL, SXM; a name without one can be an SXM), as many
/// compute units, as much memory in byte (within 8 %: some vendors mean binary units), then the most words in common.
/// Null for a slice of a device (MIG), and if two fit equally well.
const Device* product(std::string_view name, std::string_view vendor, int compute_units, double memory_byte);
/// Of a device as a result describes it. Null for processors: their theory is in DeviceInfo::peaks.
const Device* product(const DeviceInfo& device);

}  // namespace gable::catalogue
