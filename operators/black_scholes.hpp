#pragma once
#include <cmath>

#include "operators/common.hpp"

namespace gable::operators {

/// Prices of European options (Black and Scholes 1973): spot S, strike K, years T, rate r = 0.02, volatility v = 0.3;
/// all arrays [n]. With N the normal distribution, N(d) = (1 + erf(d / sqrt(2))) / 2:
///   d1 = (log(S/K) + (r + v^2/2) T) / (v sqrt(T)), d2 = d1 - v sqrt(T),
///   call = S N(d1) - K exp(-rT) N(d2), put = K exp(-rT) (1 - N(d2)) - S (1 - N(d1)).
/// flop 27n by the convention that log, exp and erf are 1 each: 7 for d1 and d2 (and a log), 3 (and an erf) a
/// distribution, 2 (and an exp) for the discount, 3 the call, 5 the put. Exponentials 4n: log, exp, 2 erf.
/// Divisions and roots 3n.
/// bytes: read 3ns, write 2ns. N by Hart's approximation in fp64, by Abramowitz and Stegun's in fp32.
struct BlackScholes : StreamOperator<5> {
  static constexpr std::string_view name = "black_scholes";
  static constexpr std::string_view summary = "call[n], put[n] = prices of European options S[n], K[n], T[n]";
  static constexpr std::array fields{Field{"n", &Params::n, "options"}};
  static constexpr double rate = 0.02, volatility = 0.3;

  /// The kernels' log and exp take the range of finite, positive inputs.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return wide_types(); }
  static std::vector<Params> conformance_params() { return {{1}, {7}, {64}, {1001}, {20003}}; }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto n = static_cast<double>(p.n);
    Stage stage = streaming_stage(27 * n, 4 * n, 3 * n, 2 * n, types);
    stage.work.push_back({Unit::divide, 3 * n});
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"spot", p.n, types.a, Role::input, 0.5, 2.0},
            {"strike", p.n, types.a, Role::input, 0.5, 2.0},
            {"years", p.n, types.a, Role::input, 0.25, 4.0},
            {"call", p.n, types.out, Role::output},
            {"put", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::erf, std::exp, std::log, std::sqrt;
    const S half = 0.5, one = 1.0, root_half = std::sqrt(0.5);
    const S drift = rate + volatility * volatility / 2;
    for (Index i = 0; i < p.n; ++i) {
      const S spot = in[0][i], strike = in[1][i], years = in[2][i];
      const S deviation = S(volatility) * sqrt(years);
      const S d1 = (log(spot / strike) + drift * years) / deviation;
      const S d2 = d1 - deviation;
      const S n1 = half * (one + erf(d1 * root_half));
      const S n2 = half * (one + erf(d2 * root_half));
      const S present = strike * exp(S(-rate) * years);
      out[0][i] = spot * n1 - present * n2;
      out[1][i] = present * (one - n2) - spot * (one - n1);
    }
  }
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 10); }
};

}  // namespace gable::operators
