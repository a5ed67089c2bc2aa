#pragma once
#include <string_view>
#include <vector>

#include "operators/matrix_product.hpp"

namespace gable::operators {

/// C = A B^T; A: [m,k], B: [n,k], C: [m,n] (MatrixProduct): a linear layer of n outputs whose weights B are stored a
/// row for each output, on m tokens.
struct GemmTransposedB : MatrixProduct {
  static constexpr std::string_view name = "gemm_transposed_b";
  static constexpr std::string_view summary = "C[m,n] = A[m,k] B[n,k]^T";

  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{256, 1024, 1024}, {2048, 2048, 2048}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    set_product<false, true>(p, in[0].data(), in[1].data(), out[0].data());
  }
};

}  // namespace gable::operators
