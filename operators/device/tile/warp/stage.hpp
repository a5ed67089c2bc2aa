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
  bool aligned;  ///< rows of the matrix are whole chunks, and so is what lies before the part in each
};

/// What is left of `count` from `first` on, as a number of rows or columns of a Source.
GABLE_FUNCTION int left_from(Index first, Index count) {
  constexpr int plenty = 1 << 30;
  return count - first < plenty ? static_cast<int>(count - first) : plenty;
}

/// Copies that a thread has begun, and what is left to do for them before the next barrier: nothing where the machine
/// copies asynchronously; else they are in registers while the thread multiplies, and land() stores them.
template <class Machine, int count>
struct Flight {
  typename Machine::Chunk chunk[count]{};
  GABLE_FUNCTION void land() const {
#pragma unroll
    for (int i = 0; i < count; ++i) Machine::land(chunk[i]);
  }
};
template <int rows, int row_chunks, int threads>
inline constexpr int chunks_each = (rows * row_chunks + threads - 1) / threads;

/// Begins the copy of `rows` rows of `row_chunks` chunks into a panel of the layout, by all `threads` of a block
/// together, as the chunks of `flight` from `first` on. Aligned sources are copied by whole chunks; of others elements
/// of 4 or 8 bytes asynchronously where the machine can, 2-byte ones at once.
template <class Machine, class Layout, int rows, int row_chunks, int threads, int first, class T, int count>
GABLE_FUNCTION void stage(Flight<Machine, count>& flight, T* panel, const Source<T>& source, int thread) {
  constexpr int chunks = rows * row_chunks;
  static_assert(first + chunks_each<rows, row_chunks, threads> <= count);
  if (source.aligned) {
#pragma unroll
    for (int i = 0; i < chunks_each<rows, row_chunks, threads>; ++i) {
      const int chunk = thread + i * threads;
      if (chunks % threads != 0 && chunk >= chunks) break;
      const int row = chunk / row_chunks, column = chunk % row_chunks * per_chunk<T>;
      const int left = row < source.rows ? source.columns - column : 0;
      const int elements = left < 0 ? 0 : (left < per_chunk<T> ? left : per_chunk<T>);
      const T* from = elements > 0 ? source.first + row * source.stride + column : source.first;
      flight.chunk[first + i] = Machine::template copy<chunk_bytes>(panel + Layout::at(row, column), from,
                                                                    elements * static_cast<int>(sizeof(T)));
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
      Machine::land(Machine::template copy<sizeof(T)>(to, from, inside ? static_cast<int>(sizeof(T)) : 0));
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
