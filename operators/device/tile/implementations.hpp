#pragma once
#include <vector>

#include "operators/device/operator_kit.hpp"
#include "operators/device/tile/tile.hpp"

namespace gable::device::tile {

/// The kernels where the device has a form of the primitive. A template, so that they are compiled nowhere else.
template <class Op, class... Kernels>
std::vector<Implementation> implementations_of() {
  if constexpr (available) {
    return {implementation<Op, Kernels...>("kokkos")};
  } else {
    return {};
  }
}

/// Kernel<T> for each of the floating-point storage types of which the device has products, and `others`; if not `here`
/// these alone.
template <class Op, template <class> class Kernel, bool here = available>
std::vector<Implementation> implementations(std::vector<Implementation> others = {}) {
  if constexpr (here && multiplies<double>) {
    others.insert(others.begin(), floating_implementation<Op, Kernel>("kokkos"));
  } else if constexpr (here) {
    others.insert(others.begin(), implementation<Op, Kernel<Fp16>, Kernel<Bf16>>("kokkos"));
  }
  return others;
}

/// A kernel that is one product, or a batch of them, of the operator's first two arrays.
template <class T, class Product>
struct ProductKernel : UniformTypes<T>, Product {
  template <class Params>
  ProductKernel(const Params& p, const Buffers& buffers)
      : Product({batch_of(p), p.m, p.n, p.k}, buffers.input<T>(0), buffers.input<T>(1), buffers.output<T>(0),
                Accumulate<T>(1)) {}

 private:
  template <class Params>
  static Index batch_of(const Params& p) {
    if constexpr (requires { p.batch; }) return p.batch;
    return 1;
  }
};

}  // namespace gable::device::tile
