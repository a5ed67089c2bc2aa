#pragma once
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/model/ceiling.hpp"

namespace gable::report {

/// What the vendor prints as ceilings, as rows of the device datasheet_name(), with nothing in them that only a
/// measurement has.
std::vector<Ceiling> datasheet_ceilings(const catalogue::Device& device);

}  // namespace gable::report
