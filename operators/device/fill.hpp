#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

#include "operators/device/chunk.hpp"
#include "operators/device/storage.hpp"

namespace gable::device {

/// Uniform in [0, 1) from the element's number alone, so that values depend on neither threads nor order (splitmix64's
/// finaliser).
GABLE_FUNCTION double uniform(std::uint64_t stream, std::uint64_t index) {
  std::uint64_t x = stream + (index + 1) * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

/// Fills with low + (high - low) * uniform, rounded to T; with NaN or the lowest integer where low > high.
template <class T>
struct Fill {
  T* data;
  Index count, parts;
  std::uint64_t stream;
  double low, high;

  void run(const Exec& exec) {
    parts = on_host ? exec.concurrency() : count;
    Kokkos::parallel_for("gable::fill", ThreadPolicy(exec, 0, parts), *this);
  }
  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk chunk = on_host ? chunk_of(count, part, parts, chunk_grain) : Chunk{part, part + 1};
    for (Index i = chunk.begin; i < chunk.end; ++i) data[i] = value(i);
  }

 private:
  static GABLE_FUNCTION int whole(double x) { return static_cast<int>(x < 0 ? x - 0.5 : x + 0.5); }
  GABLE_FUNCTION T value(Index i) const {
    if constexpr (std::is_same_v<T, Int4Pair>) {
      if (low > high) return Int4Pair::of(-8, -8);
      return Int4Pair::of(whole(low + (high - low) * uniform(stream, static_cast<std::uint64_t>(2 * i))),
                          whole(low + (high - low) * uniform(stream, static_cast<std::uint64_t>(2 * i + 1))));
    }
    const double x = low + (high - low) * uniform(stream, static_cast<std::uint64_t>(i));
    if constexpr (std::is_integral_v<T>) {
      return low > high ? std::numeric_limits<T>::min() : static_cast<T>(whole(x));
    } else if constexpr (!std::is_same_v<T, Int4Pair>) {
      return narrow<T>(low > high ? std::numeric_limits<double>::quiet_NaN() : x);
    }
  }
};

}  // namespace gable::device
