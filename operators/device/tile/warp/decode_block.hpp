#pragma once
#include <cmath>
#include <type_traits>

#include "operators/device/pack.hpp"
#include "operators/device/tile/warp/decode_end.hpp"

namespace gable::device::tile::warp {

/// What one thread block of decode attention does by plain fma: `heads` queries of a row over a split of its tokens.
/// 16 lanes share a token, each with `loads` of `elements` columns; such a group takes four tokens at a time,
/// and keeps the softmax of its own tokens and its columns of the weighted values in registers. Wider heads have
/// several blocks, each of which takes the scores anew; so do groups of more than `heads` queries, which then read the
/// same tokens from the L2 cache.
template <class Machine, class C, class T, int elements, int heads, int loads_ = 8 / elements>
struct DecodeBlock {
  using Form = typename Machine::Form;
  static constexpr int lanes = Form::lanes, threads = 128, warps = threads / lanes;
  static constexpr int width = 16;  ///< lanes that share a token
  static constexpr int loads = loads_;
  static constexpr int groups = threads / width, columns = width * elements * loads;
  static constexpr int tokens_at_once = 4, scores_at_once = tokens_at_once * heads;
  static constexpr int for_token = width / tokens_at_once, for_score = width / scores_at_once;  ///< lanes
  static constexpr int blocks_at_once = Form::decode_blocks;
  static constexpr int quad = elements < 4 ? elements : 4;
  static constexpr float lowest = -3.4028234663852886e38F;
  /// Heads wider than a block: four queries in fp32 leave no registers for a loop over their columns, and narrow heads
  /// need none.
  static constexpr bool takes_wide_heads = sizeof(C) < 4 || (heads < 4 && loads > 1);
  static_assert(scores_at_once <= width && (heads & (heads - 1)) == 0);

  DecodeSize size;
  DecodeParts parts;
  DecodeArrays<C, T> arrays;
  int column_blocks, head_tiles;  ///< blocks that share a split
  Index split_tokens;
  float scale;  ///< log2(e) / sqrt(d): weights are powers of two

