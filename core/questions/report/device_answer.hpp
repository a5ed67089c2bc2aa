#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/device/device_info.hpp"
#include "core/model/answer.hpp"

namespace gable::report {

/// What workers found, and why some found nothing.
Answer devices_answer(std::span<const DeviceInfo> devices, const std::vector<std::string>& problems);
/// The vendors' figures of all devices that are known.
Answer catalogue_answer();
/// Those of one device, with its ridge points and where they come from.
Answer datasheet_answer(const catalogue::Device& device);

}  // namespace gable::report
