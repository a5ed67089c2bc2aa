#include "core/questions/report/report.hpp"

#include "core/questions/network/message_plot.hpp"
#include "core/questions/report/row_facts.hpp"
#include "core/render/answer.hpp"

namespace gable::report {

std::optional<CsvTable> parse_csv_table(std::string_view text) {
  if (text == "ceilings") return CsvTable::ceilings;
  if (text == "points") return CsvTable::points;
  return {};
}

std::string csv(const Result& result, CsvTable table, std::span<const catalogue::Device> datasheets) {
  if (table == CsvTable::points) {
    std::string text = render::csv_header_of(facts_of(result, Point{}));
    for (const Point& point : result.points) text += render::csv_line_of(facts_of(result, point));
    return text;
  }
  std::string text = render::csv_header_of(facts_of(Ceiling{}));
  for (const Ceiling& row : result.ceilings) text += render::csv_line_of(facts_of(row));
  for (const Ceiling& row : datasheet_ceilings(datasheets)) text += render::csv_line_of(facts_of(row, false));
  return text;
}

void draw(const Result& result, const std::filesystem::path& output, const render::PlotOptions& options) {
  render::draw_picture(output, [&](render::Format format, const std::filesystem::path& picture) {
    return options.datasheets.empty() && questions::is_of_networks(result)
               ? questions::message_script(result, options, format, picture)
               : gnuplot_script(plot_data(result, options), format, picture);
  });
}

}  // namespace gable::report
