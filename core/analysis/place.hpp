#pragma once
#include "core/model/roofline.hpp"
#include "core/result/result.hpp"

namespace gable::analysis {

/// Roofs of one device of a result at one scope. Throws Error for a device that is not in it.
Roofline roofline_of(const Result& result, const std::string& device, Scope scope);

/// The widest that a device was measured at; node without ceilings.
Scope widest_scope(const Result& result, const std::string& device);

/// Gives every measured point its regime, limit and fraction, from the ceilings of its own device and scope.
void place_points(Result& result);

}  // namespace gable::analysis
