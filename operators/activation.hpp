#pragma once
#include <algorithm>
#include <cmath>

#include "operators/row_operator.hpp"

namespace gable::operators {

/// max(x, 0): 1 flop.
struct ReluFormula {
  static constexpr double flops = 1, exponentials = 0;
  static constexpr double input_range = 1;
  template <class S>
  static S value(const S& x) {
    using std::max;
    return max(x, S(0.0));
  }
};

/// GELU in its tanh approximation (Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016):
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). 9 flop by the convention that tanh is 1: 3 products for the cubic
/// term, sum, scale, tanh, sum, 2 products.
struct GeluFormula {
  static constexpr double sqrt_2_over_pi = 0.79788456080286535588;
  static constexpr double cubic = 0.044715;
  static constexpr double flops = 9, exponentials = 1;
  static constexpr double input_range = 6;
  template <class S>
  static S value(const S& x) {
    using std::tanh;
    return S(0.5) * x * (S(1.0) + tanh(S(sqrt_2_over_pi) * (x + S(cubic) * x * x * x)));
  }
};

/// SiLU (Elfwing, Uchibe, Doya, 2017; also swish): x sigmoid(x), sigmoid(x) = 1 / (1 + exp(-x)). 4 flop by the
/// convention that exp is 1: exp, sum, quotient, product.
struct SiluFormula {
  static constexpr double flops = 4, exponentials = 1;
  static constexpr double input_range = 12;
  template <class S>
  static S value(const S& x) {
    using std::exp;
    return x * (S(1.0) / (S(1.0) + exp(-x)));
  }
};

/// What a formula does with NaN and infinity: the kernels' exponential clamps its argument, so inputs must be finite
/// where there is one; otherwise they give what the formula gives.
template <class Formula>
inline constexpr NonFinite non_finite_of = Formula::exponentials > 0 ? NonFinite::undefined : NonFinite::as_reference;

/// What the activations of one array share: y[i] = f(x[i]) with f = Formula::value; x, y: [n], x within +-input_range
/// of the formula. flop, exponentials: n times those of the formula; bytes: read ns, write ns.
template <class Formula>
struct Activation : StreamOperator<2> {
  static constexpr std::array fields{Field{"n", &Params::n, "elements"}};

  static constexpr NonFinite non_finite = non_finite_of<Formula>;
  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(Formula::flops * n, Formula::exponentials * n, n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input, -Formula::input_range, Formula::input_range},
            {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.n; ++i) out[0][i] = Formula::value(in[0][i]);
  }
};

/// y[i] = max(x[i], 0); x, y: [n]. flop n; bytes: read ns, write ns.
struct Relu : Activation<ReluFormula> {
  static constexpr std::string_view name = "relu";
  static constexpr std::string_view summary = "y[n] = max(x[n], 0)";
  /// Nothing is rounded.
  static double tolerance(const Params&, const Types&) { return 0.0; }
};

/// y[i] = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) of x[i]; x, y: [n]. flop 9n, of them a tanh; exponentials n;
/// bytes: read ns, write ns. The kernel uses 1 + tanh(u) = 2 / (1 + exp(-2u)).
struct Gelu : Activation<GeluFormula> {
  static constexpr std::string_view name = "gelu";
  static constexpr std::string_view summary = "y[n] = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))";
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 9); }
};

/// y[i] = x[i] / (1 + exp(-x[i])); x, y: [n]. flop 4n (exp as 1, sum, quotient, product); exponentials n; bytes: read
/// ns, write ns.
struct Silu : Activation<SiluFormula> {
  static constexpr std::string_view name = "silu";
  static constexpr std::string_view summary = "y[n] = x / (1 + exp(-x))";
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 9); }
};

/// What the activations of rows with a bias share: y[i,j] = f(x[i,j] + b[j]); x, y: [m,n], b: [n].
/// flop: mn times those of the formula and a sum; exponentials: mn times its own; bytes: read (mn + n)s, write mn s.
template <class Formula>
struct BiasActivation : RowOperator {
  static constexpr std::array fields{Field{"m", &Params::m, "rows"},
                                     Field{"n", &Params::n, "columns, length of the bias"}};

  static constexpr NonFinite non_finite = non_finite_of<Formula>;
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {301, 512}, {1, 40009}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return row_work(p, types, (1 + Formula::flops) * n, Formula::exponentials * n, 1);
  }
  /// x + b stays within the formula's range.
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const double largest = std::max(1.0, Formula::input_range - 1);
    return row_buffers(p, types, -largest, largest, {{"b", p.n, types.b, Role::input}});
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m * p.n; ++i) out[0][i] = Formula::value(in[0][i] + in[1][i % p.n]);
  }
};

/// y[i,j] = max(x[i,j] + b[j], 0); x, y: [m,n], b: [n]. flop 2mn; bytes: read (mn + n)s, write mn s.
struct BiasRelu : BiasActivation<ReluFormula> {
  static constexpr std::string_view name = "bias_relu";
  static constexpr std::string_view summary = "y[m,n] = max(x[m,n] + b[n], 0)";
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 1); }
};

/// y[i,j] = gelu(x[i,j] + b[j]); x, y: [m,n], b: [n]. flop 10mn (a sum and gelu); exponentials mn; bytes: read
/// (mn + n)s, write mn s.
struct BiasGelu : BiasActivation<GeluFormula> {
  static constexpr std::string_view name = "bias_gelu";
  static constexpr std::string_view summary = "y[m,n] = gelu(x[m,n] + b[n])";
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 10); }
};

/// y[i,j] = silu(g[i,j]) u[i,j] (Shazeer, "GLU Variants Improve Transformer", 2020); g, u, y: [m,n].
/// flop 5mn (silu and a product); exponentials mn; bytes: read 2mn s, write mn s.
struct Swiglu : RowOperator {
  static constexpr std::string_view name = "swiglu";
  static constexpr std::string_view summary = "y[m,n] = g / (1 + exp(-g)) u[m,n]";
  static constexpr std::array fields{Field{"m", &Params::m, "rows"}, Field{"n", &Params::n, "columns"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, 3 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {129, 512}, {1, 70001}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
    return {streaming_stage((SiluFormula::flops + 1) * elements, elements, 2 * elements, elements, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"g", p.m * p.n, types.a, Role::input, -12.0, 12.0},
            {"u", p.m * p.n, types.b, Role::input},
            {"y", p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m * p.n; ++i) out[0][i] = SiluFormula::value(in[0][i]) * in[1][i];
  }
  static double tolerance(const Params&, const Types& types) { return 2 * rounding_tolerance(types, 10); }
};

}  // namespace gable::operators
