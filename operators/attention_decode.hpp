#pragma once
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "operators/attention_row.hpp"

namespace gable::operators {

/// Decode attention, one new token for each of b sequences against s cached ones: o = softmax(q K^T / sqrt(d)) V;
/// q, o: [b,h,d]; K, V: [b,kv,s,d], each head of which serves g = h / kv neighbouring heads of q in one pass. An int8
/// cache has a factor for each token and head, fp32, of K and of V: [b,kv,s].
/// With n = b h s scores: flop 4nd for the products, 5n for the softmax (attention_row.hpp), 2n for the factors;
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
    std::vector<Params> list;
    for (double bytes : working_sets(device)) {
      const double token = 2.0 * cached * width * size_bytes(types.a);
      list.push_back({1, heads, cached, std::max<Index>(1, static_cast<Index>(bytes / token)), width});
    }
    return list;
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1, 1, 1},      {2, 4, 2, 5, 3},     {1, 3, 1, 700, 64},  {2, 8, 2, 300, 128},
            {1, 10, 2, 1037, 72}, {3, 2, 2, 131, 130}, {1, 7, 1, 2050, 64}, {2, 4, 4, 96, 256}};
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
      attend(AttentionRow{query, query / (p.h / p.kv) * p.s, p.s, p.d}, in, out);
  }
  static double tolerance(const Params& p, const Types& types) { return attention_tolerance(p.s, p.d, types, 0); }

 private:
  static constexpr double factor_bytes = 4;
};

}  // namespace gable::operators
