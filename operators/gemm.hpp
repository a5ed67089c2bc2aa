#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// C = A B, row-major; A: [m,k], B: [k,n], C: [m,n].
/// flop 2mnk; bytes: read (mk + kn)s, write mn s. Square: intensity 2n/(3s).
struct Gemm {
  static constexpr std::string_view name = "gemm";
  static constexpr std::string_view summary = "C[m,n] = A[m,k] B[k,n]";
  struct Params {
    Index m, n, k;
  };
  static constexpr std::array fields{Field{"m", &Params::m, "rows of A and C"},
                                     Field{"n", &Params::n, "columns of B and C"},
                                     Field{"k", &Params::k, "columns of A, rows of B"}};

  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{1024, 1024, 1024}, {2048, 2048, 2048}};
  }
  /// Smaller than a tile, odd, whole tiles, several blocks of depth, of columns, and of rows.
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1},    {3, 5, 7},       {64, 64, 64},   {97, 101, 300}, {5, 8201, 67},
            {1, 33, 700}, {200, 136, 200}, {130, 264, 72}, {450, 130, 530}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    return {product_stage(2 * m * n * k, m * k + k * n, m * n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"a", p.m * p.k, types.a, Role::input},
            {"b", p.k * p.n, types.b, Role::input},
            {"c", p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m; ++i) {
      for (Index j = 0; j < p.n; ++j) out[0][i * p.n + j] = 0.0;
      for (Index l = 0; l < p.k; ++l) {
        const S factor = in[0][i * p.k + l];
        for (Index j = 0; j < p.n; ++j) out[0][i * p.n + j] += factor * in[1][l * p.n + j];
      }
    }
  }
  /// k roundings of partial sums that grow like the square root of k.
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, static_cast<double>(p.k));
  }
};

}  // namespace gable::operators
