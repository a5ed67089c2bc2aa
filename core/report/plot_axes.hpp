#pragma once
#include "core/report/plot_data.hpp"

namespace gable::report {

/// Chooses the ranges of both axes with room around roofs, ridges and points, their titles and the unit of performance.
void set_axes(PlotData& data);

/// One mark on a logarithmic axis.
struct Tick {
  double value{};
  int multiple{};  ///< of a power of ten, 1 to 9
  bool labelled{};
};
/// All of 1 … 9 times powers of ten within a range; labels thin out as the decades grow: 1, 2, 3, 5, 7, then 1, 2, 5,
/// then 1.
std::vector<Tick> ticks(const Range& range);

}  // namespace gable::report
