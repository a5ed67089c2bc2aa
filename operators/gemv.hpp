#pragma once
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// y = A x; A: [m,n] row-major, x: [n], y: [m].
/// flop 2mn; bytes: read (mn + n)s, write m s. Intensity towards 2/s.
struct Gemv {
  static constexpr std::string_view name = "gemv";
  static constexpr std::string_view summary = "y[m] = A[m,n] x[n]";
  using Params = MatrixSize;
  static constexpr std::array fields{Field{"m", &Params::m, "rows of A"}, Field{"n", &Params::n, "columns of A"}};

  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return rows_for_working_sets<Params>(device, 4096, size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {3, 5}, {64, 32}, {17, 1001}, {129, 512}, {2, 70001}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    return {product_stage(2 * m * n, m * n + n, m, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {
        {"a", p.m * p.n, types.a, Role::input}, {"x", p.n, types.b, Role::input}, {"y", p.m, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.m; ++i) {
      S total = 0.0;
      for (Index j = 0; j < p.n; ++j) total += in[0][i * p.n + j] * in[1][j];
      out[0][i] = total;
    }
  }
  /// n roundings of partial sums that grow like the square root of n.
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, static_cast<double>(p.n));
  }
};

/// y_i = sum over groups g of s[i,g] (sum over j in g of w[i,j] x_j), the decode step of a linear layer with quantised
/// weights; W: [m,n], x: [n], y: [m], s: [m, groups]. A group is a row (int8, fp8_e4m3) or 128 columns of it, the last
/// one shorter (int4, as in Frantar et al., "GPTQ", arXiv:2210.17323). x, s and y are fp16, sums are fp32. n is
/// even, because two int4 share a byte.
/// Inputs must be finite. flop m (2n + 2 groups - 1); bytes: read mn s_w + 2 (n + m groups), write 2m. Intensity
/// towards 2 at one byte, 3.9 at half a byte.
struct GemvQuantised : Gemv {
  static constexpr std::string_view name = "gemv_quantised";
  static constexpr std::string_view summary =
      "y[m] = sum of s[m,groups] (W[m,n] x[n]), W int8 or fp8 with a scale a row, or int4 with one for 128 columns";
  static constexpr std::array fields{Field{"m", &Params::m, "rows of W"}, Field{"n", &Params::n, "columns of W, even"}};
  static constexpr Index group_columns = 128;

  /// Scales multiply parts of a sum, some of them empty: they and x must be finite. fp8 weights are numbers: quantisers
  /// saturate.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() {
    std::vector<Types> list;
    for (const DType weights : {DType::int8, DType::fp8_e4m3, DType::int4}) {
      list.push_back({weights, DType::fp16, DType::fp16, DType::fp32, DType::fp32});
    }
    return list;
  }
  static void check(const Params& p) {
    if (p.n % 2 != 0) throw Error(fmt::format("{}: n must be even: two int4 share a byte; not {}", name, p.n));
  }
  static Index groups(const Params& p, DType weights) {
    return weights == DType::int4 ? (p.n + group_columns - 1) / group_columns : 1;
  }
  /// Shorter than a block, odd rows, whole groups, a group cut short, more rows than one thread takes at once.
  static std::vector<Params> conformance_params() {
    return {{1, 2}, {3, 6}, {64, 32}, {17, 1002}, {129, 512}, {9, 1184}, {2, 70002}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    const auto scales = static_cast<double>(groups(p, types.a));
    Stage stage = product_stage(m * (2 * n + 2 * scales - 1), 0, 0, types);
    stage.bytes_read = m * n * size_bytes(types.a) + (n + m * scales) * size_bytes(types.b);
    stage.bytes_written = m * size_bytes(types.out);
    stage.working_set = stage.bytes_read + stage.bytes_written;
    return {stage};
  }
  /// Scales that take the weights to about [-1, 1].
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const double largest = types.a == DType::int8 ? 127.0 : (types.a == DType::int4 ? 7.0 : 448.0);
    const double scale = std::exp2(-std::ceil(std::log2(largest)));
    return {{"w", p.m * p.n, types.a, Role::input, -largest, largest},
            {"s", p.m * groups(p, types.a), types.b, Role::input, scale / 2, scale},
            {"x", p.n, types.b, Role::input},
            {"y", p.m, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    const Index scales = static_cast<Index>(in[1].size()) / p.m;
    const Index length = scales == 1 ? p.n : group_columns;
    for (Index i = 0; i < p.m; ++i) {
      for (Index g = 0; g < scales; ++g) {
        S sum = 0.0;
        for (Index j = g * length; j < std::min(p.n, (g + 1) * length); ++j) sum += in[0][i * p.n + j] * in[2][j];
        if (g == 0) {
          out[0][i] = in[1][i * scales] * sum;
        } else {
          out[0][i] += in[1][i * scales + g] * sum;
        }
      }
    }
  }
};

}  // namespace gable::operators
