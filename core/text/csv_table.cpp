#include "core/text/csv_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/text/naming.hpp"
#include "core/text/posix_file.hpp"

namespace gable {
namespace {

/// A semicolon where the first line has one and no comma.
char separator_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  return first.find(';') != std::string_view::npos && first.find(',') == std::string_view::npos ? ';' : ',';
}

bool blank(const CsvRecord& record) {
  return record.cells.size() == 1 && record.cells.front().find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

CsvReader::CsvReader(std::string_view text) : CsvReader(text, separator_of(text)) {}

CsvReader::CsvReader(std::string_view text, char separator)
    : text_(text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0)), separator_(separator) {}

bool CsvReader::next(CsvRecord& record) {
  while (!done()) {
    record.line = line_;
    std::size_t cells = 0;
    do {
      if (cells == record.cells.size()) record.cells.emplace_back();
      read_cell(record.cells[cells++]);
    } while (take(separator_));
    record.cells.resize(cells);
    take('\r');
    if (take('\n')) ++line_;
    if (!blank(record)) return true;
  }
  return false;
}

bool CsvReader::take(char expected) {
  if (done() || text_[at_] != expected) return false;
  ++at_;
  return true;
}

bool CsvReader::at_end_of_cell() const {
  if (done() || text_[at_] == separator_ || text_[at_] == '\n') return true;
  return text_[at_] == '\r' && text_.substr(at_, 2) == "\r\n";
}

void CsvReader::read_cell(std::string& cell) {
  if (take('"')) return read_quoted(cell);
  const std::size_t begin = at_;
  while (!at_end_of_cell()) ++at_;
  cell = text_.substr(begin, at_ - begin);
}

void CsvReader::read_quoted(std::string& cell) {
  const int begin = line_;
  cell.clear();
  for (;;) {
    const std::size_t end = text_.find('"', at_);
    if (end == text_.npos) throw Error(fmt::format("line {}: a quote is opened and never closed", begin));
    const std::string_view part = text_.substr(at_, end - at_);
    if (part.find('\n') != part.npos) line_ += static_cast<int>(std::ranges::count(part, '\n'));
    cell += part;
    at_ = end + 1;
    if (!take('"')) break;
    cell += '"';
  }
  if (!at_end_of_cell()) throw Error(fmt::format("line {}: text after a closing quote", line_));
}

std::string csv_cell(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string{};
}

std::string csv_line(const std::vector<std::string>& cells) { return fmt::format("{}\n", fmt::join(cells, ",")); }

std::vector<CsvRecord> parse_csv(std::string_view text) {
  std::vector<CsvRecord> records;
  CsvReader reader(text);
  for (CsvRecord record; reader.next(record);) records.push_back(std::exchange(record, {}));
  return records;
}

std::string_view trimmed(std::string_view text) {
  const auto is_plain = [](char c) { return c > ' ' && c <= '~'; };  // as in nearly all cells of a profile
  if (!text.empty() && is_plain(text.front()) && is_plain(text.back())) return text;
  // With those that word processors, web pages and scripts from right to left leave in a copy.
  constexpr auto blanks =
      std::to_array<std::string_view>({" ", "\t", "\r", "\n", "\u00a0", "\u202f", "\u2009", "\u2007", "\u3000",
                                       "\u200b", "\u2060", "\ufeff", "\u200e", "\u200f"});
  for (std::size_t before = text.npos; text.size() < before;) {
    before = text.size();
    for (const std::string_view blank : blanks) {
      if (text.starts_with(blank)) text.remove_prefix(blank.size());
      if (text.ends_with(blank)) text.remove_suffix(blank.size());
    }
  }
  return text;
}

namespace {

/// Column name -> position. Throws Error without the file's name.
CsvLine::Columns read_header(const CsvRecord& header, std::span<const std::string_view> required,
                             std::span<const std::string_view> optional) {
  CsvLine::Columns columns;
  for (std::size_t i = 0; i < header.cells.size(); ++i) {
    const std::string name(trimmed(header.cells[i]));
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
                std::span<const std::string_view> optional, const std::function<void(const CsvLine&)>& take,
                const std::function<void(const std::string&)>& refuse) {
  const std::vector<CsvRecord> records = parse_csv(text);
  if (records.empty()) throw Error("empty: the first line names the columns");
  const auto columns = read_header(records.front(), required, optional);
  if (records.size() == 1) throw Error("no data line after the header");
  for (std::size_t i = 1; i < records.size(); ++i) {
    try {
      take(CsvLine(columns, records[i]));
    } catch (const Error& error) {
      if (!refuse) throw;
      refuse(error.what());
    }
  }
}

}  // namespace

CsvLine::CsvLine(const Columns& columns, const CsvRecord& record) : columns_(columns), record_(record) {
  if (record.cells.size() == columns.size()) return;
  throw Error(fmt::format("line {}: {} cells, the header has {} (a decimal comma? numbers are written with a point)",
                          record.line, record.cells.size(), columns.size()));
}

std::string CsvLine::text_or_nothing(const std::string& column) const {
  return std::string(has(column) ? trimmed(record_.cells[columns_.at(column)]) : "");
}

std::string CsvLine::text(const std::string& column) const {
  std::string text = text_or_nothing(column);
  if (text.empty()) fail(column, "is empty");
  return text;
}

double CsvLine::figure(const std::string& column) const {
  const std::string text = this->text(column);
  if (text.find(',') != std::string::npos)
    fail(column, fmt::format("'{}' has a comma: write numbers with a decimal point and no separators", text));
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, value);
  if (code == std::errc::result_out_of_range) fail(column, fmt::format("'{}' is out of range", text));
  if (code != std::errc{} || rest != end) fail(column, fmt::format("'{}' is not a number", text));
  if (!std::isfinite(value)) fail(column, fmt::format("'{}' is not a finite number", text));
  return value;
}
double CsvLine::number(const std::string& column) const {
  const double value = figure(column);
  if (!(value > 0)) fail(column, fmt::format("'{}' is not a positive number", text(column)));
  return value;
}
double CsvLine::number_from_zero(const std::string& column) const {
  const double value = figure(column);
  if (value < 0) fail(column, fmt::format("'{}' is below 0", text(column)));
  return value;
}

void CsvLine::fail(std::string_view column, std::string_view what) const {
  throw Error(fmt::format("line {}, column {}: {}", record_.line, column, what));
}

void read_csv_table(const std::filesystem::path& path, std::span<const std::string_view> required,
                    std::span<const std::string_view> optional, const std::function<void(const CsvLine&)>& take,
                    const std::function<void(const std::string&)>& refuse) {
  const std::string text = as_utf8(read_text(path));
  naming(path.string(), [&] { take_lines(text, required, optional, take, refuse); });
}

}  // namespace gable
