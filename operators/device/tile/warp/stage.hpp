#pragma once
#include "core/operator.hpp"
#include "operators/device/tile/warp/layout.hpp"

namespace gable::device::tile::warp {

/// The part of a row-major matrix that a panel is filled from; what lies beyond `rows` or `columns` becomes 0.
template <class T>
struct Source {
  const T* first;  ///< of the part; never read if rows or columns is not positive
  Index stride;    ///< elements from a row to the next
  int rows, columns;
  bool aligned;  ///< every row of the matrix starts at a multiple of 16 bytes, and so does the part
};

/// What is left of `count` from `first` on, as a number of rows or columns of a Source.
GABLE_FUNCTION int left_from(Index first, Index count) {
  constexpr int plenty = 1 << 30;
  return count - first < plenty ? static_cast<int>(count - first) : plenty;
}

/// Begins the copy of `rows` rows of `row_chunks` chunks into a panel of the layout, by all `threads` of a block
/// together. Aligned sources and elements of 4 or 8 bytes are copied asynchronously; other 2-byte elements at once.
template <class Machine, class Layout, int rows, int row_chunks, int threads, class T>
GABLE_FUNCTION void stage(T* panel, const Source<T>& source, int thread) {
  constexpr int chunks = rows * row_chunks;
  if (source.aligned) {
#pragma unroll
    for (int i = 0; i < (chunks + threads - 1) / threads; ++i) {
      const int chunk = thread + i * threads;
      if (chunks % threads != 0 && chunk >= chunks) break;
      const int row = chunk / row_chunks, column = chunk % row_chunks * per_chunk<T>;
      const int left = row < source.rows ? source.columns - column : 0;
      const int count = left < 0 ? 0 : (left < per_chunk<T> ? left : per_chunk<T>);
      const T* from = count > 0 ? source.first + row * source.stride + column : source.first;
      Machine::template copy<chunk_bytes>(panel + Layout::at(row, column), from, count * static_cast<int>(sizeof(T)));
    }
    return;
  }
#pragma unroll 1
  for (int element = thread; element < chunks * per_chunk<T>; element += threads) {
    const int row = element / (row_chunks * per_chunk<T>), column = element % (row_chunks * per_chunk<T>);
    const bool inside = row < source.rows && column < source.columns;
    const T* from = inside ? source.first + row * source.stride + column : source.first;
    T* to = panel + Layout::at(row, column);
    if constexpr (sizeof(T) >= 4) {
      Machine::template copy<sizeof(T)>(to, from, inside ? static_cast<int>(sizeof(T)) : 0);
    } else {
      *to = inside ? *from : T{};
    }
  }
}

/// Waits until at most `groups` (0, 1 or 2) of the groups that this thread committed are under way.
template <class Machine>
GABLE_FUNCTION void wait_for_all_but(int groups) {
  if (groups == 0) {
    Machine::template wait<0>();
  } else if (groups == 1) {
    Machine::template wait<1>();
  } else {
    Machine::template wait<2>();
  }
}

}  // namespace gable::device::tile::warp
