#include "core/analysis/inference_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/smallest.hpp"
#include "core/error.hpp"

namespace gable::analysis {
namespace {

constexpr Count launches_beside_rows = 2;  ///< the input table and the last norm

/// Quantised weights are multiplied in the type of the activations, or in the wider one that those compute in: where
/// the roof is higher.
Types best_types(const Roofline& roofline, const Types& types) {
  Types wide = types;
  wide.compute = uniform_types(types.b).compute;
  const auto* own = roofline.peak(types, Unit::multiply_add);
  const auto* other = roofline.peak(wide, Unit::multiply_add);
  return other != nullptr && (own == nullptr || other->flop_per_s > own->flop_per_s) ? wide : types;
}

void bound_operators(PhasePlan& phase, const Machine& machine) {
  double work = phase.all_reduce_s.value_or(0), launches = 0;
  bool complete = true;
  for (PlannedOperator& op : phase.operators) {
    op.types = best_types(machine.roofline, op.types);
    const std::vector stages{op.stage};
    op.missing = machine.roofline.missing_roofs(stages, op.types, true);
    if (op.missing.empty()) op.bound = machine.roofline.bound(stages, op.types, true);
    complete = complete && op.bound.has_value();
    if (!op.bound) continue;
    work += op.bound->work_s * number(op.times);
    launches += op.bound->overhead_s * number(op.times);
  }
  if (const auto& overhead = machine.roofline.overhead()) {
    phase.launch_s = overhead->seconds * number(phase.launches);
    launches += overhead->seconds * number(launches_beside_rows);
  }
  if (!complete) return;
  phase.work_s = work;
  phase.time_s = work + launches;
}

PhasePlan plan_phase(const Transformer& model, const Machine& machine, const Inference& what, bool decode) {
  const double tokens = number(what.batch) * (decode ? 1 : number(what.context));
  PhasePlan phase;
  phase.operators = phase_operators(model, what, decode);
  phase.launches = launches_beside_rows;
  for (const PlannedOperator& op : phase.operators) phase.launches += op.times * op.stage.launches;
  if (what.devices > 1) {
    const double of_all = 2 * number(model.layers) * tokens * number(model.width) * size_bytes(what.activations);
    phase.all_reduce_byte = of_all * 2 * (number(what.devices) - 1) / number(what.devices);
    if (machine.link_byte_per_s) phase.all_reduce_s = phase.all_reduce_byte / (*machine.link_byte_per_s / 2);
  }
  bound_operators(phase, machine);
  return phase;
}

void check(const Transformer& model, const Inference& what) {
  const auto check_size = [](std::string_view name, Count value) {
    if (value < 1 || value > most_tokens)
      throw Error(fmt::format("{} must be from 1 to {}, not {}", name, most_tokens, value));
  };
  check_size("batch", what.batch);
  check_size("context", what.context);
  check_size("devices", what.devices);
  if (model.heads % what.devices != 0) {
    throw Error(
        fmt::format("{} heads of {} cannot be divided among {} devices", model.heads, model.name, what.devices));
  }
  if (is_integer(what.activations)) {
    throw Error(fmt::format("activations of type {} are not planned", to_string(what.activations)));
  }
}

/// Smallest number of devices that hold weights and caches, among those that the heads divide by; each has at least one
/// whole KV head, or the whole latent cache.
std::optional<Count> devices_needed(const Transformer& model, const Machine& machine, const InferencePlan& plan) {
  if (!machine.memory_byte) return {};
  for (Count devices = 1; devices <= model.heads; ++devices) {
    if (model.heads % devices != 0) continue;
    const double parts = model.latent ? 1 : number(std::min(devices, model.kv_heads));
    if (plan.weights_byte / number(devices) + plan.cache_byte / parts <= *machine.memory_byte) return devices;
  }
  return {};
}

/// The weights that a decode step reads, once, at the roof of reads.
std::optional<double> floor_s(const Transformer& model, const Machine& machine, const Inference& what) {
  const auto& levels = machine.roofline.levels();
  if (levels.empty()) return {};
  const auto rate = machine.roofline.byte_per_s(levels.back().name, {.read_fraction = 1});
  if (!rate) return {};
  const double weights = read_parameters(model, number(what.batch)) * size_bytes(what.weights);
  return weights / number(what.devices) / *rate;
}

}  // namespace

InferencePlan plan_inference(const Transformer& model, const Machine& machine, const Inference& what) {
  check(model, what);
  InferencePlan plan;
  plan.weights_byte = parameters(model) * size_bytes(what.weights);
  plan.cache_byte = cached_values_per_token(model) * number(what.batch) * number(what.context) * size_bytes(what.cache);
  plan.devices_needed = devices_needed(model, machine, plan);
  plan.prefill = plan_phase(model, machine, what, false);
  plan.decode = plan_phase(model, machine, what, true);
  plan.floor_s = floor_s(model, machine, what);
  if (model.experts)
    plan.experts_read = expected_experts(*model.experts, number(what.batch)) + number(model.experts->shared);
  return plan;
}

std::vector<SweptBatch> batch_sweep(const Transformer& model, const Machine& machine, Inference what, Count most) {
  std::vector<SweptBatch> sweep;
  for (what.batch = 1; what.batch <= most; what.batch *= 2)
    sweep.push_back({what.batch, plan_inference(model, machine, what)});
  return sweep;
}

std::optional<BatchMarks> batch_marks(const Transformer& model, const Machine& machine, Inference what, Count most) {
  const auto decode_at = [&](Count batch) {
    what.batch = batch;
    return plan_phase(model, machine, what, true);
  };
  if (!decode_at(1).time_s) return {};
  BatchMarks marks;
  marks.ridge = smallest(most, [&](Count batch) {
    const PhasePlan phase = decode_at(batch);
    return std::ranges::all_of(phase.operators, [](const PlannedOperator& op) {
      return op.part != Part::feed_forward || op.bound->limit.kind == LimitKind::compute;
    });
  });
  marks.takeover = smallest(most, [&](Count batch) {
    const PhasePlan phase = decode_at(batch);
    double products = 0, cache = 0;
    for (const PlannedOperator& op : phase.operators) {
      const double time = op.bound->time_s * number(op.times);
      if (op.part == Part::attention)
        cache += time;
      else if (op.part != Part::elementwise)
        products += time;
    }
    return cache > products;
  });
  return marks;
}

}  // namespace gable::analysis
