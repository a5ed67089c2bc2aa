#pragma once
#include <filesystem>
#include <string>

#include "core/report/plot_data.hpp"

namespace gable::report {

/// A self-contained script for gnuplot 5.4 or later that draws the data to `output`. Texts stand in single quotes, in
/// which gnuplot neither expands nor executes anything.
std::string gnuplot_script(const PlotData& data, Format format, const std::filesystem::path& output);

}  // namespace gable::report
