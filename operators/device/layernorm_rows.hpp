#pragma once
#include "operators/device/moments.hpp"
#include "operators/layernorm.hpp"

namespace gable::device {

/// y = (x - mean) / sqrt(variance + epsilon) gamma + beta over a row of n; also(k) is called for each step's first
/// element.
template <int N, class T, class Group, class Also>
GABLE_FUNCTION void normalise_row(const T* x, const T* gamma, const T* beta, T* y, Index n, const Group& group,
                                  const Moments<Accumulate<T>>& moments, const Also& also) {
  using A = Accumulate<T>;
  const A mean = moments.mean, scale = A(1) / Kokkos::sqrt(moments.variance + A(operators::Layernorm::epsilon));
  for_row<N>(
      group, n, [&](auto access, Index k, int) __attribute__((always_inline)) {
        also(k);
        const auto normal = (access.load(x + k) - mean) * scale;
        access.store_any_tie(y + k, normal * access.load(gamma + k) + access.load(beta + k));
      });
}

/// Two walks over a row: its moments, then the result. The first asks for the lines of the result, the second for the
/// next row.
template <class T>
struct LayernormBody {
  const T* x;
  const T* gamma;
  const T* beta;
  T* y;
  Index n;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    const T* source = x + i * n;
    T* target = y + i * n;
    const auto moments = row_moments<N>(
        source, n, group, [&](Index k) __attribute__((always_inline)) { prefetch_write(target + k); });
    const Index ahead = row_ahead<T>(n);
    normalise_row<N>(
        source, gamma, beta, target, n, group,
        moments, [&](Index k) __attribute__((always_inline)) { prefetch_read(source + ahead + k); });
  }
};

}  // namespace gable::device
