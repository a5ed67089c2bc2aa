#pragma once
#include <string>

#include "core/device/catalogue.hpp"

/// What vendors print of a device, for people.
namespace gable::report {

/// "H200 SXM 141GB (datasheet)": no measured device has such a name.
std::string datasheet_name(const catalogue::Device& device);
/// Name, memory, peaks and source as a section of the tables.
std::string datasheet_text(const catalogue::Device& device, int width);

}  // namespace gable::report
