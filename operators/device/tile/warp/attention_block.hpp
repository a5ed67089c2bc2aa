#pragma once
#include "operators/device/tile/warp/accumulator.hpp"
#include "operators/device/tile/warp/stage.hpp"

namespace gable::device::tile::warp {

/// What one thread block of fused attention does: four warps take rows of Q, 64 keys at a time, through all of K and V;
/// scores, weights, and `value_columns` columns of the result stay in registers. Items of K (64 keys by 128 bytes of
/// their width) and of V (as many of the keys as fill the same 8 KiB) go through a ring in scratch. Q either stays in
/// scratch (keeps_rows; heads of at most `value_columns`) or comes along with each item of K. Wider heads have several
/// blocks, each of which takes the scores anew. A causal block ends with the keys that its last row sees.
template <class Machine, class T, int value_columns_, int warp_rows_, bool keeps_rows>
struct AttentionBlock {
  using A = Accumulate<T>;
  using Form = typename Machine::Form;
  static constexpr int value_columns = value_columns_, warp_rows = warp_rows_;
  static constexpr int lanes = Form::lanes, warps = 4, threads = warps * lanes;
  static constexpr int rows = warps * warp_rows;
  static constexpr int keys = sizeof(T) == 8 ? 32 : 64;
  static constexpr int panel_depth = AlongDepth<Form, T>::depth;
  static constexpr int item_depth = 2 * panel_depth;
  static constexpr int item_size = 8 * 1024 / static_cast<int>(sizeof(T));  // elements
  static constexpr int value_keys = item_size / value_columns;
  static constexpr int value_items = keys / value_keys;
  static constexpr int row_item = rows * item_depth;
  static constexpr int kept_items = keeps_rows ? value_columns / item_depth : 0;
  static constexpr bool one_stage = Form::attention_has_one_stage;  ///< as of ProductBlock
  static constexpr int ring = one_stage ? 1 : (keeps_rows ? 3 : 2);
  static constexpr int ahead = one_stage ? 1 : ring - 1;  ///< items that are fetched before the first is taken
  static constexpr int slot_size = item_size + (keeps_rows ? 0 : row_item);
  static constexpr int scratch_bytes = (kept_items * row_item + ring * slot_size) * static_cast<int>(sizeof(T));
  static constexpr int blocks_at_once = 2;
  static constexpr A lowest = sizeof(T) == 8 ? A(-1.7976931348623157e308) : A(-3.4028234663852886e38F);

  Index l, d;
  Index group;  ///< heads of Q that share a head of K and V
  bool causal;  ///< row i sees keys 0 to i
  Index row_blocks, column_blocks;
  const T* q;
  const T* k;
  const T* v;
  T* o;
  A scale;  ///< log2(e) / sqrt(d): weights are powers of two

  /// Whether it takes heads of this width. One that keeps Q takes all columns of a head, so it takes the scores once.
  static bool fits(Index width) { return !keeps_rows || width <= value_columns; }

  /// `thread` of block `block` of heads x row_blocks x column_blocks; scratch: scratch_bytes, aligned to 128 bytes.
  GABLE_FUNCTION void operator()(Index block, int thread, unsigned char* scratch) const {
    const BlockPosition at = position(block);
    const Index shared = block / (column_blocks * row_blocks) / group * l * d;
    Ring state{reinterpret_cast<T*>(scratch), k + shared, v + shared + at.column, thread, items_of_depth()};
    if constexpr (keeps_rows) {
      for (int item = 0; item < state.depth_items; ++item) {
        Flight<Machine, row_segments> copies;
        fetch_rows<0>(copies, state, at, item, state.scratch + item * row_item);
        copies.land();
      }
    }
    for (int i = 0; i < ahead; ++i) fetch_next(state, at).land();

    Rows own;
    own.clear();
#pragma unroll 1
    for (int key = 0; key < at.end; key += keys) {
      Scores scores;
      scores.clear();
#pragma unroll 1
      for (int item = 0; item < state.depth_items; ++item) add_scores(scores, state, at, item);
      weigh(scores, own, at.end - key, causal ? at.row - key + thread / lanes * warp_rows + 1 : at.end - key);
#pragma unroll
      for (int item = 0; item < value_items; ++item) add_values(own, scores, state, at, item);
    }
    finish(own, at, thread / lanes * warp_rows);
  }

 private:
  using Scores = Accumulator<Form, T, warp_rows, keys>;
  using Values = Accumulator<Form, T, warp_rows, value_columns>;
  /// Segments of a thread in an item, and in one of Q.
  static constexpr int key_segments = 2 * segments_each<keys, AlongDepth<Form, T>::segments, threads>;
  static constexpr int value_segments = segments_each<value_keys, value_columns / per_segment<T>, threads>;
  static constexpr int item_segments = key_segments > value_segments ? key_segments : value_segments;
  static constexpr int row_segments = 2 * segments_each<rows, AlongDepth<Form, T>::segments, threads>;
  using ItemCopies = Flight<Machine, item_segments + (keeps_rows ? 0 : row_segments)>;

