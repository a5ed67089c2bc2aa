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

/// The head of a script: the driver for a picture (svg, png or pdf), its size in inch, where it goes.
std::string gnuplot_head(Format format, double width_in, double height_in, double font_pt, Theme theme,
                         const std::filesystem::path& output);

/// Makes the script that draws to an output file.
using ScriptOf = std::function<std::string(Format format, const std::filesystem::path& output)>;
/// Draws a picture in the format of its ending, atomically. Throws Error for other formats, as run_gnuplot() does, and
/// when nothing was drawn.
void draw_picture(const std::filesystem::path& output, const ScriptOf& script_of);
/// The element of an SVG, without the prolog of a file of its own. Throws as draw_picture().
std::string drawn_svg(const ScriptOf& script_of);

/// A self-contained script for gnuplot 5.4 or later that draws the data to `output`; texts as for_gnuplot() has them.
std::string gnuplot_script(const PlotData& data, Format format, const std::filesystem::path& output);

}  // namespace gable::render
