#pragma once
#include <memory>

#include "core/vendor_call.hpp"

namespace gable::gpu {

/// The library of the current device behind core's contract. The plan of the last shape is kept: the first call of a
/// shape plans it, the others only enqueue.
std::unique_ptr<VendorLibrary> make_vendor_library();

}  // namespace gable::gpu
