#pragma once
#include <Kokkos_Core.hpp>
#include <cmath>

#include "operators/device/elementwise.hpp"
#include "operators/device/exp.hpp"
#include "operators/device/tile/right_operand.hpp"
#include "operators/device/tile/size.hpp"

namespace gable::device::tile {

/// A thread takes a block of rows of Q at a time through all of K and V that they see, `keys` of them at a time: the
/// block of K and V and the thread's own state stay in L2, the scores of one tile's rows in L1. No row reads a key or a
/// value that it does not see.
template <class T>
struct FusedAttentionBody {
  using A = Accumulate<T>;
  static constexpr int rows = Shape<T>::rows;
  static constexpr int columns = Shape<T>::columns;
  static constexpr int lanes = Shape<T>::lanes;
  static constexpr int keys = 128;
  static constexpr Index block_panels = 96 / rows;
  static constexpr A lowest = -Kokkos::Experimental::finite_max_v<A>;

  AttentionSize p;
  const T* q;
  T* o;
  typename RightOperand<T, true>::Block k;
  typename RightOperand<T, false>::Block v;
  A* workspace;  ///< [parts, state_size(d)]
  Index parts;
  A factor;
  Index group;  ///< heads of Q that share a head of K and V

  /// Rows of one tile: staged Q [d, rows], sums of O [rows, padded d], and per row the largest score and the sum.
  static Index tile_state(Index d) { return rows * (d + panels_of(d, columns) * columns + 2); }
  static Index state_size(Index d) { return block_panels * tile_state(d); }

  struct State {
    A* q;
    A* sums;
    A* largest;
    A* total;
  };

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Index row_panels = panels_of(p.l, rows);
    const Index last = first_panel(part + 1, row_panels);
    for (Index panel = first_panel(part, row_panels); panel < last;) {
      const Index head = panel / row_panels;
      Index end = (head + 1) * row_panels < last ? (head + 1) * row_panels : last;
      if (end - panel > block_panels) end = panel + block_panels;
      block(part, head, panel - head * row_panels, end - panel);
      panel = end;
    }
  }

