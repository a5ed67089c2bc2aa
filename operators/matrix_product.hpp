#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// What the products of two matrices share: C [m,n] is the sum of m n k products, A has mk elements, B kn, each
/// row-major as it is or transposed. flop 2mnk; bytes: read (mk + kn)s, write mn s. Square: intensity 2n/(3s).
struct MatrixProduct {
  struct Params {
    Index m, n, k;
  };
  static constexpr std::array fields{Field{"m", &Params::m, "rows of C"}, Field{"n", &Params::n, "columns of C"},
                                     Field{"k", &Params::k, "terms of each sum"}};

  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static std::vector<Types> types() { return floating_types(); }
  /// Smaller than a tile, odd, whole tiles, several blocks of depth (three with lanes of 64 bytes; of pairs, too), of
  /// columns, and of rows.
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1},       {3, 5, 7},      {64, 64, 64},    {97, 101, 300}, {5, 8201, 67}, {1, 33, 700},
            {200, 136, 200}, {130, 264, 72}, {450, 130, 530}, {66, 7, 2100},  {66, 7, 4200}};
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
  /// k roundings of partial sums that grow like the square root of k.
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, static_cast<double>(p.k));
  }
};

/// C = A B for matrices that begin at the given elements; A is [k,m] where TransposedA, B [n,k] where TransposedB.
template <bool TransposedA, bool TransposedB, class S>
void set_product(const MatrixProduct::Params& p, const S* a, const S* b, S* c) {
  for (Index i = 0; i < p.m; ++i) {
    for (Index j = 0; j < p.n; ++j) c[i * p.n + j] = 0.0;
    if constexpr (TransposedB) {
      for (Index j = 0; j < p.n; ++j) {
        for (Index l = 0; l < p.k; ++l) c[i * p.n + j] += a[i * p.k + l] * b[j * p.k + l];
      }
    } else {
      for (Index l = 0; l < p.k; ++l) {
        const S factor = a[TransposedA ? l * p.m + i : i * p.k + l];
        for (Index j = 0; j < p.n; ++j) c[i * p.n + j] += factor * b[l * p.n + j];
      }
    }
  }
}

}  // namespace gable::operators
