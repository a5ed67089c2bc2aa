#pragma once
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// Rotary position embedding (Su et al., arXiv:2104.09864), the two numbers of a pair half a head apart: with
/// j < d/2, y[t,h,j] = x[t,h,j] cos[t,j] - x[t,h,j+d/2] sin[t,j] and
/// y[t,h,j+d/2] = x[t,h,j+d/2] cos[t,j] + x[t,h,j] sin[t,j]; x, y: [tokens,heads,d], cos, sin: [tokens,d/2], computed
/// before. flop 3 tokens heads d (six a pair); bytes: read tokens (heads d + d)s, write tokens heads d s.
struct Rope {
  static constexpr std::string_view name = "rope";
  static constexpr std::string_view summary = "y[tokens,heads,d] = x rotated by cos[tokens,d/2], sin[tokens,d/2]";
  struct Params {
    Index tokens, heads, d;
  };
  static constexpr std::array fields{Field{"tokens", &Params::tokens, "tokens"},
                                     Field{"heads", &Params::heads, "heads"},
                                     Field{"d", &Params::d, "width of a head, even"}};
  static void check(const Params& p) {
    if (p.d % 2 != 0) throw Error(fmt::format("rope: parameter 'd' must be even, not {}", p.d));
  }

  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    constexpr Index heads = 32, d = 128;
    const double token = (2 * heads + 1) * d * size_bytes(types.a);
    return for_working_sets<Params>(device, [=](double bytes) { return Params{units_in(bytes, token), heads, d}; });
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1, 2}, {3, 2, 6}, {5, 3, 64}, {17, 4, 130}, {40, 32, 128}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double tokens = static_cast<double>(p.tokens);
    const double table = tokens * static_cast<double>(p.d);
    const double elements = table * static_cast<double>(p.heads);
    return {streaming_stage(3 * elements, 0, elements + table, elements, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const Index elements = p.tokens * p.heads * p.d, table = p.tokens * (p.d / 2);
    return {{"x", elements, types.a, Role::input},
            {"cos", table, types.b, Role::input},
            {"sin", table, types.b, Role::input},
            {"y", elements, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    const Index half = p.d / 2;
    for (Index row = 0; row < p.tokens * p.heads; ++row) {
      for (Index j = 0; j < half; ++j) {
        const Index first = row * p.d + j, second = first + half, angle = row / p.heads * half + j;
        out[0][first] = in[0][first] * in[1][angle] - in[0][second] * in[2][angle];
        out[0][second] = in[0][second] * in[1][angle] + in[0][first] * in[2][angle];
      }
    }
  }
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 3); }
};

}  // namespace gable::operators
