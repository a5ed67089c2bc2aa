#include "core/questions/report/plot_row_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/questions/explain/explanation.hpp"
#include "core/questions/explain/explanation_answer.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::report {
namespace {

using nlohmann::json;

int rounds_of(const Estimate& estimate) {
  return static_cast<int>(std::set<int>(estimate.rounds.begin(), estimate.rounds.end()).size());
}

void add_estimate(JsonWriter& writer, const Estimate& estimate, const char* low, const char* high) {
  writer.field(low, estimate.ci_low);
  writer.field(high, estimate.ci_high);
  if (estimate.blocks <= 0) return;
  writer.field("blocks", estimate.blocks);
  writer.field("estimator", std::string(to_string(estimate.estimator)));
  writer.field("disturbed_blocks", estimate.seen.disturbed_blocks);
  if (const int rounds = rounds_of(estimate); rounds > 0) writer.field("rounds", rounds);
}

void add_conditions(JsonWriter& writer, const Conditions& conditions) {
  writer.field("clock_hz", conditions.clock_hz);
  writer.field("power_w", conditions.power_w);
  writer.field("temperature_c", conditions.temperature_c);
  text_unless_empty(writer, "clock_limits", conditions.clock_limits.value_or(""));
}

/// Which roof a point's limit is, so that a reader need not take its label apart.
void add_limit(JsonWriter& writer, const Verdict& verdict) {
  writer.unusual_field("limit_kind", verdict.limit_kind, LimitKind::none);
  writer.field("limit_execution_unit", verdict.limit_unit);
  writer.field("limit_dtype", verdict.limit_dtype);
  text_unless_empty(writer, "limit_level", verdict.limit_level);
}

/// What `gable explain` says of a point, where it has a verdict.
void add_explanation(JsonWriter& writer, const Result& result, const Point& point, Operators operators) {
  if (point.status != Status::ok) return;
  try {
    const auto answer = questions::explain(result, point, operators);
    writer.field("diagnosis", limit_words(answer));
    writer.field("distance", distance_words(answer));
    add_limit(writer, answer.point);
    if (answer.ridge) {
      writer.field("ridge_flop_per_byte", answer.ridge->ridge_flop_per_byte);
      writer.field("ridge_level", answer.ridge->level);
    }
    for (const bool seen : {true, false}) {
      std::vector<std::string> causes;
      for (const questions::Cause& cause : answer.causes) {
        if (cause.seen == seen) causes.push_back(cause.text);
      }
      text_unless_empty(writer, seen ? "causes_seen" : "causes_usual", fmt::format("{}", fmt::join(causes, "; ")));
    }
    const auto best = std::ranges::find_if(answer.levers, [](const questions::Lever& lever) {
      return lever.factor && *lever.factor >= questions::least_gain;
    });
    if (best == answer.levers.end()) return;
    writer.field("lever", best->name + (best->change.empty() ? "" : ": " + best->change));
    writer.field("lever_factor", *best->factor);
  } catch (const Error& error) {
    writer.field("diagnosis", std::string(error.what()));
  }
}

/// The types of a point's work whose roofs may be its limit.
void add_work(JsonWriter& writer, const Point& point) {
  double read = 0, written = 0, working_set = 0;
  for (const Stage& stage : point.stages) {
    read += stage.bytes_read;
    written += stage.bytes_written;
    working_set = std::max(working_set, stage.working_set);
  }
  writer.field("bytes_read", figure(read));
  writer.field("bytes_written", figure(written));
  writer.field("working_set_bytes", figure(working_set));
  if (const auto unit = questions::main_unit(point.stages))
    writer.field("execution_unit", std::string(to_string(*unit)));
}

}  // namespace

