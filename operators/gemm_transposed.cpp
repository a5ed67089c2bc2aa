#include "operators/gemm.hpp"

#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// C = A^T B and C = A B^T.
template <class T>
using KernelOfTransposedA = tile::ProductKernel<T, tile::Product<T, false, true>>;
template <class T>
using KernelOfTransposedB = tile::ProductKernel<T, tile::Product<T, true>>;

}  // namespace

const OperatorEntry& gemm_transposed_a_entry() {
  return entry_of<GemmTransposedA>(tile::implementations<GemmTransposedA, KernelOfTransposedA>());
}
const OperatorEntry& gemm_transposed_b_entry() {
  return entry_of<GemmTransposedB>(tile::implementations<GemmTransposedB, KernelOfTransposedB>());
}

}  // namespace gable::operators
