#pragma once
#include "operators/device/pack.hpp"
#include "operators/device/tile/size.hpp"
#include "operators/device/tile/warp/layout.hpp"

namespace gable::device::tile::warp {

/// How a thread block of decode attention ends. What its warps, or groups of lanes, have summed up lies in scratch. The
/// block adds that up to its split's part of each query's result, and the last block of the splits to get here combines
/// the parts.
template <class Machine, class T, int threads, int heads, int columns>
struct DecodeEnd {
  static constexpr int pack = 4, splits_at_once = 20;
  /// What a warp or group leaves: sums of values, [heads, columns], then the largest scores and the sums of weights.
  static constexpr int floats = heads * columns + (2 * heads + pack - 1) / pack * pack;
  static constexpr float lowest = -3.4028234663852886e38F;

  const DecodeParts& parts;
  T* o;
  Index d, row;
  int split, query, column;  ///< the first query of the row, and the first column
  int queries;               ///< of `heads`, those that there are
  Index place;               ///< the number of the block, among those of the first splits of all rows

  /// The first of the `count` that are added up is at `left`, the next one `stride` behind it. last: in scratch, none
  /// of what is added up.
  template <int count>
  GABLE_FUNCTION void operator()(const float* left, int stride, int* last, int thread) const {
    add_up<count>(left, stride, thread);
    if (parts.splits == 1) return;
    Machine::fence();
    Machine::barrier();
    if (thread == 0) *last = Machine::add_one(parts.finished + place) == parts.splits - 1 ? 1 : 0;
    Machine::barrier();
    if (*last == 0) return;
    Machine::fence();
    if (thread == 0) parts.finished[place] = 0;
    combine(thread);
  }

 private:
  GABLE_FUNCTION Index part_of(int h, int its_split) const {
    return (row * parts.splits + its_split) * parts.group + query + h;
  }
  /// Each thread takes some columns of a query. Blocks of other columns write the same largest scores and sums of
  /// weights.
  template <int count>
  GABLE_FUNCTION void add_up(const float* left, int stride, int thread) const {
#pragma unroll 1
    for (int i = thread; i < queries * columns / pack; i += threads) {
      const int h = i / (columns / pack), own = i % (columns / pack) * pack;
      if (column + own >= d) continue;
      float largest = lowest, total = 0;
      Lanes<float, pack> sum(0.0F);
#pragma unroll
      for (int k = 0; k < count; ++k) {
        const float other = left[k * stride + heads * columns + h];
        largest = other > largest ? other : largest;
      }
#pragma unroll
      for (int k = 0; k < count; ++k) {
        const float* const from = left + k * stride;
        const float weight = Machine::exp2(from[heads * columns + h] - largest);
        total += from[heads * (columns + 1) + h] * weight;
        sum += load<pack>(from + h * columns + own) * weight;
      }
      if (parts.splits == 1) {
        put(h, own, sum, total);
        continue;
      }
      const Index part = part_of(h, split);
      store<pack>(parts.sums + part * parts.stride + column + own, sum);
      parts.largest[part] = largest;
      parts.total[part] = total;
    }
  }
  /// The same of splits, of several at once.
  GABLE_FUNCTION void combine(int thread) const {
    const int splits = static_cast<int>(parts.splits), group = static_cast<int>(parts.group);
    const int stride = static_cast<int>(parts.stride);
#pragma unroll 1
    for (int i = thread; i < queries * columns / pack; i += threads) {
      const int h = i / (columns / pack), own = i % (columns / pack) * pack;
      if (column + own >= d) continue;
      const Index first = part_of(h, 0);
      const float *const largests = parts.largest + first, *const totals = parts.total + first;
      const float* const sums = parts.sums + first * stride + column + own;
      float largest = lowest, total = 0;
      Lanes<float, pack> sum(0.0F);
#pragma unroll 1
      for (int k = 0; k < splits; k += splits_at_once) {
        float its_largest[splits_at_once], its_total[splits_at_once], best = largest;
        Lanes<float, pack> its_sum[splits_at_once];
#pragma unroll
        for (int j = 0; j < splits_at_once; ++j) {
          const int part = (k + j < splits ? k + j : splits - 1) * group;
          its_largest[j] = k + j < splits ? largests[part] : lowest;
          its_total[j] = totals[part];
          its_sum[j] = load<pack>(sums + part * stride);
        }
#pragma unroll
        for (int j = 0; j < splits_at_once; ++j) best = its_largest[j] > best ? its_largest[j] : best;
        const float before = Machine::exp2(largest - best);
        largest = best;
        total *= before;
        sum = sum * before;
#pragma unroll
        for (int j = 0; j < splits_at_once; ++j) {
          const float weight = Machine::exp2(its_largest[j] - best);
          total += its_total[j] * weight;
          sum += its_sum[j] * weight;
        }
      }
      put(h, own, sum, total);
    }
  }
  GABLE_FUNCTION void put(int h, int own, const Lanes<float, pack>& sum, float total) const {
    T* const to = o + (row * parts.group + query + h) * d + column + own;
    const float factor = 1 / total;
#pragma unroll
    for (int j = 0; j < pack; ++j) {
      if (column + own + j < d) to[j] = narrow<T>(sum[j] * factor);
    }
  }
};

}  // namespace gable::device::tile::warp
