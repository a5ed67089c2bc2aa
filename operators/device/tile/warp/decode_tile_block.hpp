#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "operators/device/tile/size.hpp"
#include "operators/device/tile/warp/accumulator.hpp"
#include "operators/device/tile/warp/decode_end.hpp"

namespace gable::device::tile::warp {

/// What one thread block of decode attention does on a matrix unit: up to 16 queries of a row, the rows of a tile, over
/// a split of its tokens. Most rows may be empty: the unit has time, and takes what arrives from memory with few
/// conversions. Each warp takes every fourth item of `keys` tokens, through a ring of its own in scratch. Of heads of
/// at most `width` columns, whole segments.
template <class Machine, class C, class T>
struct DecodeTileBlock {
  using Form = typename Machine::Form;
  static constexpr int width = 128, keys = 16, ring = 3, heads = 16;
  static constexpr int lanes = Form::lanes, threads = 128, warps = threads / lanes;
  static constexpr int blocks_at_once = 2;
  static constexpr bool has_factors = std::is_integral_v<C>;
  static constexpr float lowest = -3.4028234663852886e38F;

  DecodeSize size;
  DecodeParts parts;
  DecodeArrays<C, T> arrays;
  int head_tiles;  ///< blocks that share a split
  Index split_tokens;
  float scale;  ///< log2(e) / sqrt(d): weights are powers of two

