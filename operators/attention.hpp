#pragma once
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/operator_spec.hpp"
#include "operators/attention_row.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// What the ways of computing attention over a whole sequence share: O = softmax(Q K^T / sqrt(d)) V for each of h
/// heads; Q, O: [h,l,d]; K, V: [kv,l,d], each head of which serves h / kv neighbouring heads of Q. Row i sees all l
/// keys (mask=none), or keys 0 to i (mask=causal), which makes n = h l^2 or h l (l + 1) / 2 scores.
/// flop 4nd for the two products and 5n for the softmax; exponentials n (attention_row.hpp).
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
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1, 1, "none"},      {2, 2, 5, 3, "causal"},   {4, 2, 64, 32, "none"},
            {1, 1, 131, 33, "causal"}, {2, 1, 150, 128, "none"}, {6, 2, 140, 128, "causal"},
            {1, 1, 70, 72, "none"},    {2, 2, 150, 130, "none"}, {1, 1, 700, 64, "causal"}};
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
    for (Index row = 0; row < p.h * p.l; ++row) {
      const Index cached = row / p.l / (p.h / p.kv) * p.l;
      attend(AttentionRow{row, cached, is_causal(p) ? row % p.l + 1 : p.l, p.d}, in, out);
    }
  }
  /// See attention_tolerance().
  static double tolerance(const Params& p, const Types& types, double stored) {
    return attention_tolerance(p.l, p.d, types, stored);
  }
};

}  // namespace gable::operators
