#include "operators/transpose.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "operators/device/operator_kit.hpp"
#include "operators/device/pack.hpp"
#include "operators/device/rows.hpp"

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

/// A CPU thread takes a contiguous band of rows of y and walks it in tiles, which it transposes into a buffer in L1:
/// lines of rows that are a power of two apart share a few sets of L1, which would lose them half read or half written.
/// From the buffer each line of y is written in one go, past the caches if `past_caches`. It asks for the rows of the
/// next squares only: of a whole tile's, the caches would lose some for the same reason.
template <class T>
struct TransposeBands {
  using Bits = BitsOf<T>;
  static constexpr Index line = 64 / sizeof(Bits), tall = 64, wide = 4 * line;
  /// Results beyond this, which no cache holds until they are read, are not read in order to be written.
  static constexpr Index most_cached_bytes = Index{32} << 20;
  const Bits* x;
  Bits* y;
  Index m, n, parts;
  bool past_caches;

  TransposeBands(const Bits* source, Bits* target, Index rows, Index columns, Index threads)
      : x(source),
        y(target),
        m(rows),
        n(columns),
        parts(threads),
        past_caches(m * n * Index{sizeof(Bits)} > most_cached_bytes && m % line == 0 &&
                    reinterpret_cast<std::uintptr_t>(y) % 64 == 0) {}

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk band = chunk_of(n, part, parts, line);
    for (Index j = band.begin; j < band.end; j += wide) {
      const Index columns = band.end - j < wide ? band.end - j : wide;
      for (Index i = 0; i < m; i += tall) tile(i, j, m - i < tall ? m - i : tall, columns);
    }
#if !defined(GABLE_ARRAY_LANES)
    if (past_caches) PastCaches::fence();
#endif
  }

 private:
  /// y[j..j+columns, i..i+rows] = x[i..i+rows, j..j+columns], transposed.
  GABLE_FUNCTION void tile([[maybe_unused]] Index i, [[maybe_unused]] Index j, [[maybe_unused]] Index rows,
                           [[maybe_unused]] Index columns) const {
#if !defined(GABLE_ARRAY_LANES)
    alignas(64) Bits buffer[tall * wide];
    collect(x + i * n + j, n, rows, columns, buffer);
    if (past_caches) {
      write<true>(buffer, rows, columns, y + j * m + i, m);
    } else {
      write<false>(buffer, rows, columns, y + j * m + i, m);
    }
#endif
  }
#if !defined(GABLE_ARRAY_LANES)
  /// A part of a line, the rest of which follows at once.
  using PastCaches = isa::PastCaches<register_bytes>;

  static GABLE_FUNCTION void collect(const Bits* source, Index stride, Index rows, Index columns, Bits* buffer) {
    constexpr Index side = square<Bits>;
    const Index squares = columns / side * side;
    Index k = 0;
    for (; k + side <= rows; k += side) {
      for (Index row = k; row < k + side; ++row) {
        for (Index c = 0; c < columns; c += line) prefetch_read(source + (side + row) * stride + c);
      }
      for (Index c = 0; c < squares; c += side) {
        transpose_square(source + k * stride + c, stride, buffer + c * tall + k, tall);
      }
      for (Index c = squares; c < columns; ++c) {
        for (Index row = k; row < k + side; ++row) buffer[c * tall + row] = source[row * stride + c];
      }
    }
    for (; k < rows; ++k) {
      for (Index c = 0; c < columns; ++c) buffer[c * tall + k] = source[k * stride + c];
    }
  }
  template <bool past>
  static GABLE_FUNCTION void write(const Bits* buffer, Index rows, Index columns, Bits* target, Index stride) {
    constexpr Index step = register_bytes / sizeof(Bits);
    for (Index c = 0; c < columns; ++c, target += stride, buffer += tall) {
      if (rows < tall) {
        for (Index k = 0; k < rows; ++k) target[k] = buffer[k];
        continue;
      }
#pragma GCC unroll 16
      for (Index k = 0; k < tall; k += step) {
        PastCaches::Vector bytes;
        std::memcpy(&bytes, buffer + k, sizeof bytes);
        if constexpr (past) {
          PastCaches::store(target + k, bytes);
        } else {
          std::memcpy(target + k, &bytes, sizeof bytes);
        }
      }
    }
  }
#endif
};

/// A GPU team moves a square tile by way of its scratch memory, whose rows are one element longer, so that both a row
/// and a column lie in different banks. All of a tile is fetched before any of it is waited for, in both memories;
/// neighbouring teams write neighbouring parts of y.
template <class T>
struct TransposeTiles {
  using Bits = BitsOf<T>;
  static constexpr int side = sizeof(T) == 8 ? 32 : 64, threads = 256, stride = side + (sizeof(T) == 2 ? 2 : 1);
  static constexpr int rows = threads / side, steps = side / rows;
  using Policy = Kokkos::TeamPolicy<Exec, TeamBounds<threads, false>>;
  using Member = typename Policy::member_type;
  const Bits* x;
  Bits* y;
  Index m, n;

  static constexpr int scratch_bytes = side * stride * static_cast<int>(sizeof(Bits)) + 16;
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    auto* const scratch = static_cast<Bits*>(member.team_scratch(0).get_shmem(side * stride * sizeof(Bits)));
    const Index down = (m + side - 1) / side;
    const Index i = member.league_rank() % down * side, j = member.league_rank() / down * side;
    const int tall = m - i < side ? static_cast<int>(m - i) : side,
              wide = n - j < side ? static_cast<int>(n - j) : side;
    const int along = member.team_rank() % side, first = member.team_rank() / side;
    Bits held[steps];
    for (int k = 0; k < steps; ++k) {
      const int row = first + k * rows;
      if (row < tall && along < wide) held[k] = x[(i + row) * n + j + along];
    }
    for (int k = 0; k < steps; ++k) scratch[(first + k * rows) * stride + along] = held[k];
    member.team_barrier();
    for (int k = 0; k < steps; ++k) held[k] = scratch[along * stride + first + k * rows];
    for (int k = 0; k < steps; ++k) {
      const int row = first + k * rows;
      if (row < wide && along < tall) y[(j + row) * m + i + along] = held[k];
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
      Kokkos::parallel_for("gable::transpose", ThreadPolicy(exec, 0, parts), TransposeBands<T>(x, y, m, n, parts));
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
  return kernel_entry<Transpose, TransposeKernel<double>, TransposeKernel<float>, TransposeKernel<Fp16>>();
}

}  // namespace gable::operators
