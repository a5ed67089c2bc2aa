#include "core/questions/plan/inference_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace gable::questions {
namespace {

/// What a device has of something that the devices do not divide evenly. Throws Error beyond what is exact.
Count whole(double share) {
  constexpr double most = 9007199254740992;  // 2^53
  if (share > most) throw Error(fmt::format("an operator of {:.3g} values is too large to be planned", share));
  return static_cast<Count>(std::ceil(share));
}

/// Everything a row of the table is computed from: sizes on one device.
struct Shape {
  const Transformer& model;
  const Inference& what;
  double share;   ///< 1 / devices
  double tokens;  ///< that pass through a layer
  bool decode;
  DType weights, activations;  ///< that products multiply

  double width() const { return number(model.width); }
  double heads() const { return number(model.heads) * share; }
  double head() const { return number(model.head_width); }
  double batch() const { return number(what.batch); }
  double context() const { return number(what.context); }
  double size() const { return size_bytes(activations); }
  /// Byte of a value of the residual stream.
  double wide() const { return size_bytes(what.residual_type()); }
  /// Of one device: not less than one whole head.
  double kv_heads() const { return std::max(1.0, number(model.kv_heads) / number(what.devices)); }
};

Types product_types(DType weights, DType activations) {
  Types types = uniform_types(activations);
  types.a = weights;
  if (weights != activations) types.compute = activations;
  return types;
}

/// For tables and routers: where these are of another type than the other weights, they read the residual stream's.
Shape of_tables(Shape s) {
  s.weights = s.what.tables.value_or(s.weights);
  if (s.what.tables) s.activations = s.what.residual_type();
  return s;
}

PlannedOperator begun(std::string name, Part part, Count times, const Types& types) {
  PlannedOperator op{.name = std::move(name), .part = part, .times = times, .types = types};
  op.stage.name = op.name;
  return op;
}

PlannedOperator product(const Shape& s, std::string name, Part part, Count times, double weights, double in,
                        double out) {
  PlannedOperator op = begun(std::move(name), part, times, product_types(s.weights, s.activations));
  op.stage.work = {{Unit::multiply_add, 2 * s.tokens * weights}};
  op.stage.bytes_read = weights * size_bytes(s.weights) + s.tokens * in * s.size();
  op.stage.bytes_written = s.tokens * out * s.wide();
  op.stage.working_set = bytes(op.stage);
  op.weights = weights;
  return op;
}

/// One matrix of in x out weights.
PlannedOperator matrix(const Shape& s, std::string name, Part part, Count times, double in, double out) {
  PlannedOperator op = product(s, std::move(name), part, times, in * out, in, out);
  op.gemm = Gemm{whole(s.tokens), whole(out), whole(in)};
  const DType weights = s.weights, activations = s.activations, residual = s.what.residual_type();
  if (activations != residual) {
    op.no_run = fmt::format("no operator writes {} from products of {}", to_string(residual), to_string(activations));
  } else if (weights == activations) {
    op.run = OperatorRun{"gemm", {{"m", op.gemm->m}, {"n", op.gemm->n}, {"k", op.gemm->k}}, activations, activations};
  } else if (op.gemm->m == 1) {
    op.run = OperatorRun{"gemv_quantised", {{"m", op.gemm->n}, {"n", op.gemm->k}}, weights, activations};
  } else {
    op.no_run = fmt::format("no operator multiplies {} weights with several rows of {}", to_string(weights),
                            to_string(activations));
  }
  return op;
}

/// Queries, keys and values of one layer.
PlannedOperator projections(const Shape& s) {
  const auto& model = s.model;
  if (!model.latent) {
    return matrix(s, "query, key, value", Part::product, model.layers, s.width(),
                  (s.heads() + 2 * s.kv_heads()) * s.head());
  }
  const double query = number(model.latent->query), short_key = number(model.latent->kv + model.latent->rope);
  const double kv = number(model.latent->kv), nope = number(model.latent->nope_head);
  const double query_head = nope + number(model.latent->rope), value = number(model.latent->value_head);
  // The short vectors' matrices are small and every device has them.
  const double weights = s.width() * (query + short_key) + s.heads() * (query * query_head + kv * (nope + value));
  PlannedOperator op = product(s, "latent query, key, value", Part::product, model.layers, weights, s.width(),
                               s.heads() * query_head + short_key);
  op.stage.launches = 4;  // down to and up from both short vectors
  op.no_run = "its four matrices are planned as one";
  return op;
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
  return 2 * s.kv_heads() * s.head();
}

double output_width(const Shape& s) {
  return s.heads() * (s.model.latent ? number(s.model.latent->value_head) : s.head());
}

/// Prompts of a batch count as further heads that share nothing.
void set_attention_run(const Shape& s, PlannedOperator& op) {
  if (s.model.latent) {
    op.no_run = "no operator for latent attention";
    return;
  }
  const Count heads = whole(s.heads()), kv = whole(s.kv_heads()), width = s.model.head_width;
  const Count batch = s.what.batch, context = s.what.context;
  if (number(kv) != s.kv_heads() || heads % kv != 0) {
    op.no_run = "the devices do not divide the KV heads";
    return;
  }
  const DType cache = s.what.cache, activations = s.what.residual_type();
  if (activations != s.what.activations) {
    op.no_run = fmt::format("no operator for attention between {} and {}", to_string(activations),
                            to_string(s.what.activations));
  } else if (s.decode) {
    op.run = OperatorRun{
        "attention_decode", {{"b", batch}, {"h", heads}, {"kv", kv}, {"s", context}, {"d", width}}, cache, activations};
  } else if (cache != activations) {
    op.no_run = fmt::format("attention_fused does not write a cache of {}", to_string(cache));
  } else {
    op.run = OperatorRun{"attention_fused",
                         {{"h", batch * heads}, {"kv", batch * kv}, {"l", context}, {"d", width}, {"mask", "causal"}},
                         activations,
                         activations};
  }
}

/// Of layers whose tokens see so many at most.
PlannedOperator attention(const Shape& s, std::string name, Count layers, double most) {
  PlannedOperator op = begun(std::move(name), Part::attention, layers, uniform_types(s.what.attention_type()));
  // The i-th of a prompt sees itself and those before it: (kept + 1) / 2 on average up to the first that sees all kept.
  const double kept = std::min(s.context(), most), first = kept * (kept + 1) / 2;
  const double seen = s.decode ? kept : (first + (s.context() - kept) * kept) / s.context();
  const double cache = cached_values(s) * size_bytes(s.what.cache);
  const double values = s.tokens * output_width(s);
  op.stage.work = {{Unit::multiply_add, s.tokens * seen * attention_flops(s)}};
  op.stage.bytes_read = values * s.wide() + s.batch() * (s.decode ? kept : s.context()) * cache;
  op.stage.bytes_written = values * s.size() + (s.decode ? s.tokens * cache : 0);
  op.stage.working_set = bytes(op.stage);
  if (kept < s.context())
    op.no_run = "no operator for attention to a window";
  else
    set_attention_run(s, op);
  return op;
}

void add_attention(std::vector<PlannedOperator>& list, const Shape& s) {
  const auto& window = s.model.window;
  const Count whole = s.model.layers - (window ? window->layers : 0);
  if (whole > 0) list.push_back(attention(s, s.decode ? "attention to the cache" : "attention, causal", whole, 1e18));
  if (window) list.push_back(attention(s, "attention in the window", window->layers, number(window->tokens)));
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
  // Every device chooses by itself.
  list.push_back(matrix(of_tables(s), "router", Part::product, model.layers - dense, s.width(), number(experts.count)));
  // Tokens come and go once, whatever experts they pass through; what lies between the two products of each does not.
  const double inner = number(experts.feed_forward) * used * s.share;
  Shape of_experts = s;
  of_experts.weights = s.what.expert_type();
  PlannedOperator op = product(of_experts, "experts", Part::feed_forward, model.layers - dense, used * one,
                               s.width() + inner, gates * inner + s.width());
  const double chosen = s.what.distinct_experts ? std::min(number(experts.count), s.tokens * number(experts.per_token))
                                                : expected_experts(experts, s.tokens);
  const double read = chosen + shared;
  op.stage.bytes_read += (read - used) * one * size_bytes(of_experts.weights);
  op.stage.working_set = bytes(op.stage);
  op.weights = read * one;
  op.stage.launches = 2;
  op.no_run = "no operator for products grouped by expert";
  list.push_back(op);
}

/// A kernel that reads and writes so many values, of `size` byte where a product reads them next; its arithmetic is
/// never the limit: not counted.
PlannedOperator elementwise(const Shape& s, std::string name, Count times, double read, double written, double size,
                            OperatorRun run) {
  const DType type = s.what.residual_type();
  PlannedOperator op = begun(std::move(name), Part::elementwise, times, uniform_types(type));
  op.stage.bytes_read = read * s.wide();
  op.stage.bytes_written = written * size;
  op.stage.working_set = bytes(op.stage);
  run.a = run.b = type;
  if (size == s.wide())
    op.run = std::move(run);
  else
    op.no_run = fmt::format("no operator {} writes {}", run.op, to_string(s.what.activations));
  return op;
}

/// Of `width` values a token.
PlannedOperator activation(const Shape& s, Count times, double width) {
  const double values = s.tokens * width;
  if (s.model.gated) {
    return elementwise(s, "activation", times, 2 * values, values, s.size(),
                       {"swiglu", {{"m", whole(s.tokens)}, {"n", whole(width)}}});
  }
  return elementwise(s, "activation", times, values, values, s.size(), {"gelu", {{"n", whole(values)}}});
}

/// Norms, residuals, activations and rotations, each a kernel of its own.
void add_elementwise(std::vector<PlannedOperator>& list, const Shape& s) {
  const auto& model = s.model;
  const double values = s.tokens * s.width();
  // Gated models normalise by the root mean square, older ones by mean and variance.
  list.push_back(elementwise(s, "norms", 2 * model.layers, values, values, s.size(),
                             {model.gated ? "rmsnorm" : "layernorm", {{"m", whole(s.tokens)}, {"n", model.width}}}));
  list.push_back(
      elementwise(s, "residuals", 2 * model.layers, 2 * values, values, s.wide(), {"add", {{"n", whole(values)}}}));
  const Count dense = model.experts ? model.experts->dense_layers : model.layers;
  if (dense > 0) list.push_back(activation(s, dense, number(model.feed_forward) * s.share));
  if (const auto& experts = model.experts; experts && model.layers > dense) {
    const double inner = number(experts->feed_forward) * number(experts->per_token + experts->shared) * s.share;
    list.push_back(activation(s, model.layers - dense, inner));
    list.back().name = "activation of experts";
  }
  if (model.learned_positions > 0) return;
  const Count heads = model.latent ? whole(s.heads()) + 1 : whole(s.heads() + s.kv_heads());
  const Count width = model.latent ? model.latent->rope : model.head_width;
  const double rotated = s.tokens * number(heads * width);
  list.push_back(elementwise(s, "rotation", model.layers, rotated, rotated, s.wide(),
                             {"rope", {{"tokens", whole(s.tokens)}, {"heads", heads}, {"d", width}}}));
}

}  // namespace

