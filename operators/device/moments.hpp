#pragma once
#include "operators/device/rows.hpp"

namespace gable::device {

/// Mean and (biased) variance of a row.
template <class A>
struct Moments {
  A mean, variance;
};

template <class A>
struct RowSums {
  A values, squares;
};
/// Sums of x - centre and of its square over a row of n; also(k) is called for each step's first element.
template <int N, class T, class Group, class Also>
GABLE_FUNCTION RowSums<Accumulate<T>> row_sums(const T* source, Index n, const Group& group, Accumulate<T> centre,
                                               const Also& also) {
  using A = Accumulate<T>;
  LanesOf<T, N> values[slots], squares[slots];
  for (int s = 0; s < slots; ++s) values[s] = squares[s] = A(0);
  for_row<N>(
      group, n, [&](auto access, Index k, int s) __attribute__((always_inline)) {
        also(k);
        const auto centred = access.load(source + k, centre) - centre;
        values[s] += centred;
        squares[s] += centred * centred;
      });
  for (int s = 1; s < slots; ++s) {
    values[0] += values[s];
    squares[0] += squares[s];
  }
  return {group.sum(sum(values[0])), group.sum(sum(squares[0]))};
}

/// One walk over the row: sums of x - x[0] and of its square. Var = S2/n - (S1/n)^2 cancels where x[0] lies far outside
/// the other values: beyond four standard deviations the squares are taken about the mean instead, so that no more than
/// a factor 17 of the sum's own rounding is ever lost.
template <int N, class T, class Group, class Also>
GABLE_FUNCTION Moments<Accumulate<T>> row_moments(const T* source, Index n, const Group& group, const Also& also) {
  using A = Accumulate<T>;
  const A count = static_cast<A>(n), first = widen(source[0]);
  const auto sums = row_sums<N>(source, n, group, first, also);
  const A offset = sums.values / count;
  Moments<A> moments{first + offset, sums.squares / count - offset * offset};
  if (offset * offset > A(16) * moments.variance) {
    moments.variance = row_sums<N>(source, n, group, moments.mean, also).squares / count;
  }
  return moments;
}

}  // namespace gable::device
