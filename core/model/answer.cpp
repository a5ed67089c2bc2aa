#include "core/model/answer.hpp"

#include <algorithm>
#include <iterator>

namespace gable {

Answer::Value::Value(Table table) : held(std::make_shared<const Table>(std::move(table))) {}

Answer::Facts& Answer::Facts::add(Facts more) {
  insert(end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return *this;
}

Answer::Facts& Answer::Facts::add(const std::string& object, Facts more) {
  for (Fact& fact : more) {
    if (!fact.key.empty()) fact.key = object + '/' + fact.key;
  }
  return add(std::move(more));
}

void Answer::Table::add(Facts row) {
  auto& cells = rows.emplace_back(columns.size());
  for (Fact& fact : row) {
    const Column& column = fact;
    const auto found = std::ranges::find(columns, column);
    const auto i = static_cast<std::size_t>(found - columns.begin());
    if (found == columns.end()) {
      columns.push_back(column);
      for (auto& other : rows) other.resize(columns.size());
    }
    cells[i] = std::move(fact.value);
  }
}

Answer::Section& Answer::add_facts(std::string key, std::string heading, Facts facts) {
  auto& section = add_table(std::move(key), std::move(heading), {});
  section.table.add(std::move(facts));
  section.facts = true;
  return section;
}

Answer::Section& Answer::add_table(std::string key, std::string heading, Table table) {
  return sections.emplace_back(Section{.key = std::move(key), .title = std::move(heading), .table = std::move(table)});
}

Answer::Section& Answer::show_table(std::string heading, Table table) {
  auto& section = add_table({}, std::move(heading), std::move(table));
  section.readers = Readers::people;
  return section;
}

Answer::Section& Answer::add_notes(std::string heading, std::vector<std::string> notes) {
  auto& section = show_table(std::move(heading), {});
  section.notes = std::move(notes);
  return section;
}

void Answer::say(std::string note) {
  if (sections.empty()) add_notes({}, {});
  sections.back().notes.push_back(std::move(note));
}

}  // namespace gable
