#pragma once
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// What the ways of computing attention share: O = softmax(Q K^T / sqrt(d)) V for each of h heads, not causal; Q, K, V,
/// O: [h,l,d]. flop 4 h l^2 d for the two products (the first of the d products of a score needs no addition, which
/// pays for scaling it) and 5 h l^2 for the softmax (max, subtract, exp as 1, add, divide); exponentials h l^2.
struct Attention {
  struct Params {
    Index h, l, d;
  };
  static constexpr std::array fields{Field{"h", &Params::h, "heads"}, Field{"l", &Params::l, "length of the sequence"},
                                     Field{"d", &Params::d, "width of a head"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) { return {{4, 1024, 64}, {1, 2048, 64}}; }
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1}, {2, 5, 3}, {3, 64, 32}, {1, 131, 33}, {2, 150, 128}, {1, 70, 72}, {2, 150, 130}, {1, 700, 64}};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const Index count = p.h * p.l * p.d;
    return {{"q", count, types.a, Role::input},
            {"k", count, types.b, Role::input},
            {"v", count, types.b, Role::input},
            {"o", count, types.out, Role::output}};
  }
  /// h l^2 as a number; throws Error if as many values of 8 bytes exceed 2^62 bytes.
  static double scores(std::string_view name, const Params& p) {
    const double count = static_cast<double>(p.h) * static_cast<double>(p.l) * static_cast<double>(p.l);
    if (8 * count >= 0x1p62) {
      throw Error(fmt::format("{}: the scores of h={}, l={} overflow: more than 2^62 bytes", name, p.h, p.l));
    }
    return count;
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    std::vector<S> scores(static_cast<std::size_t>(p.l));
    for (Index row = 0; row < p.h * p.l; ++row) {
      const Index head = row / p.l * p.l;
      score(p, in, row, head, scores);
      softmax(scores);
      for (Index c = 0; c < p.d; ++c) {
        S total = 0.0;
        for (Index j = 0; j < p.l; ++j) total += scores[j] * in[2][(head + j) * p.d + c];
        out[0][row * p.d + c] = total;
      }
    }
  }
  /// Outputs are averages of values up to 1. Partial sums round d times for a score and l times for a result, in ways
  /// that mostly cancel; `stored` counts the roundings to the storage type before the last, each relative to a weight.
  static double tolerance(const Params& p, const Types& types, double stored) {
    const double roundings = 32 + 8 * std::sqrt(static_cast<double>(p.d + p.l));
    return stored * rounding_tolerance(types, 0) + rounding_tolerance(types, roundings);
  }

 private:
  template <class S>
  static void score(const Params& p, Inputs<S> in, Index row, Index head, std::vector<S>& scores) {
    const S scale = 1.0 / std::sqrt(static_cast<double>(p.d));
    for (Index j = 0; j < p.l; ++j) {
      S total = in[0][row * p.d] * in[1][(head + j) * p.d];
      for (Index c = 1; c < p.d; ++c) total += in[0][row * p.d + c] * in[1][(head + j) * p.d + c];
      scores[j] = total * scale;
    }
  }
  template <class S>
  static void softmax(std::vector<S>& scores) {
    using std::exp;
    using std::max;
    S largest = -HUGE_VAL;
    S total = 0.0;
    for (const S& score : scores) largest = max(largest, score);
    for (S& score : scores) {
      score = exp(score - largest);
      total += score;
    }
    for (S& score : scores) score = score / total;
  }
};

}  // namespace gable::operators
