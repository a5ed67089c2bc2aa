#pragma once
#include <cmath>

#include "operators/row_operator.hpp"

namespace gable::operators {

/// y[i,j] = (x[i,j] - mean_i) / sqrt(var_i + 1e-5) gamma[j] + beta[j], mean and (biased) variance of row i; x, y:
/// [m,n], gamma, beta: [n]. flop 8mn + 5m (sum; subtract, square, add; subtract, scale, gamma, beta; five for mean,
/// variance, epsilon, root, reciprocal); bytes: read (mn + 2n)s, write mn s (each row is read once from memory as long
/// as it stays in cache, else twice).
struct Layernorm : RowOperator {
  static constexpr std::string_view name = "layernorm";
  static constexpr std::string_view summary = "y[m,n] = (x - mean(x)) / sqrt(var(x) + 1e-5) gamma[n] + beta[n] along n";
  static constexpr double epsilon = 1e-5;

  static std::vector<Stage> work(const Params& p, const Types& types) {
    return row_work(p, types, 8 * static_cast<double>(p.n) + 5, 0, 2);
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return row_buffers(p, types, -1.0, 3.0,
                       {{"gamma", p.n, types.b, Role::input, 0.5, 1.5}, {"beta", p.n, types.b, Role::input}});
  }
  /// One row: 8n + 5 flop.
  template <class S>
  static void normalise(const S* x, const S* gamma, const S* beta, S* y, Index n) {
    using std::sqrt;
    const S count = static_cast<double>(n);
    S total = 0.0;
    S squares = 0.0;
    for (Index j = 0; j < n; ++j) total += x[j];
    const S mean = total / count;
    for (Index j = 0; j < n; ++j) {
      const S centred = x[j] - mean;
      squares += centred * centred;
    }
    const S scale = S(1.0) / sqrt(squares / count + S(epsilon));
    for (Index j = 0; j < n; ++j) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m; ++i) {
      normalise(in[0].data() + i * p.n, in[1].data(), in[2].data(), out[0].data() + i * p.n, p.n);
    }
  }
  /// A row of one or few close values is scaled by up to 1/sqrt(epsilon), 316, and its rounding errors with it.
  static double tolerance(const Params& p, const Types& types) {
    return 4 * rounding_tolerance(types, p.n < 16 ? 1000 : 16);
  }
};

/// What the ways of adding a residual and normalising the sum share: h = x + r, y = layernorm(h) by rows, of h as it is
/// stored; both are results. x, r, h, y: [m,n], gamma, beta: [n]. flop mn for the sum and 8mn + 5m for layernorm.
struct ResidualLayernorm : RowOperator {
  /// In main memory h and y, all that an unfused layernorm touches, are 4.5 times the caches: it finds no h there.
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    auto list = rows_for_working_sets<Params>(device, 4096, 4 * size_bytes(types.a));
    list.back() = rows_for_working_sets<Params>(device, 4096, 2 * size_bytes(types.a) / 0.9).back();
    return list;
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.m * p.n, types.a, Role::input, -1.0, 3.0}, {"r", p.m * p.n, types.a, Role::input},
            {"gamma", p.n, types.b, Role::input, 0.5, 1.5},    {"beta", p.n, types.b, Role::input},
            {"h", p.m * p.n, types.out, Role::output},         {"y", p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m; ++i) {
      S* sums = out[0].data() + i * p.n;
      for (Index j = 0; j < p.n; ++j) sums[j] = in[0][i * p.n + j] + in[1][i * p.n + j];
      Layernorm::normalise(sums, in[2].data(), in[3].data(), out[1].data() + i * p.n, p.n);
    }
  }
  /// Half a unit in the last place of h, up to 4, is normalised too: by up to 1 in a row of many, more in one of few.
  static double tolerance(const Params& p, const Types& types) {
    return Layernorm::tolerance(p, types) + (p.n < 16 ? 16 : 4) * rounding_tolerance(types, 1);
  }
};

/// h = x + r, y = layernorm(h) by rows in one launch, which reads h back from cache, as it is stored; both are results.
/// x, r, h, y: [m,n], gamma, beta: [n].
/// flop 9mn + 5m; bytes: read (2mn + 2n)s, write 2mn s.
struct ResidualLayernormFused : ResidualLayernorm {
  static constexpr std::string_view name = "residual_layernorm_fused";
  static constexpr std::string_view summary = "h[m,n] = x + r, y[m,n] = layernorm(h) gamma[n] + beta[n], in one launch";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double m = static_cast<double>(p.m);
    const double n = static_cast<double>(p.n);
    return {streaming_stage(9 * m * n + 5 * m, 0, 2 * m * n + 2 * n, 2 * m * n, types)};
  }
};

/// The same as residual_layernorm_fused in two launches, the second of which reads h back from memory.
/// flop mn and 8mn + 5m; bytes: read 2mn s, write mn s, and read (mn + 2n)s, write mn s.
struct ResidualLayernormUnfused : ResidualLayernorm {
  static constexpr std::string_view name = "residual_layernorm_unfused";
  static constexpr std::string_view fused = "residual_layernorm_fused";
  static constexpr std::string_view summary = "h[m,n] = x + r, then y[m,n] = layernorm(h) gamma[n] + beta[n]";
  static constexpr bool in_place = false;

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
    std::vector<Stage> stages{streaming_stage(elements, 0, 2 * elements, elements, types)};
    stages[0].name = "add";
    stages.push_back(Layernorm::work(p, types).front());
    stages[1].name = "layernorm";
    return stages;
  }
};

}  // namespace gable::operators
