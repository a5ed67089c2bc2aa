#include "cli/predict_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace gable::cli {

using analysis::Work;

namespace {

/// Of all --scale together: "m=4".
Params factors_of(const po::variables_map& values) {
  Params factors;
  for (const std::string& text : texts(values, "scale")) {
    const Params given = Params::parse(text);
    for (const auto& [name, value] : given.values()) {
      if (factors.has(name)) throw Error(fmt::format("--scale: {} is there twice", name));
      factors.set(name, given.at(name));
    }
  }
  return factors;
}

/// Those factors that this operator has a size for.
Params own(const Params& factors, const Params& sizes) {
  Params part;
  for (const auto& [name, value] : factors.values()) {
    if (sizes.has(name)) part.set(name, factors.at(name));
  }
  return part;
}

}  // namespace

bool is_given(const po::variables_map& values, const std::string& option) {
  return values.count(option) != 0 && !values[option].defaulted();
}

bool only_intensity(const po::variables_map& values) {
  return is_given(values, "intensity") && !is_given(values, "flop") && !is_given(values, "byte");
}

std::vector<analysis::SizedOperator> named_operators(const po::variables_map& values) {
  const auto names = texts(values, "operator"), sizes = texts(values, "params");
  if (names.size() != sizes.size()) {
    throw Error(
        fmt::format("predict needs one --params for each --operator: {} and {} are given", sizes.size(), names.size()));
  }
  const Params factors = factors_of(values);
  std::vector<analysis::SizedOperator> result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const OperatorSpec& spec = find_spec(names[i]);
    const Params given = ordered(spec, Params::parse(sizes[i]));
    result.emplace_back(&spec, analysis::scaled(given, own(factors, given)));
  }
  for (const auto& [name, value] : factors.values()) {
    const auto has = [&, wanted = std::string_view(name)](const auto& one) { return one.second.has(wanted); };
    if (std::ranges::none_of(result, has)) throw Error(fmt::format("--scale: no operator has the size '{}'", name));
  }
  return result;
}

namespace {

/// The operators one by one, and all of them together where they are fused.
std::vector<Work> operator_work(const po::variables_map& values, DType dtype) {
  const auto operators = named_operators(values);
  if (values["fuse"].as<bool>())
    return {analysis::in_turn(operators, dtype), analysis::in_one_launch(operators, dtype)};
  std::vector<Work> list;
  for (const auto& [spec, params] : operators) list.push_back(analysis::work_of(*spec, params, dtype));
  return list;
}

/// --flop and --byte, or one of them with --intensity; each once for all, or once for each piece of work.
std::vector<Work> plain_work(const po::variables_map& values, DType dtype) {
  const auto flops = quantities(values, "flop", "flop"), bytes = quantities(values, "byte", "byte");
  const auto intensities = quantities(values, "intensity", "flop/byte");
  const auto count = std::max({flops.size(), bytes.size(), intensities.size()});
  if (count == 0) throw Error("predict needs --operator with --params, --point, --flop, --byte or --intensity");
  if (!flops.empty() && !bytes.empty() && !intensities.empty())
    throw Error("--intensity goes with one of --flop and --byte, not with both");
  for (const auto* list : {&flops, &bytes, &intensities}) {
    if (list->size() > 1 && list->size() != count)
      throw Error("--flop, --byte and --intensity are given once each, or equally often");
  }
  std::vector<Work> result;
  for (std::size_t i = 0; i < count; ++i) {
    const analysis::PlainWork plain{one_for(flops, i), one_for(bytes, i), one_for(intensities, i)};
    result.push_back(analysis::work_of(plain, count == 1 ? "given work" : fmt::format("given work {}", i + 1), dtype));
  }
  return result;
}

}  // namespace

std::vector<Work> work_of(const po::variables_map& values, DType dtype) {
  if (is_given(values, "operator")) return operator_work(values, dtype);
  if (values["fuse"].as<bool>()) throw Error("--fuse needs --operator or --point");
  if (is_given(values, "scale")) throw Error("--scale needs --operator or --point");
  return plain_work(values, dtype);
}

std::vector<Work> changed_work(const po::variables_map& values, const Point& point) {
  std::vector<std::optional<DType>> dtypes;
  for (const DType dtype : dtypes_of(values, "dtype")) dtypes.emplace_back(dtype);
  const Params factors = factors_of(values);
  std::vector<Point> points;
  if (dtypes.empty() && factors.values().empty()) {
    points.push_back(point);
  } else {
    if (dtypes.empty()) dtypes.emplace_back();
    for (const auto& dtype : dtypes) points.push_back(analysis::changed(point, find_spec(point.op), factors, dtype));
  }
  std::vector<Work> result;
  for (const Point& one : points) {
    result.push_back(analysis::work_of(one));
    if (!values["fuse"].as<bool>()) continue;
    result.back() = analysis::in_one_launch(one, operator_specs());
  }
  return result;
}

}  // namespace gable::cli
