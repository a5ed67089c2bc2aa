#pragma once
#include <type_traits>

#include "core/operator.hpp"
#include "operators/device/storage.hpp"

namespace gable::device::tile {

/// Sizes of a batch of products, elements.
struct ProductSize {
  Index batch, m, n, k;
};

/// What a product of operands of storage type T is stored as: T; of integers their sums.
template <class T>
using Result = std::conditional_t<std::is_integral_v<T>, Accumulate<T>, T>;

}  // namespace gable::device::tile