json ceiling_json(const Ceiling& row, bool measured) {
  JsonWriter writer;
  writer.field("device", row.device);
  writer.field("id", row.id);
  writer.field("scope", std::string(to_string(row.scope)));
  if (row.threads > 0) writer.field("threads", row.threads);
  writer.field("kind", std::string(to_string(row.kind)));
  writer.field("name", row.name);
  if (row.dtype) writer.field("dtype", std::string(to_string(*row.dtype)));
  if (row.accumulate) writer.field("accumulate", std::string(to_string(*row.accumulate)));
  name_unless_none(writer, "access", row.access);
  name_unless_none(writer, "stores", row.stores);
  name_unless_none(writer, "operating_point", row.at);
  writer.field("implementation", row.implementation);
  text_unless_empty(writer, "variant", row.variant);
  text_unless_empty(writer, "data_pattern", row.data_pattern);
  writer.field("value", figure(row.value.value));
  writer.field("median", figure(row.value.median));
  writer.field("unit", row.unit);
  add_estimate(writer, row.value, "ci_low", "ci_high");
  add_conditions(writer, row.conditions);
  writer.field("working_set_bytes", row.working_set_bytes);
  writer.field("with_write_allocate", row.with_write_allocate);
  writer.field("percent_of_datasheet", percent_of_datasheet(row));
  writer.field("percent_at_clock", percent_at_clock(row));
  if (measured) writer.field("status", std::string(to_string(row.status)));
  text_unless_empty(writer, "reason", row.reason);
  return writer.take();
}

json point_json(const Result& result, const Point& point, const render::PlotPoint* drawn, Operators operators) {
  JsonWriter writer;
  writer.field("device", point.device);
  writer.field("id", point.id);
  writer.field("scope", std::string(to_string(point.scope)));
  if (point.threads > 0) writer.field("threads", point.threads);
  writer.field("operator", point.op);
  writer.field("implementation", point.implementation);
  writer.field("dtype", std::string(to_string(point.types.a)));
  writer.field("accumulate", std::string(to_string(point.types.accumulate)));
  writer.field("compute", std::string(to_string(point.types.compute)));
  writer.field("params", point.params);
  text_unless_empty(writer, "manner", manner_of(point));
  writer.field("cold", point.cold);
  writer.field("launches", point.launches);
  writer.field("graph", point.graph);
  writer.field("count", point.count);
  text_unless_empty(writer, "label", point.label);
  writer.field("flops", flops_of(point));
  writer.field("bytes", bytes_of(point));
  add_work(writer, point);
  writer.field("intensity", intensity_of(point));
  writer.field("time_s", figure(point.time.value));
  add_estimate(writer, point.time, "ci_low_s", "ci_high_s");
  add_conditions(writer, point.conditions);
  writer.field("flop_per_s", flop_per_s(point));
  writer.field("byte_per_s", byte_per_s(point));
  if (point.regime) writer.field("regime", std::string(to_string(*point.regime)));
  text_unless_empty(writer, "limit", point.limit);
  writer.field("bound_s", point.bound_s);
  writer.field("fraction_of_limit", point.fraction_of_limit);
  writer.field("compared_rounds", point.compared_rounds);
  const auto sheet = datasheet_bound(result, point);
  if (sheet) writer.field("fraction_of_datasheet", sheet->fraction);
  writer.field("status", std::string(to_string(point.status)));
  text_unless_empty(writer, "reason", point.reason);
  writer.field("drawn", drawn != nullptr);
  if (drawn) {
    writer.field("limit_flop_per_s", drawn->limit);
    writer.field("lost_s", drawn->lost_s);
  }
  add_explanation(writer, result, point, operators);
  return writer.take();
}

json curve_json(const Curve& curve) {
  JsonWriter writer;
  writer.field("device", curve.device);
  writer.field("id", curve.id);
  writer.field("scope", std::string(to_string(curve.scope)));
  writer.field("threads", curve.threads);
  writer.field("name", curve.name);
  writer.field("series", curve.series);
  writer.field("x_name", curve.x_name);
  writer.field("x_unit", curve.x_unit);
  writer.field("y_name", curve.y_name);
  writer.field("y_unit", curve.y_unit);
  writer.field("x", curve.x);
  writer.field("y", curve.y);
  writer.field("status", std::string(to_string(curve.status)));
  text_unless_empty(writer, "reason", curve.reason);
  return writer.take();
}

}  // namespace gable::report
