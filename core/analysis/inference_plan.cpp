#include "core/analysis/inference_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/error.hpp"

namespace gable::analysis {
namespace {

double number(Count count) { return static_cast<double>(count); }

/// Everything a row of the table is computed from: sizes on one device.
struct Shape {
  const Transformer& model;
  const Inference& what;
  double share;   ///< 1 / devices
  double tokens;  ///< that pass through a layer
  bool decode;
  double size;      ///< byte of an activation
  double kv_heads;  ///< of one device: not less than one whole head

  double width() const { return number(model.width); }
  double heads() const { return number(model.heads) * share; }
  double head() const { return number(model.head_width); }
  double batch() const { return number(what.batch); }
  double context() const { return number(what.context); }
};

Types product_types(const Inference& what) {
  Types types = uniform_types(what.activations);
  types.a = what.weights;
  types.compute = what.weights == what.activations ? types.compute : what.activations;
  return types;
}

PlannedOperator begun(std::string name, Part part, Count times, const Types& types) {
  PlannedOperator op{.name = std::move(name), .part = part, .times = times, .types = types};
  op.stage.name = op.name;
  return op;
}

PlannedOperator product(const Shape& s, std::string name, Part part, Count times, double weights, double in,
                        double out) {
  PlannedOperator op = begun(std::move(name), part, times, product_types(s.what));
  op.stage.work = {{Unit::multiply_add, 2 * s.tokens * weights}};
  op.stage.bytes_read = weights * size_bytes(s.what.weights) + s.tokens * in * s.size;
  op.stage.bytes_written = s.tokens * out * s.size;
  op.stage.working_set = bytes(op.stage);
  return op;
}

/// One matrix of in x out weights.
PlannedOperator matrix(const Shape& s, std::string name, Part part, Count times, double in, double out) {
  PlannedOperator op = product(s, std::move(name), part, times, in * out, in, out);
  op.m = static_cast<Count>(s.tokens);
  op.n = static_cast<Count>(out);
  op.k = static_cast<Count>(in);
  return op;
}

/// Queries, keys and values of one layer.
PlannedOperator projections(const Shape& s) {
  const auto& model = s.model;
  if (!model.latent) {
    return matrix(s, "query, key, value", Part::product, model.layers, s.width(),
                  (s.heads() + 2 * s.kv_heads) * s.head());
  }
  const double query = number(model.latent->query), short_key = number(model.latent->kv + model.latent->rope);
  const double kv = number(model.latent->kv), nope = number(model.latent->nope_head);
  const double query_head = nope + number(model.latent->rope), value = number(model.latent->value_head);
  // The short vectors' matrices are small and every device has them.
  const double weights = s.width() * (query + short_key) + s.heads() * (query * query_head + kv * (nope + value));
  return product(s, "latent query, key, value", Part::product, model.layers, weights, s.width(),
                 s.heads() * query_head + short_key);
}

/// Flops of attention for one query and one cached token, all heads of the device.
double attention_flops(const Shape& s) {
  const auto& latent = s.model.latent;
  if (!latent) return 4 * s.heads() * s.head();
  const double rope = number(latent->rope), kv = number(latent->kv);
  // Decoding multiplies with the short vectors themselves; a prefill expands them first.
  if (s.decode) return 2 * s.heads() * (kv + rope + kv);
  return 2 * s.heads() * number(latent->nope_head + latent->rope + latent->value_head);
}

/// Cached values of one token and layer that a device keeps.
double cached_values(const Shape& s) {
  if (s.model.latent) return number(s.model.latent->kv + s.model.latent->rope);
  return 2 * s.kv_heads * s.head();
}

double output_width(const Shape& s) {
  return s.heads() * (s.model.latent ? number(s.model.latent->value_head) : s.head());
}

PlannedOperator attention(const Shape& s) {
  PlannedOperator op = begun(s.decode ? "attention to the cache" : "attention, causal", Part::attention, s.model.layers,
                             uniform_types(s.what.activations));
  // A causal query sees (context + 1) / 2 tokens on average.
  const double seen = s.decode ? s.context() : (s.context() + 1) / 2;
  const double cache = cached_values(s) * size_bytes(s.what.cache);
  const double query = s.tokens * output_width(s) * s.size;
  op.stage.work = {{Unit::multiply_add, s.tokens * seen * attention_flops(s)}};
  op.stage.bytes_read = query + s.batch() * s.context() * cache;
  op.stage.bytes_written = query + (s.decode ? s.tokens * cache : 0);
  op.stage.working_set = bytes(op.stage);
  return op;
}

void add_feed_forward(std::vector<PlannedOperator>& list, const Shape& s) {
  const auto& model = s.model;
  const double gates = model.gated ? 2 : 1;
  const Count dense = model.experts ? model.experts->dense_layers : model.layers;
  if (dense > 0) {
    const double inner = number(model.feed_forward) * s.share;
    list.push_back(matrix(s, model.gated ? "feed-forward gate and up" : "feed-forward up", Part::feed_forward, dense,
                          s.width(), gates * inner));
    list.push_back(matrix(s, "feed-forward down", Part::feed_forward, dense, inner, s.width()));
  }
  if (!model.experts) return;
  const auto& experts = *model.experts;
  const double one = expert_parameters(model) * s.share, shared = number(experts.shared);
  const double used = number(experts.per_token) + shared;
  PlannedOperator op =
      product(s, "experts", Part::feed_forward, model.layers - dense, used * one, s.width() * used, s.width() * used);
  const double read = expected_experts(experts, s.tokens) + shared;
  op.stage.bytes_read += (read - used) * one * size_bytes(s.what.weights);
  op.stage.working_set = bytes(op.stage);
  list.push_back(op);
}

/// Norms, residuals, activations and rotations, unfused: bytes only, for their arithmetic never decides.
PlannedOperator elementwise(const Shape& s) {
  PlannedOperator op =
      begun("norms, residuals, activations", Part::elementwise, s.model.layers, uniform_types(s.what.activations));
  const auto& experts = s.model.experts;
  const double inner = (experts ? number(experts->feed_forward) * number(experts->per_token + experts->shared)
                                : number(s.model.feed_forward)) *
                       s.share;
  const double rotated = (s.heads() + s.kv_heads) * s.head();
  const double gates = s.model.gated ? 2 : 1;
  // two norms (1 in, 1 out), two residual additions (2 in, 1 out), the activation, the rotation
  op.stage.bytes_read = s.tokens * s.size * (2 * s.width() + 4 * s.width() + gates * inner + rotated);
  op.stage.bytes_written = s.tokens * s.size * (2 * s.width() + 2 * s.width() + inner + rotated);
  op.stage.working_set = bytes(op.stage);
  return op;
}

constexpr int launches_a_layer = 11;  // 2 norms, 2 residuals, qkv, rotation, attention, out, up, activation, down

void bound_operators(PhasePlan& phase, const Machine& machine) {
  double sum = 0;
  bool complete = true;
  for (PlannedOperator& op : phase.operators) {
    const std::vector stages{op.stage};
    op.missing = machine.roofline.missing_roofs(stages, op.types, true);
    if (op.missing.empty()) op.bound = machine.roofline.bound(stages, op.types, true);
    complete = complete && op.bound.has_value();
    if (op.bound) sum += op.bound->work_s * number(op.times);
  }
  if (complete) phase.time_s = sum + phase.all_reduce_s.value_or(0);
}

PhasePlan plan_phase(const Transformer& model, const Machine& machine, const Inference& what, bool decode) {
  const double tokens = number(what.batch) * (decode ? 1 : number(what.context));
  const double kv_heads = std::max(1.0, number(model.kv_heads) / number(what.devices));
  const Shape s{model, what, 1 / number(what.devices), tokens, decode, size_bytes(what.activations), kv_heads};
  PhasePlan phase;
  phase.operators = {projections(s), attention(s),
                     matrix(s, "attention output", Part::product, model.layers, output_width(s), s.width())};
  add_feed_forward(phase.operators, s);
  phase.operators.push_back(elementwise(s));
  // Only the last token of a prompt is needed.
  Shape last = s;
  last.tokens = s.batch();
  phase.operators.push_back(
      matrix(last, "vocabulary", Part::product, 1, s.width(), number(model.vocabulary) * s.share));
  phase.launches = static_cast<int>(model.layers) * launches_a_layer + 2;
  if (what.devices > 1) {
    const double of_all = 2 * number(model.layers) * tokens * s.width() * s.size;
    phase.all_reduce_byte = of_all * 2 * (number(what.devices) - 1) / number(what.devices);
    if (machine.link_byte_per_s) phase.all_reduce_s = phase.all_reduce_byte / (*machine.link_byte_per_s / 2);
  }
  bound_operators(phase, machine);
  if (const auto& overhead = machine.roofline.overhead()) phase.launch_s = overhead->seconds * phase.launches;
  return phase;
}

void check(const Transformer& model, const Inference& what) {
  const auto positive = [](std::string_view name, Count value) {
    if (value < 1) throw Error(fmt::format("{} must be at least 1, not {}", name, value));
  };
  positive("batch", what.batch);
  positive("context", what.context);
  positive("devices", what.devices);
  if (model.heads % what.devices != 0) {
    throw Error(
        fmt::format("{} heads of {} cannot be divided among {} devices", model.heads, model.name, what.devices));
  }
  if (is_integer(what.activations)) {
    throw Error(fmt::format("activations of type {} are not planned", to_string(what.activations)));
  }
}

}  // namespace

InferencePlan plan_inference(const Transformer& model, const Machine& machine, const Inference& what) {
  check(model, what);
  InferencePlan plan;
  plan.weights_byte = parameters(model) * size_bytes(what.weights);
  plan.cache_byte = cached_values_per_token(model) * number(what.batch) * number(what.context) * size_bytes(what.cache);
  if (machine.memory_byte) {
    plan.devices_needed = static_cast<Count>(std::ceil((plan.weights_byte + plan.cache_byte) / *machine.memory_byte));
  }
  plan.prefill = plan_phase(model, machine, what, false);
  plan.decode = plan_phase(model, machine, what, true);
  const auto& levels = machine.roofline.levels();
  if (!levels.empty()) {
    if (const auto rate = machine.roofline.byte_per_s(levels.back().name, {.read_fraction = 1})) {
      plan.floor_s = plan.weights_byte / number(what.devices) / *rate;
    }
  }
  if (model.experts)
    plan.experts_read = expected_experts(*model.experts, number(what.batch)) + number(model.experts->shared);
  return plan;
}

namespace {

/// Smallest batch in [1, most] that has the property, which stays once it is there.
std::optional<Count> first_batch(Count most, const std::function<bool(Count)>& has) {
  if (!has(most)) return {};
  Count low = 0, high = most;
  while (high - low > 1) {
    const Count middle = low + (high - low) / 2;
    (has(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

BatchMarks batch_marks(const Transformer& model, const Machine& machine, Inference what, Count most) {
  const auto decode_at = [&](Count batch) {
    what.batch = batch;
    return plan_phase(model, machine, what, true);
  };
  BatchMarks marks;
  if (!decode_at(1).time_s) return marks;
  marks.ridge = first_batch(most, [&](Count batch) {
    const PhasePlan phase = decode_at(batch);
    return std::ranges::all_of(phase.operators, [](const PlannedOperator& op) {
      return op.part != Part::feed_forward || op.bound->limit.kind == LimitKind::compute;
    });
  });
  marks.takeover = first_batch(most, [&](Count batch) {
    const PhasePlan phase = decode_at(batch);
    double products = 0, cache = 0;
    for (const PlannedOperator& op : phase.operators) {
      const double time = op.bound->work_s * number(op.times);
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