DType Inference::residual_type() const {
  return residual.value_or(size_bytes(activations) < 2 ? DType::bf16 : activations);
}

Inference as_published(const Transformer& model, Inference what) {
  what.weights = model.weights.value_or(DType::bf16);
  if (model.experts) what.experts = model.experts->weights;
  if (size_bytes(what.weights) < size_bytes(DType::bf16)) what.tables = DType::bf16;
  return what;
}

std::string weights_text(const Inference& what) {
  std::string text(to_string(what.weights));
  if (what.experts) text += fmt::format(" (experts {})", to_string(*what.experts));
  if (what.tables) text += fmt::format(" (tables and routers {})", to_string(*what.tables));
  return text;
}

std::string types_text(const Inference& what) {
  std::string text = "weights in " + weights_text(what);
  for (const auto& [name, type] : {std::pair{"cache", what.cache}, std::pair{"activations", what.activations}})
    if (type != DType::bf16) text += fmt::format(", {} in {}", name, to_string(type));
  return text;
}

std::vector<Types> types_of(const Inference& what) {
  return {uniform_types(what.attention_type()), product_types(what.weights, what.activations),
          uniform_types(what.residual_type())};
}

std::vector<PlannedOperator> phase_operators(const Transformer& model, const Inference& what, bool decode) {
  const double tokens = number(what.batch) * (decode ? 1 : number(what.context));
  const Shape s{model, what, 1 / number(what.devices), tokens, decode, what.weights, what.activations};
  std::vector<PlannedOperator> list{projections(s)};
  add_attention(list, s);
  list.push_back(matrix(s, "attention output", Part::product, model.layers, output_width(s), s.width()));
  add_feed_forward(list, s);
  add_elementwise(list, s);
  // Only the last token of a prompt is needed.
  Shape last = of_tables(s);
  last.tokens = s.batch();
  list.push_back(matrix(last, "vocabulary", Part::product, 1, s.width(), number(model.vocabulary) * s.share));
  return list;
}

}  // namespace gable::questions
