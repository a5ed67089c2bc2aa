#include "operators/gemm.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct GemmBatchedKernel : UniformTypes<T> {
  tile::Product<T, false> product;

  GemmBatchedKernel(const GemmBatched::Params& p, const Buffers& buffers)
      : product({p.batch, p.m, p.n, p.k}, buffers.input<T>(0), buffers.input<T>(1), buffers.output<T>(0),
                Accumulate<T>(1)) {}
  void run(const Exec& exec) { product.run(exec); }
};

}  // namespace

const OperatorEntry& gemm_batched_entry() {
  static const OperatorEntry entry{&spec_of<GemmBatched>(),
                                   tile::implementations<GemmBatched, GemmBatchedKernel>("kokkos")};
  return entry;
}

}  // namespace gable::operators
