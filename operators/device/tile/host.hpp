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

/// bf16 of a product, which are staged and multiplied in pairs where the processor has an instruction for that. All
/// else made of tiles keeps Bf16, which is widened when it is staged: attention multiplies by weights in fp32.
struct PairedBf16 : Bf16 {};
/// What a product multiplies elements of T as, and what these are in memory.
template <class T>
using OperandOf =
    std::conditional_t<std::is_same_v<T, Bf16> && isa::Halves<register_bytes / int{sizeof(float)}>::has_dot_of_bf16,
                       PairedBf16, T>;
template <class T>
using Source = std::conditional_t<std::is_same_v<T, PairedBf16>, Bf16, T>;
/// int8 where the processor has an instruction for four of them. It takes one factor as unsigned: as_left().
template <class T>
inline constexpr bool in_quads =
    std::is_same_v<T, std::int8_t>&& isa::Integers<register_bytes / int{sizeof(float)}>::has_dot_of_quads;
template <class T>
inline constexpr bool in_groups = std::is_same_v<T, PairedBf16> || std::is_same_v<T, std::int8_t>;

/// Two vectors wide; as many rows as leave registers for one fragment of each operand: 6 of 16, 12 of 32.
template <class T>
struct Shape {
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(Accumulate<T>));
  static constexpr int vectors = 2;
  static constexpr int columns = vectors * lanes;
  static constexpr int rows = register_count == 32 ? 12 : 6;
  static constexpr int depth = in_quads<T> ? 4 : in_groups<T> ? 2 : 1;  ///< that one staged value has
};

/// 128 in each of four bytes.
inline constexpr auto offset_of_quads = static_cast<std::int32_t>(0x80808080u);

/// An element of a panel; of groups, neighbours in depth, the first in the lowest bits: two of 16 bits or four of 8.
template <class T>
using Staged = std::conditional_t<in_groups<T>, std::int32_t, Accumulate<T>>;
/// Values in depth that `depth` elements are staged as.
template <class T>
GABLE_FUNCTION Index staged_depth(Index depth) {
  return (depth + Shape<T>::depth - 1) / Shape<T>::depth;
}

/// Two halves, as a staged value has them.
GABLE_FUNCTION std::int32_t pair_of(std::uint16_t first, std::uint16_t second) {
  return static_cast<std::int32_t>(first | static_cast<std::uint32_t>(second) << 16);
}
/// The first `count` elements from `source` on as a group; the others are 0.
template <class T>
GABLE_FUNCTION std::int32_t group_of(const Source<T>* source, Index count) {
  std::uint32_t group = 0;
  constexpr int bits = 32 / Shape<T>::depth;
  for (int i = 0; i < Shape<T>::depth && i < count; ++i) {
    std::uint32_t element;
    if constexpr (std::is_same_v<T, PairedBf16>) {
      element = source[i].bits;
    } else {
      element = static_cast<std::uint32_t>(source[i]) & ((1u << bits) - 1);
    }
    group |= element << i * bits;
  }
  return static_cast<std::int32_t>(group);
}
/// `lanes` groups of elements that lie side by side.
template <int lanes, class T>
GABLE_FUNCTION typename VectorOf<std::int32_t, lanes>::type load_groups(const Source<T>* source) {
  typename VectorOf<std::int32_t, lanes>::type groups;
  if constexpr (sizeof(*source) * Shape<T>::depth < sizeof(std::int32_t)) {
    typename VectorOf<Source<T>, 2 * lanes>::type bytes;
    std::memcpy(&bytes, source, sizeof bytes);
    const auto wide = __builtin_convertvector(bytes, typename VectorOf<std::int16_t, 2 * lanes>::type);
    std::memcpy(&groups, &wide, sizeof wide);
  } else {
    std::memcpy(&groups, source, sizeof groups);
  }
  return groups;
}
/// Pairs of `lanes` elements of one row and of the next.
template <int lanes>
GABLE_FUNCTION void store_interleaved(std::int32_t* target, const Bf16* first, const Bf16* second) {
  using Halves = isa::Halves<lanes>;
  typename Halves::Narrow low, high;
  std::memcpy(&low, first, sizeof low);
  std::memcpy(&high, second, sizeof high);
  const auto pairs = Halves::widened(low) | Halves::widened(high) << 16;
  std::memcpy(target, &pairs, sizeof pairs);
}

/// Panel of `width` rows or columns by `depth`, depth-major: staged element (w, k) at [k * width + w], w < width.
/// Source element (w, k) lies at source[k * stride + w]; those from w = count on become 0. Times `factor`.
template <int width, class T>
requires(!in_groups<T>) GABLE_FUNCTION void stage_along(Staged<T>* target, const Source<T>* source, Index stride,
                                                        int count, Index depth, Accumulate<T> factor) {
  constexpr int lanes = Shape<T>::lanes;
  for (Index k = 0; k < depth; ++k, source += stride, target += width) {
    if (count < width) {
      for (int w = 0; w < width; ++w) target[w] = w < count ? widen(source[w]) * factor : Accumulate<T>(0);
    } else if constexpr (width % lanes == 0) {
      for (int w = 0; w < width; w += lanes) device::store(target + w, device::load<lanes>(source + w) * factor);
    } else {
      for (int w = 0; w < width; ++w) target[w] = widen(source[w]) * factor;
    }
  }
}