 private:
  /// Where a part begins, of the panels of all heads: parts take equally long. A causal panel takes as many steps as it
  /// has predecessors in its head, and one.
  GABLE_FUNCTION Index first_panel(Index part, Index row_panels) const {
    if (!p.causal || part == parts) return chunk_of(p.h * row_panels, part, parts, 1).begin;
    const Index of_head = row_panels * (row_panels + 1) / 2;
    const Index steps = p.h * of_head / parts * part;
    const double inside = std::sqrt(2.0 * static_cast<double>(steps % of_head) + 0.25) - 0.5;
    return steps / of_head * row_panels + static_cast<Index>(inside);
  }
  GABLE_FUNCTION State state_of(Index part, Index i) const {
    const Index padded = v.panels * columns;
    A* base = workspace + (part * block_panels + i) * (rows * (p.d + padded + 2));
    return {base, base + rows * p.d, base + rows * (p.d + padded), base + rows * (p.d + padded + 1)};
  }
  GABLE_FUNCTION static int height_of(Index row, Index end) {
    return static_cast<int>(end - row < rows ? end - row : rows);
  }
  /// `count` panels of rows from panel `panel` of one head.
  GABLE_FUNCTION void block(Index part, Index head, Index panel, Index count) const {
    for (Index i = 0; i < count; ++i) {
      const State state = state_of(part, i);
      const Index row = (panel + i) * rows;
      stage_across<rows, T>(state.q, q + (head * p.l + row) * p.d, p.d, height_of(row, p.l), p.d, factor);
      for (Index j = 0; j < rows * v.panels * columns; ++j) state.sums[j] = A(0);
      for (int r = 0; r < rows; ++r) state.largest[r] = lowest;
      for (int r = 0; r < rows; ++r) state.total[r] = A(0);
    }
    commit();
    wait<0>();
    const Index end = seen_by((panel + count) * rows - 1);
    for (Index key = 0; key < end; key += keys) {
      for (Index i = 0; i < count; ++i) advance(state_of(part, i), head, (panel + i) * rows, key);
    }
    for (Index i = 0; i < count; ++i) finish(state_of(part, i), head, (panel + i) * rows);
  }
  /// Keys that a row sees, from the first on.
  GABLE_FUNCTION Index seen_by(Index row) const { return p.causal && row < p.l ? row + 1 : p.l; }
  /// One tile's rows, from row `row` of its head on, over those of the keys [key, key + keys) that they see: `count`,
  /// of which all rows see the first `common`, and each row one more than the one before.
  GABLE_FUNCTION void advance(const State& state, Index head, Index row, Index key) const {
    alignas(64) A scores[rows * keys];
    const Index left = seen_by(row + rows - 1) - key;
    if (left <= 0) return;
    const Index matrix = head / group, count = left < keys ? left : Index{keys};
    const Index seen = seen_by(row) - key, common = p.causal && seen < count ? (seen > 0 ? seen : 0) : count;
    RowMaximum<T> best(lowest);
    for (Index j = 0; j < count; j += columns) {
      Accumulator<T> tile;
      tile.clear();
      multiply(tile, LeftPanel<T>{state.q}, k.panel(matrix, (key + j) / columns), p.d);
      if (j + columns > common) {
        mask(tile, static_cast<int>(count - j), static_cast<int>(p.causal ? seen - j : count - j), p.causal);
      }
      best.include(tile);
      tile.for_each([&](int r, int c, auto& pack) { device::store(scores + r * keys + j + c, pack); });
    }
    A rescale[rows];
    for (int r = 0; r < rows; ++r) rescale[r] = weigh(scores + r * keys, count, best.of_row(r), state, r);
    for (Index j = 0; j < v.panels; ++j) {
      A* sums = state.sums + j * columns;
      const Index stride = v.panels * columns;
      Accumulator<T> tile;
      tile.for_each([&](int r, int c, auto& pack) { pack = device::load<lanes>(sums + r * stride + c) * rescale[r]; });
      const RightPanel<T> values = v.panel(matrix, j, key);
      multiply(tile, LeftRows<T, keys>{scores}, values, common);
      for (Index i = common; i < count; ++i) {
        const RightFragment<T> value = load(values, i);
        tile.for_each([&](int r, int c, auto& pack) {
          if (i < seen + r) pack += value.vector[c / lanes] * scores[r * keys + i];
        });
      }
      tile.for_each([&](int r, int c, auto& pack) { device::store(sums + r * stride + c, pack); });
    }
  }
  /// Of the tile's columns there are `count`; its first row sees `seen`, each further row `step` more.
  GABLE_FUNCTION static void mask(Accumulator<T>& tile, int count, int seen, int step) {
    tile.for_each([&](int r, int c, auto& pack) {
      const int end = seen + r * step < count ? seen + r * step : count;
      pack = first_of(pack, end - c, lowest);
    });
  }
  /// Scores of a row become weights relative to the new largest score; returns the factor for what was summed before.
  GABLE_FUNCTION A weigh(A* scores, Index count, A best, const State& state, int r) const {
    const A largest = best > state.largest[r] ? best : state.largest[r];
    const A before = exp(LanesOf<T, lanes>(state.largest[r] - largest))[0];
    LanesOf<T, lanes> total(A(0));
    for (Index j = 0; j < count; j += lanes) {
      const LanesOf<T, lanes> weight = exp(device::load<lanes>(scores + j) - largest);
      device::store(scores + j, weight);
      total += weight;
    }
    state.total[r] = state.total[r] * before + sum(total);
    state.largest[r] = largest;
    return before;
  }
  GABLE_FUNCTION void finish(const State& state, Index head, Index row) const {
    const int height = height_of(row, p.l);
    const Index stride = v.panels * columns;
    for (int r = 0; r < height; ++r) {
      const A scale = A(1) / state.total[r];
      T* target = o + (head * p.l + row + r) * p.d;
      Index c = 0;
      for (; c + lanes <= p.d; c += lanes)
        device::store(target + c, device::load<lanes>(state.sums + r * stride + c) * scale);
      for (; c < p.d; ++c) target[c] = narrow<T>(state.sums[r * stride + c] * scale);
    }
  }
};

/// O = softmax(Q K^T / sqrt(d)) V for each head, with an online softmax. Q, O: [h,l,d], K, V: [kv,l,d].
template <class T>
class FusedAttention {
  using A = Accumulate<T>;
  using Body = FusedAttentionBody<T>;

 public:
  FusedAttention(const AttentionSize& size, const T* q, const T* k, const T* v, T* o)
      : keys_(k),
        values_(v),
        staged_keys_(size.kv, size.d, size.l, size.d, size.l),
        staged_values_(size.kv, size.l, size.d, size.l, size.d),
        workspace_(make_workspace<A>("gable::attention::state", Exec().concurrency() * Body::state_size(size.d))),
        body_{size,
              q,
              o,
              {},
              {},
              workspace_.data(),
              Exec().concurrency(),
              A(1.0 / std::sqrt(static_cast<double>(size.d))),
              size.h / size.kv} {}

  /// Enqueues.
  void run(const Exec& exec) {
    const AttentionSize& p = body_.p;
    staged_keys_.stage(exec, keys_, 0, p.d, 0, p.l);
    staged_values_.stage(exec, values_, 0, p.l, 0, p.d);
    body_.k = staged_keys_.block();
    body_.v = staged_values_.block();
    Kokkos::parallel_for("gable::attention_fused", ThreadPolicy(exec, 0, body_.parts), body_);
  }

 private:
  const T* keys_;
  const T* values_;
  RightOperand<T, true> staged_keys_;
  RightOperand<T, false> staged_values_;
  Kokkos::View<A*, Exec::memory_space> workspace_;
  Body body_;
};

}  // namespace gable::device::tile
