#include "operators/adam.hpp"

#include <type_traits>

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Gives the new weight, which the driver stores; stores the rest itself.
template <class T>
struct AdamBody {
  static constexpr bool mixed_types = true;
  const T* g;
  const float* w;
  float* m;
  float* v;
  T* copy;  ///< for 2-byte T

  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    constexpr float b1 = Adam::b1, b2 = Adam::b2, rest1 = 1 - Adam::b1, rest2 = 1 - Adam::b2;
    constexpr float kept = Adam::kept, step = Adam::step, floor = Adam::floor;
    const auto gradient = access.load(g + i);
    const auto mean = b1 * access.load(m + i) + rest1 * gradient;
    const auto square = b2 * access.load(v + i) + rest2 * gradient * gradient;
    access.store(m + i, mean);
    access.store(v + i, square);
    const auto quotient = mean / (sqrt(square) + floor);
    const auto weight = kept * access.load(w + i) - step * quotient;
    if constexpr (!std::is_same_v<T, float>) access.store(copy + i, weight);
    return weight;
  }
};

template <class T>
struct AdamKernel {
  float* w;
  Index n;
  AdamBody<T> body;

  static Types types() { return Adam::types_for(dtype_of<T>()); }
  AdamKernel(const Adam::Params& p, const Buffers& buffers)
      : w(buffers.output<float>(0)),
        n(p.n),
        body{buffers.input<T>(0), w, buffers.output<float>(1), buffers.output<float>(2), copy_of(buffers)} {}
  void run(const Exec& exec) const { elementwise(exec, w, n, n, body); }

 private:
  static T* copy_of(const Buffers& buffers) {
    if constexpr (std::is_same_v<T, float>) {
      return nullptr;
    } else {
      return buffers.output<T>(3);
    }
  }
};

}  // namespace

const OperatorEntry& adam_entry() {
  return kernel_entry<Adam, AdamKernel<float>, AdamKernel<Fp16>, AdamKernel<Bf16>>();
}

}  // namespace gable::operators
