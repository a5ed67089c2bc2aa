#include "core/questions/explain/moves_json.hpp"

#include <set>
#include <vector>

#include "core/error.hpp"
#include "core/questions/explain/lever.hpp"
#include "core/questions/predict/fusion.hpp"
#include "core/questions/predict/what_if.hpp"

namespace gable::questions {
namespace {

using nlohmann::json;

double bytes_in(const std::vector<Stage>& stages) {
  double sum = 0;
  for (const Stage& stage : stages) sum += stage.bytes_read + stage.bytes_written;
  return sum;
}

/// Types of floating point that an operator takes, each with the bytes that it moves then.
json types_json(const Point& point, const OperatorSpec& spec) {
  json list = json::array();
  std::set<DType> known{point.types.a};
  for (const Types& types : spec.types) {
    if (is_integer(types.a) || is_integer(point.types.a) || !known.insert(types.a).second) continue;
    const double bytes = bytes_in(repeated(spec.work(Params::parse(point.params), types), point.launches));
    list.push_back({{"dtype", to_string(types.a)}, {"compute", to_string(types.compute)}, {"bytes", bytes}});
  }
  return list;
}

}  // namespace

json moves_json(const Point& point, Operators operators) {
  json moves = json::object();
  const OperatorSpec* spec = known_operator(point, operators);
  if (!spec || point.params.empty()) return moves;
  try {
    if (const auto fixed = bytes_whatever_the_batch(point, operators)) moves["batch_fixed_bytes"] = *fixed;
    if (json types = types_json(point, *spec); !types.empty()) moves["types"] = std::move(types);
    if (point.launches == 1 && launches_of_run(point) > 1) {
      moves["launches"] = launches_of_run(point);
      moves["fused_bytes"] = bytes_in({fused(point, operators)});
    }
  } catch (const Error&) {  // a file of another version, whose operator took other sizes
    return json::object();
  }
  return moves;
}

}  // namespace gable::questions
