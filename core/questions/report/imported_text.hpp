#pragma once
#include <string>

#include "core/result/result.hpp"

namespace gable::report {

/// The ceilings that other tools measured, each beside the highest that gable measured of the same quantity; empty
/// where there are none. Ends with an empty line.
std::string imported_text(const Result& result, int width);

}  // namespace gable::report
