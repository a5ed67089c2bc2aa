#include "operators/lbm_d3q19.hpp"

#include <utility>

#include "operators/device/operator_kit.hpp"
#include "operators/device/pack.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class Function, int... q>
GABLE_FUNCTION void for_directions(const Function& function, std::integer_sequence<int, q...>) {
  (function(std::integral_constant<int, q>{}), ...);
}
/// function(q) for all 19 directions, and for the first of each of the 9 opposite pairs, at compile time: populations
/// stay in registers.
template <class Function>
GABLE_FUNCTION void for_directions(const Function& function) {
  for_directions(function, std::make_integer_sequence<int, 19>{});
}
template <class Function>
GABLE_FUNCTION void for_pairs(const Function& function) {
  for_directions(function, std::integer_sequence<int, 1, 3, 5, 7, 9, 11, 13, 15, 17>{});
}

/// x + c y for c of -1, 0, 1.
template <int c, class V>
GABLE_FUNCTION V plus(const V& x, const V& y) {
  if constexpr (c > 0) return x + y;
  if constexpr (c < 0) return x - y;
  return x;
}

/// d3q19::collide_plainly for lanes or numbers of type V made of A, opposite directions together: they share all of
/// their equilibrium but the sign of 3 c.u.
template <class A, class V>
GABLE_FUNCTION void collide(V (&f)[19]) {
  constexpr A rate = A(d3q19::rate), at_rest = A(d3q19::weight(d3q19::velocities[0]));
  V rho = f[0], jx = V(A(0)), jy = V(A(0)), jz = V(A(0));
  for_pairs([&](auto q) __attribute__((always_inline)) {
    constexpr d3q19::Velocity c = d3q19::velocities[q];
    const V difference = f[q] - f[q + 1];
    rho = rho + (f[q] + f[q + 1]);
    jx = plus<c.x>(jx, difference);
    jy = plus<c.y>(jy, difference);
    jz = plus<c.z>(jz, difference);
  });
  const V inverse = V(A(1)) / rho;
  const V ux = jx * inverse, uy = jy * inverse, uz = jz * inverse;
  const V shared = V(A(1)) - A(1.5) * (ux * ux + uy * uy + uz * uz);
  const V weighted = rate * rho;
  f[0] = A(1 - d3q19::rate) * f[0] + at_rest * weighted * shared;
  for_pairs([&](auto q) __attribute__((always_inline)) {
    constexpr d3q19::Velocity c = d3q19::velocities[q];
    constexpr A weight = A(d3q19::weight(c));
    const V cu = plus<c.z>(plus<c.y>(plus<c.x>(V(A(0)), ux), uy), uz);
    const V scale = weight * weighted;
    const V even = scale * (shared + A(4.5) * (cu * cu));
    const V odd = A(3) * (scale * cu);
    f[q] = A(1 - d3q19::rate) * f[q] + (even + odd);
    f[q + 1] = A(1 - d3q19::rate) * f[q + 1] + (even - odd);
  });
}

/// A CPU thread takes a contiguous share of the rows and walks each in lines of all 38 streams; a GPU thread takes a
/// cell.
template <class T>
class LbmD3q19Kernel : public UniformTypes<T> {
 public:
  LbmD3q19Kernel(const GridSize& grid, const Buffers& buffers)
      : f_(buffers.input<T>(0)), g_(buffers.output<T>(0)), grid_(grid), pitch_(LbmD3q19::pitch(grid)) {}

