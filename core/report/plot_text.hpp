#pragma once
#include <string>

#include "core/report/plot_data.hpp"

/// Texts of a picture. Lengths are in pt.
namespace gable::report {

/// At most `width` wide; what is cut ends in "…".
std::string fitted(const std::string& text, double font_pt, double width);
/// A level line of text with its lower left corner at `at`.
PlotText level_text(const std::string& text, Position at, double font_pt, unsigned colour);

}  // namespace gable::report
