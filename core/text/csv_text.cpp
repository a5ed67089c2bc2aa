#include "core/text/csv_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace gable {
namespace {

/// Reads cells one after the other, counting lines.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool done() const { return at_ >= text_.size(); }

  CsvRecord record() {
    CsvRecord record{line_, {}};
    do {
      record.cells.push_back(cell());
    } while (take(','));
    take('\r');
    if (take('\n')) ++line_;
    return record;
  }

 private:
  bool take(char expected) {
    if (done() || text_[at_] != expected) return false;
    ++at_;
    return true;
  }

  bool at_end_of_cell() const { return done() || text_[at_] == ',' || at_end_of_line(); }
  bool at_end_of_line() const { return text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"; }

  std::string cell() {
    if (take('"')) return quoted();
    std::string cell;
    while (!at_end_of_cell()) cell += text_[at_++];
    return cell;
  }

  std::string quoted() {
    const int begin = line_;
    std::string cell;
    for (;;) {
      if (done()) throw Error(fmt::format("line {}: a quote is opened and never closed", begin));
      const char c = text_[at_++];
      if (c == '"' && !take('"')) break;
      if (c == '\n') ++line_;
      cell += c;
    }
    if (!at_end_of_cell()) throw Error(fmt::format("line {}: text after a closing quote", line_));
    return cell;
  }

  std::string_view text_;
  std::size_t at_{};
  int line_{1};
};

bool blank(const CsvRecord& record) {
  return record.cells.size() == 1 && record.cells.front().find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

std::string csv_cell(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string{};
}

std::string csv_line(const std::vector<std::string>& cells) { return fmt::format("{}\n", fmt::join(cells, ",")); }

std::vector<CsvRecord> parse_csv(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<CsvRecord> records;
  for (Reader reader(text); !reader.done();) {
    CsvRecord record = reader.record();
    if (!blank(record)) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace gable
