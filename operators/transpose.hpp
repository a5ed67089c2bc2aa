#pragma once
#include <cmath>

#include "operators/common.hpp"

namespace gable::operators {

/// y[j,i] = x[i,j], out of place; x: [m,n] and y: [n,m], row-major. flop 0; bytes: read mn s, write mn s.
struct Transpose {
  static constexpr std::string_view name = "transpose";
  static constexpr std::string_view summary = "y[n,m] = x[m,n] transposed";
  using Params = MatrixSize;
  static constexpr std::array fields{Field{"m", &Params::m, "rows of x"}, Field{"n", &Params::n, "columns of x"}};

  static std::vector<Types> types() {
    return {uniform_types(DType::fp64), uniform_types(DType::fp32), uniform_types(DType::fp16)};
  }
  /// Squares of a multiple of 64.
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return for_working_sets<Params>(device, [&](double bytes) {
      const auto side = static_cast<Index>(std::sqrt(bytes / (2 * size_bytes(types.a)))) / 64 * 64;
      return Params{std::max<Index>(side, 1), std::max<Index>(side, 1)};
    });
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {301, 512}, {2, 40009}, {129, 257}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double elements = static_cast<double>(p.m) * static_cast<double>(p.n);
    return {moving_stage(elements, elements, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.m * p.n, types.a, Role::input}, {"y", p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m; ++i) {
      for (Index j = 0; j < p.n; ++j) out[0][j * p.m + i] = in[0][i * p.n + j];
    }
  }
  static double tolerance(const Params&, const Types&) { return 0.0; }
};

}  // namespace gable::operators
