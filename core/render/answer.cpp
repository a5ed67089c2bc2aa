#include "core/render/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/units.hpp"
#include "core/sequence.hpp"

namespace gable::render {
namespace {

using Column = Answer::Column;
using Cells = std::vector<std::string>;

std::string figure_text(double figure, const std::string& unit) {
  if (unit == "%") return fmt::format("{:.3g} %", 100 * figure);
  if (!unit.empty()) return format_quantity(figure, unit);
  constexpr double exact = 1e15;  // larger ones are told by their magnitude
  return std::floor(figure) == figure && std::abs(figure) < exact ? fmt::format("{:.0f}", figure)
                                                                  : fmt::format("{:.4g}", figure);
}

std::string shown(const Answer::Value& value, const std::string& unit) {
  if (const auto* figure = std::get_if<double>(&value.held)) return figure_text(*figure, unit);
  if (const auto* number = std::get_if<std::int64_t>(&value.held))
    return unit.empty() ? fmt::format("{}", *number) : figure_text(static_cast<double>(*number), unit);
  if (const auto* truth = std::get_if<bool>(&value.held)) return *truth ? "yes" : "no";
  if (const auto* text = std::get_if<std::string>(&value.held)) return *text;
  if (const auto* texts = std::get_if<Answer::Value::Texts>(&value.held))
    return fmt::format("{}", fmt::join(*texts, ", "));
  return {};
}

/// Figures, with a unit and an interval at most: a longer text is a sentence, "2026-11.json" a name.
bool is_figure(const std::string& cell) {
  constexpr std::size_t longest = 32;
  const std::size_t sign = cell.starts_with('-') || cell.starts_with('+') ? 1 : 0;
  const std::size_t end = cell.find_first_not_of("0123456789.", sign);
  if (end == sign || cell.empty() || cell.size() > longest) return false;
  return end == std::string::npos || cell[end] == ' ' || cell[end] == 'x' || cell[end] == '%' || cell[end] == 'e';
}

/// A column as people see it; of a table within cells one for each label of its rows.
struct ShownColumn {
  std::string title;
  Cells cells;

  /// Columns of figures are right-aligned, also where single words stand among them: "never".
  bool right() const {
    const auto fits = [](const std::string& cell) { return is_figure(cell) || cell.find(' ') == std::string::npos; };
    return std::ranges::any_of(cells, is_figure) && std::ranges::all_of(cells, fits);
  }
};

/// What a table in a cell has in a column, in the row of that label.
std::string cell_of(const Answer::Table* table, const std::string& label, const Column& column) {
  if (table == nullptr) return {};
  const auto row = std::ranges::find(table->labels, label) - table->labels.begin();
  const auto place = std::ranges::find(table->columns, column) - table->columns.begin();
  if (row == std::ssize(table->labels) || place == std::ssize(table->columns)) return {};
  return shown(table->rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(place)], column.unit);
}

/// Columns of the tables in column i, those of one label together.
void add_inner(std::vector<ShownColumn>& all, const Answer::Table& table, std::size_t i) {
  Cells labels;
  std::vector<Column> columns;
  const auto note = [](auto& list, const auto& one) {
    if (std::ranges::count(list, one) == 0) list.push_back(one);
  };
  for (const auto& row : table.rows) {
    if (const Answer::Table* inner = row[i].table()) {
      for (const std::string& label : inner->labels) note(labels, label);
      for (const Column& column : inner->columns)
        if (!column.title.empty()) note(columns, column);
    }
  }
  // A to Z stand before AA
  std::ranges::sort(labels, {}, [](const std::string& label) { return std::pair(label.size(), label); });
  for (const std::string& label : labels) {
    for (const Column& column : columns) {
      ShownColumn one{fmt::format(fmt::runtime(column.title), label), {}};
      for (const auto& row : table.rows) one.cells.push_back(cell_of(row[i].table(), label, column));
      all.push_back(std::move(one));
    }
  }
}

std::vector<ShownColumn> shown_columns(const Answer::Table& table) {
  std::vector<ShownColumn> all;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.title.empty()) continue;
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return row[i].table() != nullptr; })) {
      add_inner(all, table, i);
      continue;
    }
    ShownColumn one{column.title, {}};
    for (const auto& row : table.rows) one.cells.push_back(shown(row[i], column.unit));
    all.push_back(std::move(one));
  }
  return all;
}

/// "name: value" of each fact that is there, a line for each of several texts.
List fact_lines(const Answer::Table& table) {
  List list;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Answer::Value& value = table.rows.front()[i];
    const auto& [key, title, unit] = table.columns[i];
    if (title.empty() || value.empty()) continue;
    const auto* texts = std::get_if<Answer::Value::Texts>(&value.held);
    for (const std::string& text : texts ? *texts : Cells{shown(value, unit)})
      if (!text.empty()) list.items.push_back(fmt::format("{}: {}", title, text));
  }
  return list;
}

}  // namespace

std::optional<AnswerForm> parse_answer_form(std::string_view name) {
  const auto found = std::ranges::find(answer_form_names, name);
  if (found == answer_form_names.end()) return {};
  return static_cast<AnswerForm>(found - answer_form_names.begin());
}

TextTable text_table(const Answer::Table& table) {
  const std::vector<ShownColumn> all = shown_columns(table);
  TextTable text(mapped(all, [](const ShownColumn& one) {
    return TextTable::Column{one.title, one.right(), !one.right()};
  }));
  for (std::size_t r = 0; !all.empty() && r < table.rows.size(); ++r) {
    Cells cells;
    for (const ShownColumn& one : all) cells.push_back(one.cells[r]);
    text.add(std::move(cells));
  }
  return text;
}

Document document_of(const Answer& answer) {
  Document document{answer.title, {}};
  for (const Answer::Section& section : answer.sections) {
    if (section.readers == Answer::Readers::programs) continue;
    auto& blocks = document.blocks;
    List facts = section.facts ? fact_lines(section.table) : List{};
    TextTable table = section.facts ? TextTable({}) : text_table(section.table);
    if (facts.items.empty() && table.empty() && section.notes.empty()) continue;
    if (!section.title.empty()) blocks.push_back(Heading{section.title});
    if (!facts.items.empty()) blocks.push_back(std::move(facts));
    if (!table.empty()) blocks.push_back(Table{section.caption, std::move(table), section.whole});
    for (const std::string& note : section.notes) blocks.push_back(Paragraph{note});
  }
  return document;
}

std::string write(const Answer& answer, AnswerForm form, int width) {
  switch (form) {
    case AnswerForm::text:
      return text(document_of(answer), width);
    case AnswerForm::json:
      return json_text(answer);
    case AnswerForm::csv:
      return csv_text(answer);
    case AnswerForm::markdown:
      break;
  }
  return markdown(document_of(answer));
}

}  // namespace gable::render
