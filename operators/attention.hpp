#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// One row of attention: o = softmax(q K^T / sqrt(d)) V over the keys it sees, of width d. Rows of Q and O, and of K
/// and V, are numbered through all heads.
struct AttentionRow {
  Index query, first_key;
  Index seen;      ///< keys
  Index computed;  ///< keys whose products are computed, too; the weights of those that are not seen are 0
  Index d;
};

/// The formula, for in = {Q, K, V}, or {Q, K, V, a, b} where K[j] is a[j] times and V[j] is b[j] times what is stored.
/// For each key: flop 2d for the score (the first of the d products needs no addition, which pays for dividing by
/// sqrt(d)), 2d for the sum; of those that are seen 5 for the softmax (max, subtract, exp as 1, add, divide) and 1
/// exponential; 2 more with factors.
template <class S>
void attend(const AttentionRow& row, Inputs<S> in, Outputs<S> out) {
  using std::exp;
  using std::max;
  const bool scaled = in.size() == 5;
  const S scale = 1.0 / std::sqrt(static_cast<double>(row.d));
  const S* q = in[0].data() + row.query * row.d;
  const S* keys = in[1].data() + row.first_key * row.d;
  const S* values = in[2].data() + row.first_key * row.d;
  std::vector<S> weights(static_cast<std::size_t>(row.computed));
  S largest = -HUGE_VAL, sum = 0.0;
  for (Index j = 0; j < row.computed; ++j) {
    S score = q[0] * keys[j * row.d];
    for (Index c = 1; c < row.d; ++c) score += q[c] * keys[j * row.d + c];
    if (scaled) score *= in[3][row.first_key + j];
    weights[j] = score * scale;
    if (j < row.seen) largest = max(largest, weights[j]);
  }
  for (Index j = 0; j < row.seen; ++j) {
    weights[j] = exp(weights[j] - largest);
    sum += weights[j];
  }
  std::vector<S> total(static_cast<std::size_t>(row.d), S(0.0));
  for (Index j = 0; j < row.computed; ++j) {
    S weight = j < row.seen ? weights[j] / sum : S(0.0);
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

/// What the ways of computing attention over a whole sequence share: O = softmax(Q K^T / sqrt(d)) V for each of h
/// heads; Q, O: [h,l,d]; K, V: [kv,l,d], each head of which serves h / kv neighbouring heads of Q. Row i sees all l
/// keys (mask=none), or keys 0 to i (mask=causal), which makes n = h l^2 or h l (l + 1) / 2 scores.
/// flop 4nd for the two products and 5n for the softmax; exponentials n (attend()).
struct Attention {
  struct Params {
    Index h, kv, l, d;
    std::string mask;
  };
  static constexpr std::array fields{
      Field{"h", &Params::h, "heads of the queries"}, Field{"kv", &Params::kv, "heads of keys and values; divides h"},
      Field{"l", &Params::l, "length of the sequence"}, Field{"d", &Params::d, "width of a head"},
      Field{"mask", &Params::mask, "none, or causal: row i sees keys 0 to i"}};

  /// The kernels' exponential clamps its argument: inputs must be finite. See each operator for what is masked.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {
        {4, 4, 1024, 64, "none"}, {1, 1, 2048, 64, "none"}, {1, 1, 2048, 64, "causal"}, {4, 1, 1024, 128, "causal"}};
  }
  /// The last but one has 102 blocks for warpgroups, of five panels (MatrixProduct).
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1, 1, "none"},       {2, 2, 5, 3, "causal"},     {4, 2, 64, 32, "none"}, {1, 1, 131, 33, "causal"},
            {2, 1, 150, 128, "none"},   {6, 2, 140, 128, "causal"}, {1, 1, 70, 72, "none"}, {2, 2, 150, 130, "none"},
            {17, 17, 264, 264, "none"}, {1, 1, 700, 64, "causal"}};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const Index count = p.h * p.l * p.d, cached = p.kv * p.l * p.d;
    return {{"q", count, types.a, Role::input},
            {"k", cached, types.b, Role::input},
            {"v", cached, types.b, Role::input},
            {"o", count, types.out, Role::output}};
  }
  static bool is_causal(const Params& p) { return p.mask == "causal"; }
  /// Throws Error if kv does not divide h, or for an unknown mask.
  static void check_params(std::string_view name, const Params& p) {
    check_groups(name, p.h, p.kv);
    if (p.mask != "none" && !is_causal(p)) {
      throw Error(fmt::format("{}: mask is none or causal, not '{}'", name, p.mask));
    }
  }
  /// Scores that are used; throws Error if as many values of 8 bytes as h l^2 exceed 2^62 bytes.
  static double scores(std::string_view name, const Params& p) {
    const auto h = static_cast<double>(p.h), l = static_cast<double>(p.l);
    if (8 * h * l * l >= 0x1p62) {
      throw Error(fmt::format("{}: the scores of h={}, l={} overflow: more than 2^62 bytes", name, p.h, p.l));
    }
    return is_causal(p) ? h * l * (l + 1) / 2 : h * l * l;
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    attend_all(p, 0, in, out);
  }
  /// All rows, each with the products of `least` keys at least.
  template <class S>
  static void attend_all(const Params& p, Index least, Inputs<S> in, Outputs<S> out) {
    for (Index row = 0; row < p.h * p.l; ++row) {
      const Index cached = row / p.l / (p.h / p.kv) * p.l, seen = is_causal(p) ? row % p.l + 1 : p.l;
      attend(AttentionRow{row, cached, seen, std::max(seen, least), p.d}, in, out);
    }
  }
  /// See attention_tolerance().
  static double tolerance(const Params& p, const Types& types, double stored) {
    return attention_tolerance(p.l, p.d, types, stored);
  }
};

