#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/dtype.hpp"

namespace gable::questions {

using Count = std::int64_t;
/// For formulas, whose figures are doubles.
inline double number(Count count) { return static_cast<double>(count); }

/// Largest layer count, width or number of heads and experts of a model.
inline constexpr Count most_size = 1'000'000;
/// Largest batch, context or vocabulary.
inline constexpr Count most_tokens = 1'000'000'000;

/// Feed-forward parts of which each token passes through a few.
struct Experts {
  Count count{};                   ///< routed ones of a layer
  Count per_token{};               ///< of them, chosen for each token
  Count shared{};                  ///< that every token passes through
  Count feed_forward{};            ///< width inside one expert
  Count dense_layers{};            ///< first layers without experts
  std::optional<DType> weights{};  ///< that theirs are published in; nothing: as the others
};

/// Layers in which a token attends to the last ones only (a sliding window).
struct Window {
  Count layers{}, tokens{};
};

/// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434): queries, keys and values come out of short vectors, and
/// only the latter's, with one rotary key, is cached.
struct Latent {
  Count query{}, kv{};  ///< length of the short vectors
  Count rope{};         ///< rotary part of a key, shared by all heads
  Count nope_head{}, value_head{};
};

/// Shapes of a decoder-only transformer (data/models.json, compiled in).
struct Transformer {
  std::string name;
  Count layers{}, width{}, heads{}, kv_heads{}, head_width{};
  Count feed_forward{};
  bool gated{};  ///< gate, up and down instead of up and down
  Count vocabulary{};
  bool tied_embeddings{};  ///< one matrix for input and output
  Count learned_positions{};
  Count context{};
  std::optional<Experts> experts;
  std::optional<Latent> latent;
  std::optional<Window> window;
  std::optional<DType> weights{};  ///< that they are published in; nothing: a type of 16 bit
  std::optional<double> published_parameters, published_active_parameters;  ///< to check the shapes with
  std::string source;
};

const std::vector<Transformer>& transformers();
/// Adds a user's models, in the format of data/models.json (docs/catalogue.md), to those compiled in. Only before any
/// of them is held: references end here. Throws Error "SOURCE: POINTER: …" naming what is wrong, a name that is known
/// already too; nothing is added then.
void add_transformers(std::string_view text, const std::string& source);
/// By name, as catalogue::plain_name() reads it. Throws Error listing the known names.
const Transformer& find_transformer(std::string_view name);

/// Weights of the matrices and tables; biases and norms, less than 0.1 % of them, are left out.
double attention_parameters(const Transformer& model);     ///< of one layer
double feed_forward_parameters(const Transformer& model);  ///< of one dense layer, or one without experts
double expert_parameters(const Transformer& model);        ///< of one expert; 0 without experts
double expert_weights(const Transformer& model);           ///< of all experts
double table_weights(const Transformer& model);            ///< of the tables (the output's, too) and of all routers
double parameters(const Transformer& model);               ///< of all
/// That one token is multiplied with: of experts its own, and no input table, of which it reads a row. Publishers
/// differ in whether they count that table.
double active_parameters(const Transformer& model);
/// That a step of so many tokens reads whole: of experts those that they choose between them, in expectation; of the
/// input table and of learned positions a row a token, which is left out.
double read_parameters(const Transformer& model, double tokens);
/// Values that the cache keeps of a token, all layers together: 2 x KV heads x head width a layer, or the latent vector
/// and the rotary key.
double cached_values_per_token(const Transformer& model);
/// Of a sequence of so many tokens: layers with a window keep no more than it.
double cached_values(const Transformer& model, double tokens);
/// Of E experts with k chosen for each token, those that n tokens choose between them in expectation, choices
/// independent and equally likely: E (1 - (1 - k/E)^n).
double expected_experts(const Experts& experts, double tokens);

/// The models of a file like data/models.json. Throws Error "<pointer>: …" for what is no such file
/// (docs/catalogue.md): unknown or missing keys, sizes below one, heads that the KV heads do not divide, a name that is
/// there twice.
std::vector<Transformer> parse_transformers(std::string_view text);

}  // namespace gable::questions