  DecodeBlock(const DecodeSize& its_size, const DecodeParts& its_parts, const DecodeArrays<C, T>& its_arrays)
      : size(its_size), parts(its_parts), arrays(its_arrays) {
    column_blocks = static_cast<int>((size.d + columns - 1) / columns);
    head_tiles = static_cast<int>((size.group + heads - 1) / heads);
    split_tokens = (size.tokens + parts.splits - 1) / parts.splits;
    scale = static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(size.d)));
  }
  static Index blocks_of(const DecodeSize& size) {
    return size.rows * ((size.d + columns - 1) / columns) * ((size.group + heads - 1) / heads);
  }
  Index count() const { return size.rows * parts.splits * head_tiles * column_blocks; }
  int scratch_bytes() const {
    return static_cast<int>((heads * query_stride() + groups * End::floats) * Index{sizeof(float)});
  }

  /// `thread` of block `block` of rows x splits x head_tiles x column_blocks; scratch: scratch_bytes(), aligned to 16.
  GABLE_FUNCTION void operator()(Index block, int thread, unsigned char* scratch) const {
    const BlockPosition at = position(block, thread);
    auto* queries = reinterpret_cast<float*>(scratch);
    float* gathered = queries + heads * query_stride();
    stage_queries(queries, at, thread);
    Machine::barrier();
    Own own;
    own.clear();
#pragma unroll 1
    for (int token = 0; token < at.tokens; token += groups * tokens_at_once) {
      const int first = token + thread / width * tokens_at_once;
      Pack<C, elements> values[tokens_at_once][loads];
      fetch(values, arrays.v, at, first, at.column + at.lane_column);
      float scores[scores_at_once];
      add_scores(scores, queries, at, first);
      weigh(scores, own, at, first);
      add_values(scores, values, own);
    }
    own.put(gathered + thread / width * End::floats, thread);
    Machine::barrier();
    const int queries_left = static_cast<int>(size.group) - at.query;
    const End finish{parts,
                     arrays.o,
                     size.d,
                     at.row,
                     at.split,
                     at.query,
                     at.column,
                     queries_left < heads ? queries_left : heads,
                     Index{at.row} * column_blocks * head_tiles + at.own};
    finish.template operator()<groups>(gathered, End::floats, reinterpret_cast<int*>(scratch), thread);
  }

 private:
  using End = DecodeEnd<Machine, T, threads, heads, columns>;
  /// What a lane sums up: its columns of the weighted values; and of one query, that of its score, the largest score of
  /// its group of lanes, and its own part of the sum of weights.
  struct Own {
    float sums[heads][loads][elements], largest, total;
    GABLE_FUNCTION void clear() {
      largest = lowest;
      total = 0;
#pragma unroll
      for (int h = 0; h < heads; ++h) {
#pragma unroll
        for (int l = 0; l < loads; ++l) {
#pragma unroll
          for (int i = 0; i < elements; ++i) sums[h][l][i] = 0;
        }
      }
    }
    /// As [heads, columns], and the largest score and the sum of weights of each query.
    GABLE_FUNCTION void put(float* to, int thread) {
      for (int mask = for_token; mask < width; mask *= 2) total += Machine::exchange(total, mask);
      const int lane = thread % width;
      to[heads * columns + head_of(lane)] = largest;
      to[heads * (columns + 1) + head_of(lane)] = total;
#pragma unroll
      for (int h = 0; h < heads; ++h) {
#pragma unroll
        for (int l = 0; l < loads; ++l) {
#pragma unroll
          for (int i = 0; i < elements; ++i) to[h * columns + (l * width + lane) * elements + i] = sums[h][l][i];
        }
      }
    }
  };
  /// What a thread works on: row, split, number of the block in it, first query of the row, first column of the block,
  /// and its own first column there; the first token, of all rows, and how many there are.
  struct BlockPosition {
    int row, split, own, query, column, lane_column;
    Index first;
    int tokens;
  };
  GABLE_FUNCTION BlockPosition position(Index block, int thread) const {
    const int blocks = column_blocks * head_tiles, splits = static_cast<int>(parts.splits);
    const int item = static_cast<int>(block) / blocks, own = static_cast<int>(block) % blocks;
    const int row = item / splits, split = item % splits;
    const Index begin = split * split_tokens, left = size.tokens - begin;
    return {row,
            split,
            own,
            own / column_blocks * heads,
            own % column_blocks * columns,
            thread % width * elements,
            row * size.tokens + begin,
            static_cast<int>(left < split_tokens ? left : split_tokens)};
  }
  /// Whose score a lane of a group keeps: neighbours have one token's.
  GABLE_FUNCTION static int token_of(int lane) { return lane / for_token; }
  GABLE_FUNCTION static int head_of(int lane) { return lane % for_token / for_score; }
  GABLE_FUNCTION int query_stride() const { return column_blocks * columns; }

  /// Queries beyond the group repeat its last.
  GABLE_FUNCTION void stage_queries(float* to, const BlockPosition& at, int thread) const {
    const int stride = query_stride();
#pragma unroll 1
    for (int i = thread; i < heads * stride; i += threads) {
      const Index query = at.query + i / stride, column = i % stride;
      const Index own = at.row * size.group + (query < size.group ? query : size.group - 1);
      to[i] = column < size.d ? widen(arrays.q[own * size.d + column]) * scale : 0.0F;
    }
  }
  /// A token of the split, or its last one.
  GABLE_FUNCTION static int stored(const BlockPosition& at, int token) {
    return token < at.tokens ? token : at.tokens - 1;
  }
  /// A lane's loads of the group's tokens from `first` on; beyond the last column they repeat a row's first.
  GABLE_FUNCTION void fetch(Pack<C, elements> (&to)[tokens_at_once][loads], const C* from, const BlockPosition& at,
                            int first, int column) const {
#pragma unroll
    for (int t = 0; t < tokens_at_once; ++t) {
      const C* row = from + at.first * size.d + stored(at, first + t) * static_cast<int>(size.d);
#pragma unroll
      for (int l = 0; l < loads; ++l) {
        const int own = column + l * width * elements;
        to[t][l] = pack_at<elements>(row + (own < size.d ? own : 0));
      }
    }
  }
  /// The score of one of the group's tokens from `first` on and one query, for each of its lanes.
  GABLE_FUNCTION void add_scores(float (&scores)[scores_at_once], const float* queries, const BlockPosition& at,
                                 int first) const {
#pragma unroll
    for (int i = 0; i < scores_at_once; ++i) scores[i] = 0;
#pragma unroll 1
    for (int block_column = 0; block_column < (takes_wide_heads ? size.d : 1); block_column += columns) {
      const int column = block_column + at.lane_column;
      Pack<C, elements> keys[tokens_at_once][loads];
      fetch(keys, arrays.k, at, first, column);
#pragma unroll
      for (int l = 0; l < loads; ++l) {
        LanesOf<C, elements> key[tokens_at_once];
#pragma unroll
        for (int t = 0; t < tokens_at_once; ++t) key[t] = widened(keys[t][l]);
#pragma unroll
        for (int h = 0; h < heads; ++h) {
#pragma unroll
          for (int i = 0; i < elements; i += quad) {
            const Lanes<float, quad> q = load<quad>(queries + h * query_stride() + column + l * width * elements + i);
#pragma unroll
            for (int j = 0; j < quad; ++j) {
#pragma unroll
              for (int t = 0; t < tokens_at_once; ++t) {
                float& score = scores[t * heads + h];
                score = Machine::fma(q[j], static_cast<float>(key[t][i + j]), score);
              }
            }
          }
        }
      }
    }
    reduce<width / 2, scores_at_once>(scores);
  }
  /// The sums over the group's lanes of `count` values that each of them has, first those of half of them each.
  template <int mask, int count>
  GABLE_FUNCTION static void reduce(float (&values)[scores_at_once]) {
    if constexpr (mask > 0) {
      constexpr int left = count > 1 ? count / 2 : 1;
      const bool upper = (Machine::lane() & mask) != 0;
#pragma unroll
      for (int i = 0; i < left; ++i) {
        if constexpr (count > 1) {
          const float mine = upper ? values[left + i] : values[i], other = upper ? values[i] : values[left + i];
          values[i] = mine + Machine::exchange(other, mask);
        } else {
          values[i] += Machine::exchange(values[i], mask);
        }
      }
      reduce<mask / 2, left>(values);
    }
  }
  /// Scores become weights relative to the group's largest so far, times the values' factors, for all lanes; what was
  /// summed before is rescaled.
  GABLE_FUNCTION void weigh(float (&scores)[scores_at_once], Own& own, const BlockPosition& at, int first) const {
    const int lane = Machine::lane() % width, base = Machine::lane() - lane;
    const int token = first + token_of(lane);
    float score = scores[0];
    if constexpr (std::is_integral_v<C>) score *= arrays.k_factor[at.first + stored(at, token)];
    score = token < at.tokens ? score : lowest;
    float best = score > own.largest ? score : own.largest;
#pragma unroll
    for (int mask = for_token; mask < width; mask *= 2) {
      const float other = Machine::exchange(best, mask);
      best = other > best ? other : best;
    }
    const float before = Machine::exp2(own.largest - best);
    float weight = token < at.tokens ? Machine::exp2(score - best) : 0.0F;
    own.largest = best;
    own.total = Machine::fma(own.total, before, weight);
    if constexpr (std::is_integral_v<C>) weight *= arrays.v_factor[at.first + stored(at, token)];
#pragma unroll
    for (int h = 0; h < heads; ++h) {
      const float its_before = Machine::from_lane(before, base + h * for_score);
#pragma unroll
      for (int t = 0; t < tokens_at_once; ++t) {
        scores[t * heads + h] = Machine::from_lane(weight, base + t * for_token + h * for_score);
      }
#pragma unroll
      for (int l = 0; l < loads; ++l) {
#pragma unroll
        for (int i = 0; i < elements; ++i) own.sums[h][l][i] *= its_before;
      }
    }
  }
  GABLE_FUNCTION static void add_values(const float (&weights)[scores_at_once],
                                        const Pack<C, elements> (&values)[tokens_at_once][loads], Own& own) {
#pragma unroll
    for (int t = 0; t < tokens_at_once; ++t) {
#pragma unroll
      for (int l = 0; l < loads; ++l) {
        const LanesOf<C, elements> value = widened(values[t][l]);
#pragma unroll
        for (int h = 0; h < heads; ++h) {
#pragma unroll
          for (int i = 0; i < elements; ++i) {
            float& sum = own.sums[h][l][i];
            sum = Machine::fma(weights[t * heads + h], static_cast<float>(value[i]), sum);
          }
        }
      }
    }
  }
};

}  // namespace gable::device::tile::warp
