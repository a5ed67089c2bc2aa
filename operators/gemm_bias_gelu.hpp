#pragma once
#include <string_view>
#include <vector>

#include "operators/activation.hpp"
#include "operators/matrix_product.hpp"

namespace gable::operators {

/// C[i,j] = gelu((A B)[i,j] + b[j]), bias and activation where the sums are in registers; A: [m,k], B: [k,n], b: [n],
/// C: [m,n]. flop 2mnk and 10mn (a sum and GeluFormula); exponentials mn; bytes: read (mk + kn + n)s, write mn s.
struct GemmBiasGelu : MatrixProduct {
  static constexpr std::string_view name = "gemm_bias_gelu";
  static constexpr std::string_view summary = "C[m,n] = gelu(A[m,k] B[k,n] + b[n])";

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{256, 1024, 1024}, {2048, 2048, 2048}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    Stage stage = product_stage(2 * m * n * k, m * k + k * n + n, m * n, types);
    stage.work.push_back({Unit::vector, (1 + GeluFormula::flops) * m * n});
    stage.work.push_back({Unit::exp, m * n});
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    auto list = MatrixProduct::buffers(p, types);
    list.insert(list.begin() + 2, {"bias", p.n, types.b, Role::input});
    return list;
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    set_product<false, false>(p, in[0].data(), in[1].data(), out[0].data());
    for (Index i = 0; i < p.m * p.n; ++i) out[0][i] = GeluFormula::value(out[0][i] + in[2][i % p.n]);
  }
  static double tolerance(const Params& p, const Types& types) {
    return 2 * rounding_tolerance(types, static_cast<double>(p.k) + GeluFormula::flops);
  }
};

}  // namespace gable::operators
