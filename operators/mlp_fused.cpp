#include "operators/mlp.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"
#include "operators/device/tile/tile.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct MlpFusedKernel : UniformTypes<T> {
  Kokkos::View<T*, Exec::memory_space> hidden;
  tile::Product<T, false, false, tile::BiasGelu<T>> up;
  tile::Product<T, false, false, tile::AddBias<T>> down;

  MlpFusedKernel(const MlpFused::Params& p, const Buffers& buffers)
      : hidden(tile::make_workspace<T>("gable::mlp::hidden", p.m * p.h)),
        up({1, p.m, p.h, p.d}, buffers.input<T>(0), buffers.input<T>(1), hidden.data(), Accumulate<T>(1),
           {buffers.input<T>(2)}),
        down({1, p.m, p.d, p.h}, hidden.data(), buffers.input<T>(3), buffers.output<T>(0), Accumulate<T>(1),
             {buffers.input<T>(4)}) {}
  void run(const Exec& exec) {
    up.run(exec);
    down.run(exec);
  }
};

}  // namespace

const OperatorEntry& mlp_fused_entry() {
  static const OperatorEntry entry{&spec_of<MlpFused>(), tile::implementations<MlpFused, MlpFusedKernel>("kokkos")};
  return entry;
}

}  // namespace gable::operators