  /// A warp's own rows: sums of weighted values, and per row of the lane the largest score so far and the lane's part
  /// of the sum of weights.
  struct Rows {
    Values sums;
    A largest[Values::slots], total[Values::slots];
    GABLE_FUNCTION void clear() {
      sums.clear();
#pragma unroll
      for (int s = 0; s < Values::slots; ++s) {
        largest[s] = lowest;
        total[s] = A(0);
      }
    }
  };
  /// Where a thread's block is, and the ring: the item that is read next and the one that is fetched next.
  struct Ring {
    T* scratch;
    const T* keys;    ///< of the head
    const T* values;  ///< of the head, from the block's first column on
    int thread;
    int depth_items;
    int read_slot = 0, fetch_slot = 0, fetch_part = 0, fetch_key = 0;
    GABLE_FUNCTION T* slot(int i) const { return scratch + kept_items * row_item + i * slot_size; }
  };
  /// Part of the result that a block makes: first row of its head in Q, its own first row and column there, and how
  /// many keys it takes. Registers are scarce: a sequence has at most 2^31 rows.
  struct BlockPosition {
    Index head;
    int row, column, end;
  };
  /// Causal blocks begin with the last rows, which take the longest.
  GABLE_FUNCTION BlockPosition position(Index block) const {
    const auto nth = static_cast<int>(block / column_blocks % row_blocks), last = static_cast<int>(row_blocks) - 1;
    const int row = (causal ? last - nth : nth) * rows, all = static_cast<int>(l);
    return {block / (column_blocks * row_blocks) * l, row, static_cast<int>(block % column_blocks) * value_columns,
            causal && row + rows < all ? row + rows : all};
  }

  GABLE_FUNCTION int items_of_depth() const { return static_cast<int>((d + item_depth - 1) / item_depth); }

