#pragma once
#include "operators/device/moments.hpp"
#include "operators/device/two_walks.hpp"
#include "operators/layernorm.hpp"

namespace gable::device {

/// What the second walk of layer normalisation needs of a row.
template <class A>
struct Normal {
  A mean, scale;
};

/// (x - mean) / sqrt(variance + epsilon) gamma + beta in two walks over rows of n, which the first has read or made.
template <class T>
struct Normalise {
  using A = Accumulate<T>;
  const T* gamma;
  const T* beta;
  Index n;

  template <int N, class Group>
  GABLE_FUNCTION Normal<A> finish(const T* row, const MomentSums<T, N>& sums, const Group& group) const {
    return normal(sums.moments(row, n, group));
  }
  GABLE_FUNCTION Normal<A> normal(const Moments<A>& moments) const {
    return {moments.mean, A(1) / Kokkos::sqrt(moments.variance + A(operators::Layernorm::epsilon))};
  }
  template <int N>
  struct Operands {
    Fetched<T, N> x, gamma, beta;
  };
  template <template <int> class Access, int N>
  GABLE_FUNCTION Operands<N> fetch_operands(Access<N> access, const T* row, Index k) const {
    return {access.fetch(row + k), access.fetch(gamma + k), access.fetch(beta + k)};
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> result(const Operands<N>& at, const Normal<A>& found) const {
    return (lanes_of(at.x) - found.mean) * found.scale * lanes_of(at.gamma) + lanes_of(at.beta);
  }
#if defined(GABLE_ARRAY_LANES)
  /// The result of a row that a thread block holds; no sum about another value than the mean is needed.
  template <class Row>
  GABLE_FUNCTION void held(Row& row, typename Row::Fetched x, T* target) const {
    const A mean = row.total([&](int p) __attribute__((always_inline)) { return x.lanes(p); }) / A(n);
    const A variance = row.total([&](int p) __attribute__((always_inline)) {
      const auto centred = x.lanes(p) - mean;
      return centred * centred;
    }) / A(n);
    const Normal<A> found = normal({mean, variance});
    row.store(
        target, [&](int p) __attribute__((always_inline)) {
          return result(Operands<Row::width>{x.pack[p], row.of_shared(gamma, p), row.of_shared(beta, p)}, found);
        });
  }
#endif
};

/// The second walk over a row; also(k) is called for each step's first element.
template <int N, class T, class Group, class Also>
GABLE_FUNCTION void normalise_row(const T* x, const T* gamma, const T* beta, T* y, Index n, const Group& group,
                                  const Moments<Accumulate<T>>& moments, const Also& also) {
  const Normalise<T> normalise{gamma, beta, n};
  const auto found = normalise.normal(moments);
  for_row<N>(
      group, n,
      [&](auto access, Index k) __attribute__((always_inline)) {
        also(k);
        return normalise.fetch_operands(access, x, k);
      },
      [&](auto access, Index k, const auto& operands, int)
          __attribute__((always_inline)) { access.store_ties_unspecified(y + k, normalise.result(operands, found)); });
}

template <class T>
struct LayernormBody {
  using A = Accumulate<T>;
  static constexpr bool needs_registers = sizeof(T) == 4;  ///< with 64 a thread nvcc spills two of them
  const T* x;
  Normalise<T> normalise;

  template <int N>
  GABLE_FUNCTION MomentSums<T, N> begin(Index i) const {
    return {widen(x[i * normalise.n])};
  }
  template <template <int> class Access, int N>
  GABLE_FUNCTION Fetched<T, N> fetch(Access<N> access, Index i, Index k, const MomentSums<T, N>& sums) const {
    return access.fetch(x + i * normalise.n + k, sums.first);
  }
  template <int N>
  GABLE_FUNCTION void gather(const Fetched<T, N>& elements, MomentSums<T, N>& sums) const {
    sums.add(lanes_of(elements));
  }
  template <int N, class Group>
  GABLE_FUNCTION Normal<A> finish(Index i, const MomentSums<T, N>& sums, const Group& group) const {
    return normalise.finish(x + i * normalise.n, sums, group);
  }
  template <template <int> class Access, int N>
  GABLE_FUNCTION auto fetch_operands(Access<N> access, Index i, Index k) const {
    return normalise.fetch_operands(access, x + i * normalise.n, k);
  }
  template <class Operands>
  GABLE_FUNCTION auto result(const Operands& operands, const Normal<A>& found) const {
    return normalise.result(operands, found);
  }
#if defined(GABLE_ARRAY_LANES)
  template <class Row>
  GABLE_FUNCTION void held(Index i, Row& row, T* target) const {
    normalise.held(row, row.fetch(x + i * normalise.n), target);
  }
#endif
};

template <class T>
using LayernormWalks = WalksKernel<T, LayernormBody<T>>;

}  // namespace gable::device
