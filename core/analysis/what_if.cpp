#include "core/analysis/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "core/analysis/fusion.hpp"
#include "core/error.hpp"

namespace gable::analysis {
namespace {

std::string title(std::string_view op, const Params& params) {
  return params.values().empty() ? std::string(op) : fmt::format("{} {}", op, params.to_string());
}

}  // namespace

Types types_of(const OperatorSpec& spec, DType dtype) {
  const auto found = std::ranges::find(spec.types, dtype, &Types::a);
  if (found == spec.types.end()) throw Error(fmt::format("{} does not take {}", spec.name, to_string(dtype)));
  return *found;
}

Params scaled(Params sizes, const Params& factors) {
  constexpr Index most = Index{1} << 62;
  for (const auto& [name, value] : factors.values()) {
    const Index factor = factors.at(name), size = sizes.at(name);
    if (size > most / factor) throw Error(fmt::format("{}={} times {} exceeds 2^62", name, size, factor));
    sizes.set(name, size * factor);
  }
  return sizes;
}

Work work_of(const OperatorSpec& spec, const Params& params, DType dtype) {
  const Types types = types_of(spec, dtype);
  return {.name = title(spec.name, params), .types = types, .stages = spec.work(params, types)};
}

Work work_of(const Point& point) {
  std::string name = point.params.empty() ? point.op : fmt::format("{} {}", point.op, point.params);
  if (point.launches > 1) name += fmt::format(", {} runs", point.launches);
  return {.name = std::move(name), .types = point.types, .stages = point.stages, .cold = point.cold};
}

Point changed(const Point& point, const OperatorSpec& spec, const Params& factors, std::optional<DType> dtype) {
  const Params params = scaled(Params::parse(point.params), factors);
  const Types types = !dtype || *dtype == point.types.a ? point.types : types_of(spec, *dtype);
  Point other = point;
  other.types = types;
  other.params = params.to_string();
  other.stages = repeated(spec.work(params, types), point.launches);
  return other;
}

Work in_one_launch(const Point& point, Operators operators) {
  Work one = work_of(point);
  one.stages = {fused(point, operators)};
  one.name += ", in one launch";
  return one;
}

const Point& find_point(const std::vector<Point>& points, const std::string& id) {
  std::vector<const Point*> containing, of_operator;
  for (const Point& point : points) {
    if (point.status != Status::ok || point.id.find(id) == std::string::npos) continue;
    if (point.id == id) return point;
    containing.push_back(&point);
    if (point.op == id) of_operator.push_back(&point);
  }
  const auto& found = of_operator.empty() ? containing : of_operator;
  if (found.size() == 1) return *found.front();
  if (found.empty()) throw Error(fmt::format("no measured point has '{}' in its id", id));
  constexpr std::size_t most = 4;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min(found.size(), most); ++i) ids.push_back(found[i]->id);
  throw Error(fmt::format("{} measured points have '{}' in their ids: {}{}", found.size(), id, fmt::join(ids, ", "),
                          found.size() > most ? ", …" : ""));
}

}  // namespace gable::analysis
