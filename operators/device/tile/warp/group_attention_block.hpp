#pragma once
#include "operators/device/tile/warp/stage.hpp"
#include "operators/device/tile/warp/weighted_rows.hpp"
#include "operators/device/tile/warp/wgmma.hpp"

namespace gable::device::tile::warp {

/// What one thread block of fused attention does where warpgroups multiply (warp/wgmma.hpp): two of them take 64 rows
/// of Q each, which stay in registers as scores, weights and results do; K and V of heads of `width` go through rings
/// of tiles of as many keys, from the last to the first, so that the one that may be less than whole, or be seen in
/// part, comes first. While a tile's scores become weights, the weights of the tile before are multiplied by its
/// values, and then the other group's products follow: the second one begins a tile when the first has its scores.
template <class Machine, class T, int width>
struct GroupAttentionBlock {
  using A = Accumulate<T>;
  using Form = typename Machine::Form;
  static constexpr int value_columns = width;
  static constexpr int groups = 2, lanes = Form::lanes, warps = groups * Form::group_warps, threads = warps * lanes;
  static constexpr int rows = groups * Form::group_rows, keys = rows;
  static constexpr int group_threads = Form::group_warps * lanes;
  static constexpr int k_stages = 2, v_stages = 3;
  static constexpr int tile_size = keys * width;  ///< elements of K, and of V
  static constexpr int scratch_bytes = ((k_stages + v_stages) * tile_size + rows * width) * static_cast<int>(sizeof(T));
  static constexpr int blocks_at_once = 1;  ///< its registers leave no room for two

  Index l, d;
  Index group;  ///< heads of Q that share a head of K and V
  bool causal;  ///< row i sees keys 0 to i
  Index row_blocks, column_blocks;
  const T* q;
  const T* k;
  const T* v;
  T* o;
  A scale;  ///< log2(e) / sqrt(d), positive: weights are powers of two

  static bool fits(Index d) { return d == width; }

  /// `thread` of block `block` of heads x row_blocks, the last rows first where they see most; scratch: scratch_bytes,
  /// aligned as the form says.
  GABLE_FUNCTION void operator()(Index block, int thread, unsigned char* scratch) const {
    const auto nth = static_cast<int>(block % row_blocks), last = static_cast<int>(row_blocks) - 1;
    const int first = (causal ? last - nth : nth) * rows, all = static_cast<int>(l);
    const int row = first + thread / lanes * 16;
    const Index head = block / row_blocks * l, shared = block / row_blocks / group * l * width;
    const int tiles = ((causal && first + rows < all ? first + rows : all) + keys - 1) / keys;
    Ring ring{k + shared, v + shared, reinterpret_cast<T*>(scratch), tiles - 1, thread};

    stage_panels<rows>(ring.q(), q + (head + first) * width, all - first, thread);
    ring.fetch_last(k + shared, v + shared, all);
    Left<T, 16> own_q[width / 16];
    Rows own;
    own.clear();
    Scores scores;
    Left<T, 16> weights[keys / 16];
    typename Rows::Factors before;

    ring.template arrive<1>();
    load_rows(own_q, ring.q(), thread / lanes * 16);
    Machine::begin_products();
    multiply_keys(scores, own_q, ring.k_tile(0));
    finish<Machine>(scores);
    Machine::barrier();
    const int key = (tiles - 1) * keys;
    Rows::hide(scores, all - key, causal ? row - key + 1 : keys);
    own.weigh(scores, scale, before);
    round(weights, scores);
    const bool leads = thread < group_threads;
    if (!leads) ring.follow(1);
#pragma unroll 1
    for (int i = 1; i < tiles; ++i) {
      leads ? ring.lead(i) : Machine::template meet<turn, threads>();
      Machine::begin_products();
      multiply_keys(scores, own_q, ring.k_tile(i));
      multiply_values(own, weights, ring.v_tile(i - 1));
      Machine::template wait_products<1>();
      Machine::take_products(scores.value);
      leads ? Machine::template arrive<turn, threads>() : ring.follow(i + 1);
      // Always so, but ptxas does not know: without a branch it moves the wait for the values to before the weights.
      if (scale > 0) own.weigh(scores, scale, before);
      finish<Machine>(own.sums);
      own.rescale(before);
      round(weights, scores);
    }
    leads ? ring.lead(tiles) : Machine::template meet<turn, threads>();
    if (leads) Machine::template arrive<turn, threads>();
    Machine::begin_products();
    multiply_values(own, weights, ring.v_tile(tiles - 1));
    finish<Machine>(own.sums);
    own.store(o + (head + row) * width, width, all - row, width);
  }

 private:
  using Rows = WeightedRows<Machine, T, 16, keys, width>;
  using Scores = typename Rows::Scores;
  static constexpr int panel_depth = AlongDepth<Form, T>::depth;
  using Along = AlongDepth<Form, T>;
  using Across = AcrossDepth<Form, T, width>;
  /// Numbers of barriers.
  static constexpr int arrival = 1, turn = 2, second_group = 3;
  static_assert(width % panel_depth == 0 && keys % panel_depth == 0);

  /// Panels of K, `keys` rows by 128 bytes of the width each, and of V, a row for each of as many keys.
  static constexpr int k_panels = width / panel_depth, v_panels = keys / panel_depth;
  static constexpr int k_panel = keys * panel_depth, v_panel = panel_depth * width;  ///< elements

  struct Ring {
    WholeCopies<Along, keys, Along::segments, threads, T> k;
    WholeCopies<Across, panel_depth, Across::segments, threads, T> v;
    T* scratch;
    int left_k, left_v;  ///< tiles that have not been fetched, without the last one
    int thread;

