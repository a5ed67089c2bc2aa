#pragma once
#include <type_traits>

#include "core/operator.hpp"
#include "operators/device/activation.hpp"
#include "operators/device/pack.hpp"

namespace gable::device::tile {

/// What the elements of a product become before they are stored, while they are in registers: themselves.
struct AsTheyAre {};

/// Themselves in accumulate type, of a part of the depth: another launch adds the parts (CombineParts).
struct AsSums {};

/// c[i,j] + bias[j].
template <class T>
struct AddBias {
  const T* bias;
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> operator()(const Lanes<Accumulate<T>, N>& sums,
                                          const Lanes<Accumulate<T>, N>& added) const {
    return sums + added;
  }
};

/// gelu(c[i,j] + bias[j]), in accumulate type.
template <class T>
struct BiasGelu {
  static constexpr bool many_registers = true;  ///< beside a block's sums more than half a multiprocessor's share
  const T* bias;
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> operator()(const Lanes<Accumulate<T>, N>& sums,
                                          const Lanes<Accumulate<T>, N>& added) const {
    return GeluFor<T, N>(sums + added).result();
  }
};

/// An epilogue other than these, which has a row vector `bias` and takes the lanes of both.
template <class Epilogue>
inline constexpr bool has_bias = !std::is_same_v<Epilogue, AsTheyAre> && !std::is_same_v<Epilogue, AsSums>;

/// One whose arithmetic needs so many registers that two blocks at once do not fit a multiprocessor.
template <class Epilogue>
inline constexpr bool needs_registers = requires {
  Epilogue::many_registers;
};

}  // namespace gable::device::tile
