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
/// Sums of x - centre and of its square over a row of n, whose elements are made(access, k, fetch(access, k)): beyond
/// its end `centre`. What stores does so in made, so that a GPU thread can fetch ahead.
template <int N, class T, class Group, class Fetch, class Made>
GABLE_FUNCTION RowSums<Accumulate<T>> row_sums(Index n, const Group& group, Accumulate<T> centre, const Fetch& fetch,
                                               const Made& made) {
  using A = Accumulate<T>;
  LanesOf<T, N> values[slots], squares[slots];
  for (int s = 0; s < slots; ++s) values[s] = squares[s] = A(0);
  for_row<N>(
      group, n, fetch, [&](auto access, Index k, const auto& fetched, int s) __attribute__((always_inline)) {
        const auto centred = made(access, k, fetched) - centre;
        values[s] += centred;
        squares[s] += centred * centred;
      });
  for (int s = 1; s < slots; ++s) {
    values[0] += values[s];
    squares[0] += squares[s];
  }
  return {group.sum(sum(values[0])), group.sum(sum(squares[0]))};
}

template <int N, class T, class Group, class Fetch>
GABLE_FUNCTION RowSums<Accumulate<T>> row_sums(Index n, const Group& group, Accumulate<T> centre, const Fetch& fetch) {
  return row_sums<N, T>(
      n, group, centre, fetch,
      [](auto, Index, const Fetched<T, N>& x) __attribute__((always_inline)) { return lanes_of(x); });
}

/// From the sums about one of the row's elements. Var = S2/n - (S1/n)^2 cancels where `first` lies far outside the
/// other values: beyond four standard deviations the squares are summed about the mean instead, so that the rounding of
/// the sum grows by at most a factor of 17.
template <int N, class T, class Group>
GABLE_FUNCTION Moments<Accumulate<T>> moments_from(const RowSums<Accumulate<T>>& sums, Accumulate<T> first,
                                                   const T* source, Index n, const Group& group) {
  using A = Accumulate<T>;
  const A count = static_cast<A>(n);
  const A offset = sums.values / count;
  Moments<A> moments{first + offset, sums.squares / count - offset * offset};
  if (offset * offset > A(16) * moments.variance) {
    const A mean = moments.mean;
    const auto again = row_sums<N, T>(
        n, group,
        mean, [&](auto access, Index k) __attribute__((always_inline)) { return access.fetch(source + k, mean); });
    moments.variance = again.squares / count;
  }
  return moments;
}

/// The sums about a row's first element, for a walk that does more than these.
template <class T, int N>
struct MomentSums {
  using A = Accumulate<T>;
  A first;
  LanesOf<T, N> values = A(0), squares = A(0);

  GABLE_FUNCTION void add(const LanesOf<T, N>& x) {
    const auto centred = x - first;
    values += centred;
    squares += centred * centred;
  }
  template <class Group>
  GABLE_FUNCTION Moments<A> moments(const T* source, Index n, const Group& group) const {
    const RowSums<A> sums{group.sum(sum(values)), group.sum(sum(squares))};
    return moments_from<N>(sums, first, source, n, group);
  }
};

}  // namespace gable::device
