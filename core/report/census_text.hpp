#pragma once
#include <string>

#include "core/result/result.hpp"

namespace gable::report {

/// For the points that carry a count, one table a device, operator, implementation and type: shape, count, time of one,
/// share of the total time (count x time), rate, what the roofs allow, regime; below it the total. Empty without such
/// points.
std::string census_tables(const Result& result, int width);

}  // namespace gable::report
