#pragma once
#include <type_traits>

#include "core/operator.hpp"
#include "operators/device/tile/warp/layout.hpp"

namespace gable::device::tile::warp {

/// The part of a row-major matrix that a panel is filled from; what lies beyond `rows` or `columns` becomes 0.
template <class T>
struct Source {
  const T* first;  ///< of the part; never read if rows or columns is not positive
  Index stride;    ///< elements from a row to the next
  int rows, columns;
  bool aligned;  ///< rows of the matrix are whole segments, and so is what lies before the part in each
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
  typename Machine::Segment segment[count]{};
  GABLE_FUNCTION void land() const {
#pragma unroll
    for (int i = 0; i < count; ++i) Machine::land(segment[i]);
  }
};
template <int rows, int row_segments, int threads>
inline constexpr int segments_each = (rows * row_segments + threads - 1) / threads;

/// Begins the copy of `rows` rows of `row_segments` segments into a panel of the layout, by all `threads` of a block
/// together, as the segments of `flight` from `first` on. Aligned sources are copied by whole segments; of others
/// elements of 4 or 8 bytes asynchronously where the machine can, 2-byte ones at once.
template <class Machine, class Layout, int rows, int row_segments, int threads, int first, class T, int count>
GABLE_FUNCTION void stage(Flight<Machine, count>& flight, T* panel, const Source<T>& source, int thread) {
  constexpr int segments = rows * row_segments;
  static_assert(first + segments_each<rows, row_segments, threads> <= count);
  if (source.aligned) {
    // One after the other where nothing of them stays in registers: those are the product's.
    [[maybe_unused]] constexpr int at_once = std::is_empty_v<typename Machine::Segment> ? 1 : count;
#pragma unroll at_once
    for (int i = 0; i < segments_each<rows, row_segments, threads>; ++i) {
      const int segment = thread + i * threads;
      if (segments % threads != 0 && segment >= segments) break;
      const int row = segment / row_segments, column = segment % row_segments * per_segment<T>;
      const int left = row < source.rows ? source.columns - column : 0;
      const int elements = left < 0 ? 0 : (left < per_segment<T> ? left : per_segment<T>);
      const T* from = elements > 0 ? source.first + row * source.stride + column : source.first;
      flight.segment[first + i] = Machine::template copy<segment_bytes>(panel + Layout::at(row, column), from,
                                                                        elements * static_cast<int>(sizeof(T)));
    }
    return;
  }
#pragma unroll 1
  for (int element = thread; element < segments * per_segment<T>; element += threads) {
    const int row = element / (row_segments * per_segment<T>), column = element % (row_segments * per_segment<T>);
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

/// The copies that one thread makes of `rows` rows of `row_segments` segments where all of them exist and are aligned.
/// What their addresses depend on is worked out once: a copy then costs an addition or two, which the product's loop
/// has to find room for between its matrix instructions.
template <class Layout, int rows, int row_segments, int threads, class T>
struct WholeCopies {
  static constexpr int count = rows * row_segments / threads;
  static constexpr int rows_apart = threads / row_segments;  ///< from one copy of the thread to its next
  static_assert(count * threads == rows * row_segments && rows_apart * row_segments == threads);

  /// Whether the layout gives segments of one column, rows_apart rows from each other, places that lie equally far
  /// apart.
  static constexpr bool evenly_apart() {
    for (int row = 0; row + rows_apart < rows; ++row) {
      for (int column = 0; column < row_segments * per_segment<T>; column += per_segment<T>) {
        if (Layout::at(row + rows_apart, column) - Layout::at(row, column) != Layout::at(rows_apart, 0)) return false;
      }
    }
    return true;
  }
  /// One where the others follow from the first.
  static constexpr int places = evenly_apart() ? 1 : count;

  const unsigned char* from;  ///< of the first copy
  Index apart;                ///< bytes from there to the next
  int step;                   ///< bytes from this panel to the next
  int to[places];             ///< offsets in the panel, elements

  GABLE_FUNCTION WholeCopies(const Source<T>& source, int to_next_panel, int thread)
      : from(reinterpret_cast<const unsigned char*>(source.first + thread / row_segments * source.stride +
                                                    thread % row_segments * per_segment<T>)),
        apart(rows_apart * source.stride * static_cast<Index>(sizeof(T))),
        step(to_next_panel * static_cast<int>(sizeof(T))) {
#pragma unroll
    for (int i = 0; i < places; ++i)
      to[i] = Layout::at(thread / row_segments + i * rows_apart, thread % row_segments * per_segment<T>);
  }
  /// Whether all that it counts in `int` fits there.
  GABLE_FUNCTION static bool takes(const Source<T>& source) {
    return source.aligned && source.stride < (Index{1} << 30) / (rows * static_cast<Index>(sizeof(T)));
  }
  /// Begins them as the segments of `flight` from `first` on, and goes on to the next panel.
  template <class Machine, int first, int flight_count>
  GABLE_FUNCTION void begin(Flight<Machine, flight_count>& flight, T* panel) {
    const unsigned char* next = from;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const int place = places == 1 ? to[0] + i * Layout::at(rows_apart, 0) : to[places == 1 ? 0 : i];
      flight.segment[first + i] = Machine::template copy<segment_bytes>(panel + place, next, segment_bytes);
      next += apart;
    }
    from += step;
  }
};

/// The copies of one thread, element by element, of `rows` rows of `depth` into a panel across the depth, all of which
/// exist: of eight neighbours along the depth, as far as a sector of memory goes, and four rows at once.
template <class Layout, int rows, int depth, int threads, class T>
struct TransposingCopies {
  static constexpr int at_once = 8, rows_apart = threads / at_once;
  static_assert(depth % at_once == 0 && rows % rows_apart == 0);
  const T* from;  ///< of the first copy
  Index apart;    ///< elements from there to the next row
  int to;         ///< offset in the panel, elements

  GABLE_FUNCTION TransposingCopies(const Source<T>& source, int, int thread)
      : from(source.first + thread / at_once * source.stride + thread % at_once),
        apart(rows_apart * source.stride),
        to(Layout::at(thread % at_once, thread / at_once)) {}
  GABLE_FUNCTION static bool takes(const Source<T>&) { return true; }
  /// Begins them, and goes on to the next panel.
  template <class Machine, int first, int flight_count>
  GABLE_FUNCTION void begin(Flight<Machine, flight_count>&, T* panel) {
    const T* next = from;
#pragma unroll
    for (int row = 0; row < rows; row += rows_apart) {
#pragma unroll
      for (int k = 0; k < depth; k += at_once)
        Machine::land(Machine::template copy<sizeof(T)>(panel + to + Layout::at(k, row), next + k, sizeof(T)));
      next += apart;
    }
    from += depth;
  }
};
/// The same where rows and columns of the source may end within the panel.
template <class Machine, class Layout, int rows, int depth, int threads, class T>
GABLE_FUNCTION void stage_transposed(T* panel, const Source<T>& source, int thread) {
#pragma unroll 1
  for (int element = thread; element < rows * depth; element += threads) {
    const int row = element / depth, k = element % depth;
    const bool inside = row < source.rows && k < source.columns;
    const T* from = inside ? source.first + row * source.stride + k : source.first;
    Machine::land(Machine::template copy<sizeof(T)>(panel + Layout::at(k, row), from, inside ? sizeof(T) : 0));
  }
}

/// Waits until at most `groups` (0 or 1) of the groups that this thread committed are under way.
template <class Machine>
GABLE_FUNCTION void wait_for_all_but(int groups) {
  if (groups == 0) {
    Machine::template wait<0>();
  } else {
    Machine::template wait<1>();
  }
}

}  // namespace gable::device::tile::warp
