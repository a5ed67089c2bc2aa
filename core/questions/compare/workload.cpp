#include "core/questions/compare/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/text/posix_file.hpp"
#include "core/verdict/named_machine.hpp"
#include "core/workload/suite.hpp"

namespace gable::questions {
namespace {

/// What of the case's types is asked for; of a case that states none all that is asked for, else one type.
std::vector<DType> types_asked(const Case& one, const OperatorSpec& spec, const std::vector<DType>& dtypes) {
  const auto takes = [&](DType dtype) { return std::ranges::count(spec.types, dtype, &Types::a) != 0; };
  if (one.dtypes.empty() && dtypes.empty()) return {takes(DType::fp32) ? DType::fp32 : spec.types.front().a};
  std::vector<DType> types = one.dtypes.empty() ? dtypes : one.dtypes;
  std::erase_if(
      types, [&](DType dtype) { return !takes(dtype) || (!dtypes.empty() && std::ranges::count(dtypes, dtype) == 0); });
  return types;
}

void add(Workload& workload, const Case& one, const std::vector<DType>& dtypes, Operators operators) {
  const OperatorSpec& spec = find_spec(operators, one.op);
  for (const DType dtype : types_asked(one, spec, dtypes)) {
    const Types types = types_of(spec, dtype);
    std::vector<Params> sizes = one.params;
    if (sizes.empty()) sizes = {spec.default_params({}, types).back()};
    for (const Params& given : sizes) {
      const Params params = ordered(spec, given);
      Point point;
      point.op = one.op;
      point.types = types;
      point.params = params.to_string();
      point.stages = repeated(spec.work(params, types), one.launches);
      point.launches = one.launches;
      point.graph = one.graph;
      point.cold = true;
      point.count = one.count;
      point.label = one.label;
      workload.points.push_back(std::move(point));
    }
  }
}

nlohmann::json json_of(const std::filesystem::path& path) {
  try {
    return parse_json(read_text(path));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

void add_points(Workload& workload, const NamedFile& file, const std::vector<DType>& dtypes) {
  const Result result = load_result(file.path);
  const std::string device = file.device.empty() ? "" : device_named(result, file.path, file.device);
  for (const Point& row : result.points) {
    if (!has_time(row) || (!device.empty() && row.device != device) || !wanted(key_of(row), dtypes)) continue;
    if (!(flops(row.stages) > 0 || bytes(row.stages) > 0)) continue;
    Point point = row;
    static_cast<Verdict&>(point) = {};
    point.status = Status::ok;
    point.time = {};
    point.conditions = {};
    point.scope = Scope::node;
    point.cold = true;
    workload.points.push_back(std::move(point));
  }
}

}  // namespace

Workload read_workload(const std::string& name, const std::vector<DType>& dtypes, Operators operators) {
  const auto file = file_named(name);
  const std::filesystem::path path = file ? file->path : name;
  Workload workload{path.filename().string(), {}};
  const auto add_cases = [&](const std::vector<Case>& cases) {
    for (const Case& one : cases) add(workload, one, dtypes, operators);
  };
  if (path.extension() == ".csv") {
    add_cases(workload::read_census(path, find_spec(operators, "gemm")));
  } else if (!std::filesystem::is_regular_file(path)) {
    add_cases(workload::find_suite(name, operators).cases);
  } else {
    const auto json = json_of(path);
    if (json.contains("operators") && json["operators"].is_array()) {
      add_cases(workload::find_suite(path.string(), operators).cases);
    } else if (json.contains("points")) {
      add_points(workload, file.value_or(NamedFile{path.string(), ""}), dtypes);
    } else {
      workload.weights = read_weights(path);
      for (const NamedWeight& one : workload.weights) add_cases({Case{.op = one.name}});
    }
  }
  std::set<PointKey> known;
  std::erase_if(workload.points, [&](const Point& one) { return !known.insert(key_of(one)).second; });
  if (workload.points.empty()) throw Error(fmt::format("--workload: there is no work in {}", name));
  return workload;
}

}  // namespace gable::questions
