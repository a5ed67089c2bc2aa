#include "core/text/csv_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/error.hpp"
#include "core/text/posix_file.hpp"

namespace gable {
namespace {

std::string trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// Column name -> position. Throws Error without the file's name.
CsvLine::Columns read_header(const CsvRecord& header, std::span<const std::string_view> required,
                             std::span<const std::string_view> optional) {
  CsvLine::Columns columns;
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    const std::string name = trim(header.cells[i]);
    if (std::ranges::count(required, name) + std::ranges::count(optional, name) == 0) {
      throw Error(fmt::format("line {}: unknown column '{}': known are {} and, optional, {}", header.line, name,
                              fmt::join(required, ", "), fmt::join(optional, ", ")));
    }
    if (!columns.emplace(name, i).second)
      throw Error(fmt::format("line {}: column '{}' is there twice", header.line, name));
  }
  for (const std::string_view name : required) {
    if (!columns.contains(std::string(name))) {
      throw Error(fmt::format("line {}: column '{}' is missing: the first line names the columns {}", header.line, name,
                              fmt::join(required, ", ")));
    }
  }
  return columns;
}

void take_lines(std::string_view text, std::span<const std::string_view> required,
                std::span<const std::string_view> optional, const std::function<void(const CsvLine&)>& take) {
  const std::vector<CsvRecord> records = parse_csv(text);
  if (records.empty()) throw Error("empty: the first line names the columns");
  const auto columns = read_header(records.front(), required, optional);
  if (records.size() == 1) throw Error("no data line after the header");
  for (std::size_t i = 1; i < records.size(); ++i) take(CsvLine(columns, records[i]));
}

}  // namespace

CsvLine::CsvLine(const Columns& columns, const CsvRecord& record) : columns_(columns), record_(record) {
  if (record.cells.size() == columns.size()) return;
  throw Error(fmt::format("line {}: {} cells, the header has {} (a decimal comma? numbers are written with a point)",
                          record.line, record.cells.size(), columns.size()));
}

std::string CsvLine::text_or_nothing(const std::string& column) const {
  return has(column) ? trim(record_.cells[columns_.at(column)]) : std::string{};
}

std::string CsvLine::text(const std::string& column) const {
  std::string text = text_or_nothing(column);
  if (text.empty()) fail(column, "is empty");
  return text;
}

double CsvLine::number(const std::string& column) const {
  const std::string text = this->text(column);
  if (text.find(',') != std::string::npos)
    fail(column, fmt::format("'{}' has a comma: write numbers with a decimal point and no separators", text));
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, value);
  if (code == std::errc::result_out_of_range) fail(column, fmt::format("'{}' is out of range", text));
  if (code != std::errc{} || rest != end) fail(column, fmt::format("'{}' is not a number", text));
  if (!std::isfinite(value) || !(value > 0)) fail(column, fmt::format("'{}' is not a positive, finite number", text));
  return value;
}

void CsvLine::fail(std::string_view column, std::string_view what) const {
  throw Error(fmt::format("line {}, column {}: {}", record_.line, column, what));
}

void read_csv_table(const std::filesystem::path& path, std::span<const std::string_view> required,
                    std::span<const std::string_view> optional, const std::function<void(const CsvLine&)>& take) {
  const std::string text = read_text(path);
  try {
    take_lines(text, required, optional, take);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace gable