  /// `count` rows of a matrix, of which `left` are there, columns of one item of depth, as two panels.
  template <int count, int segment, class Copies>
  GABLE_FUNCTION void fetch_item(Copies& copies, const Ring& state, const T* first, int left, int item, T* to) const {
    const int column = item * item_depth;
    Source<T> from{first + column, d, left, left_from(column, d), d % per_segment<T> == 0};
    using Layout = AlongDepth<Form, T>;
    constexpr int each = segments_each<count, Layout::segments, threads>;
    stage<Machine, Layout, count, Layout::segments, threads, segment>(copies, to, from, state.thread);
    from.first += panel_depth;
    from.columns -= panel_depth;
    stage<Machine, Layout, count, Layout::segments, threads, segment + each>(copies, to + count * panel_depth, from,
                                                                             state.thread);
  }
  template <int segment, class Copies>
  GABLE_FUNCTION void fetch_rows(Copies& copies, const Ring& state, const BlockPosition& at, int item, T* to) const {
    fetch_item<rows, segment>(copies, state, q + (at.head + at.row) * d, left_from(at.row, l), item, to);
  }
  /// Begins the copy of the next item, if there is one, and closes a group.
  GABLE_FUNCTION ItemCopies fetch_next(Ring& state, const BlockPosition& at) const {
    ItemCopies copies;
    const int left = at.end - state.fetch_key;
    if (left > 0) {
      T* to = state.slot(state.fetch_slot);
      if (state.fetch_part < state.depth_items) {
        fetch_item<keys, 0>(copies, state, state.keys + state.fetch_key * d, left, state.fetch_part, to);
        if constexpr (!keeps_rows) fetch_rows<item_segments>(copies, state, at, state.fetch_part, to + item_size);
      } else {
        using Layout = AcrossDepth<Form, T, value_columns>;
        const int part = (state.fetch_part - state.depth_items) * value_keys;
        const Source<T> from{state.values + (state.fetch_key + part) * d, d, left - part, left_from(at.column, d),
                             d % per_segment<T> == 0};
        stage<Machine, Layout, value_keys, Layout::segments, threads, 0>(copies, to, from, state.thread);
      }
      state.fetch_slot = state.fetch_slot + 1 == ring ? 0 : state.fetch_slot + 1;
      if (++state.fetch_part == state.depth_items + value_items) {
        state.fetch_part = 0;
        state.fetch_key += keys;
      }
    }
    Machine::commit();
    return copies;
  }
  /// Waits for the next item.
  GABLE_FUNCTION const T* next_item(Ring& state) const {
    Machine::template wait<ahead - 1>();
    Machine::barrier();  // the item has arrived, and nobody reads the slot any more that is filled next
    const T* item = state.slot(state.read_slot);
    state.read_slot = state.read_slot + 1 == ring ? 0 : state.read_slot + 1;
    return item;
  }
  /// Whether the next item is fetched before one is taken: into the one stage there is only if it waits in registers,
  /// as whole segments do.
  GABLE_FUNCTION bool fetches_early() const { return !one_stage || d % per_segment<T> == 0; }
  GABLE_FUNCTION ItemCopies fetch_early(Ring& state, const BlockPosition& at) const {
    return fetches_early() ? fetch_next(state, at) : ItemCopies{};
  }
  /// Stores what was fetched while an item was taken.
  GABLE_FUNCTION void land(ItemCopies& copies, Ring& state, const BlockPosition& at) const {
    if constexpr (one_stage) Machine::barrier();  // nobody reads that item any more
    if (!fetches_early()) copies = fetch_next(state, at);
    copies.land();
  }
  GABLE_FUNCTION void add_scores(Scores& scores, Ring& state, const BlockPosition& at, int item) const {
    const T* keys_of_item = next_item(state);
    ItemCopies copies = fetch_early(state, at);
    const T* rows_of_item = keeps_rows ? state.scratch + item * row_item : keys_of_item + item_size;
#pragma unroll 1  // unrolled, it would need more registers than there are
    for (int half = 0; half < 2; ++half) {
      multiply<Machine>(scores, rows_of_item + half * rows * panel_depth, state.thread / lanes * warp_rows,
                        RightAlong<Form, T>{keys_of_item + half * keys * panel_depth}, 0);
    }
    land(copies, state, at);
  }
  /// Scores become weights relative to the largest score so far; what was summed before is rescaled. From the first of
  /// these keys on there are `left`, and the warp's first row sees `seen`, each further row one more.
  GABLE_FUNCTION void weigh(Scores& scores, Rows& own, int left, int seen) const {
    if (left < keys || seen < keys) {
      scores.for_each(Machine::lane(), [&](int row, int column, auto& pack) {
        const int end = seen + row < left ? seen + row : left;
#pragma unroll
        for (int i = 0; i < Scores::packed; ++i) pack[i] = column + i < end ? pack[i] : lowest;
      });
    }
#pragma unroll
    for (int s = 0; s < Scores::slots; ++s) {
      A best = own.largest[s];
#pragma unroll
      for (int p = 0; p < Scores::packs; ++p) {
#pragma unroll
        for (int i = 0; i < Scores::packed; ++i) best = scores.value[s][p][i] > best ? scores.value[s][p][i] : best;
      }
      best = row_maximum<Machine, T>(best);
      const A before = Machine::exp2((own.largest[s] - best) * scale);
      const A shift = -best * scale;
      own.largest[s] = best;
      own.total[s] *= before;
#pragma unroll
      for (int p = 0; p < Scores::packs; ++p) {
#pragma unroll
        for (int i = 0; i < Scores::packed; ++i) {
          A& weight = scores.value[s][p][i];
          weight = Machine::exp2(Machine::fma(weight, scale, shift));
          own.total[s] += weight;
        }
      }
#pragma unroll
      for (int p = 0; p < Values::packs; ++p) {
#pragma unroll
        for (int i = 0; i < Values::packed; ++i) own.sums.value[s][p][i] *= before;
      }
    }
  }
  /// Adds the weights of one item's keys times their values.
  GABLE_FUNCTION void add_values(Rows& own, const Scores& weights, Ring& state, const BlockPosition& at,
                                 int item) const {
    const RightAcross<Form, T, value_columns> values{next_item(state)};
    ItemCopies copies = fetch_early(state, at);
    constexpr int steps = value_keys / Form::template step_depth<T>;
    constexpr int at_once = Form::template steps_at_once<Machine, T>;
    static_assert(steps % at_once == 0);
#pragma unroll
    for (int step = 0; step < steps; step += at_once) {
      multiply_held<Machine>(own.sums, weights, item * steps + step, values, step);
    }
    land(copies, state, at);
  }
  GABLE_FUNCTION void finish(Rows& own, const BlockPosition& at, int row) const {
#pragma unroll
    for (int s = 0; s < Values::slots; ++s) {
      const A factor = A(1) / row_sum<Machine, T>(own.total[s]);
#pragma unroll
      for (int p = 0; p < Values::packs; ++p) {
#pragma unroll
        for (int i = 0; i < Values::packed; ++i) own.sums.value[s][p][i] *= factor;
      }
    }
    const Index first = at.row + row;
    const bool whole_packs = d % Values::packed == 0;
    own.sums.for_each(Machine::lane(), [&](int r, int c, auto& pack) {
      if (first + r >= l) return;
      const Index column = at.column + c;
      store_pack<Machine, T>(o + (at.head + first + r) * d + column, pack, d - column, whole_packs);
    });
  }
};

}  // namespace gable::device::tile::warp
