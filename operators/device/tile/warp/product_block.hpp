#pragma once
#include <type_traits>

#include "operators/device/tile/epilogue.hpp"
#include "operators/device/tile/size.hpp"
#include "operators/device/tile/warp/accumulator.hpp"
#include "operators/device/tile/warp/stage.hpp"

namespace gable::device::tile::warp {

/// What one thread block of a product does: its warps make 128 rows of as many columns as the form says of C =
/// epilogue(factor A B) out of panels that a ring of stages in scratch holds; while one is multiplied the next ones are
/// under way. A form whose copies pass through registers may have one stage alone: the next one waits there until all
/// warps are done with it, and the room that this leaves is for a second block, which multiplies meanwhile.
///
/// With AsSums a block takes a part of the depth, of a single matrix: C holds the sums of one part after the other.
template <class Machine, class T, bool TransposedB, bool TransposedA = false, class Epilogue = AsTheyAre>
struct ProductBlock {
  using A = Accumulate<T>;
  using Form = typename Machine::Form;
  static constexpr bool in_parts = std::is_same_v<Epilogue, AsSums>;
  using Stored = std::conditional_t<in_parts, A, Result<T>>;
  static constexpr int rows = 128, columns = Form::product_columns;
  static constexpr int lanes = Form::lanes, warps = Form::template product_warps<T>, threads = warps * lanes;
  static constexpr int warp_rows = Form::template product_warp_rows<T>;
  static constexpr int warp_columns = rows * columns / warps / warp_rows;
  static constexpr int across = columns / warp_columns;
  static constexpr int depth = AlongDepth<Form, T>::depth;
  static constexpr bool gapped = Form::template product_is_gapped<T>;
  /// How a panel of `width` rows (columns of B) lies in scratch.
  template <bool Across, int width>
  using LayoutOf = std::conditional_t<gapped, GappedDepth<T, width>,
                                      std::conditional_t<Across, AcrossDepth<Form, T, width>, AlongDepth<Form, T>>>;
  /// Of panels, elements.
  static constexpr int left_size = (gapped ? GappedDepth<T, rows>::pitch : rows) * depth;
  static constexpr int right_size = (gapped ? GappedDepth<T, columns>::pitch : columns) * depth;
  static constexpr int stage_bytes = (left_size + right_size) * static_cast<int>(sizeof(T));
  static constexpr int least_stages = Form::template least_stages<T>, most_stages = Form::template most_stages<T>;
  static constexpr bool one_stage = most_stages == 1;
  static constexpr int blocks_at_once = Form::template product_blocks<T, needs_registers<Epilogue>>;
  /// Row blocks that neighbouring blocks take one after the other, before they go on to the next column block: they
  /// share the panels of B, and soon those of A again, in the second-level cache.
  static constexpr Index band = 8;

  Index m, n, k;
  Index row_blocks, column_blocks;
  const T* a;
  const T* b;
  Stored* c;
  A factor;
  Epilogue epilogue;
  int stages;          ///< least_stages to most_stages
  Index part_depth{};  ///< in_parts: a multiple of `depth`

  /// In int, of which the loop keeps three registers; a launch has fewer blocks than that holds.
  struct BlockPosition {
    int matrix, row_block, column_block;  ///< in_parts: the part in the place of the matrix
    GABLE_FUNCTION Index row() const { return Index{row_block} * rows; }  ///< of the first element
    GABLE_FUNCTION Index column() const { return Index{column_block} * columns; }
  };

  /// Which part of which product block `block` makes.
  GABLE_FUNCTION BlockPosition position(Index block) const {
    const Index each = row_blocks * column_blocks;
    const Index inside = block % each;
    const Index begin = inside / (band * column_blocks) * band;
    const Index height = row_blocks - begin < band ? row_blocks - begin : band;
    const Index in_band = inside - begin * column_blocks;
    return {static_cast<int>(block / each), static_cast<int>(begin + in_band % height),
            static_cast<int>(in_band / height)};
  }