/// The same where source element (w, k) lies at source[w * stride + k].
template <int width, class T>
requires(!in_groups<T>) GABLE_FUNCTION void stage_across(Staged<T>* target, const Source<T>* source, Index stride,
                                                         int count, Index depth, Accumulate<T> factor) {
  constexpr int lanes = Shape<T>::lanes;
  Index k = 0;
  for (; k + lanes <= depth; k += lanes) {
    for (int w = 0; w < width; ++w) {
      const LanesOf<T, lanes> along =
          w < count ? device::load<lanes>(source + w * stride + k) * factor : Accumulate<T>(0);
      for (int i = 0; i < lanes; ++i) target[(k + i) * width + w] = along[i];
    }
  }
  for (; k < depth; ++k) {
    for (int w = 0; w < width; ++w) {
      target[k * width + w] = w < count ? widen(source[w * stride + k]) * factor : Accumulate<T>(0);
    }
  }
}

/// stage_along in pairs, each of two rows of bf16; below an odd last row are zeros. There is no factor: elements stay
/// as they are.
template <int width, class T>
requires(std::is_same_v<T, PairedBf16>) GABLE_FUNCTION
    void stage_along(Staged<T>* target, const Bf16* source, Index stride, int count, Index depth, Accumulate<T>) {
  constexpr int lanes = Shape<T>::lanes;
  static constexpr Bf16 zeros[width]{};
  for (Index k = 0; k < depth; k += 2, source += 2 * stride, target += width) {
    const Bf16* second = k + 1 < depth ? source + stride : zeros;
    if (count < width) {
      for (int w = 0; w < width; ++w) target[w] = w < count ? pair_of(source[w].bits, second[w].bits) : 0;
    } else if constexpr (width % lanes == 0) {
      for (int w = 0; w < width; w += lanes) store_interleaved<lanes>(target + w, source + w, second + w);
    } else {
      for (int w = 0; w < width; ++w) target[w] = pair_of(source[w].bits, second[w].bits);
    }
  }
}
/// stage_across in groups, likewise.
template <int width, class T>
requires(in_groups<T>) GABLE_FUNCTION
    void stage_across(Staged<T>* target, const Source<T>* source, Index stride, int count, Index depth, Accumulate<T>) {
  constexpr int lanes = Shape<T>::lanes;
  constexpr int group = Shape<T>::depth;
  using Integers = isa::Integers<lanes>;
  Index k = 0;
  for (; k + group * lanes <= depth; k += group * lanes, target += lanes * width) {
    const auto groups_of = [&](int w) {
      typename Integers::Vector groups{};
      if (w < count) groups = load_groups<lanes, T>(source + w * stride + k);
      return groups;
    };
    int w = 0;
    for (; w + 4 <= width; w += 4) {
      Integers::store_transposed(target + w, width, groups_of(w), groups_of(w + 1), groups_of(w + 2), groups_of(w + 3));
    }
    for (; w < width; ++w) {
      const auto groups = groups_of(w);
      for (int i = 0; i < lanes; ++i) target[i * width + w] = groups[i];
    }
  }
  for (; k < depth; k += group, target += width) {
    for (int w = 0; w < width; ++w) target[w] = w < count ? group_of<T>(source + w * stride + k, depth - k) : 0;
  }
}

/// Makes `count` staged values those of a left operand: its quads hold x + 128, which multiply() takes back.
template <class T>
GABLE_FUNCTION void as_left(Staged<T>* staged, Index count) {
  if constexpr (in_quads<T>) {
    for (Index i = 0; i < count; ++i) staged[i] ^= offset_of_quads;
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
  Lanes<Staged<T>, Shape<T>::lanes> vector[Shape<T>::vectors];
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

/// sum + x y; of all elements of each group, in the instruction for it. int8: exactly.
template <class T, int N>
GABLE_FUNCTION LanesOf<T, N> multiply_add(const LanesOf<T, N>& sum, const Lanes<Staged<T>, N>& x,
                                          const Lanes<Staged<T>, N>& y) {
  if constexpr (in_groups<T>) {
    LanesOf<T, N> result;
    if constexpr (std::is_same_v<T, PairedBf16>) {
      using Words = typename isa::Halves<N>::Words;
      result.part[0] = isa::Halves<N>::add_dot_of_bf16(sum.part[0], Words(x.part[0]), Words(y.part[0]));
    } else if constexpr (in_quads<T>) {
      result.part[0] = isa::Integers<N>::add_dot_of_quads(sum.part[0], x.part[0], y.part[0]);
    } else {
      result.part[0] = isa::Integers<N>::add_dot_of_pairs(sum.part[0], x.part[0], y.part[0]);
    }
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
    const Lanes<Staged<T>, Shape<T>::lanes> factor = left[row];
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
  if constexpr (in_quads<T>) {
    LanesOf<T, Shape<T>::lanes> excess[Shape<T>::vectors]{};  // 128 times the sums of the columns
    const Lanes<Staged<T>, Shape<T>::lanes> offset = offset_of_quads;
#pragma GCC unroll 4
    for (Index k = 0; k < depth; ++k) {
      const RightFragment<T> fragment = load(right, k);
      multiply_add(accumulator, load(left, k), fragment);
      for (int v = 0; v < Shape<T>::vectors; ++v) excess[v] = multiply_add<T>(excess[v], offset, fragment.vector[v]);
    }
    accumulator.for_each([&](int, int column, auto& pack) { pack = pack - excess[column / Shape<T>::lanes]; });
  } else {
#pragma GCC unroll 4
    for (Index k = 0; k < depth; ++k) multiply_add(accumulator, load(left, k), load(right, k));
  }
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
