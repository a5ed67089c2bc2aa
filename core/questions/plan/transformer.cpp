#include "core/questions/plan/transformer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/json/strict_reader.hpp"
#include "core/sequence.hpp"

namespace gable::embedded {
extern const std::string_view models_json;
}

namespace gable::questions {

template <class Archive, SameStruct<Experts> S>
void fields(Archive& a, S& s) {
  a.field("count", s.count);
  a.field("per_token", s.per_token);
  a.field("shared", s.shared);
  a.field("feed_forward", s.feed_forward);
  a.field("dense_layers", s.dense_layers);
  a.field("weights", s.weights);
}

template <class Archive, SameStruct<Latent> S>
void fields(Archive& a, S& s) {
  a.field("query", s.query);
  a.field("kv", s.kv);
  a.field("rope", s.rope);
  a.field("nope_head", s.nope_head);
  a.field("value_head", s.value_head);
}

template <class Archive, SameStruct<Window> S>
void fields(Archive& a, S& s) {
  a.field("layers", s.layers);
  a.field("tokens", s.tokens);
}

template <class Archive, SameStruct<Transformer> S>
void fields(Archive& a, S& s) {
  a.field("name", s.name);
  a.field("layers", s.layers);
  a.field("width", s.width);
  a.field("heads", s.heads);
  a.field("kv_heads", s.kv_heads);
  a.field("head_width", s.head_width);
  a.field("feed_forward", s.feed_forward);
  a.field("gated", s.gated);
  a.field("vocabulary", s.vocabulary);
  a.unusual_field("tied_embeddings", s.tied_embeddings, false);
  a.unusual_field("learned_positions", s.learned_positions, Count{0});
  a.field("context", s.context);
  a.field("experts", s.experts);
  a.field("latent", s.latent);
  a.field("window", s.window);
  a.field("weights", s.weights);
  a.field("published_parameters", s.published_parameters);
  a.field("published_active_parameters", s.published_active_parameters);
  a.unusual_field("source", s.source, std::string{});
}

namespace {

struct Document {
  std::string about;
  std::vector<Transformer> models;
};

template <class Archive, SameStruct<Document> S>
void fields(Archive& a, S& s) {
  a.unusual_field("about", s.about, std::string{});
  a.field("models", s.models);
}

void check_size(const JsonLocation& place, std::string_view key, Count value, Count least = 1, Count most = most_size) {
  if (value < least) place.fail(fmt::format("{} must be at least {}, not {}", key, least, value));
  if (value > most) place.fail(fmt::format("{} must be at most {}, not {}", key, most, value));
}

void check_experts(const JsonLocation& place, const Experts& experts, Count layers) {
  check_size(place, "count", experts.count);
  check_size(place, "per_token", experts.per_token);
  check_size(place, "shared", experts.shared, 0);
  check_size(place, "feed_forward", experts.feed_forward);
  check_size(place, "dense_layers", experts.dense_layers, 0);
  if (experts.per_token > experts.count)
    place.fail(fmt::format("per_token {} exceeds count {}", experts.per_token, experts.count));
  if (experts.dense_layers > layers)
    place.fail(fmt::format("dense_layers {} exceeds the {} layers", experts.dense_layers, layers));
}

void check_latent(const JsonLocation& place, const Latent& latent) {
  check_size(place, "query", latent.query);
  check_size(place, "kv", latent.kv);
  check_size(place, "rope", latent.rope, 0);
  check_size(place, "nope_head", latent.nope_head);
  check_size(place, "value_head", latent.value_head);
}

void check_window(const JsonLocation& place, const Window& window, Count layers) {
  check_size(place, "layers", window.layers, 1, layers);
  check_size(place, "tokens", window.tokens, 1, most_tokens);
}

void check_model(const JsonLocation& place, const Transformer& model) {
  if (model.name.empty()) place.fail("the name is empty");
  check_size(place, "layers", model.layers);
  check_size(place, "width", model.width);
  check_size(place, "heads", model.heads);
  check_size(place, "kv_heads", model.kv_heads);
  check_size(place, "head_width", model.head_width);
  check_size(place, "feed_forward", model.feed_forward);
  check_size(place, "vocabulary", model.vocabulary, 1, most_tokens);
  check_size(place, "learned_positions", model.learned_positions, 0, most_tokens);
  check_size(place, "context", model.context, 1, most_tokens);
  if (model.heads % model.kv_heads != 0)
    place.fail(fmt::format("kv_heads {} does not divide heads {}", model.kv_heads, model.heads));
  const auto inner = [&](const char* key) { return JsonLocation(place, key, place.value().at(key)); };
  if (model.experts) check_experts(inner("experts"), *model.experts, model.layers);
  if (model.latent) check_latent(inner("latent"), *model.latent);
  if (model.window) check_window(inner("window"), *model.window, model.layers);
}

std::vector<Transformer>& known_models() {
  static std::vector<Transformer> list = parse_transformers(embedded::models_json);
  return list;
}

double product_count(const Transformer& model) { return model.gated ? 3 : 2; }

/// With so many experts of each layer beside the shared ones: those that a token passes through, or all.
double parameters_with(const Transformer& model, double routed) {
  const double layers = number(model.layers);
  const double dense = model.experts ? number(model.experts->dense_layers) : layers;
  double sum = layers * attention_parameters(model) + dense * feed_forward_parameters(model);
  if (model.experts) sum += (layers - dense) * expert_parameters(model) * (routed + number(model.experts->shared));
  return sum + table_weights(model);
}

}  // namespace

const std::vector<Transformer>& transformers() { return known_models(); }

void add_transformers(std::string_view text, const std::string& source) {
  catalogue::add_entries(known_models(), text, source, parse_transformers);
}

const Transformer& find_transformer(std::string_view name) {
  for (const Transformer& model : transformers()) {
    if (catalogue::plain_name(model.name) == catalogue::plain_name(name)) return model;
  }
  return find_known(transformers(), name, &Transformer::name, "model");  // which says what is known
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

double expert_weights(const Transformer& model) {
  if (!model.experts) return 0;
  const Experts& experts = *model.experts;
  return number(model.layers - experts.dense_layers) * number(experts.count + experts.shared) *
         expert_parameters(model);
}

double table_weights(const Transformer& model) {
  const Count routers = model.experts ? (model.layers - model.experts->dense_layers) * model.experts->count : 0;
  const Count tables = (model.tied_embeddings ? 1 : 2) * model.vocabulary + model.learned_positions;
  return number(tables + routers) * number(model.width);
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

double cached_values(const Transformer& model, double tokens) {
  const double layers = number(model.layers), windows = model.window ? number(model.window->layers) : 0;
  const double kept = model.window ? std::min(tokens, number(model.window->tokens)) : 0;
  return cached_values_per_token(model) / layers * ((layers - windows) * tokens + windows * kept);
}

double expected_experts(const Experts& experts, double tokens) {
  const double all = number(experts.count);
  return all * (1 - std::pow(1 - number(experts.per_token) / all, tokens));
}

std::vector<Transformer> parse_transformers(std::string_view text) {
  const auto json = parse_json(text);
  const JsonLocation root(json);
  Document document;
  read_json_strictly(root, document);
  if (document.models.empty()) root.fail("there are no models in it");
  const JsonLocation list(root, "models", json.at("models"));
  std::vector<Transformer> models;
  for (std::size_t i = 0; i < document.models.size(); ++i) {
    const JsonLocation place(list, i, list.value()[i]);
    const auto& model = document.models[i];
    check_model(place, model);
    if (catalogue::has_name(models, model.name)) place.fail(fmt::format("'{}' is there twice", model.name));
    models.push_back(model);
  }
  return models;
}

}  // namespace gable::questions
