#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/report/csv_text.hpp"
#include "core/report/report.hpp"
#include "core/result/posix_file.hpp"

namespace gable::report {
namespace {

constexpr std::array<std::string_view, 5> required{"name", "dtype", "flops", "bytes", "time_s"};
constexpr std::array<std::string_view, 2> optional{"unit", "working_set"};

std::string trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// Column name -> position. Throws Error without the file's name.
std::map<std::string, std::size_t> read_header(const CsvRecord& header) {
  std::map<std::string, std::size_t> columns;
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

/// One data line with its columns by name.
class Line {
 public:
  Line(const std::map<std::string, std::size_t>& columns, const CsvRecord& record)
      : columns_(columns), record_(record) {
    if (record.cells.size() == columns.size()) return;
    throw Error(fmt::format("line {}: {} cells, the header has {} (a decimal comma? numbers are written with a point)",
                            record.line, record.cells.size(), columns.size()));
  }

  bool has(const std::string& column) const { return columns_.contains(column); }

  std::string text(const std::string& column) const {
    std::string text = trim(record_.cells[columns_.at(column)]);
    if (text.empty()) fail(column, "is empty");
    return text;
  }

  double number(const std::string& column) const {
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

  DType dtype() const {
    const std::string text = this->text("dtype");
    const auto type = parse_dtype(text);
    if (!type) fail("dtype", fmt::format("'{}' is not a data type", text));
    return *type;
  }

  Unit unit() const {
    if (!has("unit")) return Unit::vector;
    const std::string text = this->text("unit");
    const auto unit = parse_unit(text);
    if (!unit || *unit == Unit::exp || *unit == Unit::convert)
      fail("unit", fmt::format("'{}' is none of scalar, vector, matrix, multiply_add", text));
    return *unit;
  }

 private:
  [[noreturn]] void fail(std::string_view column, std::string_view what) const {
    throw Error(fmt::format("line {}, column {}: {}", record_.line, column, what));
  }

  const std::map<std::string, std::size_t>& columns_;
  const CsvRecord& record_;
};

Point read_point(const Line& line) {
  Point point;
  point.op = line.text("name");
  const DType dtype = line.dtype();
  const Unit unit = line.unit();
  point.types = uniform_types(dtype);
  if (unit == Unit::matrix) point.types.compute = dtype;
  point.implementation = "user";
  Stage stage;
  stage.name = point.op;
  stage.work = {{unit, line.number("flops")}};
  // The mix of reads and writes is not known: reads have the highest roof, so the bound stays a lower one.
  stage.bytes_read = stage.working_set = line.number("bytes");
  if (line.has("working_set"))
    stage.working_set = line.number("working_set");
  else
    point.cold = true;  // what is known is the traffic of main memory, not where the data could stay
  stage.launches = 0;
  point.stages = {stage};
  point.time.value = point.time.median = line.number("time_s");
  point.time.samples = {point.time.value};
  point.time.blocks = point.time.used_blocks = 1;
  return point;
}

std::vector<Point> parse_points(std::string_view text) {
  const std::vector<CsvRecord> records = parse_csv(text);
  if (records.empty()) throw Error("empty: the first line names the columns");
  const auto columns = read_header(records.front());
  std::vector<Point> points;
  for (std::size_t i = 1; i < records.size(); ++i) points.push_back(read_point(Line(columns, records[i])));
  if (points.empty()) throw Error("no data line after the header");
  return points;
}

}  // namespace

std::vector<Point> read_points_csv(const std::filesystem::path& path, const std::string& device, Scope scope) {
  const std::string text = result::read_text(path);
  std::vector<Point> points;
  try {
    points = parse_points(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].device = device;
    points[i].scope = scope;
    points[i].id = fmt::format("user/{}/{}/{}", points[i].op, to_string(points[i].types.a), i + 1);
  }
  return points;
}

}  // namespace gable::report
