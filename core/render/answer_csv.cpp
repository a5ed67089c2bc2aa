#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <variant>

#include "core/render/answer.hpp"
#include "core/text/csv_table.hpp"

namespace gable::render {
namespace {

using Table = Answer::Table;

Answer::Facts members_of(const nlohmann::json& object);

/// A table of objects, a list of texts, or one value.
Answer::Value value_of(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return {};
  if (!json.empty() && json.front().is_object()) return table_of(json, members_of);
  Answer::Value::Texts texts;
  for (const auto& item : json) texts.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  return texts;
}

Answer::Facts members_of(const nlohmann::json& object) {
  Answer::Facts facts;
  for (const auto& [key, value] : object.items()) {
    if (value.is_array() && value.empty()) continue;  // of objects or of texts: it does not tell
    if (value.is_object())
      facts.add(key, members_of(value));
    else
      facts.emplace_back(key, value_of(value));
  }
  return facts;
}

/// What programs see of a row, an object of the result format by its members.
Answer::Facts facts_of(const std::vector<Answer::Column>& columns, const std::vector<Answer::Value>& row) {
  Answer::Facts facts;
  const auto add = [&facts](const std::string& key, const Answer::Value& value) {
    if (!key.empty() && std::ranges::count(facts, key, &Answer::Column::key) == 0) facts.emplace_back(key, value);
  };
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (const auto* object = std::get_if<Answer::Object>(&row[i].held)) {
      for (const Answer::Fact& one : members_of(nlohmann::json::parse(object->json))) add(one.key, one.value);
    } else if (columns[i].key != ".") {  // of the object itself: this row has none
      add(columns[i].key, row[i]);
    }
  }
  return facts;
}

struct Block {
  std::string name;
  Table table{};
};

/// Puts rows into the block of that name, behind the cells of the row that the table is in. A key that this row has,
/// too, is written behind the name of the table: "figures/at".
void flatten(std::vector<Block>& blocks, const std::string& name, const Table& table, const Answer::Facts& outer) {
  const std::string own_name = name.substr(name.rfind('/') + 1);
  for (const auto& row : table.rows) {
    const Answer::Facts cells = facts_of(table.columns, row);
    Answer::Facts facts = outer;
    for (const Answer::Fact& one : cells) {
      if (one.value.table() != nullptr) continue;
      const bool taken = std::ranges::count(outer, one.key, &Answer::Column::key) > 0;
      facts.emplace_back(taken ? own_name + '/' + one.key : one.key, one.value);
    }
    auto block = std::ranges::find(blocks, name, &Block::name);
    if (block == blocks.end()) block = blocks.insert(block, Block{name});
    if (facts.size() > outer.size()) block->table.add(facts);
    for (const Answer::Fact& one : cells) {
      const std::string inner = (name.empty() ? "" : name + '/') + one.key;
      if (const Table* within = one.value.table()) flatten(blocks, inner, *within, facts);
    }
  }
}

/// Tables for programs; all facts of one object in one row.
std::vector<Answer::Section> sections_of(const Answer& answer) {
  std::vector<Answer::Section> sections;
  for (const Answer::Section& section : answer.sections) {
    if (section.readers == Answer::Readers::people) continue;
    const auto same = std::ranges::find_if(
        sections, [&](const auto& other) { return other.facts && section.facts && other.key == section.key; });
    if (same == sections.end()) {
      sections.push_back(section);
      continue;
    }
    const auto& [columns, rows, labels] = section.table;
    same->table.columns.insert(same->table.columns.end(), columns.begin(), columns.end());
    auto& cells = same->table.rows.front();
    cells.insert(cells.end(), rows.front().begin(), rows.front().end());
  }
  return sections;
}

std::string cell_in_csv(const Answer::Value& value) {
  if (const auto* figure = std::get_if<double>(&value.held)) return csv_cell(*figure);
  if (const auto* number = std::get_if<std::int64_t>(&value.held)) return fmt::format("{}", *number);
  if (const auto* truth = std::get_if<bool>(&value.held)) return *truth ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value.held)) return csv_cell(*text);
  if (const auto* texts = std::get_if<Answer::Value::Texts>(&value.held))
    return csv_cell(fmt::format("{}", fmt::join(*texts, "; ")));
  return {};
}

template <class Columns>
std::string header_of(const Columns& columns) {
  std::vector<std::string> keys;
  for (const Answer::Column& column : columns)
    if (!column.key.empty()) keys.push_back(csv_cell(column.key));
  return csv_line(keys);
}

}  // namespace

std::string csv_header_of(const Answer::Facts& row) { return header_of(row); }

std::string csv_line_of(const Answer::Facts& row) {
  std::vector<std::string> cells;
  for (const Answer::Fact& fact : row)
    if (!fact.key.empty()) cells.push_back(cell_in_csv(fact.value));
  return csv_line(cells);
}

std::string csv_text(const Answer& answer) {
  std::vector<Block> blocks;
  for (const Answer::Section& section : sections_of(answer)) flatten(blocks, section.key, section.table, {});
  std::erase_if(blocks, [](const Block& block) { return block.table.rows.empty(); });
  std::string text;
  for (const Block& block : blocks) {
    if (!text.empty()) text += '\n';
    if (blocks.size() > 1 && !block.name.empty()) text += fmt::format("# {}\n", block.name);
    text += header_of(block.table.columns);
    for (const auto& row : block.table.rows) {
      std::vector<std::string> cells;
      std::ranges::transform(row, std::back_inserter(cells), cell_in_csv);
      text += csv_line(cells);
    }
  }
  return text;
}

}  // namespace gable::render
