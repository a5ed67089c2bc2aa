#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/report/theme.hpp"
#include "core/result/result.hpp"

/// Pictures and tables of one result, or of several merged onto the same axes (core/result/merge.hpp), and of what
/// vendors print of devices beside them.
namespace gable::report {

/// plot_data: what a picture shows, as JSON; html: the page.
enum class Format { svg, png, pdf, csv, json, txt, plot_data, html };
/// By the file's ending; a JSON file whose name ends in plot-data.json is plot data, another one a result. Throws Error
/// listing the known ones.
Format format_of(const std::filesystem::path& output);
bool is_picture(Format format);

enum class CsvTable { ceilings, points };
std::optional<CsvTable> parse_csv_table(std::string_view text);

/// RFC 4180, one header line, SI units, C locale; the columns docs/report.md lists. The ceilings of datasheets come
/// behind the measured ones; they have no points.
std::string csv(const Result& result, CsvTable table, std::span<const catalogue::Device> datasheets = {});
/// The tables as people read them, at most `width` columns wide.
std::string text(const Result& result, int width = 120, std::span<const catalogue::Device> datasheets = {});

/// Reads the user's own kernels: a CSV file with the columns name, dtype, flops, bytes, time_s and, optional, unit
/// (which compute ceiling applies: vector without it) and working_set (byte; the level it fits into carries the bytes,
/// main memory without it) in any order. Each becomes a Point of `device` with implementation "user", and `lines` gets
/// its line. Throws Error naming file, line and column of what is wrong, of figures that cannot be, too.
std::vector<Point> read_points_csv(const std::filesystem::path& path, const std::string& device, Scope scope,
                                   std::vector<int>* lines = nullptr);

struct PlotOptions {
  double width_in{8}, height_in{5.5};         ///< inch; png at 150 dots per inch
  std::vector<DType> dtypes;                  ///< compute roofs and points to show; empty: all
  std::optional<Scope> scope;                 ///< empty: the widest the result holds
  Theme theme{Theme::light};                  ///< of a picture
  std::string title;                          ///< empty: device names
  std::vector<catalogue::Device> datasheets;  ///< drawn behind the measured devices, whatever the scope
};

/// Draws the roofline with gnuplot (svg, png or pdf by the output's ending), atomically; of a network's result the
/// message roofline. Throws Error when gnuplot is
/// missing (naming the package), fails, or when the result holds nothing to draw.
void draw(const Result& result, const std::filesystem::path& output, const PlotOptions& options = {});

/// For the points that carry a count, one table a device, operator, implementation and type: shape, count, time of one,
/// share of the total time (count x time), rate, what the roofs allow, regime; below it the total. Empty without such
/// points.
std::string census_tables(const Result& result, int width);

}  // namespace gable::report
