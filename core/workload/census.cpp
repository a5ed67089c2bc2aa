#include "core/workload/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/model/figure_limits.hpp"
#include "core/text/csv_table.hpp"

namespace gable::workload {
namespace {

constexpr std::array<std::string_view, 4> required{"m", "n", "k", "count"};
constexpr std::array<std::string_view, 2> optional{"name", "dtype"};

Index size_in(const CsvLine& line, const std::string& column) {
  constexpr double most = 9007199254740992.0;  // 2^53: whole numbers are exact
  const double value = line.number(column);
  if (value != std::floor(value) || value > most)
    line.fail(column, fmt::format("'{}' is not a whole number up to 2^53", line.text(column)));
  return static_cast<Index>(value);
}

Case read_case(const CsvLine& line, const OperatorSpec& gemm) {
  Case one;
  one.op = std::string(gemm.name);
  Params shape;
  for (const char* name : {"m", "n", "k"}) shape.set(name, size_in(line, name));
  one.params = {shape};
  if (!line.text_or_nothing("dtype").empty()) one.dtypes = {line.named("dtype", parse_dtype, "a data type")};
  one.count = line.number("count");
  one.label = line.text_or_nothing("name");
  for (const DType dtype : one.dtypes) {
    if (std::ranges::count(gemm.types, dtype, &Types::a) == 0)
      line.fail("dtype", fmt::format("{} does not take {}", gemm.name, to_string(dtype)));
  }
  try {
    gemm.work(shape, gemm.types.front());
  } catch (const Error& error) {
    line.fail("m", error.what());
  }
  return one;
}

/// Lines of one shape and type add up. One without a type stands for all types that a run asks for, so that beside a
/// typed one of its shape its products would be counted twice or not at all.
void add(std::vector<Case>& cases, Case one, const CsvLine& line) {
  for (const Case& known : cases) {
    if (known.params == one.params && known.dtypes.empty() != one.dtypes.empty())
      line.fail("dtype", fmt::format("{} is listed with a type and without one", one.params.front().to_string()));
  }
  const auto same = std::ranges::find_if(
      cases, [&](const Case& known) { return known.params == one.params && known.dtypes == one.dtypes; });
  const double sum = *one.count + (same == cases.end() ? 0 : *same->count);
  if (sum > most_count) line.fail("count", fmt::format("{:g} is more than {:g}", sum, most_count));
  if (same == cases.end()) {
    cases.push_back(std::move(one));
    return;
  }
  same->count = sum;
  if (one.label.empty() || one.label == same->label) return;
  same->label += (same->label.empty() ? "" : " + ") + one.label;
}

}  // namespace

std::vector<Case> read_census(const std::filesystem::path& path, const OperatorSpec& gemm) {
  std::vector<Case> cases;
  read_csv_table(path, required, optional, [&](const CsvLine& line) { add(cases, read_case(line, gemm), line); });
  return cases;
}

}  // namespace gable::workload
