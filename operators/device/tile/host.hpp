#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "operators/device/chunk.hpp"
#include "operators/device/pack.hpp"

/// Host form of the tile primitive (see tile.hpp): the tile is a block of vector registers; a fragment is one column of
/// the left operand, broadcast from memory, against two vectors of the right one. Written on Lanes, so that the
/// compiler makes the fused multiply-adds of whatever instruction set it compiles for.
namespace gable::device::tile {

/// Two vectors wide; as many rows as leave registers for one fragment of each operand: 6 of 16, 12 of 32.
template <class T>
struct Shape {
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(Accumulate<T>));
  static constexpr int vectors = 2;
  static constexpr int columns = vectors * lanes;
  static constexpr int rows = register_count == 32 ? 12 : 6;
  static constexpr int depth = std::is_same_v<T, std::int8_t> ? 2 : 1;  ///< that one staged value has
};

/// An element of a panel. int8: a pair of neighbours in depth, each 16 bits wide, the first in the low half.
template <class T>
using Staged = Accumulate<T>;
/// Values in depth that `depth` elements are staged as.
template <class T>
GABLE_FUNCTION Index staged_depth(Index depth) {
  return (depth + Shape<T>::depth - 1) / Shape<T>::depth;
}

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

/// stage_across for int8, in pairs; an odd depth ends with a 0.
template <int width>
GABLE_FUNCTION void stage_pairs(std::int32_t* target, const std::int8_t* source, Index stride, int count, Index depth) {
  constexpr int lanes = Shape<std::int8_t>::lanes;
  Index k = 0;
  for (; k + 2 * lanes <= depth; k += 2 * lanes, target += lanes * width) {
    for (int w = 0; w < width; ++w) {
      typename VectorOf<std::int32_t, lanes>::type pairs{};
      if (w < count) {
        typename VectorOf<std::int8_t, 2 * lanes>::type bytes;
        std::memcpy(&bytes, source + w * stride + k, sizeof bytes);
        const auto wide = __builtin_convertvector(bytes, typename VectorOf<std::int16_t, 2 * lanes>::type);
        std::memcpy(&pairs, &wide, sizeof wide);
      }
      for (int i = 0; i < lanes; ++i) target[i * width + w] = pairs[i];
    }
  }
  for (; k < depth; k += 2, target += width) {
    for (int w = 0; w < width; ++w) {
      const int first = w < count ? source[w * stride + k] : 0;
      const int second = w < count && k + 1 < depth ? source[w * stride + k + 1] : 0;
      target[w] = static_cast<std::int32_t>((static_cast<std::uint32_t>(first) & 0xffffU) |
                                            static_cast<std::uint32_t>(second) << 16);
    }
  }
}

/// The same where source element (w, k) lies at source[w * stride + k]; times `factor`.
template <int width, class T>
GABLE_FUNCTION void stage_across(Staged<T>* target, const T* source, Index stride, int count, Index depth,
                                 Staged<T> factor) {
  constexpr int lanes = Shape<T>::lanes;
  if constexpr (std::is_same_v<T, std::int8_t>) {
    stage_pairs<width>(target, source, stride, count, depth);
    return;
  }
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

/// sum + x y. int8: of both halves of each pair, exactly, in the instruction that x86 has for it.
template <class T, int N>
GABLE_FUNCTION LanesOf<T, N> multiply_add(const LanesOf<T, N>& sum, const LanesOf<T, N>& x, const LanesOf<T, N>& y) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    LanesOf<T, N> result;
    result.part[0] = isa::Integers<N>::add_dot_of_pairs(sum.part[0], x.part[0], y.part[0]);
    return result;
  } else {
    return sum + x * y;
  }
}

template <class T, int stride>
GABLE_FUNCTION void multiply_add(Accumulator<T>& accumulator, const LeftFragment<T, stride>& left,
                                 const RightFragment<T>& right) {
#pragma GCC unroll 16
  for (int row = 0; row < Accumulator<T>::rows; ++row) {
    const LanesOf<T, Shape<T>::lanes> factor = left[row];
#pragma GCC unroll 4
    for (int v = 0; v < Shape<T>::vectors; ++v) {
      auto& sum = accumulator.value[row][v];
      sum = multiply_add<T, Shape<T>::lanes>(sum, factor, right.vector[v]);
    }
  }
}

/// accumulator += left x right over `depth` staged values.
template <class T, class Left>
GABLE_FUNCTION void multiply(Accumulator<T>& accumulator, const Left& left, const RightPanel<T>& right, Index depth) {
#pragma GCC unroll 4
  for (Index k = 0; k < depth; ++k) multiply_add(accumulator, load(left, k), load(right, k));
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
