#pragma once
#include "core/operator.hpp"

namespace gable::device::tile {

/// Sizes of attention: heads, length of the sequence, width of a head.
struct AttentionSize {
  Index h, l, d;
};

}  // namespace gable::device::tile
