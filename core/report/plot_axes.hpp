#pragma once
#include "core/report/plot_data.hpp"

namespace gable::report {

/// Chooses the ranges of both axes with room around roofs, ridges and points, their titles and the unit of performance.
void set_axes(PlotData& data);

}  // namespace gable::report
