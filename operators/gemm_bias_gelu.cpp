#include "operators/gemm.hpp"

#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct GemmBiasGeluKernel : UniformTypes<T>, tile::Product<T, false, false, tile::BiasGelu<T>> {
  GemmBiasGeluKernel(const GemmBiasGelu::Params& p, const Buffers& buffers)
      : GemmBiasGeluKernel::Product({1, p.m, p.n, p.k}, buffers.input<T>(0), buffers.input<T>(1), buffers.output<T>(0),
                                    Accumulate<T>(1), {buffers.input<T>(2)}) {}
};

}  // namespace

const OperatorEntry& gemm_bias_gelu_entry() {
  return entry_of<GemmBiasGelu>(tile::implementations<GemmBiasGelu, GemmBiasGeluKernel>());
}

}  // namespace gable::operators
