#pragma once
#include <string_view>
#include <vector>

#include "operators/matrix_product.hpp"

namespace gable::operators {

/// C = A^T B; A: [k,m], B: [k,n], C: [m,n] (MatrixProduct): the gradient of the weights of a linear layer, with A its
/// inputs and B the gradients of its outputs on k tokens.
struct GemmTransposedA : MatrixProduct {
  static constexpr std::string_view name = "gemm_transposed_a";
  static constexpr std::string_view summary = "C[m,n] = A[k,m]^T B[k,n]";

  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{512, 512, 1024}, {1024, 1024, 4096}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    set_product<true, false>(p, in[0].data(), in[1].data(), out[0].data());
  }
};

}  // namespace gable::operators