  /// `thread` of block `block`; scratch: stages x stage_bytes, aligned as the form says.
  GABLE_FUNCTION void operator()(Index block, int thread, unsigned char* scratch) const {
    const BlockPosition at = position(block);
    const int warp = thread / lanes;
    const int row = warp / across * warp_rows, column = warp % across * warp_columns;
    Tile tile;
    tile.clear();
    const Feed feed = feed_of(at);
    if (is_whole(feed)) {
      add(tile, WholeFeed(feed, thread), row, column, thread, scratch);
    } else {
      add(tile, feed, row, column, thread, scratch);
    }
    write(tile, at, row, column);
  }

 private:
  using Tile = Accumulator<Form, T, warp_rows, warp_columns>;
  /// What an epilogue adds, in storage type: half the registers.
  struct alignas(Tile::packed * sizeof(T)) AddedPack {
    T value[Tile::packed];
  };
  struct Added {
    AddedPack pack[Tile::packs];
  };

  /// tile += the product of what is fetched from the feed.
  template <class AnyFeed>
  GABLE_FUNCTION void add(Tile& tile, AnyFeed feed, int row, int column, int thread, unsigned char* scratch) const {
    for (int i = 0; i < ahead(); ++i) fetch(feed, scratch + i * stage_bytes, thread).land();
    int now = 0, next = one_stage ? 0 : ahead() * stage_bytes;  // stages of the ring, byte
    const int end = -ahead() * depth;                           // what is left to fetch when all is multiplied
#pragma unroll 1
    while (feed.depth_left > end) {
      wait_for_all_but<Machine>(ahead() - 1);
      Machine::barrier();  // everybody's copies are there, and nobody reads the stage that is filled next any more
      const bool early = !one_stage || feed.waits();
      Copies copies;
      if (early) copies = fetch(feed, scratch + next, thread);
      multiply_stage(tile, reinterpret_cast<const T*>(scratch + now), row, column);
      if constexpr (one_stage) Machine::barrier();  // nobody reads it any more
      if (!early) copies = fetch(feed, scratch + next, thread);
      copies.land();
      next = Form::behind == 0 ? now : after(next);  // what is multiplied now can be filled next, or once it is over
      now = after(now);
    }
    finish<Machine>(tile);
  }
  /// Stages that are fetched before the first is multiplied, and from then on beyond those that are multiplied.
  GABLE_FUNCTION int ahead() const { return one_stage ? 1 : stages - 1 - Form::behind; }
  /// The stage of the ring behind one, byte.
  GABLE_FUNCTION int after(int stage) const { return stage == (stages - 1) * stage_bytes ? 0 : stage + stage_bytes; }
  static constexpr int left_segments = segments_each<rows, AlongDepth<Form, T>::segments, threads>;  ///< of a thread
  static constexpr int right_segments = segments_each<columns, AlongDepth<Form, T>::segments, threads>;
  using Copies = Flight<Machine, left_segments + right_segments>;

  /// The panels that are fetched next.
  struct Feed {
    Source<T> left, right;
    int depth_left;

    /// Whether copies wait in registers to land: of rows that are no whole segments they go to scratch at once.
    GABLE_FUNCTION bool waits() const { return left.aligned && right.aligned; }
    GABLE_FUNCTION void begin(Copies& copies, T* panels, int thread) {
      fetch_panel<TransposedA, rows, 0>(copies, panels, left, thread);
      fetch_panel<!TransposedB, columns, left_segments>(copies, panels + left_size, right, thread);
    }
  };
  /// The same for a block all of whose rows, columns and panels are there.
  struct WholeFeed {
    template <bool Across, int width>
    using CopiesOf = std::conditional_t<
        gapped && !Across, TransposingCopies<GappedDepth<T, width>, width, depth, threads, T>,
        WholeCopies<LayoutOf<Across, width>, Across ? depth : width, LayoutOf<Across, width>::segments, threads, T>>;
    CopiesOf<TransposedA, rows> left;
    CopiesOf<!TransposedB, columns> right;
    int depth_left;

