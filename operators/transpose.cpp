#include "operators/transpose.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "operators/device/lanes.hpp"
#include "operators/device/operator_kit.hpp"
#include "operators/device/prefetch.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Elements as bits of their size: nothing is converted, and NaN keeps its payload.
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

#if !defined(GABLE_ARRAY_LANES)
/// Side of the square that is transposed in registers: two of them hold a row of 4 fp64 or fp32, 8 of 2 bytes.
template <class T>
inline constexpr int square = sizeof(T) == 2 ? 8 : 4;

/// Interleaves the elements of two rows: low halves, then high halves. log2(side) rounds of it over rows k and k +
/// side / 2 transpose a square.
template <class V>
GABLE_FUNCTION V low_halves(V x, V y) {
  if constexpr (sizeof(V) / sizeof(x[0]) == 8) return __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
  if constexpr (sizeof(V) / sizeof(x[0]) == 4) return __builtin_shufflevector(x, y, 0, 4, 1, 5);
}
template <class V>
GABLE_FUNCTION V high_halves(V x, V y) {
  if constexpr (sizeof(V) / sizeof(x[0]) == 8) return __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
  if constexpr (sizeof(V) / sizeof(x[0]) == 4) return __builtin_shufflevector(x, y, 2, 6, 3, 7);
}

template <class Bits>
GABLE_FUNCTION void transpose_square(const Bits* x, Index n, Bits* y, Index m) {
  constexpr int side = square<Bits>;
  using Row = typename VectorOf<Bits, side>::type;
  Row rows[side], mixed[side];
#pragma GCC unroll 8
  for (int k = 0; k < side; ++k) std::memcpy(&rows[k], x + k * n, sizeof(Row));
#pragma GCC unroll 3
  for (int round = 1; round < side; round *= 2) {
#pragma GCC unroll 8
    for (int k = 0; k < side / 2; ++k) {
      mixed[2 * k] = low_halves(rows[k], rows[k + side / 2]);
      mixed[2 * k + 1] = high_halves(rows[k], rows[k + side / 2]);
    }
#pragma GCC unroll 8
    for (int k = 0; k < side; ++k) rows[k] = mixed[k];
  }
#pragma GCC unroll 8
  for (int k = 0; k < side; ++k) std::memcpy(y + k * m, &rows[k], sizeof(Row));
}
#endif

/// A CPU thread takes a contiguous band of rows of y and walks it in tiles of two lines of x by one of y: few enough
/// lines for the ways of L1 even where rows are a power of two apart, and stores that fill lines. It asks for the tiles
/// to come.
template <class T>
struct TransposeBands {
  using Bits = BitsOf<T>;
  static constexpr Index line = 64 / sizeof(Bits), wide = 2 * line, ahead = 4 * line;
  const Bits* x;
  Bits* y;
  Index m, n, parts;

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk band = chunk_of(n, part, parts, wide);
    for (Index j = band.begin; j < band.end; j += wide) {
      const Index columns = band.end - j < wide ? band.end - j : wide;
      for (Index i = 0; i < m; i += line) tile(i, j, m - i < line ? m - i : line, columns);
    }
  }

 private:
  /// y[j..j+columns, i..i+rows] = x[i..i+rows, j..j+columns], transposed.
  GABLE_FUNCTION void tile(Index i, Index j, Index rows, Index columns) const {
#if !defined(GABLE_ARRAY_LANES)
    if (rows == line && columns == wide) return whole_tile(i, j);
#endif
    for (Index c = 0; c < columns; ++c) {
      for (Index k = 0; k < rows; ++k) y[(j + c) * m + i + k] = x[(i + k) * n + j + c];
    }
  }
#if !defined(GABLE_ARRAY_LANES)
  GABLE_FUNCTION void whole_tile(Index i, Index j) const {
    constexpr Index side = square<Bits>;
    const Bits* const source = x + i * n + j;
    Bits* const target = y + j * m + i;
    for (Index k = 0; k < line; ++k) {
      prefetch_read(source + (ahead + k) * n);
      prefetch_read(source + (ahead + k) * n + line);
    }
    for (Index c = 0; c < wide; c += side) {
      for (Index k = 0; k < side; ++k) prefetch_write(target + (c + k) * m + ahead);
      for (Index k = 0; k < line; k += side) transpose_square(source + k * n + c, n, target + c * m + k, m);
    }
  }
#endif
};

/// A GPU team moves a square tile by way of its scratch memory, whose rows are one element longer, so that both a row
/// and a column lie in different banks.
template <class T>
struct TransposeTiles {
  using Bits = BitsOf<T>;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;
  static constexpr int side = sizeof(T) == 8 ? 32 : 64, threads = 256, stride = side + (sizeof(T) == 2 ? 2 : 1);
  const Bits* x;
  Bits* y;
  Index m, n;

  static constexpr int scratch_bytes = side * stride * static_cast<int>(sizeof(Bits)) + 16;
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    auto* const scratch = static_cast<Bits*>(member.team_scratch(0).get_shmem(side * stride * sizeof(Bits)));
    const Index across = (n + side - 1) / side;
    const Index i = member.league_rank() / across * side, j = member.league_rank() % across * side;
    const int along = member.team_rank() % side, first = member.team_rank() / side;
    for (int k = first; k < side; k += threads / side) {
      if (i + k < m && j + along < n) scratch[k * stride + along] = x[(i + k) * n + j + along];
    }
    member.team_barrier();
    for (int k = first; k < side; k += threads / side) {
      if (j + k < n && i + along < m) y[(j + k) * m + i + along] = scratch[along * stride + k];
    }
  }
};

template <class T>
struct TransposeKernel : UniformTypes<T> {
  using Bits = BitsOf<T>;
  const Bits* x;
  Bits* y;
  Index m, n;

  TransposeKernel(const Transpose::Params& p, const Buffers& buffers)
      : x(reinterpret_cast<const Bits*>(buffers.input<T>(0))),
        y(reinterpret_cast<Bits*>(buffers.output<T>(0))),
        m(p.m),
        n(p.n) {}
  void run(const Exec& exec) const {
    if constexpr (on_host) {
      const Index parts = exec.concurrency();
      Kokkos::parallel_for("gable::transpose", ThreadPolicy(exec, 0, parts), TransposeBands<T>{x, y, m, n, parts});
    } else {
      using Tiles = TransposeTiles<T>;
      const Index tiles = ((m + Tiles::side - 1) / Tiles::side) * ((n + Tiles::side - 1) / Tiles::side);
      typename Tiles::Policy policy(exec, static_cast<int>(tiles), Tiles::threads);
      policy.set_scratch_size(0, Kokkos::PerTeam(Tiles::scratch_bytes));
      Kokkos::parallel_for("gable::transpose", policy, Tiles{x, y, m, n});
    }
  }
};

}  // namespace

const OperatorEntry& transpose_entry() {
  static const OperatorEntry entry{
      &spec_of<Transpose>(),
      {implementation<Transpose, TransposeKernel<double>, TransposeKernel<float>, TransposeKernel<Fp16>>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
