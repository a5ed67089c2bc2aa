#pragma once
#include <cstdint>

#include "operators/device/chunk.hpp"
#include "operators/device/pack.hpp"

namespace gable::device {

/// The first of `count` parts of a matrix, with entries up to offset[i] before part i, that belongs to thread `part` of
/// `parts`: each gets about as many entries, a part counting as one more.
GABLE_FUNCTION Index balanced_begin(const std::int32_t* offset, Index count, Index part, Index parts) {
  const Index wanted = (offset[count] + count) / parts * part + (offset[count] + count) % parts * part / parts;
  Index low = 0, high = count;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (offset[middle] + middle < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return part == parts ? count : low;
}

#if !defined(GABLE_ARRAY_LANES)
/// x at `width` indices, as one register: neighbours, as in bands and dense blocks, as a whole where there is a quick
/// way to tell, others one by one, because the gathers of Zen 3 and of older cores take longer.
template <class T, int width>
GABLE_FUNCTION Lanes<T, width> gathered(const T* x, const std::int32_t* index) {
  if (isa::Integers<width>::are_neighbours(index)) return load<width>(x + *index);
  Lanes<T, width> values;
#pragma GCC unroll 16
  for (int i = 0; i < width; ++i) values.set(i, x[index[i]]);
  return values;
}
#endif

}  // namespace gable::device