  void run(const Exec& exec) const {
    if constexpr (on_host) {
      LbmD3q19Kernel kernel = *this;
      kernel.parts_ = exec.concurrency();
      Kokkos::parallel_for("gable::lbm", ThreadPolicy(exec, 0, kernel.parts_), kernel);
    } else {
      // The bound leaves a thread the registers that 19 populations and their addresses take.
      using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                           Kokkos::IndexType<Index>, Kokkos::LaunchBounds<256, 1>>;
      Kokkos::parallel_for("gable::lbm", Policy(exec, {0, 0, 0}, {grid_.nx, grid_.ny, grid_.nz}, {64, 4, 1}), *this);
    }
  }
  /// Host: one thread's share.
  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Chunk rows = chunk_of(grid_.ny * grid_.nz, part, parts_, 1);
    for (Index i = rows.begin; i < rows.end; ++i) row(i % grid_.ny, i / grid_.ny);
    if (part == 0) between(0, 1);
  }
  /// GPU: one cell.
  KOKKOS_INLINE_FUNCTION void operator()(Index x, Index y, Index z) const {
    cell(x, y, z);
    if (y == 0 && z == 0) between(x, grid_.nx);
  }

 private:
  /// Cells of one step on a host: of one register each, so that 19 of them and the sums fit the stack's first lines.
  static constexpr int lanes = pack_size<T> / 2 > 0 ? pack_size<T> / 2 : 1;

  static constexpr Index ahead = 8 * (64 / static_cast<Index>(sizeof(T)));

  static GABLE_FUNCTION Index wrapped(Index i, Index n) { return i < 0 ? i + n : (i >= n ? i - n : i); }
  GABLE_FUNCTION const T* source_row(int q, const d3q19::Velocity& c, Index y, Index z) const {
    return f_ + q * pitch_ + (wrapped(z - c.z, grid_.nz) * grid_.ny + wrapped(y - c.y, grid_.ny)) * grid_.nx;
  }
  /// Copies what lies between the lattices: every `stride`-th element from the first.
  GABLE_FUNCTION void between(Index first, Index stride) const {
    for (Index q = 0; q < 19; ++q) {
      for (Index i = grid_.points() + first; i < pitch_; i += stride) g_[q * pitch_ + i] = f_[q * pitch_ + i];
    }
  }
  GABLE_FUNCTION void cell(Index x, Index y, Index z) const {
    T f[19];
    for_directions([&](auto q) __attribute__((always_inline)) {
      constexpr d3q19::Velocity c = d3q19::velocities[q];
      f[q] = source_row(q, c, y, z)[wrapped(x - c.x, grid_.nx)];
    });
    collide<T>(f);
    T* const to = g_ + (z * grid_.ny + y) * grid_.nx + x;
    for_directions([&](auto q) __attribute__((always_inline)) { to[q * pitch_] = f[q]; });
  }
  /// Host: whole rows, from the line they begin at; the ends, which then hold neighbours in memory instead of those on
  /// the other side, are made again.
  void row(Index y, Index z) const {
    const Index n = grid_.nx;
    const T* from[19];
    for_directions([&](auto q) __attribute__((always_inline)) {
      constexpr d3q19::Velocity c = d3q19::velocities[q];
      from[q] = source_row(q, c, y, z) - c.x;
    });
    T* const to = g_ + (z * grid_.ny + y) * n;
    Index x = 0;
    for (; x + 2 * lanes <= n; x += 2 * lanes) {
      // 19 lines to read and 19 to write, more streams than a core's own prefetchers follow.
      for_directions([&](auto q) __attribute__((always_inline)) {
        prefetch_read(from[q] + x + ahead);
        prefetch_write(to + q * pitch_ + x + ahead);
      });
      step(from, to, x);
      step(from, to, x + lanes);
    }
    for (; x + lanes <= n; x += lanes) step(from, to, x);
    if (n >= lanes) step(from, to, n - lanes);
    cell(0, y, z);
    for (x = n > lanes ? n - 1 : 1; x < n; ++x) cell(x, y, z);
  }
  GABLE_FUNCTION void step(const T* const (&from)[19], T* to, Index x) const {
    LanesOf<T, lanes> f[19];
    for_directions([&](auto q) __attribute__((always_inline)) { f[q] = load<lanes>(from[q] + x); });
    collide<T>(f);
    for_directions([&](auto q) __attribute__((always_inline)) { store<lanes>(to + q * pitch_ + x, f[q]); });
  }

  const T* f_;
  T* g_;
  GridSize grid_;
  Index pitch_;
  Index parts_{};
};

}  // namespace

const OperatorEntry& lbm_d3q19_entry() { return wide_entry<LbmD3q19, LbmD3q19Kernel>(); }

}  // namespace gable::operators
