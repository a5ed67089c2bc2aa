#include "core/workload/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

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
    if (const std::string refused = refused_type(gemm, dtype); !refused.empty()) line.fail("dtype", refused);
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
class Sum {
 public:
  void add(Case one, const CsvLine& line) {
    auto& known = of_shape_[one.params.front().to_string()];
    for (const std::size_t i : known) {
      if (cases_[i].dtypes.empty() != one.dtypes.empty())
        line.fail("dtype", fmt::format("{} is listed with a type and without one", one.params.front().to_string()));
    }
    const auto same = std::ranges::find_if(known, [&](std::size_t i) { return cases_[i].dtypes == one.dtypes; });
    const double sum = *one.count + (same == known.end() ? 0 : *cases_[*same].count);
    if (sum > most_count) line.fail("count", fmt::format("{:g} is more than {:g}", sum, most_count));
    if (same == known.end()) {
      known.push_back(cases_.size());
      cases_.push_back(std::move(one));
      return;
    }
    Case& before = cases_[*same];
    before.count = sum;
    if (one.label.empty() || one.label == before.label) return;
    before.label += (before.label.empty() ? "" : " + ") + one.label;
  }
  std::vector<Case> cases() { return std::move(cases_); }

 private:
  std::vector<Case> cases_;
  std::map<std::string, std::vector<std::size_t>> of_shape_;  ///< indices of cases
};

}  // namespace

std::vector<Case> read_census(const std::filesystem::path& path, const OperatorSpec& gemm) {
  Sum sum;
  read_csv_table(path, required, optional, [&](const CsvLine& line) { sum.add(read_case(line, gemm), line); });
  return sum.cases();
}

}  // namespace gable::workload
