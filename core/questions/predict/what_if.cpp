#include "core/questions/predict/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "core/error.hpp"
#include "core/questions/predict/fusion.hpp"

namespace gable::questions {
namespace {

int launches(const Work& work) {
  int sum = 0;
  for (const Stage& stage : work.stages) sum += stage.launches;
  return sum;
}

std::string title(std::string_view op, const Params& params) {
  return params.values().empty() ? std::string(op) : fmt::format("{} {}", op, params.to_string());
}

}  // namespace

const OperatorSpec* known_operator(const Point& point, Operators operators) {
  return ran_here(point) ? known_spec(operators, point.op) : nullptr;
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
  return {.name = std::move(name),
          .types = point.types,
          .stages = point.stages,
          .cold = point.cold,
          .unknown = point.imported ? point.imported->unknown : std::vector<std::string>{}};
}

Point retyped(const Point& point, DType dtype) {
  Point other = point;
  other.types = uniform_types(dtype);
  if (point.types.compute == point.types.a) other.types.compute = dtype;
  for (Stage& stage : other.stages) scale_bytes(stage, size_bytes(dtype) / size_bytes(point.types.a));
  return other;
}

namespace {

Point changed_as_a_whole(const Point& point, const Params& factors, std::optional<DType> dtype) {
  Point other = dtype && *dtype != point.types.a ? retyped(point, *dtype) : point;
  for (const auto& [name, value] : factors.values()) {
    if (name != "flop" && name != "byte")
      throw Error(
          fmt::format("--scale: '{}' is no operator of this build and has no size '{}': flop and byte can be "
                      "scaled",
                      point.op, name));
    const auto factor = static_cast<double>(factors.at(name));
    for (Stage& stage : other.stages) {
      if (name == "byte") scale_bytes(stage, factor);
      for (UnitWork& work : stage.work) work.operations *= name == "flop" ? factor : 1;
    }
    other.params += fmt::format("{}{} {}x", other.params.empty() ? "" : ", ", name, factor);
  }
  return other;
}

}  // namespace

Point changed(const Point& point, const OperatorSpec* spec, const Params& factors, std::optional<DType> dtype) {
  if (spec == nullptr) return changed_as_a_whole(point, factors, dtype);
  const Params params = scaled(Params::parse(point.params), factors);
  const Types types = !dtype || *dtype == point.types.a ? point.types : types_of(*spec, *dtype);
  Point other = point;
  other.types = types;
  other.params = params.to_string();
  other.stages = repeated(spec->work(params, types), point.launches);
  return other;
}

Work reused(Work work, double times) {
  for (Stage& stage : work.stages) {
    for (double* bytes : {&stage.bytes_read, &stage.bytes_written, &stage.bytes_updated}) *bytes /= times;
  }
  work.name += fmt::format(", each byte used {:g} times as often", times);
  return work;
}

Work in_turn(std::span<const SizedOperator> operators, DType dtype) {
  Work together;
  together.name = "all, one after another";
  for (const auto& [spec, params] : operators) {
    const Work one = work_of(*spec, params, dtype);
    together.stages.insert(together.stages.end(), one.stages.begin(), one.stages.end());
    together.types = one.types;
  }
  if (launches(together) < 2) throw Error("--fuse needs operators of at least two launches together");
  return together;
}

Work in_one_launch(std::span<const SizedOperator> operators, DType dtype) {
  Stage whole;
  Work before;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const auto& [spec, sizes] = operators[i];
    Work work = work_of(*spec, sizes, dtype);
    const Stage one = fused(*spec, sizes, work.types, work.stages);
    if (i == 0) {
      whole = one;
    } else {
      const auto& [spec_before, sizes_before] = operators[i - 1];
      const auto passed = handed_on(*spec_before, sizes_before, before.types, *spec, sizes, work.types);
      if (!(passed.bytes > 0))
        throw Error(fmt::format("--fuse: {} reads no array of the size that {} writes", work.name, before.name));
      whole = fused(whole, one, passed);
    }
    before = std::move(work);
  }
  return {.name = "all, fused", .types = before.types, .stages = {whole}};
}

Work work_of(const PlainWork& plain, std::string name, DType dtype) {
  constexpr double any_amount = 1e18;  // flop: so many that no launch shows
  auto [flop, byte, intensity] = plain;
  const bool sized = flop || byte;
  if (!sized) flop = any_amount;
  if (intensity && flop) byte = *flop / *intensity;
  if (intensity && !flop) flop = *byte * *intensity;
  Work work{.name = std::move(name), .types = uniform_types(dtype), .stages = {Stage{}}};
  if (flop) work.stages.front().work = {{Unit::multiply_add, *flop}};
  work.stages.front().bytes_read = byte.value_or(0);
  if (sized) work.stages.front().working_set = byte.value_or(0);
  return work;
}

std::optional<Work> by_fused_sibling(const SizedOperator& op, DType dtype, Operators operators) {
  const OperatorSpec* sibling = op.first->fused.empty() ? nullptr : known_spec(operators, op.first->fused);
  if (!sibling || std::ranges::count(sibling->types, dtype, &Types::a) == 0) return {};
  return work_of(*sibling, op.second, dtype);
}

Work in_one_launch(const Point& point, Operators operators) {
  Work one = work_of(point);
  if (launches(one) < 2) throw Error(fmt::format("--fuse: {} is one launch already", point.id));
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

}  // namespace gable::questions
