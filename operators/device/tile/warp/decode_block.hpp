#pragma once
#include <cmath>

#include "operators/device/pack.hpp"
#include "operators/device/tile/size.hpp"
#include "operators/device/tile/warp/layout.hpp"

namespace gable::device::tile::warp {

/// What one thread block of decode attention does: `heads` queries of a row over a split of its tokens. As many lanes
/// as a head has loads of `elements` share a token; such a group takes four tokens at a time, keeps the softmax of its
/// own tokens and its columns of the weighted values in registers, and the block adds its groups up in the end. Heads
/// wider than 32 loads have several blocks, each of which takes the scores anew; so do groups of more than `heads`
/// queries, which then read the same tokens from the L2 cache.
template <class Machine, class C, class T, int elements, int heads>
struct DecodeBlock {
  using Form = typename Machine::Form;
  static constexpr int lanes = Form::lanes, threads = 128, warps = threads / lanes;
  static constexpr int blocks_at_once = Form::template decode_blocks<heads * elements>;
  static constexpr int tokens_at_once = 4;
  /// Elements of the cache that a lane reads at once.
  static constexpr int most_elements = sizeof(C) == 4 ? 4 : 8;
  static constexpr int quad = elements < 4 ? elements : 4;
  static constexpr float lowest = -3.4028234663852886e38F, ln_2 = 0.693147180559945309F;

  DecodeSize size;
  DecodeParts parts;
  DecodeArrays<C, T> arrays;
  int width;                        ///< lanes that share a token, a power of two
  Index column_blocks, head_tiles;  ///< blocks that share a split
  float scale;                      ///< log2(e) / sqrt(d): weights are powers of two

