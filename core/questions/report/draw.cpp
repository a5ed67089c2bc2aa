#include <fmt/format.h>

#include "core/error.hpp"
#include "core/questions/network/message_plot.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/gnuplot.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"

namespace gable::report {

std::optional<CsvTable> parse_csv_table(std::string_view text) {
  if (text == "ceilings") return CsvTable::ceilings;
  if (text == "points") return CsvTable::points;
  return {};
}

void draw(const Result& result, const std::filesystem::path& output, const render::PlotOptions& options) {
  const render::Format format = render::format_of(output);
  if (!is_picture(format)) throw Error(fmt::format("{}: a picture ends in .svg, .png or .pdf", output.string()));
  result::check_writable(output);
  if (options.datasheets.empty() && questions::is_of_networks(result)) {
    result::write_file_atomically(output, render::drawn_by_gnuplot([&](const std::filesystem::path& picture) {
                                    return questions::message_script(result, options, format, picture);
                                  }));
    return;
  }
  const render::PlotData data = plot_data(result, options);
  result::write_file_atomically(output, render::drawn_by_gnuplot([&](const std::filesystem::path& picture) {
                                  return gnuplot_script(data, format, picture);
                                }));
}

}  // namespace gable::report
