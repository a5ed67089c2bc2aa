#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/model/answer.hpp"
#include "core/render/gnuplot.hpp"
#include "core/result/result.hpp"

/// Pictures and tables of one result, or of several merged onto the same axes (core/result/merge.hpp), and of what
/// vendors print of devices beside them.
namespace gable::report {

enum class CsvTable { ceilings, points };
std::optional<CsvTable> parse_csv_table(std::string_view text);

/// RFC 4180, one header line, SI units, C locale; the columns docs/report.md lists. The ceilings of datasheets come
/// behind the measured ones; they have no points.
std::string csv(const Result& result, CsvTable table, std::span<const catalogue::Device> datasheets = {});
/// Every ceiling and point for programs, with the keys of the CSV tables; for people what they say in tables.
Answer report_answer(const Result& result, std::span<const catalogue::Device> datasheets = {});
/// The same as text, at most `width` columns wide; one line says so of a result without rows.
std::string text(const Result& result, int width = 120, std::span<const catalogue::Device> datasheets = {});

/// Draws the roofline with gnuplot (svg, png or pdf by the output's ending), atomically; of a network's result the
/// message roofline. Throws Error when gnuplot is missing (naming the package), fails, or has nothing to draw.
void draw(const Result& result, const std::filesystem::path& output, const render::PlotOptions& options = {});

/// What workers found, and why some found nothing.
Answer devices_answer(std::span<const DeviceInfo> devices, const std::vector<std::string>& problems);
/// The vendors' figures of all devices that are known.
Answer catalogue_answer();
/// Those of one device, with its ridge points and where they come from.
Answer datasheet_answer(const catalogue::Device& device);

/// For the points that carry a count, one table a device, operator, implementation and type: shape, count, time of one,
/// share of the total time (count x time), rate, what the roofs allow, regime; below it the total. Nothing without such
/// points.
void add_census(Answer& answer, const Result& result);

}  // namespace gable::report
