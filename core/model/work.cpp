#include "core/model/work.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/sequence.hpp"

namespace gable {

bool is_flop(Unit unit) { return unit != Unit::exp && unit != Unit::convert && unit != Unit::divide; }
bool is_flop(Unit unit, DType dtype) { return is_flop(unit) && !is_integer(dtype); }
std::string_view operation_name(Unit unit, DType dtype) { return is_flop(unit, dtype) ? "flop" : "op"; }
std::string_view rate_unit(Unit unit, DType dtype) { return is_flop(unit, dtype) ? "flop/s" : "op/s"; }

DType type_on(Unit unit, const Types& types) {
  if (unit == Unit::exp || unit == Unit::divide) return types.accumulate;
  return unit == Unit::convert ? types.a : types.compute;
}

double expected_distinct(double n, double draws) { return n == 1 ? 1 : -n * std::expm1(draws * std::log1p(-1 / n)); }

void scale_bytes(Stage& stage, double factor) {
  for (double* bytes :
       {&stage.bytes_read, &stage.bytes_written, &stage.bytes_updated, &stage.working_set, &stage.random_span})
    *bytes *= factor;
  for (LevelBytes& level : stage.inner) level.bytes *= factor;
}

std::vector<Stage> repeated(std::vector<Stage> stages, int runs) {
  for (Stage& stage : stages) {
    for (UnitWork& work : stage.work) work.operations *= runs;
    scale_bytes(stage, runs);
    stage.random_lines *= runs;
    stage.launches *= runs;
  }
  return stages;
}

double flops(const Stage& stage) {
  return sum_over(stage.work, [](const UnitWork& work) { return is_flop(work.unit) ? work.operations : 0; });
}

double bytes(const Stage& stage) { return stage.bytes_read + stage.bytes_written; }

Traffic traffic_of(const Stage& stage) {
  const double moved = bytes(stage);
  if (!(moved > 0)) return {};
  return {stage.bytes_read / moved, 2 * stage.bytes_updated / moved};
}

double flops(const std::vector<Stage>& stages) {
  return sum_over(stages, [](const Stage& stage) { return flops(stage); });
}

double bytes(const std::vector<Stage>& stages) {
  return sum_over(stages, [](const Stage& stage) { return bytes(stage); });
}

double intensity(const std::vector<Stage>& stages) {
  const double moved = bytes(stages);
  if (!(moved > 0)) throw Error("arithmetic intensity: the work moves no bytes");
  return flops(stages) / moved;
}

}  // namespace gable
