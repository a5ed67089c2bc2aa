#pragma once
#include "core/operator.hpp"

namespace gable::device::tile {

/// Sizes of attention: heads of the queries, heads of keys and values (each serves h / kv neighbouring heads of the
/// queries), length of the sequence, width of a head; causal: row i sees keys 0 to i, else all.
struct AttentionSize {
  Index h, kv, l, d;
  bool causal;
};

}  // namespace gable::device::tile
