#include "core/analysis/transformer_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/result/parse.hpp"
#include "core/result/strict_reader.hpp"

namespace gable::analysis {

using result::Place;
using result::SameStruct;

template <class Archive, SameStruct<Experts> S>
void fields(Archive& a, S& s) {
  a.field("count", s.count);
  a.field("per_token", s.per_token);
  a.field("shared", s.shared);
  a.field("feed_forward", s.feed_forward);
  a.field("dense_layers", s.dense_layers);
}

template <class Archive, SameStruct<Latent> S>
void fields(Archive& a, S& s) {
  a.field("query", s.query);
  a.field("kv", s.kv);
  a.field("rope", s.rope);
  a.field("nope_head", s.nope_head);
  a.field("value_head", s.value_head);
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

void at_least_one(const Place& place, std::string_view key, Count value) {
  if (value < 1) place.fail(fmt::format("{} must be at least 1, not {}", key, value));
}

void check_experts(const Place& place, const Experts& experts, Count layers) {
  at_least_one(place, "count", experts.count);
  at_least_one(place, "per_token", experts.per_token);
  at_least_one(place, "feed_forward", experts.feed_forward);
  if (experts.per_token > experts.count)
    place.fail(fmt::format("per_token {} exceeds count {}", experts.per_token, experts.count));
  if (experts.dense_layers > layers)
    place.fail(fmt::format("dense_layers {} exceeds the {} layers", experts.dense_layers, layers));
}

void check_latent(const Place& place, const Latent& latent) {
  at_least_one(place, "query", latent.query);
  at_least_one(place, "kv", latent.kv);
  at_least_one(place, "nope_head", latent.nope_head);
  at_least_one(place, "value_head", latent.value_head);
}

void check_model(const Place& place, const Transformer& model) {
  if (model.name.empty()) place.fail("the name is empty");
  at_least_one(place, "layers", model.layers);
  at_least_one(place, "width", model.width);
  at_least_one(place, "heads", model.heads);
  at_least_one(place, "kv_heads", model.kv_heads);
  at_least_one(place, "head_width", model.head_width);
  at_least_one(place, "feed_forward", model.feed_forward);
  at_least_one(place, "vocabulary", model.vocabulary);
  at_least_one(place, "context", model.context);
  if (model.heads % model.kv_heads != 0)
    place.fail(fmt::format("kv_heads {} does not divide heads {}", model.kv_heads, model.heads));
  const auto inner = [&](const char* key) { return Place(place, key, place.value().at(key)); };
  if (model.experts) check_experts(inner("experts"), *model.experts, model.layers);
  if (model.latent) check_latent(inner("latent"), *model.latent);
}

}  // namespace

std::vector<Transformer> parse_transformers(std::string_view text) {
  const auto json = result::parse_json(text);
  const Place root(json);
  Document document;
  result::read_strictly(root, document);
  if (document.models.empty()) root.fail("there are no models in it");
  const Place list(root, "models", json.at("models"));
  for (std::size_t i = 0; i < document.models.size(); ++i) {
    const Place place(list, i, list.value()[i]);
    const auto& model = document.models[i];
    check_model(place, model);
    if (std::ranges::count(document.models, model.name, &Transformer::name) > 1)
      place.fail(fmt::format("'{}' is there twice", model.name));
  }
  return document.models;
}

}  // namespace gable::analysis
