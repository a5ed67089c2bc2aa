#include <string>
#include <vector>

#include "core/questions/report/datasheet_ceilings.hpp"
#include "core/questions/report/report.hpp"
#include "core/questions/report/row_facts.hpp"
#include "core/render/answer.hpp"
#include "core/text/csv_table.hpp"

namespace gable::report {
namespace {

/// What programs see of a row: `text` of each fact.
template <class Text>
std::string line_of(const Answer::Facts& row, Text&& text) {
  std::vector<std::string> cells;
  for (const Answer::Fact& fact : row) {
    if (!fact.key.empty()) cells.push_back(text(fact));
  }
  return csv_line(cells);
}

std::string header(const Answer::Facts& row) {
  return line_of(row, [](const Answer::Fact& fact) { return fact.key; });
}
std::string line(const Answer::Facts& row) {
  return line_of(row, [](const Answer::Fact& fact) { return render::csv_cell_of(fact.value); });
}

}  // namespace

std::string csv(const Result& result, CsvTable table, std::span<const catalogue::Device> datasheets) {
  if (table == CsvTable::points) {
    std::string text = header(facts_of(result, Point{}));
    for (const Point& point : result.points) text += line(facts_of(result, point));
    return text;
  }
  std::string text = header(facts_of(Ceiling{}));
  for (const Ceiling& row : result.ceilings) text += line(facts_of(row));
  for (const catalogue::Device& device : datasheets) {
    for (const Ceiling& row : datasheet_ceilings(device)) text += line(facts_of(row, false));
  }
  return text;
}

}  // namespace gable::report
