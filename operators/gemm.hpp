#pragma once
#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "operators/activation.hpp"
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

  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{1024, 1024, 1024}, {2048, 2048, 2048}};
  }
  /// Smaller than a tile, odd, whole tiles, several blocks of depth (three with lanes of 64 bytes; of pairs, too), of
  /// columns, and of rows; 102 blocks of 128 x 256, which a GPU with warpgroups multiplies by them: rows of whole 16
  /// bytes, and five panels of 128 bytes of int8 (nine of 2-byte types), one more than its ring holds; one block of a
  /// depth that such a GPU multiplies in 16 parts, of which the last has nothing.
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1},     {3, 5, 7},       {64, 64, 64},   {97, 101, 300},    {5, 8201, 67},
            {1, 33, 700},  {200, 136, 200}, {130, 264, 72}, {136, 12808, 528}, {450, 130, 530},
            {66, 7, 2100}, {66, 7, 4200},   {66, 136, 8256}};
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
  /// k roundings of partial sums that grow like the square root of k; as tf32 the operands are rounded, too.
  static double tolerance(const Params& p, const Types& types) {
    const auto k = static_cast<double>(p.k);
    return rounding_tolerance(types, k) + (types.a == DType::tf32 ? 0x1p-9 * std::sqrt(k) : 0);
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

/// The products that are nothing but set_product().
template <bool TransposedA, bool TransposedB>
struct ProductOf : MatrixProduct {
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    set_product<TransposedA, TransposedB>(p, in[0].data(), in[1].data(), out[0].data());
  }
};

/// C = A B; A: [m,k], B: [k,n], C: [m,n]. flop 2mnk; bytes: read (mk + kn)s, write mn s. With tf32 only vendors'
/// libraries for GPUs run it.
struct Gemm : ProductOf<false, false> {
  static constexpr std::string_view name = "gemm";
  static constexpr std::string_view summary = "C[m,n] = A[m,k] B[k,n]";
  static constexpr std::string_view int8 = "gemm_int8";

  /// tf32 too: fp32 in memory, of which matrix units multiply the first 11 bits.
  static std::vector<Types> types() {
    auto list = floating_types();
    list.push_back({DType::tf32, DType::tf32, DType::fp32, DType::fp32, DType::tf32});
    return list;
  }
};

/// C = A^T B; A: [k,m], B: [k,n], C: [m,n]: the gradient of the weights of a linear layer, with A its inputs and B the
/// gradients of its outputs on k tokens. flop 2mnk; bytes: read (mk + kn)s, write mn s.
struct GemmTransposedA : ProductOf<true, false> {
  static constexpr std::string_view name = "gemm_transposed_a";
  static constexpr std::string_view summary = "C[m,n] = A[k,m]^T B[k,n]";

  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{512, 512, 1024}, {1024, 1024, 4096}};
  }
};

/// C = A B^T; A: [m,k], B: [n,k], C: [m,n]: a linear layer of n outputs whose weights B are stored a row for each
/// output, on m tokens. flop 2mnk; bytes: read (mk + kn)s, write mn s.
struct GemmTransposedB : ProductOf<false, true> {
  static constexpr std::string_view name = "gemm_transposed_b";
  static constexpr std::string_view summary = "C[m,n] = A[m,k] B[n,k]^T";

  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{256, 1024, 1024}, {2048, 2048, 2048}};
  }
};

/// C_i = A_i B_i for `batch` independent products, each matrix behind the one before; A: [batch,m,k],
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

  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{64, 128, 128, 128}, {16, 512, 512, 512}};
  }
  /// Smaller than a tile, odd, more products than threads, more than one block of depth and of columns; 100 blocks for
  /// warpgroups, of five panels (MatrixProduct).
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1, 1},      {3, 5, 7, 9},        {7, 64, 64, 64},  {33, 13, 31, 17},
            {2, 97, 101, 300}, {25, 136, 264, 272}, {3, 5, 2101, 67}, {2, 150, 136, 530}};
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

/// C = A B^T of int8 in int32, exactly; A: [m,k], B: [n,k], C: [m,n]. Both operands run along the sums, as the units of
/// CPUs and GPUs want them. k is below 2^17, so that no sum overflows.
/// flop 2mnk, bytes: read mk + kn, write 4mn.
struct GemmInt8 : ProductOf<false, true> {
  static constexpr std::string_view name = "gemm_int8";
  static constexpr std::string_view summary = "C[m,n] = A[m,k] B[n,k]^T, int8 summed in int32";

  static std::vector<Types> types() { return {{DType::int8, DType::int8, DType::int32, DType::int32, DType::int32}}; }
  static void check(const Params& p) {
    if (p.k >= Index{1} << 17) {
      throw Error(fmt::format("{}: k must be below 131072, or sums overflow int32; not {}", name, p.k));
    }
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    auto list = MatrixProduct::buffers(p, types);
    for (BufferSpec& buffer : list) {
      buffer.low = -128;
      buffer.high = 127;
    }
    return list;
  }
  static double tolerance(const Params&, const Types&) { return 0; }
};

/// C[i,j] = gelu((A B)[i,j] + b[j]), bias and activation where the sums are in registers; A: [m,k], B: [k,n], b: [n],
/// C: [m,n]. flop 2mnk and 10mn (a sum and gelu); exponentials mn; bytes: read (mk + kn + n)s, write mn s.
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
