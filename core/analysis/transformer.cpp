#include "core/analysis/transformer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/analysis/transformer_file.hpp"
#include "core/device/entry_name.hpp"
#include "core/error.hpp"

namespace gable::embedded {
extern const std::string_view models_json;
}

namespace gable::analysis {
namespace {

std::vector<Transformer>& known_models() {
  static std::vector<Transformer> list = parse_transformers(embedded::models_json);
  return list;
}

double product_count(const Transformer& model) { return model.gated ? 3 : 2; }

/// Of the layers with experts: those that a token passes through, or all.
double expert_layer_parameters(const Transformer& model, double routed) {
  const double router = number(model.width) * number(model.experts->count);
  return expert_parameters(model) * (routed + number(model.experts->shared)) + router;
}

double parameters_with(const Transformer& model, double routed) {
  const double layers = number(model.layers);
  const double dense = model.experts ? number(model.experts->dense_layers) : layers;
  double sum = layers * attention_parameters(model) + dense * feed_forward_parameters(model);
  if (model.experts) sum += (layers - dense) * expert_layer_parameters(model, routed);
  const double table = number(model.vocabulary) * number(model.width);
  return sum + (model.tied_embeddings ? 1 : 2) * table + number(model.learned_positions) * number(model.width);
}

}  // namespace

const std::vector<Transformer>& transformers() { return known_models(); }

void add_transformers(std::string_view text, const std::string& source) {
  catalogue::add_entries(known_models(), text, source, parse_transformers);
}

const Transformer& find_transformer(std::string_view name) {
  std::string known;
  for (const Transformer& model : transformers()) {
    if (catalogue::lower(model.name) == catalogue::lower(name)) return model;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", model.name);
  }
  throw Error(fmt::format("unknown model '{}'; known: {}", name, known));
}

double attention_parameters(const Transformer& model) {
  const double width = number(model.width), heads = number(model.heads);
  if (const auto& latent = model.latent) {
    const double query = number(latent->query), kv = number(latent->kv), rope = number(latent->rope);
    const double nope = number(latent->nope_head), value = number(latent->value_head);
    return width * query + query * heads * (nope + rope) + width * (kv + rope) + kv * heads * (nope + value) +
           heads * value * width;
  }
  const double head = number(model.head_width);
  return 2 * width * heads * head + 2 * width * number(model.kv_heads) * head;
}

double feed_forward_parameters(const Transformer& model) {
  return product_count(model) * number(model.width) * number(model.feed_forward);
}

double expert_parameters(const Transformer& model) {
  if (!model.experts) return 0;
  return product_count(model) * number(model.width) * number(model.experts->feed_forward);
}

double parameters(const Transformer& model) {
  return parameters_with(model, model.experts ? number(model.experts->count) : 0);
}

double active_parameters(const Transformer& model) { return read_parameters(model, 1); }

double read_parameters(const Transformer& model, double tokens) {
  const double tables = number((model.tied_embeddings ? 0 : model.vocabulary) + model.learned_positions);
  return parameters_with(model, model.experts ? expected_experts(*model.experts, tokens) : 0) -
         tables * number(model.width);
}

double cached_values_per_token(const Transformer& model) {
  const double values = model.latent ? number(model.latent->kv + model.latent->rope)
                                     : 2 * number(model.kv_heads) * number(model.head_width);
  return number(model.layers) * values;
}

double expected_experts(const Experts& experts, double tokens) {
  const double all = number(experts.count);
  return all * (1 - std::pow(1 - number(experts.per_token) / all, tokens));
}

}  // namespace gable::analysis
