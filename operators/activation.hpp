#pragma once
#include <cmath>

namespace gable::operators {

/// GELU in its tanh approximation (Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016):
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). 9 flop by the convention that tanh is 1: 3 products for the cubic
/// term, sum, scale, tanh, sum, 2 products.
struct GeluFormula {
  static constexpr double sqrt_2_over_pi = 0.79788456080286535588;
  static constexpr double cubic = 0.044715;
  static constexpr double flops = 9;
  template <class S>
  static S value(const S& x) {
    using std::tanh;
    return S(0.5) * x * (S(1.0) + tanh(S(sqrt_2_over_pi) * (x + S(cubic) * x * x * x)));
  }
};

/// SiLU (Elfwing, Uchibe, Doya, 2017; also swish): x sigmoid(x), sigmoid(x) = 1 / (1 + exp(-x)). 4 flop by the
/// convention that exp is 1: exp, sum, quotient, product.
struct SiluFormula {
  static constexpr double flops = 4;
  template <class S>
  static S value(const S& x) {
    using std::exp;
    return x * (S(1.0) / (S(1.0) + exp(-x)));
  }
};

}  // namespace gable::operators
