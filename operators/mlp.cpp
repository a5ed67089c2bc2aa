#include "operators/mlp.hpp"

#include "operators/device/activation.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"

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

template <class T>
struct BiasBody {
  const T* x;
  const T* b;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index j) const {
    return access.load(x + i) + access.load(b + j);
  }
};

/// The passes between the products work in place.
template <class T>
struct MlpUnfusedKernel : UniformTypes<T> {
  Index m, d, h;
  Kokkos::View<T*, Exec::memory_space> hidden;
  T* y;
  BiasGeluBody<T> activation;
  BiasBody<T> bias;
  tile::Product<T, false> up, down;

  MlpUnfusedKernel(const MlpUnfused::Params& p, const Buffers& buffers)
      : m(p.m),
        d(p.d),
        h(p.h),
        hidden(tile::make_workspace<T>("gable::mlp::hidden", p.m * p.h)),
        y(buffers.output<T>(0)),
        activation{hidden.data(), buffers.input<T>(2)},
        bias{y, buffers.input<T>(4)},
        up({1, p.m, p.h, p.d}, buffers.input<T>(0), buffers.input<T>(1), hidden.data(), Accumulate<T>(1)),
        down({1, p.m, p.d, p.h}, hidden.data(), buffers.input<T>(3), y, Accumulate<T>(1)) {}
  void run(const Exec& exec) {
    up.run(exec);
    elementwise(exec, hidden.data(), m * h, h, activation);
    down.run(exec);
    elementwise(exec, y, m * d, d, bias);
  }
};

}  // namespace

const OperatorEntry& mlp_fused_entry() { return entry_of<MlpFused>(tile::implementations<MlpFused, MlpFusedKernel>()); }
const OperatorEntry& mlp_unfused_entry() {
  return entry_of<MlpUnfused>(tile::implementations<MlpUnfused, MlpUnfusedKernel>());
}

}  // namespace gable::operators
