#pragma once
#include <string_view>
#include <vector>

#include "operators/device/operator_kit.hpp"
#include "operators/device/tile/tile.hpp"

namespace gable::device::tile {

/// The kernels where the device has a form of the primitive. A template, so that they are compiled nowhere else.
template <class Op, class... Kernels>
std::vector<Implementation> implementations_of(std::string_view name) {
  if constexpr (available) {
    return {implementation<Op, Kernels...>(name)};
  } else {
    return {};
  }
}

/// Kernel<T> for each of the floating-point storage types of which the device has products, and `others`; if not `here`
/// these alone.
template <class Op, template <class> class Kernel, bool here = available>
std::vector<Implementation> implementations(std::string_view name, std::vector<Implementation> others = {}) {
  if constexpr (here && multiplies<double>) {
    others.insert(others.begin(), floating_implementation<Op, Kernel>(name));
  } else if constexpr (here) {
    others.insert(others.begin(), implementation<Op, Kernel<Fp16>, Kernel<Bf16>>(name));
  }
  return others;
}

}  // namespace gable::device::tile
