#pragma once
#include "operators/device/tile/warp/accumulator.hpp"

namespace gable::device::tile::warp {

/// Rows of attention that a warp holds, under an online softmax: sums of weighted values, and per row of the lane the
/// largest score so far and the lane's part of the sum of weights. It takes scores `keys` at a time.
template <class Machine, class T, int rows, int keys_, int columns>
struct WeightedRows {
  using A = Accumulate<T>;
  using Form = typename Machine::Form;
  using Scores = Accumulator<Form, T, rows, keys_>;
  using Values = Accumulator<Form, T, rows, columns>;
  static constexpr int keys = keys_, slots = Values::slots;
  static constexpr A lowest = sizeof(T) == 8 ? A(-1.7976931348623157e308) : A(-3.4028234663852886e38F);
  using Factors = A[slots];

  Values sums;
  A largest[slots], total[slots];

  GABLE_FUNCTION void clear() {
    sums.clear();
#pragma unroll
    for (int s = 0; s < slots; ++s) {
      largest[s] = lowest;
      total[s] = A(0);
    }
  }
  /// Takes away the scores of keys that do not exist or are not seen: there are `left`, and the warp's first row sees
  /// `seen`, each further row one more.
  GABLE_FUNCTION static void hide(Scores& scores, int left, int seen) {
    if (left >= keys && seen >= keys) return;
    scores.for_each(Machine::lane(), [&](int row, int column, auto& pack) {
      const int end = seen + row < left ? seen + row : left;
#pragma unroll
      for (int i = 0; i < Scores::packed; ++i) pack[i] = column + i < end ? pack[i] : lowest;
    });
  }
  /// Scores become weights relative to the largest score so far, and `before` the factors of what was summed before.
  /// Weights are powers of two: scores count times `scale`.
  GABLE_FUNCTION void weigh(Scores& scores, A scale, Factors& before) {
#pragma unroll
    for (int s = 0; s < slots; ++s) {
      A best = largest[s];
#pragma unroll
      for (int p = 0; p < Scores::packs; ++p) {
#pragma unroll
        for (int i = 0; i < Scores::packed; ++i) best = larger(scores.value[s][p][i], best);
      }
      best = row_maximum<Machine, T>(best);
      before[s] = Machine::exp2((largest[s] - best) * scale);
      const A shift = -best * scale;
      largest[s] = best;
      total[s] *= before[s];
#pragma unroll
      for (int p = 0; p < Scores::packs; ++p) {
#pragma unroll
        for (int i = 0; i < Scores::packed; ++i) {
          A& weight = scores.value[s][p][i];
          weight = Machine::exp2(Machine::fma(weight, scale, shift));
          total[s] += weight;
        }
      }
    }
  }
  GABLE_FUNCTION void rescale(const Factors& factors) {
#pragma unroll
    for (int s = 0; s < slots; ++s) {
#pragma unroll
      for (int p = 0; p < Values::packs; ++p) {
#pragma unroll
        for (int i = 0; i < Values::packed; ++i) sums.value[s][p][i] *= factors[s];
      }
    }
  }
  /// Stores the means: `to` is the first column of the first of `left` rows of `stride` elements, of which `width`
  /// exist.
  GABLE_FUNCTION void store(T* to, Index stride, Index left, Index width) {
    Factors factors;
#pragma unroll
    for (int s = 0; s < slots; ++s) factors[s] = A(1) / row_sum<Machine, T>(total[s]);
    rescale(factors);
    const bool whole_packs = stride % Values::packed == 0;
    sums.for_each(Machine::lane(), [&](int row, int column, auto& pack) {
      if (row < left) store_pack<Machine, T>(to + row * stride + column, pack, width - column, whole_packs);
    });
  }
};

}  // namespace gable::device::tile::warp
