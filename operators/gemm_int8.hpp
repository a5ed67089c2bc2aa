#pragma once
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "operators/matrix_product.hpp"

namespace gable::operators {

/// C = A B^T of int8 in int32, exactly; A: [m,k], B: [n,k], C: [m,n]. Both operands run along the sums, as the units of
/// CPUs and GPUs want them. k is below 2^17, so that no sum overflows.
/// flop 2mnk, bytes: read mk + kn, write 4mn.
struct GemmInt8 : MatrixProduct {
  static constexpr std::string_view name = "gemm_int8";
  static constexpr std::string_view summary = "C[m,n] = A[m,k] B[n,k]^T, int8 summed in int32";

  static std::vector<Types> types() { return {{DType::int8, DType::int8, DType::int32, DType::int32, DType::int32}}; }
  static void check(const Params& p) {
    if (p.k >= Index{1} << 17) {
      throw Error(fmt::format("{}: k must be below 131072, or sums overflow int32; not {}", name, p.k));
    }
  }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{1024, 1024, 1024}, {2048, 2048, 2048}};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    auto list = MatrixProduct::buffers(p, types);
    for (BufferSpec& buffer : list) {
      buffer.low = -128;
      buffer.high = 127;
    }
    return list;
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    set_product<false, true>(p, in[0].data(), in[1].data(), out[0].data());
  }
  static double tolerance(const Params&, const Types&) { return 0; }
};

}  // namespace gable::operators
