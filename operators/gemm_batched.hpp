#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "operators/matrix_product.hpp"

namespace gable::operators {

/// C_i = A_i B_i for `batch` independent products (MatrixProduct), each matrix behind the one before; A: [batch,m,k],
/// B: [batch,k,n], C: [batch,m,n]. flop 2 batch mnk; bytes: read batch (mk + kn)s, write batch mn s.
struct GemmBatched {
  static constexpr std::string_view name = "gemm_batched";
  static constexpr std::string_view summary = "C[batch,m,n] = A[batch,m,k] B[batch,k,n]";
  struct Params {
    Index batch, m, n, k;
    MatrixProduct::Params each() const { return {m, n, k}; }
  };
  static constexpr std::array fields{Field{"batch", &Params::batch, "products"}, Field{"m", &Params::m, "rows of C"},
                                     Field{"n", &Params::n, "columns of C"},
                                     Field{"k", &Params::k, "terms of each sum"}};

  static constexpr NonFinite non_finite = MatrixProduct::non_finite;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{64, 128, 128, 128}, {16, 512, 512, 512}};
  }
  /// Smaller than a tile, odd, more products than threads, more than one block of depth and of columns.
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1, 1},      {3, 5, 7, 9},     {7, 64, 64, 64},   {33, 13, 31, 17},
            {2, 97, 101, 300}, {3, 5, 2101, 67}, {2, 150, 136, 530}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto batch = static_cast<double>(p.batch), m = static_cast<double>(p.m), n = static_cast<double>(p.n),
               k = static_cast<double>(p.k);
    return {product_stage(batch * 2 * m * n * k, batch * (m * k + k * n), batch * m * n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"a", p.batch * p.m * p.k, types.a, Role::input},
            {"b", p.batch * p.k * p.n, types.b, Role::input},
            {"c", p.batch * p.m * p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.batch; ++i) {
      set_product<false, false>(p.each(), in[0].data() + i * p.m * p.k, in[1].data() + i * p.k * p.n,
                                out[0].data() + i * p.m * p.n);
    }
  }
  static double tolerance(const Params& p, const Types& types) { return MatrixProduct::tolerance(p.each(), types); }
};

}  // namespace gable::operators
