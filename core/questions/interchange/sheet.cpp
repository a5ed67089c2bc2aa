#include "core/questions/interchange/sheet.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace gable::interchange {

void read_cells(std::string_view line, int number, std::vector<std::string>& cells, char separator) {
  CsvRecord record;
  record.cells.swap(cells);
  try {
    if (!CsvReader(line, separator).next(record)) record.cells.clear();
  } catch (const Error&) {
    fail_at(number, "a quote that never closes, or text behind one: the file was cut off or is damaged");
  }
  record.cells.swap(cells);
}

namespace {
bool read_next(CsvReader& reader, CsvRecord& row) {
  try {
    return reader.next(row);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: the file was cut off or is damaged", error.what()));
  }
}
}  // namespace

Sheet::Sheet(std::string_view text, std::string_view free_text) : below_names_(text) {
  CsvRecord row;
  if (!read_next(below_names_, row)) throw Error("no line names the columns");
  for (const std::string& name : row.cells) names_.emplace_back(trimmed(name));
  CsvReader reader = below_names_;
  if (!read_next(reader, row)) throw Error("no data line after the names of the columns");
  if (!free_text.empty()) free_text_ = column(free_text);
}

Sheet::Iterator& Sheet::Iterator::operator++() {
  const std::size_t columns = sheet_.names_.size();
  is_there_ = read_next(reader_, row_);
  if (is_there_ && sheet_.free_text_ && row_.cells.size() > columns) {
    const auto text = row_.cells.begin() + static_cast<std::ptrdiff_t>(*sheet_.free_text_);
    const auto next = text + 1 + static_cast<std::ptrdiff_t>(row_.cells.size() - columns);
    for (auto part = text + 1; part != next; ++part) text->append(1, ',').append(*part);
    row_.cells.erase(text + 1, next);
  }
  if (is_there_ && row_.cells.size() != columns)
    fail_at(row_.line,
            "{} cells, the first line names {}: the file was cut off, or numbers have commas (export it again with "
            "LC_ALL=C)",
            row_.cells.size(), columns);
  return *this;
}

std::optional<std::size_t> index_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

std::size_t column_of(const std::vector<std::string>& names, std::string_view name) {
  if (const auto found = index_of(names, name)) return *found;
  throw Error(fmt::format("column '{}' is missing", name));
}

bool early_line_has(std::string_view text,
                    std::initializer_list<std::initializer_list<std::string_view>> alternatives) {
  constexpr int enough = 2000;  // a program may print much before its profiler does
  std::string_view rest = text;
  for (int i = 0; i < enough && !rest.empty(); ++i) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto has = [line = rest.substr(0, end)](std::string_view part) { return line.find(part) != line.npos; };
    for (const auto& parts : alternatives) {
      if (std::ranges::all_of(parts, has)) return true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string_view why_not_read(std::string_view text, std::span<const OtherForm> forms) {
  const auto found = std::ranges::find_if(forms, [&](const OtherForm& form) {
    return early_line_has(text, {{form.line[0], form.line[1], form.line[2]}});
  });
  return found == forms.end() ? std::string_view() : found->means;
}

}  // namespace gable::interchange
