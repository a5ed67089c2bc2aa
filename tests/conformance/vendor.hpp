#pragma once
#include "core/vendor_call.hpp"

namespace gable::conformance {

/// The vendor library of the device under test; null when the build has none.
VendorLibrary* vendor();

}  // namespace gable::conformance
