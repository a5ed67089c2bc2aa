#pragma once
#include "core/operator.hpp"

namespace gable::device::tile {

/// Sizes of a batch of products, elements.
struct ProductSize {
  Index batch, m, n, k;
};

}  // namespace gable::device::tile
