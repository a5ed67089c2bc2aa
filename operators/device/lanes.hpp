#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "operators/device/function.hpp"
#include "operators/device/isa/isa.hpp"

namespace gable::device {

/// N values of accumulate type A that one thread works on together. On hosts one vector register or several (the
/// compiler's vector extension, so nothing depends on an auto-vectoriser), in parts: an operation does one part after
/// the other, so that a core always has independent instructions side by side. On GPUs N registers of the thread.
template <class A, int N>
struct Lanes {
#if defined(GABLE_ARRAY_LANES)
  using Part = A;
  using One = isa::Number<A>;
  static constexpr int width = 1;
#else
  static constexpr int width = N * sizeof(A) > register_bytes ? register_bytes / static_cast<int>(sizeof(A)) : N;
  using Part = typename VectorOf<A, width>::type;
  using One = isa::Register<A, width>;
#endif
  static constexpr int parts = N / width;
  static_assert(parts * width == N);
  Part part[parts];

  Lanes() = default;
  /// Part by part: as one object the compiler would copy through memory.
  GABLE_FUNCTION Lanes(const Lanes& other) {
    for (int p = 0; p < parts; ++p) part[p] = other.part[p];
  }
  GABLE_FUNCTION Lanes& operator=(const Lanes& other) {  // NOLINT: right for itself, too
    for (int p = 0; p < parts; ++p) part[p] = other.part[p];
    return *this;
  }
  GABLE_FUNCTION Lanes(A value) {                              // implicit, so that operators mix lanes and numbers
    for (int p = 0; p < parts; ++p) part[p] = value - Part{};  // keeps -0, and folds into a broadcast
  }

  GABLE_FUNCTION A operator[](int i) const {
#if defined(GABLE_ARRAY_LANES)
    return part[i];
#else
    return part[i / width][i % width];
#endif
  }
  GABLE_FUNCTION void set(int i, A value) {
#if defined(GABLE_ARRAY_LANES)
    part[i] = value;
#else
    part[i / width][i % width] = value;
#endif
  }

  friend GABLE_FUNCTION Lanes operator+(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] += y.part[p];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator-(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] -= y.part[p];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator*(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] *= y.part[p];
    return x;
  }
  friend GABLE_FUNCTION Lanes operator/(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] /= y.part[p];
    return x;
  }
  GABLE_FUNCTION Lanes& operator+=(Lanes y) { return *this = *this + y; }
  /// x where x > y, else y, per lane: a NaN in x yields y.
  friend GABLE_FUNCTION Lanes max(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] = One::greater(x.part[p], y.part[p]);
    return x;
  }
  /// x where x < y, else y, per lane: a NaN in x yields y.
  friend GABLE_FUNCTION Lanes min(Lanes x, Lanes y) {
    for (int p = 0; p < parts; ++p) x.part[p] = One::lesser(x.part[p], y.part[p]);
    return x;
  }

  friend GABLE_FUNCTION Lanes sqrt(Lanes x) {
    for (int p = 0; p < parts; ++p) x.part[p] = One::root(x.part[p]);
    return x;
  }
  /// x where condition > 0, else y, per lane.
  friend GABLE_FUNCTION Lanes where_positive(const Lanes& condition, Lanes x, const Lanes& y) {
    for (int p = 0; p < parts; ++p) x.part[p] = condition.part[p] > Part{} ? x.part[p] : y.part[p];
    return x;
  }

  /// Sum and maximum over the lanes, pairwise.
  friend GABLE_FUNCTION A sum(Lanes x) {
    for (int p = 1; p < parts; ++p) x.part[0] += x.part[p];
    return One::sum(x.part[0]);
  }
  friend GABLE_FUNCTION A maximum(Lanes x) {
    for (int p = 1; p < parts; ++p) x.part[0] = One::greater(x.part[0], x.part[p]);
    return One::maximum(x.part[0]);
  }

#if !defined(GABLE_ARRAY_LANES)
  /// The first `count` lanes of x, `rest` in the others.
  friend GABLE_FUNCTION Lanes first_of(Lanes x, int count, A rest) {
    for (int p = 0; p < parts; ++p) {
      const auto wanted = numbered(std::make_index_sequence<width>{}) < Integer{count - p * width};
      x.part[p] = wanted ? x.part[p] : rest - Part{};
    }
    return x;
  }
  /// The sums of four lanes side by side, at `totals`.
  friend GABLE_FUNCTION void store_sums(A* totals, Lanes a, Lanes b, Lanes c, Lanes d) {
    static_assert(parts == 1);
    const auto sums = One::sums_of_four(a.part[0], b.part[0], c.part[0], d.part[0]);
    std::memcpy(totals, &sums, sizeof sums);
  }
#endif
  /// Keeps a host's compiler from spilling x to memory and reading it again for each use.
  friend GABLE_FUNCTION void keep_in_register(Lanes& x) {
    for (int p = 0; p < parts; ++p) One::keep(x.part[p]);
  }

 private:
#if !defined(GABLE_ARRAY_LANES)
  using Integer = std::conditional_t<sizeof(A) == 8, std::int64_t, std::int32_t>;
  template <std::size_t... i>
  static GABLE_FUNCTION auto numbered(std::index_sequence<i...>) {
    return typename VectorOf<Integer, width>::type{static_cast<Integer>(i)...};
  }
#endif
};

/// 1 / sqrt(x) for x > 0 that is a normal number, to some units in the last place; about 0 for infinity.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> inverse_root(Lanes<A, N> x) {
  for (int p = 0; p < x.parts; ++p) x.part[p] = Lanes<A, N>::One::inverse_root(x.part[p]);
  return x;
}

/// x / y and sqrt(x) where all numbers and 1 / y are normal, to 1 unit in the last place.
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> normal_quotient(Lanes<A, N> x, const Lanes<A, N>& y) {
#if defined(GABLE_ARRAY_LANES)
  for (int p = 0; p < x.parts; ++p) x.part[p] = Lanes<A, N>::One::normal_quotient(x.part[p], y.part[p]);
  return x;
#else
  return x / y;
#endif
}
template <class A, int N>
GABLE_FUNCTION Lanes<A, N> normal_root(Lanes<A, N> x) {
#if defined(GABLE_ARRAY_LANES)
  for (int p = 0; p < x.parts; ++p) x.part[p] = Lanes<A, N>::One::normal_root(x.part[p]);
  return x;
#else
  return sqrt(x);
#endif
}

}  // namespace gable::device
