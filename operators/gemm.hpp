#pragma once
#include <string_view>
#include <vector>

#include "operators/matrix_product.hpp"

namespace gable::operators {

/// C = A B; A: [m,k], B: [k,n], C: [m,n] (MatrixProduct).
struct Gemm : MatrixProduct {
  static constexpr std::string_view name = "gemm";
  static constexpr std::string_view summary = "C[m,n] = A[m,k] B[k,n]";

  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{1024, 1024, 1024}, {2048, 2048, 2048}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    set_product<false, false>(p, in[0].data(), in[1].data(), out[0].data());
  }
};

}  // namespace gable::operators