/// Attention in three launches with the scores and the weights in memory: S = Q K^T / sqrt(d), P = softmax(S) by rows,
/// O = P V; Q, O: [h,l,d], K, V: [kv,l,d], S, P: [h,l,l] in the storage type. N = h l^2; the softmax takes n of them, N
/// or, causal, h l (l + 1) / 2. flop 4Nd + 5n (exp as 1); exponentials n; bytes, as the launches move them: ((h + kv)
/// ld
/// + N)s, 2n s, (N + (h + kv) ld)s, together (2(h + kv) ld + 2N + 2n)s. With a causal mask the products compute and
/// read all of S and P, whose masked half is 0: twice the work that is useful. So NaN in a masked value reaches rows
/// before it; in a masked key it does not.
struct AttentionNaive : Attention {
  static constexpr std::string_view name = "attention_naive";
  static constexpr std::string_view fused = "attention_fused";
  static constexpr std::string_view summary = "O[h,l,d] = softmax(Q K^T / sqrt(d)) V, K, V: [kv,l,d], scores in memory";

  static void check(const Params& p) { check_params(name, p); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double count = scores(name, p);
    const auto side = static_cast<double>(p.l * p.d), h = static_cast<double>(p.h), kv = static_cast<double>(p.kv);
    const double all = h * static_cast<double>(p.l) * static_cast<double>(p.l);
    const double product = 2 * all * static_cast<double>(p.d);
    std::vector<Stage> stages{product_stage(product, (h + kv) * side, all, types),
                              streaming_stage(5 * count, count, count, count, types),
                              product_stage(product, all + kv * side, h * side, types)};
    stages[0].name = "scores";
    stages[1].name = "softmax";
    stages[2].name = "values";
    return stages;
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    attend_all(p, p.l, in, out);
  }
  /// Scores and weights.
  static double workspace_bytes(const Params& p, const Types& types) {
    return 2 * static_cast<double>(p.h) * static_cast<double>(p.l) * static_cast<double>(p.l) * size_bytes(types.a);
  }
  /// Scores of up to sqrt(d) and weights are rounded to the storage type.
  static double tolerance(const Params& p, const Types& types) {
    return Attention::tolerance(p, types, std::sqrt(static_cast<double>(p.d)) + 1);
  }
};

/// Attention in one pass over K and V for each block of rows of Q, with an online softmax (Milakov and Gimelshein,
/// arXiv:1805.02867; Dao et al., arXiv:2205.14135): scores and weights never leave the cache, blocks that the mask
/// hides are not computed. flop and exponentials as attention_naive (rescaling is not counted); bytes: read
/// (h + 2kv) ld s, write h ld s.
/// On CPUs a row reads no key and no value that is masked, so that NaN there does not reach it; on GPUs it may read
/// those of its block of rows.
struct AttentionFused : Attention {
  static constexpr std::string_view name = "attention_fused";
  static constexpr std::string_view summary = "O[h,l,d] = softmax(Q K^T / sqrt(d)) V, K, V: [kv,l,d], scores in cache";

