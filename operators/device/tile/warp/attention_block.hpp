#pragma once
#include "operators/device/tile/warp/stage.hpp"
#include "operators/device/tile/warp/weighted_rows.hpp"

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
    const bool aligned = d % per_segment<T> == 0;
    const int width = left_from(0, d);
    const Feed feed{{q + (at.head + at.row) * d, d, left_from(at.row, l), width, aligned},
                    {k + shared, d, at.end, width, aligned},
                    {v + shared + at.column, d, at.end, left_from(at.column, d), aligned},
                    thread};
    auto* const items = reinterpret_cast<T*>(scratch);
    if constexpr (keeps_rows) {
      for (int item = 0; item < items_of_depth(); ++item) {
        Flight<Machine, row_segments> copies;
        feed.template begin_rows<0>(copies, items + item * row_item, item);
        copies.land();
      }
    }
    if constexpr (copies_whole) {
      if (is_whole(feed)) {
        attend(Ring<WholeFeed>{WholeFeed(feed), items, thread, items_of_depth()}, at);
        return;
      }
    }
    attend(Ring<Feed>{feed, items, thread, items_of_depth()}, at);
  }

 private:
  using Rows = WeightedRows<Machine, T, warp_rows, keys, value_columns>;
  using Scores = typename Rows::Scores;
  /// Segments of a thread in an item, and in one of Q.
  static constexpr int key_segments = 2 * segments_each<keys, AlongDepth<Form, T>::segments, threads>;
  static constexpr int value_segments = segments_each<value_keys, value_columns / per_segment<T>, threads>;
  static constexpr int item_segments = key_segments > value_segments ? key_segments : value_segments;
  static constexpr int row_segments = 2 * segments_each<rows, AlongDepth<Form, T>::segments, threads>;
  using ItemCopies = Flight<Machine, item_segments + (keeps_rows ? 0 : row_segments)>;

  /// What items are copied from: the block's rows of Q, the keys that it takes, and their values from the block's first
  /// column on.
  struct Feed {
    Source<T> q, k, v;
    int thread;

    /// Whether copies wait in registers to land: of rows that are no whole segments they go to scratch at once.
    GABLE_FUNCTION bool waits() const { return q.aligned; }
    /// Begins the copy of item `item` of the width of the keys from `key` on, and of Q if that is not kept.
    template <class Copies>
    GABLE_FUNCTION void begin_keys(Copies& copies, T* to, int key, int item) const {
      begin_item<keys, 0>(copies, to, part_of(k, key, item * item_depth));
      if constexpr (!keeps_rows) begin_rows<item_segments>(copies, to + item_size, item);
    }
    template <int segment, class Copies>
    GABLE_FUNCTION void begin_rows(Copies& copies, T* to, int item) const {
      begin_item<rows, segment>(copies, to, part_of(q, 0, item * item_depth));
    }
    /// Begins the copy of the values of the keys from `key` on.
    template <class Copies>
    GABLE_FUNCTION void begin_values(Copies& copies, T* to, int key) const {
      using Layout = AcrossDepth<Form, T, value_columns>;
      stage<Machine, Layout, value_keys, Layout::segments, threads, 0>(copies, to, part_of(v, key, 0), thread);
    }
    GABLE_FUNCTION void next_keys() {}

   private:
    GABLE_FUNCTION static Source<T> part_of(const Source<T>& all, int row, int column) {
      return {all.first + row * all.stride + column, all.stride, all.rows - row, all.columns - column, all.aligned};
    }
    /// `count` rows of one item of depth, as two panels.
    template <int count, int segment, class Copies>
    GABLE_FUNCTION void begin_item(Copies& copies, T* to, Source<T> from) const {
      using Layout = AlongDepth<Form, T>;
      constexpr int each = segments_each<count, Layout::segments, threads>;
      stage<Machine, Layout, count, Layout::segments, threads, segment>(copies, to, from, thread);
      from.first += panel_depth;
      from.columns -= panel_depth;
      stage<Machine, Layout, count, Layout::segments, threads, segment + each>(copies, to + count * panel_depth, from,
                                                                               thread);
    }
  };
  /// The same where all items are there as a whole: they follow one another, whatever `key` and `item` say.
  struct WholeFeed {
    template <int count>
    using Along = WholeCopies<AlongDepth<Form, T>, count, AlongDepth<Form, T>::segments, threads, T>;
    using Across = AcrossDepth<Form, T, value_columns>;
    Along<rows> q;
    Along<keys> k;
    WholeCopies<Across, value_keys, Across::segments, threads, T> v;
    int width_bytes;  ///< of a row

    GABLE_FUNCTION explicit WholeFeed(const Feed& feed)
        : q(feed.q, panel_depth, feed.thread),
          k(feed.k, panel_depth, feed.thread),
          v(feed.v, value_keys * static_cast<int>(feed.v.stride), feed.thread),
          width_bytes(static_cast<int>(feed.k.stride) * static_cast<int>(sizeof(T))) {}
    GABLE_FUNCTION static constexpr bool waits() { return true; }
    template <class Copies>
    GABLE_FUNCTION void begin_keys(Copies& copies, T* to, int, int) {
      begin_item<keys, 0>(copies, to, k);
      if constexpr (!keeps_rows) begin_item<rows, item_segments>(copies, to + item_size, q);
    }
    template <class Copies>
    GABLE_FUNCTION void begin_values(Copies& copies, T* to, int) {
      v.template begin<Machine, 0>(copies, to);
    }
    /// After the last item of the width.
    GABLE_FUNCTION void next_keys() {
      k.from += (keys - 1) * width_bytes;
      q.from -= width_bytes;
    }

   private:
    template <int count, int segment, class Copies>
    GABLE_FUNCTION static void begin_item(Copies& copies, T* to, Along<count>& from) {
      from.template begin<Machine, segment>(copies, to);
      from.template begin<Machine, segment + Along<count>::count>(copies, to + count * panel_depth);
    }
  };
  /// Whether every thread has as many copies of an item as any other, and whether all items of a block are whole.
  static constexpr bool copies_whole = keys * AlongDepth<Form, T>::segments % threads == 0;
  GABLE_FUNCTION static bool is_whole(const Feed& feed) {
    return feed.k.columns % item_depth == 0 && feed.k.rows % keys == 0 && feed.v.columns >= value_columns &&
           (keeps_rows || feed.q.rows >= rows) && decltype(WholeFeed::k)::takes(feed.k) &&
           decltype(WholeFeed::v)::takes(feed.v);
  }

  /// Where items are copied from and to: the one that is read next and the one that is fetched next.
  template <class AnyFeed>
  struct Ring {
    AnyFeed feed;
    T* scratch;
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

  /// The block's result, out of the items of the ring.
  template <class AnyFeed>
  GABLE_FUNCTION void attend(Ring<AnyFeed> state, const BlockPosition& at) const {
    const int warp_row = state.thread / lanes * warp_rows;
    for (int i = 0; i < ahead; ++i) fetch_next(state, at).land();
    Rows own;
    own.clear();
#pragma unroll 1
    for (int key = 0; key < at.end; key += keys) {
      Scores scores;
      scores.clear();
#pragma unroll 1
      for (int item = 0; item < state.depth_items; ++item) add_scores(scores, state, at, item);
      Rows::hide(scores, at.end - key, causal ? at.row - key + warp_row + 1 : at.end - key);
      typename Rows::Factors before;
      own.weigh(scores, scale, before);
      own.rescale(before);
#pragma unroll
      for (int item = 0; item < value_items; ++item) add_values(own, scores, state, at, item);
    }
    const Index row = at.row + warp_row;
    own.store(o + (at.head + row) * d + at.column, d, l - row, d - at.column);
  }
  /// Begins the copy of the next item, if there is one, and closes a group.
  template <class AnyFeed>
  GABLE_FUNCTION ItemCopies fetch_next(Ring<AnyFeed>& state, const BlockPosition& at) const {
    ItemCopies copies;
    if (state.fetch_key < at.end) {
      T* to = state.slot(state.fetch_slot);
      if (state.fetch_part < state.depth_items) {
        state.feed.begin_keys(copies, to, state.fetch_key, state.fetch_part);
      } else {
        state.feed.begin_values(copies, to, state.fetch_key + (state.fetch_part - state.depth_items) * value_keys);
      }
      state.fetch_slot = state.fetch_slot + 1 == ring ? 0 : state.fetch_slot + 1;
      if (++state.fetch_part == state.depth_items + value_items) {
        state.feed.next_keys();
        state.fetch_part = 0;
        state.fetch_key += keys;
      }
    }
    Machine::commit();
    return copies;
  }
  /// Waits for the next item.
  template <class AnyFeed>
  GABLE_FUNCTION const T* next_item(Ring<AnyFeed>& state) const {
    Machine::template wait<ahead - 1>();
    Machine::barrier();  // the item has arrived, and nobody reads the slot any more that is filled next
    const T* item = state.slot(state.read_slot);
    state.read_slot = state.read_slot + 1 == ring ? 0 : state.read_slot + 1;
    return item;
  }
  /// Whether the next item is fetched before one is taken: into the one stage there is only if it waits in registers,
  /// as whole segments do.
  template <class AnyFeed>
  GABLE_FUNCTION static bool fetches_early(const Ring<AnyFeed>& state) {
    return !one_stage || state.feed.waits();
  }
  template <class AnyFeed>
  GABLE_FUNCTION ItemCopies fetch_early(Ring<AnyFeed>& state, const BlockPosition& at) const {
    return fetches_early(state) ? fetch_next(state, at) : ItemCopies{};
  }
  /// Stores what was fetched while an item was taken.
  template <class AnyFeed>
  GABLE_FUNCTION void land(ItemCopies& copies, Ring<AnyFeed>& state, const BlockPosition& at) const {
    if constexpr (one_stage) Machine::barrier();  // nobody reads that item any more
    if (!fetches_early(state)) copies = fetch_next(state, at);
    copies.land();
  }
  template <class AnyFeed>
  GABLE_FUNCTION void add_scores(Scores& scores, Ring<AnyFeed>& state, const BlockPosition& at, int item) const {
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
  /// Adds the weights of one item's keys times their values.
  template <class AnyFeed>
  GABLE_FUNCTION void add_values(Rows& own, const Scores& weights, Ring<AnyFeed>& state, const BlockPosition& at,
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
};

}  // namespace gable::device::tile::warp
