#pragma once
#include "operators/device/chunk.hpp"
#include "operators/device/pack.hpp"

/// Host form of the tile primitive (see tile.hpp): the tile is a block of vector registers; a fragment is one column of
/// the left operand, broadcast from memory, against two vectors of the right one. Written on Lanes, so that the
/// compiler makes the fused multiply-adds of whatever instruction set it compiles for.
namespace gable::device::tile {

/// Vector registers of the instruction set.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int register_count = 32;
#else
inline constexpr int register_count = 16;
#endif

/// Two vectors wide; as many rows as leave registers for one fragment of each operand: 6 of 16, 12 of 32.
template <class T>
struct Shape {
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(Accumulate<T>));
  static constexpr int vectors = 2;
  static constexpr int columns = vectors * lanes;
  static constexpr int rows = register_count == 32 ? 12 : 6;
  static constexpr int depth = 1;
};

template <class T>
using Staged = Accumulate<T>;

/// Panel of `width` rows or columns by `depth`, depth-major: element (w, k) at [k * width + w], w < width.
/// Source element (w, k) lies at source[k * stride + w]; those from w = count on become 0. Times `factor`.
template <int width, class T>
GABLE_FUNCTION void stage_along(Staged<T>* target, const T* source, Index stride, int count, Index depth,
                                Staged<T> factor) {
  constexpr int lanes = Shape<T>::lanes;
  for (Index k = 0; k < depth; ++k, source += stride, target += width) {
    if (count < width) {
      for (int w = 0; w < width; ++w) target[w] = w < count ? widen(source[w]) * factor : Staged<T>(0);
    } else if constexpr (width % lanes == 0) {
      for (int w = 0; w < width; w += lanes) device::store(target + w, device::load<lanes>(source + w) * factor);
    } else {
      for (int w = 0; w < width; ++w) target[w] = widen(source[w]) * factor;
    }
  }
}

/// The same where source element (w, k) lies at source[w * stride + k]; times `factor`.
template <int width, class T>
GABLE_FUNCTION void stage_across(Staged<T>* target, const T* source, Index stride, int count, Index depth,
                                 Staged<T> factor) {
  constexpr int lanes = Shape<T>::lanes;
  Index k = 0;
  for (; k + lanes <= depth; k += lanes) {
    for (int w = 0; w < width; ++w) {
      const LanesOf<T, lanes> along = w < count ? device::load<lanes>(source + w * stride + k) * factor : Staged<T>(0);
      for (int i = 0; i < lanes; ++i) target[(k + i) * width + w] = along[i];
    }
  }
  for (; k < depth; ++k) {
    for (int w = 0; w < width; ++w) {
      target[k * width + w] = w < count ? widen(source[w * stride + k]) * factor : Staged<T>(0);
    }
  }
}

/// A CPU's staging is done when it returns.
GABLE_FUNCTION void commit() {}
template <int groups>
GABLE_FUNCTION void wait() {}

/// One column of the left operand; row r at first[r * stride].
template <class T, int stride>
struct LeftFragment {
  const Staged<T>* first;
  GABLE_FUNCTION Staged<T> operator[](int row) const { return first[row * stride]; }
};
template <class T>
struct RightFragment {
  LanesOf<T, Shape<T>::lanes> vector[Shape<T>::vectors];
};

/// A panel made by stage_along or stage_across.
template <class T>
struct LeftPanel {
  const Staged<T>* data;
};
/// Left operand that a kernel wrote itself: row-major, `columns` values to a row.
template <class T, int columns>
struct LeftRows {
  const Staged<T>* data;
};
template <class T>
struct RightPanel {
  const Staged<T>* data;
};

template <class T>
GABLE_FUNCTION LeftFragment<T, 1> load(const LeftPanel<T>& panel, Index k) {
  return {panel.data + k * Shape<T>::rows};
}
template <class T, int columns>
GABLE_FUNCTION LeftFragment<T, columns> load(const LeftRows<T, columns>& rows, Index k) {
  return {rows.data + k};
}
template <class T>
GABLE_FUNCTION RightFragment<T> load(const RightPanel<T>& panel, Index k) {
  RightFragment<T> fragment;
  for (int v = 0; v < Shape<T>::vectors; ++v) {
    fragment.vector[v] = device::load<Shape<T>::lanes>(panel.data + k * Shape<T>::columns + v * Shape<T>::lanes);
  }
  return fragment;
}

/// The tile, in accumulate type.
template <class T>
struct Accumulator {
  static constexpr int rows = Shape<T>::rows;
  static constexpr int vectors = Shape<T>::vectors;
  static constexpr int lanes = Shape<T>::lanes;
  LanesOf<T, lanes> value[rows][vectors];

  GABLE_FUNCTION void clear() {
    for_each([](int, int, auto& pack) { pack = Accumulate<T>(0); });
  }
  /// function(row, column, pack): the pack holds the columns [column, column + lanes) of the row.
  template <class Function>
  GABLE_FUNCTION void for_each(const Function& function) {
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) function(row, v * lanes, value[row][v]);
    }
  }
};

template <class T, int stride>
GABLE_FUNCTION void multiply_add(Accumulator<T>& accumulator, const LeftFragment<T, stride>& left,
                                 const RightFragment<T>& right) {
#pragma GCC unroll 16
  for (int row = 0; row < Accumulator<T>::rows; ++row) {
    const LanesOf<T, Shape<T>::lanes> factor = left[row];
#pragma GCC unroll 4
    for (int v = 0; v < Shape<T>::vectors; ++v) accumulator.value[row][v] += factor * right.vector[v];
  }
}

/// accumulator += left x right over `depth`, a multiple of the fragments' depth in the padded panels.
template <class T, class Left>
GABLE_FUNCTION void multiply(Accumulator<T>& accumulator, const Left& left, const RightPanel<T>& right, Index depth) {
#pragma GCC unroll 4
  for (Index k = 0; k < depth; k += Shape<T>::depth) multiply_add(accumulator, load(left, k), load(right, k));
}

/// Largest element of each row of the accumulators included, which lie side by side, and of `start`.
template <class T>
struct RowMaximum {
  LanesOf<T, Shape<T>::lanes> collected[Shape<T>::rows];

  GABLE_FUNCTION explicit RowMaximum(Accumulate<T> start) {
    for (auto& lanes : collected) lanes = start;
  }
  GABLE_FUNCTION void include(const Accumulator<T>& accumulator) {
    for (int row = 0; row < Shape<T>::rows; ++row) {
      for (const auto& pack : accumulator.value[row]) collected[row] = max(pack, collected[row]);
    }
  }
  GABLE_FUNCTION Accumulate<T> of_row(int row) const { return maximum(collected[row]); }
};

}  // namespace gable::device::tile