    GABLE_FUNCTION WholeFeed(const Feed& feed, int thread)
        : left(feed.left, TransposedA ? depth * static_cast<int>(feed.left.stride) : depth, thread),
          right(feed.right, TransposedB ? depth : depth * static_cast<int>(feed.right.stride), thread),
          depth_left(feed.depth_left) {}
    GABLE_FUNCTION static constexpr bool waits() { return true; }
    GABLE_FUNCTION void begin(Copies& copies, T* panels, int) {
      left.template begin<Machine, 0>(copies, panels);
      right.template begin<Machine, left_segments>(copies, panels + left_size);
    }
  };
  GABLE_FUNCTION static bool is_whole(const Feed& feed) {
    const int height = TransposedA ? feed.left.columns : feed.left.rows;
    const int width = TransposedB ? feed.right.rows : feed.right.columns;
    return decltype(WholeFeed::left)::takes(feed.left) && decltype(WholeFeed::right)::takes(feed.right) &&
           height >= rows && width >= columns && feed.depth_left % depth == 0;
  }

  GABLE_FUNCTION static bool aligned(Index stride) { return stride % per_segment<T> == 0; }
  GABLE_FUNCTION Feed feed_of(const BlockPosition& at) const {
    const int height = left_from(at.row(), m), width = left_from(at.column(), n);
    if constexpr (in_parts) {
      const Index begin = at.matrix * part_depth;
      const int all = left_from(begin, k - begin < part_depth ? k : begin + part_depth);
      return {panel_of<TransposedA>(a + (TransposedA ? begin * m : begin), 0, m, at.row(), height, all),
              panel_of<!TransposedB>(b + (TransposedB ? begin : begin * n), 0, n, at.column(), width, all), all};
    } else {
      const int all = left_from(0, k);
      return {panel_of<TransposedA>(a, at.matrix, m, at.row(), height, all),
              panel_of<!TransposedB>(b, at.matrix, n, at.column(), width, all), all};
    }
  }
  /// The first panel of an operand of `count` rows (columns of B) from `first` on, which runs along the depth, or
  /// `Across` it.
  template <bool Across>
  GABLE_FUNCTION Source<T> panel_of(const T* operand, Index matrix, Index count, Index first, int width,
                                    int all) const {
    if constexpr (Across) {
      return {operand + matrix * k * count + first, count, all, width, aligned(count)};
    } else {
      return {operand + (matrix * count + first) * k, k, width, all, aligned(k)};
    }
  }
  /// Begins the copy of the next panels, if there are any, and closes a group.
  template <class AnyFeed>
  GABLE_FUNCTION Copies fetch(AnyFeed& feed, unsigned char* stage_of_ring, int thread) const {
    Copies copies;
    if (feed.depth_left > 0) feed.begin(copies, reinterpret_cast<T*>(stage_of_ring), thread);
    feed.depth_left -= depth;
    Machine::commit();
    return copies;
  }
  /// Begins the copy of one panel of `width` rows (columns of B), as the segments from `first` on, and goes on to the
  /// next.
  template <bool Across, int width, int first>
  GABLE_FUNCTION static void fetch_panel(Copies& copies, T* panel, Source<T>& source, int thread) {
    using Layout = LayoutOf<Across, width>;
    if constexpr (Across) {
      stage<Machine, Layout, depth, Layout::segments, threads, first>(copies, panel, source, thread);
      source.first += depth * source.stride;
      source.rows -= depth;
    } else {
      if constexpr (gapped) {
        stage_transposed<Machine, Layout, width, depth, threads>(panel, source, thread);
      } else {
        stage<Machine, Layout, width, Layout::segments, threads, first>(copies, panel, source, thread);
      }
      source.first += depth;
      source.columns -= depth;
    }
  }
  GABLE_FUNCTION static void multiply_stage(Tile& tile, const T* panels, int row, int column) {
    using Left = std::conditional_t<gapped, GappedPanel<T, rows>,
                                    std::conditional_t<TransposedA, LeftAcross<Form, T, rows>, const T*>>;
    using Right =
        std::conditional_t<gapped, GappedPanel<T, columns>,
                           std::conditional_t<TransposedB, RightAlong<Form, T>, RightAcross<Form, T, columns>>>;
    multiply<Machine>(tile, Left{panels}, row, Right{panels + left_size}, column);
  }
  GABLE_FUNCTION void write(Tile& tile, const BlockPosition& at, int row, int column) const {
    if constexpr (sizeof(T) == 8) {
      write_packs(tile, at, row, column);
    } else {
      const Index i = at.row() + row, j = at.column() + column;
      Stored* to = c + (at.matrix * m + i) * n + j;
      if (i + warp_rows <= m && j + warp_columns <= n && n % per_segment<Stored> == 0) {
        write_whole(tile, to, j);
      } else {
        write_some(tile, to, left_from(i, m), j);
      }
    }
  }
  GABLE_FUNCTION void write_whole(Tile& tile, Stored* to, Index first) const {
    using Held = typename Tile::Held;
    const int lane = Machine::lane();
    const Added added = added_from(first + Held::column(lane, 0));
#pragma unroll
    for (int s = 0; s < Tile::slots; ++s) {
#pragma unroll
      for (int p = 0; p < Tile::packs; ++p) {
#pragma unroll
        for (int x = 0; x < Tile::packed; ++x) finish_sum(tile.value[s][p][x], added.pack[p].value[x]);
      }
      store_row<Machine, Stored, Held>(to + Held::row(lane, s) * n, lane, tile.value[s]);
    }
  }
  /// The rows and columns that there are.
  GABLE_FUNCTION void write_some(Tile& tile, Stored* to, int height, Index first) const {
    const int lane = Machine::lane(), width = left_from(first, n);
    const bool whole_packs = n % Tile::packed == 0;
#pragma unroll
    for (int p = 0; p < Tile::packs; ++p) {
      const int column = Tile::Held::column(lane, p);
      T added[Tile::packed]{};
      if constexpr (has_bias<Epilogue>) {
#pragma unroll
        for (int x = 0; x < Tile::packed; ++x) {
          if (column + x < width) added[x] = epilogue.bias[first + column + x];
        }
      }
#pragma unroll
      for (int s = 0; s < Tile::slots; ++s) {
        const int row = Tile::Held::row(lane, s);
        if (row >= height) continue;
#pragma unroll
        for (int x = 0; x < Tile::packed; ++x) finish_sum(tile.value[s][p][x], added[x]);
        store_pack<Machine, Stored>(to + row * n + column, tile.value[s][p], width - column, whole_packs);
      }
    }
  }
  /// Pack by pack, for fp64, which has no registers to keep what an epilogue adds.
  GABLE_FUNCTION void write_packs(Tile& tile, const BlockPosition& at, int row, int column) const {
    const bool whole_packs = n % Tile::packed == 0;
    tile.for_each(Machine::lane(), [&](int below, int right, auto& pack) {
      const Index i = at.row() + row + below, first = at.column() + column + right;
      if (i >= m) return;
#pragma unroll
      for (int x = 0; x < Tile::packed; ++x) pack[x] *= factor;
      if constexpr (has_bias<Epilogue>) {
#pragma unroll
        for (int x = 0; x < Tile::packed; ++x) {
          if (first + x < n) pack[x] = epilogue(Lanes<A, 1>(pack[x]), Lanes<A, 1>(epilogue.bias[first + x]))[0];
        }
      }
      store_pack<Machine, Stored>(c + (at.matrix * m + i) * n + first, pack, n - first, whole_packs);
    });
  }
  /// Makes of a sum what is stored.
  GABLE_FUNCTION void finish_sum(A& sum, [[maybe_unused]] T added) const {
    sum *= factor;
    if constexpr (has_bias<Epilogue>) sum = epilogue(Lanes<A, 1>(sum), Lanes<A, 1>(widen(added)))[0];
  }
  /// What an epilogue adds to the lane's columns of a whole tile, the first of which is `column`. It is read before
  /// anything is stored: behind a store the compiler would wait for each, as for a part of C.
  GABLE_FUNCTION Added added_from([[maybe_unused]] Index column) const {
    Added added{};
    if constexpr (has_bias<Epilogue>) {
#pragma unroll
      for (int p = 0; p < Tile::packs; ++p)
        added.pack[p] = *reinterpret_cast<const AddedPack*>(epilogue.bias + column + p * Tile::Held::stride);
    }
    return added;
  }
};

/// Stages of a block's ring that `scratch_bytes` hold, at most as many as it takes; less than its least_stages: it
/// cannot run there.
template <class Block>
constexpr int stages_in(int scratch_bytes) {
  const int held = scratch_bytes / Block::stage_bytes;
  return held < Block::most_stages ? held : Block::most_stages;
}

}  // namespace gable::device::tile::warp