    /// The tiles before number `tile`.
    GABLE_FUNCTION Ring(const T* all_k, const T* all_v, T* its_scratch, int tile, int its_thread)
        : k({all_k + (tile - 1) * Index{tile_size}, width, keys, width, true}, panel_depth, its_thread),
          v({all_v + (tile - 1) * Index{tile_size}, width, keys, width, true}, v_panel, its_thread),
          scratch(its_scratch),
          left_k(tile),
          left_v(tile),
          thread(its_thread) {}
    GABLE_FUNCTION T* k_tile(int i) const { return scratch + i % k_stages * tile_size; }
    GABLE_FUNCTION T* v_tile(int i) const { return scratch + (k_stages + i % v_stages) * tile_size; }
    GABLE_FUNCTION T* q() const { return scratch + (k_stages + v_stages) * tile_size; }

    /// Begins to fetch K, then V of the last tile and K of the one before.
    GABLE_FUNCTION void fetch_last(const T* all_k, const T* all_v, int all) {
      const Index first = Index{left_k} * keys;
      stage_panels<keys>(k_tile(0), all_k + first * width, all - static_cast<int>(first), thread);
      Machine::commit();
      Flight<Machine, segments_each<panel_depth, Across::segments, threads>> copies;
#pragma unroll
      for (int p = 0; p < v_panels; ++p) {
        const int from = static_cast<int>(first) + p * panel_depth;
        stage<Machine, Across, panel_depth, Across::segments, threads, 0>(
            copies, v_tile(0) + p * v_panel, Source<T>{all_v + Index{from} * width, width, all - from, width, true},
            thread);
      }
      fetch_k(1);
      Machine::commit();
    }
    /// Waits until all threads have what they began to fetch, but for their last `groups`.
    template <int groups>
    GABLE_FUNCTION void arrive() const {
      Machine::template wait<groups>();
      Machine::barrier();
    }
    /// By the first group: begins tile `i` when all have its keys and the values of the one before, and nobody reads
    /// the keys of that or values of two before any more.
    GABLE_FUNCTION void lead(int i) {
      Machine::template wait<0>();
      Machine::template meet<arrival, threads>();
      fetch_next(i);
    }
    /// By the second group, when its own part of that is so; it begins when the first one has tile `i`'s scores.
    GABLE_FUNCTION void follow(int i) {
      Machine::template wait<0>();
      Machine::template meet<second_group, group_threads>();
      Machine::template arrive<arrival, threads>();
      fetch_next(i);
    }

   private:
    /// The values of tile `i` and the keys of the next.
    GABLE_FUNCTION void fetch_next(int i) {
      fetch_v(i);
      fetch_k(i + 1);
      Machine::commit();
    }
    GABLE_FUNCTION void fetch_k(int i) {
      if (left_k == 0) return;
      --left_k;
      Flight<Machine, decltype(k)::count> copies;
#pragma unroll
      for (int p = 0; p < k_panels; ++p) k.template begin<Machine, 0>(copies, k_tile(i) + p * k_panel);
      k.from -= (tile_size + width) * static_cast<int>(sizeof(T));
    }
    GABLE_FUNCTION void fetch_v(int i) {
      if (left_v == 0) return;
      --left_v;
      Flight<Machine, decltype(v)::count> copies;
#pragma unroll
      for (int p = 0; p < v_panels; ++p) v.template begin<Machine, 0>(copies, v_tile(i) + p * v_panel);
      v.from -= 2 * tile_size * static_cast<int>(sizeof(T));
    }
  };

  /// Begins to copy `count` rows of Q or K, of which `left` exist, to panels of 128 bytes of their width.
  template <int count>
  GABLE_FUNCTION static void stage_panels(T* to, const T* from, int left, int thread) {
    Flight<Machine, segments_each<count, Along::segments, threads>> copies;
#pragma unroll
    for (int p = 0; p < k_panels; ++p) {
      stage<Machine, Along, count, Along::segments, threads, 0>(
          copies, to + p * count * panel_depth, Source<T>{from + p * panel_depth, width, left, panel_depth, true},
          thread);
    }
  }
  /// 16 rows of Q as left operands.
  GABLE_FUNCTION static void load_rows(Left<T, 16> (&own)[width / 16], const T* panels, int row) {
    const MatrixRow from = left_matrix_row(Machine::lane());
#pragma unroll
    for (int step = 0; step < width / 16; ++step) {
      const T* panel = panels + step * 16 / panel_depth * (rows * panel_depth);
      Machine::load_matrices(own[step].value[0],
                             panel + Along::at(row + from.outer, step * 16 % panel_depth + from.inner));
    }
  }
  /// Begins, as a group of products, those of the rows and a tile of K, or of weights and a tile of V.
  GABLE_FUNCTION static void multiply_keys(Scores& scores, const Left<T, 16> (&own)[width / 16], const T* tile) {
#pragma unroll
    for (int p = 0; p < k_panels; ++p)
      multiply_held<Machine>(scores, own + p * (panel_depth / 16), RightAlong<Form, T>{tile + p * k_panel}, p > 0);
    Machine::commit_products();
  }
  GABLE_FUNCTION static void multiply_values(Rows& own, const Left<T, 16> (&weights)[keys / 16], const T* tile) {
#pragma unroll
    for (int p = 0; p < v_panels; ++p) {
      multiply_held<Machine>(own.sums, weights + p * (panel_depth / 16),
                             RightAcross<Form, T, width>{tile + p * v_panel}, true);
    }
    Machine::commit_products();
  }
  GABLE_FUNCTION static void round(Left<T, 16> (&weights)[keys / 16], const Scores& scores) {
#pragma unroll
    for (int step = 0; step < keys / 16; ++step) weights[step] = left_of<Machine>(scores, step);
  }
};

}  // namespace gable::device::tile::warp
