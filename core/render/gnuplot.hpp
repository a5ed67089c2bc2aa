#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "core/render/plot_data.hpp"

namespace gable::render {

/// plot_data: what a picture shows, as JSON; html: the page.
enum class Format { svg, png, pdf, csv, json, txt, plot_data, html };
/// By the file's ending; a JSON file whose name ends in plot-data.json is plot data, another one a result. Throws Error
/// listing the known ones.
Format format_of(const std::filesystem::path& output);
bool is_picture(Format format);

/// Runs gnuplot, or the program GABLE_GNUPLOT names, on a script file, without a shell, with the C locale and none of
/// the user's settings. Throws Error when it is not installed, fails, or has not ended within the limit (it is killed
/// then).
void run_gnuplot(const std::filesystem::path& script, std::chrono::seconds limit = std::chrono::minutes(2));

/// The line of a script that chooses the driver for a picture: svg, png or pdf, its size in inch.
std::string gnuplot_terminal(Format format, double width_in, double height_in, double font_pt, Theme theme);

/// What gnuplot draws by the script that `script_of` makes for an output file: its bytes. Throws Error as run_gnuplot()
/// does, and when nothing was drawn.
std::string drawn_by_gnuplot(const std::function<std::string(const std::filesystem::path& output)>& script_of);

/// A self-contained script for gnuplot 5.4 or later that draws the data to `output`; texts as for_gnuplot() has them.
std::string gnuplot_script(const PlotData& data, Format format, const std::filesystem::path& output);

}  // namespace gable::render
