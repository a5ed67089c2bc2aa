#pragma once
#include <cstddef>

#include "core/report/plot_data.hpp"

namespace gable::report {

/// Labels slopes, points and regions within the axes at a font size in pt, where they cover nothing. Returns how many
/// points found no place.
std::size_t add_inside_labels(PlotData& data, double font_pt);

}  // namespace gable::report
