#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/plan_text.hpp"
#include "core/analysis/prediction.hpp"

namespace gable::cli {
namespace {

using analysis::PhasePlan;
using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<analysis::Count>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json measured_json(const analysis::PlannedOperator& op, const Measurement& measurement) {
  const auto found = op.run ? analysis::measured_run(*op.run, measurement.result, measurement.device) : std::nullopt;
  if (!found) return nullptr;
  ordered_json json{{"time_s", found->time_s}, {"implementation", found->implementation}, {"cold", found->cold}};
  if (found->low_s && found->high_s) json["time_interval_s"] = {*found->low_s, *found->high_s};
  if (op.bound && measurement.own_roofs) json["roof_over_measured"] = op.bound->time_s / found->time_s;
  return json;
}

ordered_json operator_json(const analysis::PlannedOperator& op, const std::optional<Measurement>& measurement) {
  ordered_json json{{"name", op.name}, {"times", op.times}, {"flop", flops(op.stage)}, {"bytes", bytes(op.stage)}};
  if (flops(op.stage) > 0) json["intensity_flop_per_byte"] = flops(op.stage) / bytes(op.stage);
  if (op.bound) {
    json["regime"] = analysis::verdict(op.bound->limit);
    json["time_s"] = op.bound->time_s;
  }
  if (!op.missing.empty()) json["missing"] = op.missing;
  if (op.gemm) json["gemm"] = {{"m", op.gemm->m}, {"n", op.gemm->n}, {"k", op.gemm->k}};
  if (op.run)
    json["operator"] = {{"name", op.run->op}, {"params", op.run->params.to_string()}};
  else
    json["no_operator"] = op.no_run;
  if (measurement) json["measured"] = measured_json(op, *measurement);
  return json;
}

ordered_json phase_json(const PhasePlan& phase, const std::optional<Measurement>& measurement) {
  ordered_json json;
  auto& list = json["operators"] = ordered_json::array();
  for (const auto& op : phase.operators) list.push_back(operator_json(op, measurement));
  json["launches"] = phase.launches;
  json["all_reduce_byte"] = phase.all_reduce_byte;
  if (phase.all_reduce_s) json["all_reduce_s"] = *phase.all_reduce_s;
  if (phase.time_s) json["time_s"] = *phase.time_s;
  if (phase.work_s) json["without_launches_s"] = *phase.work_s;
  if (phase.launch_s) json["launch_s"] = *phase.launch_s;
  return json;
}

ordered_json alternatives_json(const std::vector<Alternative>& alternatives) {
  auto list = ordered_json::array();
  const auto& first = alternatives.front().plan;
  for (const auto& [what, plan] : alternatives) {
    const auto& operators = plan.decode.operators;
    const auto& attention = *std::ranges::find(operators, analysis::Part::attention, &analysis::PlannedOperator::part);
    const auto& before =
        *std::ranges::find(first.decode.operators, analysis::Part::attention, &analysis::PlannedOperator::part);
    ordered_json json{{"weights", to_string(what.weights)},
                      {"cache", to_string(what.cache)},
                      {"weights_byte", plan.weights_byte},
                      {"cache_byte", plan.cache_byte},
                      {"attention_flop_per_byte", flops(attention.stage) / bytes(attention.stage)}};
    if (plan.devices_needed) json["devices_needed"] = *plan.devices_needed;
    if (plan.floor_s) json["floor_s"] = *plan.floor_s;
    if (plan.floor_s && first.floor_s) json["floor_factor"] = *first.floor_s / *plan.floor_s;
    if (attention.bound && before.bound) json["attention_factor"] = before.bound->time_s / attention.bound->time_s;
    if (plan.decode.time_s) json["decode_s"] = *plan.decode.time_s;
    if (plan.decode.time_s && first.decode.time_s) json["decode_factor"] = *first.decode.time_s / *plan.decode.time_s;
    list.push_back(json);
  }
  return list;
}

ordered_json sweep_json(const std::vector<analysis::SweptBatch>& sweep) {
  auto list = ordered_json::array();
  for (const auto& [batch, plan] : sweep) {
    const auto& most = longest(plan.decode);
    ordered_json json{{"batch", batch}, {"cache_byte", plan.cache_byte}};
    if (plan.devices_needed) json["devices_needed"] = *plan.devices_needed;
    if (plan.decode.time_s) {
      json["decode_s"] = *plan.decode.time_s;
      json["token_per_s"] = static_cast<double>(batch) / *plan.decode.time_s;
    }
    json["longest"] = most.name;
    json["regime"] = regime_of(most);
    list.push_back(json);
  }
  return list;
}

}  // namespace

void print_plan_json(const PlanAnswer& answer) {
  const auto& what = answer.what;
  const auto& plan = answer.plan;
  ordered_json json{{"model", answer.model->name},
                    {"device", answer.machine.name},
                    {"basis", basis_text(answer.machine.basis, answer.machine.source)},
                    {"batch", what.batch},
                    {"context", what.context},
                    {"model_context", answer.model->context},
                    {"devices", what.devices},
                    {"weights", to_string(what.weights)},
                    {"cache", to_string(what.cache)},
                    {"activations", to_string(what.activations)},
                    {"parameters", analysis::parameters(*answer.model)},
                    {"weights_byte", plan.weights_byte},
                    {"cache_byte", plan.cache_byte},
                    {"cached_values_per_token", analysis::cached_values_per_token(*answer.model)},
                    {"cached_values_per_token_and_layer",
                     analysis::cached_values_per_token(*answer.model) / static_cast<double>(answer.model->layers)}};
  if (plan.devices_needed) json["devices_needed"] = *plan.devices_needed;
  if (answer.machine.memory_byte) json["fits"] = plan.devices_needed && *plan.devices_needed <= what.devices;
  if (plan.floor_s) {
    json["floor_s"] = *plan.floor_s;
    json["floor_token_per_s"] = static_cast<double>(what.batch) / *plan.floor_s;
  }
  if (plan.experts_read) json["experts_read"] = *plan.experts_read;
  json["notes"] = plan.notes;
  if (answer.measurement) {
    json["measured_file"] = answer.measurement->file;
    json["measured_device"] = answer.measurement->device;
    json["roofs_of_measured_device"] = answer.measurement->own_roofs;
  }
  if (answer.prefill) json["prefill"] = phase_json(plan.prefill, answer.measurement);
  if (answer.decode) json["decode"] = phase_json(plan.decode, answer.measurement);
  if (!answer.alternatives.empty()) json["alternatives"] = alternatives_json(answer.alternatives);
  if (!answer.sweep.empty()) json["sweep"] = sweep_json(answer.sweep);
  const auto marks = answer.decode ? analysis::batch_marks(*answer.model, answer.machine, what)
                                   : std::optional<analysis::BatchMarks>{};
  if (marks) {
    json["compute_bound_from_batch"] = number_or_null(marks->ridge);
    json["cache_bound_from_batch"] = number_or_null(marks->takeover);
  }
  if (!answer.suite_file.empty()) {
    json["suite"] = {
        {"file", answer.suite_file}, {"operators", answer.suite.cases.size()}, {"left_out", answer.suite.left_out}};
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace gable::cli