  static void check(const Params& p) { check_params(name, p); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double count = scores(name, p);
    const auto side = static_cast<double>(p.l * p.d), h = static_cast<double>(p.h), kv = static_cast<double>(p.kv);
    Stage stage = product_stage(4 * count * static_cast<double>(p.d), (h + 2 * kv) * side, h * side, types);
    stage.work.push_back({Unit::vector, 5 * count});
    stage.work.push_back({Unit::exp, count});
    return {stage};
  }
  /// A matrix unit takes the weights in the storage type.
  static double tolerance(const Params& p, const Types& types) { return Attention::tolerance(p, types, 1); }
};

/// Decode attention, one new token for each of b sequences against s cached ones: o = softmax(q K^T / sqrt(d)) V;
/// q, o: [b,h,d]; K, V: [b,kv,s,d], each head of which serves g = h / kv neighbouring heads of q in one pass. An int8
/// cache has a factor for each token and head, fp32, of K and of V: [b,kv,s].
/// With n = b h s scores: flop 4nd for the products, 5n for the softmax, 2n for the factors;
/// exponentials n; bytes: read 2 b kv s d of the cache and its factors, read b h d, write b h d. The products'
/// intensity tends to 2g / (bytes of an element). As for gemv, no conversions are counted.
struct AttentionDecode {
  static constexpr std::string_view name = "attention_decode";
  static constexpr std::string_view summary =
      "o[b,h,d] = softmax(q K^T / sqrt(d)) V, one token against K, V: [b,kv,s,d]";
  struct Params {
    Index b, h, kv, s, d;
  };
  static constexpr std::array fields{
      Field{"b", &Params::b, "sequences"}, Field{"h", &Params::h, "heads of the queries"},
      Field{"kv", &Params::kv, "heads of keys and values; divides h"}, Field{"s", &Params::s, "cached tokens"},
      Field{"d", &Params::d, "width of a head"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  /// The cache in a, queries in b.
  static std::vector<Types> types() {
    return {uniform_types(DType::fp32),
            uniform_types(DType::fp16),
            uniform_types(DType::bf16),
            {DType::int8, DType::fp16, DType::fp16, DType::fp32, DType::fp32}};
  }
  static bool is_quantised(const Types& types) { return types.a == DType::int8; }
  static void check(const Params& p) { check_groups(name, p.h, p.kv); }

  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    constexpr Index heads = 32, cached = 8, width = 128;
    const double token = 2.0 * cached * width * size_bytes(types.a);
    return for_working_sets<Params>(device, [=](double bytes) {
      return Params{1, heads, cached, units_in(bytes, token), width};
    });
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1, 1, 1},      {2, 4, 2, 5, 3},     {1, 3, 1, 700, 64},  {2, 8, 2, 300, 128},
            {1, 10, 2, 1037, 72}, {3, 2, 2, 131, 130}, {1, 7, 1, 2050, 64}, {2, 8, 4, 96, 256}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto queries = static_cast<double>(p.b * p.h), tokens = static_cast<double>(p.b * p.kv * p.s);
    const auto d = static_cast<double>(p.d), scores = queries * static_cast<double>(p.s);
    Stage stage = product_stage(4 * scores * d, 2 * tokens * d, queries * d, types);
    stage.bytes_read += queries * d * size_bytes(types.b) + (is_quantised(types) ? 2 * tokens * factor_bytes : 0);
    stage.working_set = bytes(stage);
    stage.work.push_back({Unit::vector, (is_quantised(types) ? 7 : 5) * scores});
    stage.work.push_back({Unit::exp, scores});
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const Index queries = p.b * p.h * p.d, tokens = p.b * p.kv * p.s, cached = tokens * p.d;
    if (!is_quantised(types)) {
      return {{"q", queries, types.b, Role::input},
              {"k", cached, types.a, Role::input},
              {"v", cached, types.a, Role::input},
              {"o", queries, types.out, Role::output}};
    }
    return {{"q", queries, types.b, Role::input},
            {"k", cached, types.a, Role::input, -127, 127},
            {"v", cached, types.a, Role::input, -127, 127},
            {"k_factor", tokens, DType::fp32, Role::input, 0.5 / 127, 1.0 / 127},
            {"v_factor", tokens, DType::fp32, Role::input, 0.5 / 127, 1.0 / 127},
            {"o", queries, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index query = 0; query < p.b * p.h; ++query)
      attend(AttentionRow{query, query / (p.h / p.kv) * p.s, p.s, p.s, p.d}, in, out);
  }
  /// As of AttentionFused.
  static double tolerance(const Params& p, const Types& types) { return attention_tolerance(p.s, p.d, types, 1); }

 private:
  static constexpr double factor_bytes = 4;
};

}  // namespace gable::operators