  DecodeTileBlock(const DecodeSize& its_size, const DecodeParts& its_parts, const DecodeArrays<C, T>& its_arrays)
      : size(its_size), parts(its_parts), arrays(its_arrays) {
    head_tiles = static_cast<int>((size.group + heads - 1) / heads);
    split_tokens = (size.tokens + parts.splits - 1) / parts.splits;
    scale = static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(size.d)));
  }
  static bool fits(Index d) { return d <= width && d % per_segment<C> == 0; }
  static Index blocks_of(const DecodeSize& size) { return size.rows * ((size.group + heads - 1) / heads); }
  Index count() const { return size.rows * parts.splits * head_tiles; }
  static constexpr int scratch_bytes() { return query_bytes + warps * ring * slot_bytes; }

  /// `thread` of block `block` of rows x splits x head_tiles; scratch: scratch_bytes(), aligned to 128.
  GABLE_FUNCTION void operator()(Index block, int thread, unsigned char* scratch) const {
    const int item = static_cast<int>(block) / head_tiles, tile = static_cast<int>(block) % head_tiles;
    const int splits = static_cast<int>(parts.splits), split = item % splits, query = tile * heads;
    const Index row = item / splits, begin = split * split_tokens;
    const Index end = begin + split_tokens < size.tokens ? begin + split_tokens : size.tokens;
    const int queries_left = static_cast<int>(size.group) - query,
              queries = queries_left < heads ? queries_left : heads;
    const int lane = Machine::lane(), warp = thread / lanes;
    auto* const panel = reinterpret_cast<T*>(scratch);
    unsigned char* const slots = scratch + query_bytes + warp * ring * slot_bytes;
    const Index first = row * size.tokens, last = first + end;

    Index fetched = first + begin + warp * keys;
#pragma unroll
    for (int i = 0; i < ring; ++i) {
      fetch(slots + i * slot_bytes, fetched, last, lane);
      fetched += warps * keys;
    }
    stage_queries(panel, row * size.group + query, queries, thread);
    Machine::barrier();
    Rows own;
    own.clear();
    int slot = 0;
#pragma unroll 1
    for (Index token = first + begin + warp * keys; token < last; token += warps * keys) {
      Machine::template wait<ring - 1>();
      Machine::warp_barrier();
      unsigned char* const here = slots + slot * slot_bytes;
      Scores scores;
      scores.clear();
      add_scores(scores, panel, reinterpret_cast<const C*>(here));
      weigh(scores, own, queries, last - token < keys ? static_cast<int>(last - token) : keys,
            reinterpret_cast<const float*>(here + 2 * item_bytes));
      add_values(own.sums, scores, reinterpret_cast<const C*>(here + item_bytes));
      Machine::warp_barrier();
      fetch(here, fetched, last, lane);
      fetched += warps * keys;
      slot = slot + 1 == ring ? 0 : slot + 1;
    }
    // A warp's slots hold what it has summed up; a ring's last groups are empty.
    put(own, reinterpret_cast<float*>(slots), queries, lane);
    Machine::barrier();
    const DecodeEnd<Machine, T, threads, heads, width> finish{
        parts, arrays.o, size.d, row, split, query, 0, queries, row * head_tiles + tile};
    finish.template operator()<warps>(reinterpret_cast<const float*>(scratch + query_bytes), ring * slot_bytes / 4,
                                      reinterpret_cast<int*>(scratch), thread);
  }

 private:
  using Scores = Accumulator<Form, T, heads, keys>;
  using Values = Accumulator<Form, T, heads, width>;
  using Keys = AlongDepth<Form, C>;
  using Queries = AlongDepth<Form, T>;
  using Across = AcrossDepth<Form, C, width>;
  static constexpr std::uint32_t exponent = 255U << 23;  ///< of an fp32
  static constexpr int item_bytes = keys * width * static_cast<int>(sizeof(C));
  static constexpr int slot_bytes = 2 * item_bytes + (has_factors ? 2 * keys * static_cast<int>(sizeof(float)) : 0);
  static constexpr int query_bytes = heads * width * static_cast<int>(sizeof(T));
  static_assert(ring * slot_bytes >= heads * (width + 2) * static_cast<int>(sizeof(float)));

  /// What a warp sums up, of each query. Sums of values that have factors are in a unit, the greatest power of two in a
  /// factor so far: fp16 holds no weight times a small factor.
  struct Rows {
    Values sums;
    float largest[Values::slots], total[Values::slots];
    std::uint32_t unit;
    GABLE_FUNCTION void clear() {
      sums.clear();
      unit = 0;
#pragma unroll
      for (int s = 0; s < Values::slots; ++s) {
        largest[s] = lowest;
        total[s] = 0;
      }
    }
    /// Makes room for an item's factors. Returns what the sums so far are to be multiplied by.
    GABLE_FUNCTION float include(const float* factors) {
      float greatest = 0;
#pragma unroll
      for (int key = Machine::lane() % Values::Held::across; key < keys; key += Values::Held::across) {
        const float factor = factors[key] < 0 ? -factors[key] : factors[key];
        greatest = factor > greatest ? factor : greatest;
      }
      const std::uint32_t its = std::bit_cast<std::uint32_t>(row_maximum<Machine, T>(greatest)) & exponent;
      if (its <= unit) return 1;
      const float before = std::bit_cast<float>(unit);
      unit = its;
      return before * inverse();
    }
    GABLE_FUNCTION float inverse() const { return std::bit_cast<float>((254U << 23) - unit); }
  };

  /// Where a query's column is in its panel: of an int8 cache, a lane's four neighbours of a word are two of the first
  /// and two of the last eight of a step.
  GABLE_FUNCTION static int query_place(int column) {
    if constexpr (!has_factors) return column;
    return column / 16 * 16 + column % 4 / 2 * 8 + column % 16 / 4 * 2 + column % 2;
  }
  GABLE_FUNCTION void stage_queries(T* panel, Index first, int queries, int thread) const {
    const auto d = static_cast<int>(size.d);
#pragma unroll 1
    for (int i = thread; i < heads * width; i += threads) {
      const int query = i / width, column = i % width, place = query_place(column);
      panel[place / Queries::depth * heads * Queries::depth + Queries::at(query, place % Queries::depth)] =
          query < queries && column < d ? arrays.q[(first + query) * size.d + column] : T{};
    }
  }
  /// Begins the copy of the keys and values of the tokens [token, token + keys), as far as they are before `end`, and
  /// closes a group.
  GABLE_FUNCTION void fetch(unsigned char* slot, Index token, Index end, int lane) const {
    if (token < end) {
      const int left = end - token < keys ? static_cast<int>(end - token) : keys;
      const auto d = static_cast<int>(size.d);
      fetch_tokens<Keys>(reinterpret_cast<C*>(slot), arrays.k + token * size.d, left, d, lane);
      fetch_tokens<Across>(reinterpret_cast<C*>(slot + item_bytes), arrays.v + token * size.d, left, d, lane);
      if constexpr (has_factors) {
        static_assert(2 * keys <= lanes);
        const int key = lane % keys;
        if (lane < 2 * keys) {
          Machine::land(Machine::template copy<4>(
              slot + 2 * item_bytes + lane * sizeof(float),
              (lane < keys ? arrays.k_factor : arrays.v_factor) + token + (key < left ? key : 0), key < left ? 4 : 0));
        }
      }
    }
    Machine::commit();
  }
  /// Keys or values of tokens, of which `left` exist, to panels of a layout side by side.
  template <class Layout>
  GABLE_FUNCTION static void fetch_tokens(C* to, const C* from, int left, int d, int lane) {
    constexpr int rows = lanes / Layout::segments, columns = Layout::segments * per_segment<C>;
    const int row = lane / Layout::segments, column = lane % Layout::segments * per_segment<C>;
    const C* own = from + row * d + column;
#pragma unroll
    for (int i = 0; i < keys / rows; ++i) {
#pragma unroll
      for (int p = 0; p < width / columns; ++p) {
        const bool there = row + i * rows < left && column + p * columns < d;
        Machine::land(Machine::copy_once(to + p * keys * columns + Layout::at(row + i * rows, column),
                                         there ? own + p * columns + i * rows * d : from, there ? segment_bytes : 0));
      }
    }
  }
  GABLE_FUNCTION static void add_scores(Scores& scores, const T* panel, const C* item) {
    if constexpr (has_factors) {
#pragma unroll
      for (int k = 0; k < width; k += 32) {
        const RightAlong<Form, C> right{item + k / Keys::depth * keys * Keys::depth};
        multiply_bytes<Machine>(scores, panel + k * heads, right, k % Keys::depth);
      }
    } else {
#pragma unroll
      for (int p = 0; p < width / Keys::depth; ++p) {
        multiply<Machine>(scores, panel + p * heads * Queries::depth, 0,
                          RightAlong<Form, C>{item + p * keys * Keys::depth}, 0);
      }
    }
  }
  GABLE_FUNCTION static void add_values(Values& sums, const Scores& weights, const C* item) {
    const RightAcross<Form, C, width> values{item};
#pragma unroll
    for (int step = 0; step < keys / 16; ++step) {
      if constexpr (has_factors) {
        multiply_bytes<Machine>(sums, left_of<Machine>(weights, step), values, 16 * step);
      } else {
        multiply_held<Machine>(sums, weights, step, values, step);
      }
    }
  }
  /// Scores become weights relative to the largest score so far, times the values' factors; what was summed before is
  /// rescaled. Rows without queries stay 0. Of the keys there are `left`.
  GABLE_FUNCTION void weigh(Scores& scores, Rows& own, int queries, int left, const float* factors) const {
    float rescale = 1;
    if constexpr (has_factors) {
      multiply_by(scores, factors, 1);
      rescale = own.include(factors + keys);
    }
    if (left < keys) {
      scores.for_each(Machine::lane(), [&](int, int c, auto& pack) {
#pragma unroll
        for (int i = 0; i < Scores::packed; ++i) pack[i] = c + i < left ? pack[i] : lowest;
      });
    }
#pragma unroll
    for (int s = 0; s < Scores::slots; ++s) {
      if (s * Scores::Held::down >= queries) break;
      float best = own.largest[s];
      for_row(scores, s, [&](float& score) { best = score > best ? score : best; });
      best = row_maximum<Machine, T>(best);
      const float before = Machine::exp2((own.largest[s] - best) * scale);
      const float shift = -best * scale;
      own.largest[s] = best;
      own.total[s] *= before;
      for_row(scores, s, [&](float& score) {
        score = Machine::exp2(Machine::fma(score, scale, shift));
        own.total[s] += score;
      });
      for_row(own.sums, s, [&](float& sum) { sum *= before * rescale; });
    }
    if constexpr (has_factors) multiply_by(scores, factors + keys, own.inverse());
  }
  template <class Tile, class Function>
  GABLE_FUNCTION static void for_row(Tile& tile, int slot, const Function& function) {
#pragma unroll
    for (int p = 0; p < Tile::packs; ++p) {
#pragma unroll
      for (int i = 0; i < Tile::packed; ++i) function(tile.value[slot][p][i]);
    }
  }
  /// Each column by its key's factor and `all`.
  GABLE_FUNCTION static void multiply_by(Scores& scores, const float* factors, float all) {
    scores.for_each(Machine::lane(), [&](int, int column, auto& pack) {
#pragma unroll
      for (int i = 0; i < Scores::packed; ++i) pack[i] *= factors[column + i] * all;
    });
  }
  /// As DecodeEnd takes it.
  GABLE_FUNCTION void put(Rows& own, float* to, int queries, int lane) const {
    const float unit = has_factors ? std::bit_cast<float>(own.unit) : 1.0F;
#pragma unroll
    for (int s = 0; s < Values::slots; ++s) {
      const int h = Values::Held::row(lane, s);
      const float total = row_sum<Machine, T>(own.total[s]);
      if (h >= queries) continue;
      to[heads * width + h] = own.largest[s] * scale;
      to[heads * (width + 1) + h] = total;
#pragma unroll
      for (int p = 0; p < Values::packs; ++p) {
#pragma unroll
        for (int i = 0; i < Values::packed; ++i) {
          int column = Values::Held::column(lane, p) + i;
          if constexpr (has_factors) column = column / 16 * 16 + column % 8 * 2 + column / 8 % 2;  // even, then odd
          to[h * width + column] = own.sums.value[s][p][i] * unit;
        }
      }
    }
  }
};

}  // namespace gable::device::tile::warp
