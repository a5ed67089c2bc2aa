#include "core/questions/report/row_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/model/units.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/verdict/machine_model.hpp"
#include "core/verdict/measured_judgement.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::report {
namespace {

using Value = Answer::Value;

/// In how many rounds of the run it was measured.
Value rounds_of(const Estimate& estimate) {
  return unless_zero(static_cast<int>(std::set<int>(estimate.rounds.begin(), estimate.rounds.end()).size()));
}

Answer::Facts statistics_facts(const Estimate& estimate) {
  const bool known = estimate.blocks > 0;
  return {{"estimator", known ? Value(estimate.estimator) : Value()},
          {"disturbed_blocks", known ? Value(estimate.seen.disturbed_blocks) : Value()}};
}

Answer::Facts conditions_facts(const Conditions& conditions) {
  return {{"power_w", conditions.power_w},
          {"temperature_c", conditions.temperature_c},
          {"clock_limits", named(conditions.clock_limits.value_or(""))}};
}

/// What its stages move and compute.
Answer::Facts work_facts(const Point& point) {
  double read = 0, written = 0, working_set = 0;
  for (const Stage& stage : point.stages) {
    read += stage.bytes_read;
    written += stage.bytes_written;
    working_set = std::max(working_set, stage.working_set);
  }
  return {{"bytes_read", figure(read)},
          {"bytes_written", figure(written)},
          {"working_set_bytes", figure(working_set)},
          {"execution_unit", questions::main_unit(point.stages)}};
}

/// As people read it: flop/s, or byte/s of what computes nothing.
std::string rate_of(const Point& point) {
  if (const auto rate = flop_per_s(point)) return format_quantity(*rate, rate_unit(point.types));
  const auto traffic = byte_per_s(point);
  return traffic ? format_quantity(*traffic, "byte/s") : "";
}

}  // namespace

Answer::Facts facts_of(const Ceiling& row, bool measured) {
  Answer::Facts facts{{"device", row.device},
                      {"scope", row.scope},
                      {"threads", unless_zero(row.threads)},
                      {"kind", row.kind},
                      {"name", row.name},
                      {"dtype", row.dtype},
                      {"accumulate", row.accumulate},
                      {"access", unless_none(row.access)},
                      {"operating_point", unless_none(row.at)},
                      {"implementation", row.implementation},
                      {"data_pattern", named(row.data_pattern)},
                      {"value", figure(row.value.value)},
                      {"median", figure(row.value.median)},
                      {"ci_low", row.value.ci_low},
                      {"ci_high", row.value.ci_high},
                      {"blocks", unless_zero(row.value.blocks)},
                      {"unit", row.unit},
                      {"clock_hz", row.conditions.clock_hz},
                      {"percent_of_datasheet", percent_of_datasheet(row)},
                      {"percent_at_clock", percent_at_clock(row)},
                      {"status", measured ? Value(row.status) : Value()},
                      {"reason", named(row.reason)},
                      {"stores", unless_none(row.stores)},
                      {"variant", named(row.variant)},
                      {"with_write_allocate", row.with_write_allocate},
                      {"id", row.id}};
  facts.add(statistics_facts(row.value));
  facts.add({{"rounds", rounds_of(row.value)}, {"working_set_bytes", row.working_set_bytes}});
  return facts.add(conditions_facts(row.conditions));
}

Answer::Facts facts_of(const Result& result, const Point& point) {
  const auto sheet = datasheet_bound(result, point);
  const auto intensity = intensity_of(point);
  const std::string time = format_quantity(point.time.value, "s");
  const bool typed = !point.imported || !point.imported->operations.empty() || point.imported->unknown.empty();
  const bool other_limit = point.limit.empty() && !is_unplaced(result, point);
  Answer::Facts facts{
      {"", "device", result.devices.size() > 1 ? Value(point.device) : Value()},
      {"device", point.device},
      {"scope", point.scope},
      {"operator", "operator", point.op},
      {"implementation", "implementation", point.implementation},
      {"dtype", point.types.a},
      {"", "type", typed ? Value(point.types.a) : Value()},
      {"accumulate", point.types.accumulate},
      {"params", "parameters", point.params},
      {"", "data", manner_of(point)},
      {"flops", flops_of(point)},
      {"bytes", bytes_of(point)},
      {"intensity", intensity},
      {"time_s", figure(point.time.value)},
      {"", "time", time + std::string(was_disturbed(point.time) ? disturbed_mark : "")},
      {"flop_per_s", flop_per_s(point)},
      {"byte_per_s", byte_per_s(point)},
      {"", "rate", rate_of(point)},
      {"", "flop/byte", intensity ? Value(fmt::format("{:.3g}", *intensity)) : Value()},
      {"regime", "regime", point.regime},
      {"limit", named(point.limit)},
      {"", "limit", other_limit ? point.reason : point.limit},
      {"fraction_of_limit", point.fraction_of_limit},
      {"", "of limit", share_of_bound(point) + std::string(point.compared_rounds > 0 ? compared_mark : "")},
      {"status", point.status},
      {"reason", named(point.reason)},
      {"ci_low_s", point.time.ci_low},
      {"ci_high_s", point.time.ci_high},
      {"id", point.id},
      {"cold", point.cold}};
  facts.add(statistics_facts(point.time));
  facts.add({{"launches", point.launches},
             {"graph", point.graph},
             {"count", point.count},
             {"label", named(point.label)},
             {"fraction_of_datasheet", sheet ? Value(sheet->fraction) : Value()},
             {"", "of datasheet",
              !sheet                     ? Value()
              : sheet->fraction > 1.0005 ? Value("above 100 %")
                                         : Value(fmt::format("{:.1f} %", 100 * sheet->fraction))},
             {"rounds", rounds_of(point.time)},
             {"compared_rounds", point.compared_rounds},
             {"threads", unless_zero(point.threads)},
             {"compute", point.types.compute},
             {"manner", named(manner_of(point))}});
  facts.add(work_facts(point));
  facts.add({{"blocks", unless_zero(point.time.blocks)},
             {"clock_hz", point.conditions.clock_hz},
             {"bound_s", point.bound_s}});
  return facts.add(conditions_facts(point.conditions));
}

std::vector<Ceiling> datasheet_ceilings(std::span<const catalogue::Device> devices) {
  std::vector<Ceiling> rows;
  for (const catalogue::Device& device : devices) {
    for (const questions::CeilingQuantity& quantity : questions::subject_of(device).ceilings) {
      Ceiling& row = rows.emplace_back(quantity.rows.front());
      row.device = datasheet_name(device);
      row.implementation = "datasheet";
      row.value.median = 0;
      row.datasheet.reset();
    }
  }
  return rows;
}

std::string type_text(const Ceiling& row) {
  if (!row.dtype) return "";
  const bool plain = !row.accumulate || row.accumulate == row.dtype;
  return plain ? std::string(to_string(*row.dtype))
               : fmt::format("{}->{}", to_string(*row.dtype), to_string(*row.accumulate));
}

bool is_unplaced(const Result& result, const Point& point) {
  return point.status == Status::ok && !point.bound_s && !has_ceilings(result, point.device, point.scope);
}

}  // namespace gable::report
