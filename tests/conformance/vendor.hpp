#pragma once
#include <functional>

#include "core/operator.hpp"
#include "core/vendor_call.hpp"

namespace gable::conformance {

/// Captures what a run of the instance enqueues in a graph; calling what is returned enqueues a replay. Empty where the
/// device has no graphs.
std::function<void()> captured(OperatorInstance& instance);

/// The vendor library of the device under test; null when the build has none.
VendorLibrary* vendor();

}  // namespace gable::conformance
