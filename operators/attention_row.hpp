#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// One row of attention: o = softmax(q K^T / sqrt(d)) V over `count` keys of width d. Rows of Q and O, and of K and V,
/// are numbered through all heads.
struct AttentionRow {
  Index query, first_key, count, d;
};

/// The formula, for in = {Q, K, V}, or {Q, K, V, a, b} where K[j] is a[j] times and V[j] is b[j] times what is stored.
/// For each key: flop 2d for the score (the first of the d products needs no addition, which pays for dividing by
/// sqrt(d)), 5 for the softmax (max, subtract, exp as 1, add, divide), 2d for the sum; 2 more with factors;
/// exponentials 1.
template <class S>
void attend(const AttentionRow& row, Inputs<S> in, Outputs<S> out) {
  using std::exp;
  using std::max;
  const bool scaled = in.size() == 5;
  const S scale = 1.0 / std::sqrt(static_cast<double>(row.d));
  const S* q = in[0].data() + row.query * row.d;
  const S* keys = in[1].data() + row.first_key * row.d;
  const S* values = in[2].data() + row.first_key * row.d;
  std::vector<S> weights(static_cast<std::size_t>(row.count));
  S largest = -HUGE_VAL, sum = 0.0;
  for (Index j = 0; j < row.count; ++j) {
    S score = q[0] * keys[j * row.d];
    for (Index c = 1; c < row.d; ++c) score += q[c] * keys[j * row.d + c];
    if (scaled) score *= in[3][row.first_key + j];
    weights[j] = score * scale;
    largest = max(largest, weights[j]);
  }
  for (S& weight : weights) {
    weight = exp(weight - largest);
    sum += weight;
  }
  std::vector<S> total(static_cast<std::size_t>(row.d), S(0.0));
  for (Index j = 0; j < row.count; ++j) {
    S weight = weights[j] / sum;
    if (scaled) weight *= in[4][row.first_key + j];
    for (Index c = 0; c < row.d; ++c) total[c] += weight * values[j * row.d + c];
  }
  for (Index c = 0; c < row.d; ++c) out[0][row.query * row.d + c] = total[c];
}

/// Outputs are averages of values up to 1. Partial sums round d times for a score and once a key for a result, in ways
/// that mostly cancel; `stored` counts the roundings to the storage type before the last, each relative to a weight.
inline double attention_tolerance(Index keys, Index d, const Types& types, double stored) {
  const double roundings = 32 + 8 * std::sqrt(static_cast<double>(d + keys));
  return stored * rounding_tolerance(types, 0) + rounding_tolerance(types, roundings);
}

/// Throws Error if the heads of the queries cannot share kv heads of keys and values evenly.
inline void check_groups(std::string_view name, Index h, Index kv) {
  if (h % kv != 0) throw Error(fmt::format("{}: kv={} does not divide h={}", name, kv, h));
}

}  // namespace gable::operators
