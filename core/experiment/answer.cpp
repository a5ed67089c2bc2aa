#include "core/experiment/answer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/model/units.hpp"
#include "core/text/text_table.hpp"

namespace gable::experiment {
namespace {

std::string shown(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto* figure = std::get_if<double>(&cell);
  if (figure == nullptr) return "";
  if (!column.unit.empty()) return format_quantity(*figure, column.unit);
  return std::floor(*figure) == *figure ? fmt::format("{:.0f}", *figure) : fmt::format("{:.3g}", *figure);
}

std::string table_of(const Answer& answer, int width) {
  std::vector<TextTable::Column> columns;
  for (const Column& column : answer.columns) columns.push_back({column.title, true});
  TextTable table(columns);
  for (const auto& row : answer.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(shown(row[i], answer.columns[i]));
    table.add(std::move(cells));
  }
  return table.render(width);
}

}  // namespace

Cell cell(std::optional<double> figure) { return figure ? Cell(*figure) : Cell(); }

std::string text(std::span<const Answer> answers, int width) {
  std::string text;
  for (const Answer& answer : answers) {
    text += wrap(answer.subject, width, 0) + table_of(answer, width) + wrap(answer.conclusion, width, 0);
    text += '\n';
  }
  return text;
}

nlohmann::json to_json(std::span<const Answer> answers) {
  auto all = nlohmann::json::array();
  for (const Answer& answer : answers) {
    auto rows = nlohmann::json::array();
    for (const auto& cells : answer.rows) {
      auto row = nlohmann::json::object();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (const auto* figure = std::get_if<double>(&cells[i])) row[answer.columns[i].key] = *figure;
        if (const auto* word = std::get_if<std::string>(&cells[i])) row[answer.columns[i].key] = *word;
      }
      rows.push_back(std::move(row));
    }
    all.push_back({{"subject", answer.subject}, {"rows", std::move(rows)}, {"conclusion", answer.conclusion}});
  }
  return all;
}

}  // namespace gable::experiment
