#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "core/operator.hpp"
#include "core/questions/report/report.hpp"

/// What the pictures show and the tables hold, as data for other programs and for the page
/// (data/plot-data.schema.json).
namespace gable::report {

/// Version of the plot data: the major one changes where a reader of an older one would be wrong.
inline constexpr const char* plot_data_version = "1.1";

/// A result file as it was read, before it was merged with others.
struct ReportedFile {
  std::string name;
  Result result;
};

/// Roofs, ridges and points are those of the pictures, rates and times those of the CSV tables, sentences those of
/// `gable explain`. A result without anything to draw has empty lists. Throws Error for more devices than a picture
/// shows.
nlohmann::json plot_json(const Result& result, const render::PlotOptions& options, Operators operators,
                         std::span<const ReportedFile> files = {});

}  // namespace gable::report