  DecodeBlock(const DecodeSize& its_size, const DecodeParts& its_parts, const DecodeArrays<C, T>& its_arrays)
      : size(its_size), parts(its_parts), arrays(its_arrays), width(1) {
    while (width < 32 && width * elements < size.d) width *= 2;
    column_blocks = (size.d + width * elements - 1) / (width * elements);
    head_tiles = (size.group + heads - 1) / heads;
    scale = static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(size.d)));
  }
  Index count() const { return size.rows * parts.splits * head_tiles * column_blocks; }
  int scratch_bytes() const {
    return static_cast<int>((heads * parts.stride + warps * width * heads * (elements + 2)) * Index{sizeof(float)});
  }

  /// `thread` of block `block` of rows x splits x head_tiles x column_blocks; scratch: scratch_bytes(), aligned to 16.
  GABLE_FUNCTION void operator()(Index block, int thread, unsigned char* scratch) const {
    const BlockPosition at = position(block, thread);
    auto* queries = reinterpret_cast<float*>(scratch);
    float* gathered = queries + heads * parts.stride;
    stage_queries(queries, at, thread);
    Machine::barrier();
    Own own;
    own.clear();
    const Index each = (size.tokens + parts.splits - 1) / parts.splits, begin = at.split * each;
    const Index end = begin + each < size.tokens ? begin + each : size.tokens;
    const Index step = threads / width * tokens_at_once;
#pragma unroll 1
    for (Index token = begin; token < end; token += step) {
      const Index first = token + thread / width * tokens_at_once;
      float weights[tokens_at_once][heads];
      add_scores(weights, queries, at, first, end);
      weigh(weights, own, at, first, end);
      add_values(weights, own, at, first, end);
    }
    own.merge(width);
    if (thread % lanes < width) own.put(gathered, thread / lanes * width + thread % width, warps * width);
    Machine::barrier();
    gather(gathered, at, thread);
  }

 private:
  /// What a lane sums up: its columns of the weighted values, and per query the largest score and the sum of weights
  /// of its group of lanes.
  struct Own {
    float sums[heads][elements], largest[heads], total[heads];
    GABLE_FUNCTION void clear() {
#pragma unroll
      for (int h = 0; h < heads; ++h) {
        largest[h] = lowest;
        total[h] = 0;
#pragma unroll
        for (int i = 0; i < elements; ++i) sums[h][i] = 0;
      }
    }
    /// Adds up what lanes `width` and its multiples apart have.
    GABLE_FUNCTION void merge(int width) {
#pragma unroll 1
      for (int mask = width; mask < lanes; mask *= 2) {
#pragma unroll
        for (int h = 0; h < heads; ++h) {
          const float other = Machine::exchange(largest[h], mask);
          const float best = other > largest[h] ? other : largest[h];
          const float mine = Machine::exp2(largest[h] - best), its = Machine::exp2(other - best);
          largest[h] = best;
          total[h] = total[h] * mine + Machine::exchange(total[h], mask) * its;
#pragma unroll
          for (int i = 0; i < elements; ++i) {
            sums[h][i] = sums[h][i] * mine + Machine::exchange(sums[h][i], mask) * its;
          }
        }
      }
    }
    /// As slot `slot` of [heads, elements + 2, slots].
    GABLE_FUNCTION void put(float* to, int slot, int slots) const {
#pragma unroll
      for (int h = 0; h < heads; ++h) {
#pragma unroll
        for (int i = 0; i < elements; ++i) to[(h * (elements + 2) + i) * slots + slot] = sums[h][i];
        to[(h * (elements + 2) + elements) * slots + slot] = largest[h];
        to[(h * (elements + 2) + elements + 1) * slots + slot] = total[h];
      }
    }
  };
  /// What a thread works on: row, split, first query of the row, first column of the block, and its own first column
  /// there.
  struct BlockPosition {
    Index row, split, query, column;
    int lane_column;
  };
  GABLE_FUNCTION BlockPosition position(Index block, int thread) const {
    const Index item = block / (column_blocks * head_tiles);
    return {item / parts.splits, item % parts.splits, block / column_blocks % head_tiles * heads,
            block % column_blocks * width * elements, thread % width * elements};
  }
  /// Queries beyond the group repeat its last.
  GABLE_FUNCTION void stage_queries(float* to, const BlockPosition& at, int thread) const {
#pragma unroll 1
    for (int i = thread; i < heads * parts.stride; i += threads) {
      const Index query = at.query + i / parts.stride, column = i % parts.stride;
      const Index own = at.row * size.group + (query < size.group ? query : size.group - 1);
      to[i] = column < size.d ? widen(arrays.q[own * size.d + column]) * scale : 0.0F;
    }
  }
  /// Where a token of a row is, or the last one of the split.
  GABLE_FUNCTION Index token_at(const BlockPosition& at, Index token, Index end) const {
    return at.row * size.tokens + (token < end ? token : end - 1);
  }
  static GABLE_FUNCTION void load_cached(float (&to)[elements], const C* from) {
    const LanesOf<C, elements> stored = load<elements>(from);
#pragma unroll
    for (int i = 0; i < elements; ++i) to[i] = static_cast<float>(stored[i]);
  }
  /// Scores of the group's tokens from `first` on, which each of its lanes gets.
  GABLE_FUNCTION void add_scores(float (&scores)[tokens_at_once][heads], const float* queries, const BlockPosition& at,
                                 Index first, Index end) const {
#pragma unroll
    for (int t = 0; t < tokens_at_once; ++t) {
#pragma unroll
      for (int h = 0; h < heads; ++h) scores[t][h] = 0;
    }
#pragma unroll 1
    for (Index column = at.lane_column; column < size.d; column += width * elements) {
      float key[tokens_at_once][elements];
#pragma unroll
      for (int t = 0; t < tokens_at_once; ++t) {
        load_cached(key[t], arrays.k + token_at(at, first + t, end) * size.d + column);
      }
#pragma unroll
      for (int h = 0; h < heads; ++h) {
#pragma unroll
        for (int i = 0; i < elements; i += quad) {
          const Lanes<float, quad> q = load<quad>(queries + h * parts.stride + column + i);
#pragma unroll
          for (int j = 0; j < quad; ++j) {
#pragma unroll
            for (int t = 0; t < tokens_at_once; ++t) scores[t][h] = Machine::fma(q[j], key[t][i + j], scores[t][h]);
          }
        }
      }
    }
#pragma unroll 1
    for (int mask = 1; mask < width; mask *= 2) {
#pragma unroll
      for (int t = 0; t < tokens_at_once; ++t) {
#pragma unroll
        for (int h = 0; h < heads; ++h) scores[t][h] += Machine::exchange(scores[t][h], mask);
      }
    }
  }
  /// Scores become weights relative to the group's largest so far, times the values' factors; what was summed before is
  /// rescaled.
  GABLE_FUNCTION void weigh(float (&scores)[tokens_at_once][heads], Own& own, const BlockPosition& at, Index first,
                            Index end) const {
    float best[heads];
#pragma unroll
    for (int h = 0; h < heads; ++h) best[h] = own.largest[h];
#pragma unroll
    for (int t = 0; t < tokens_at_once; ++t) {
      const float factor = arrays.k_factor != nullptr ? arrays.k_factor[token_at(at, first + t, end)] : 1.0F;
#pragma unroll
      for (int h = 0; h < heads; ++h) {
        scores[t][h] = first + t < end ? scores[t][h] * factor : lowest;
        best[h] = scores[t][h] > best[h] ? scores[t][h] : best[h];
      }
    }
#pragma unroll
    for (int h = 0; h < heads; ++h) {
      const float before = Machine::exp2(own.largest[h] - best[h]);
      own.largest[h] = best[h];
      own.total[h] *= before;
#pragma unroll
      for (int i = 0; i < elements; ++i) own.sums[h][i] *= before;
    }
#pragma unroll
    for (int t = 0; t < tokens_at_once; ++t) {
      const float factor = arrays.v_factor != nullptr ? arrays.v_factor[token_at(at, first + t, end)] : 1.0F;
#pragma unroll
      for (int h = 0; h < heads; ++h) {
        const float weight = first + t < end ? Machine::exp2(scores[t][h] - best[h]) : 0.0F;
        own.total[h] += weight;
        scores[t][h] = weight * factor;
      }
    }
  }
  GABLE_FUNCTION void add_values(const float (&weights)[tokens_at_once][heads], Own& own, const BlockPosition& at,
                                 Index first, Index end) const {
    const Index column = at.column + at.lane_column;
    if (column >= size.d) return;
#pragma unroll
    for (int t = 0; t < tokens_at_once; ++t) {
      float value[elements];
      load_cached(value, arrays.v + token_at(at, first + t, end) * size.d + column);
#pragma unroll
      for (int h = 0; h < heads; ++h) {
#pragma unroll
        for (int i = 0; i < elements; ++i) own.sums[h][i] = Machine::fma(weights[t][h], value[i], own.sums[h][i]);
      }
    }
  }
  /// Adds the warps up; each thread takes columns of queries.
  GABLE_FUNCTION void gather(const float* gathered, const BlockPosition& at, int thread) const {
    const int slots = warps * width;
#pragma unroll 1
    for (int i = thread; i < heads * width * elements; i += threads) {
      const int h = i / (width * elements), column = i % (width * elements);
      if (at.query + h >= size.group || at.column + column >= size.d) continue;
      const float* own = gathered + h * (elements + 2) * slots + column / elements;
      const float* all_largest = own + elements * slots;
      float largest = lowest, total = 0, sum = 0;
      for (int slot = 0; slot < slots; slot += width) {
        largest = all_largest[slot] > largest ? all_largest[slot] : largest;
      }
      for (int slot = 0; slot < slots; slot += width) {
        const float weight = Machine::exp2(all_largest[slot] - largest);
        total += all_largest[slots + slot] * weight;
        sum += own[column % elements * slots + slot] * weight;
      }
      const Index part = parts.at(at.row * size.group + at.query + h, at.split);
      parts.sums[part * parts.stride + at.column + column] = sum;
      parts.largest[part] = largest * ln_2;
      parts.total[part] = total;
    }
  }
};

}  // namespace gable::device::tile::warp
