#include <fmt/format.h>

#include <array>

#include "core/model/figure_limits.hpp"
#include "core/questions/interchange/import.hpp"
#include "core/text/csv_table.hpp"

namespace gable::interchange {
namespace {

constexpr std::array<std::string_view, 5> required_columns{"name", "dtype", "flops", "bytes", "time_s"};
constexpr std::array<std::string_view, 2> optional_columns{"unit", "working_set"};

/// Which compute ceiling applies.
Unit unit_of(const CsvLine& line) {
  if (!line.has("unit")) return Unit::vector;
  const std::string text = line.text("unit");
  const auto unit = parse_unit(text);
  if (!unit || !is_flop(*unit))
    line.fail("unit", fmt::format("'{}' is none of scalar, vector, matrix, multiply_add", text));
  return *unit;
}

double possible(const CsvLine& line, const std::string& column, double figure, const FigureLimits& limits) {
  if (const std::string why = why_impossible(figure, limits); !why.empty()) line.fail(column, why);
  return figure;
}
double number(const CsvLine& line, const std::string& column, const FigureLimits& limits) {
  return possible(line, column, line.number(column), limits);
}

Point read_point(const CsvLine& line) {
  Point point;
  point.op = line.text("name");
  const DType dtype = line.named("dtype", parse_dtype, "a data type");
  const Unit unit = unit_of(line);
  point.types = uniform_types(dtype);
  if (unit == Unit::matrix) point.types.compute = dtype;
  point.implementation = user_implementation;
  Stage stage;
  stage.name = point.op;
  // A copy has none.
  const double flops = possible(line, "flops", line.number_from_zero("flops"), operation_limits);
  if (flops > 0) stage.work = {{unit, flops}};
  // The mix of reads and writes is not known. Reads have the highest roof, so the bound is still a lower bound.
  stage.bytes_read = stage.working_set = number(line, "bytes", traffic_limits);
  if (line.has("working_set"))
    stage.working_set = number(line, "working_set", traffic_limits);
  else
    point.cold = true;  // only the traffic of main memory is known, not the working set
  stage.launches = 0;
  point.stages = {stage};
  point.time = single_figure(number(line, "time_s", time_limits));
  return point;
}

}  // namespace

std::vector<Point> read_points_csv(const std::filesystem::path& path, const std::string& device, Scope scope,
                                   std::vector<int>* lines) {
  std::vector<Point> points;
  read_csv_table(path, required_columns, optional_columns, [&](const CsvLine& line) {
    points.push_back(read_point(line));
    if (lines != nullptr) lines->push_back(line.line());
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].device = device;
    points[i].scope = scope;
    points[i].id = fmt::format("user/{}/{}/{}", points[i].op, to_string(points[i].types.a), i + 1);
  }
  return points;
}

}  // namespace gable::interchange
