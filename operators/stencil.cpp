#include "operators/stencil.hpp"

#include <type_traits>

#include "operators/device/operator_kit.hpp"
#include "operators/device/stencil.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class A>
struct Formula27 {
  template <class V>
  static GABLE_FUNCTION V weighted(const V& centre, const V& faces, const V& edges, const V& corners) {
    return A(Stencil27::centre) * centre + A(Stencil27::face) * faces + A(Stencil27::edge) * edges +
           A(Stencil27::corner) * corners;
  }
  template <class V>
  GABLE_FUNCTION V operator()(const PlaneSums<V>& below, const PlaneSums<V>& here, const PlaneSums<V>& above) const {
    return weighted(here.centre, here.edges + (below.centre + above.centre), here.corners + (below.edges + above.edges),
                    below.corners + above.corners);
  }

  template <class V>
  static GABLE_FUNCTION V own(const PlaneSums<V>& sums) {
    return A(Stencil27::centre) * sums.centre + A(Stencil27::face) * sums.edges + A(Stencil27::edge) * sums.corners;
  }
  template <class V>
  static GABLE_FUNCTION V beside(const PlaneSums<V>& sums) {
    return A(Stencil27::face) * sums.centre + A(Stencil27::edge) * sums.edges + A(Stencil27::corner) * sums.corners;
  }

  static constexpr int rows_at_once = 2;

  /// As stencil_row for `rows` rows. What the points with the same x give to a result there, and what they give to one
  /// beside it, is summed once: 6 loads a register of results where 27 points take 27.
  template <int rows>
  void make_rows(A* out, const A* below, const A* here, const A* above, Index row, Index n,
                 const Ahead<A>& ahead) const {
    Index x = 0;
    if (n >= lanes) {
      auto now = columns<rows>(below, here, above, row);
      Register begun[rows];
      for (int y = 0; y < rows; ++y) begun[y] = now.own[y] + one_before(now.beside[y], now.beside[y]);
      for (; x + 2 * lanes <= n; x += lanes) {
        const Index after = x + lanes;
        ahead.ask(rows * x);
        const auto next = columns<rows>(below + after, here + after, above + after, row);
        for (int y = 0; y < rows; ++y) {
          store<lanes>(out + y * row + x, begun[y] + one_after(now.beside[y], next.beside[y]));
          begun[y] = next.own[y] + one_before(now.beside[y], next.beside[y]);
        }
        now = next;
      }
      // Without the last point, which is the boundary's or the next pack's.
      for (int y = 0; y < rows; ++y) {
        store<lanes>(out + y * row + x, begun[y] + one_after(now.beside[y], now.beside[y]));
      }
      x += lanes;
    }
    if (x == n) return;
    x = n > pack_size<A> ? n - pack_size<A> : 0;
    for (int y = 0; y < rows; ++y) {
      const Index i = y * row + x;
      stencil_row(out + i, below + i, here + i, above + i, row, n - x, *this);
    }
  }

 private:
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(A));
  using Register = Lanes<A, lanes>;
  template <int rows>
  struct Columns {
    Register own[rows], beside[rows];
  };

  template <int rows>
  static GABLE_FUNCTION Columns<rows> columns(const A* below, const A* here, const A* above, Index row) {
    Register plane[rows + 2], others[rows + 2];
    for (int y = 0; y < rows + 2; ++y) {
      const Index i = (y - 1) * row;
      plane[y] = load<lanes>(here + i);
      others[y] = load<lanes>(below + i) + load<lanes>(above + i);
    }
    Columns<rows> sums;
    for (int y = 0; y < rows; ++y) {
      const PlaneSums<Register> across{plane[y + 1], others[y + 1] + (plane[y] + plane[y + 2]),
                                       others[y] + others[y + 2]};
      sums.own[y] = own(across);
      sums.beside[y] = beside(across);
    }
    return sums;
  }
};

template <class T, template <class> class Formula>
struct SweepKernel : UniformTypes<T>, StencilSweep<T, Formula<T>> {
  SweepKernel(const GridSize& grid, const Buffers& buffers)
      : SweepKernel::StencilSweep(buffers.input<T>(0), buffers.output<T>(0), grid, {}) {}
};
template <class T>
using Stencil7Kernel = SweepKernel<T, Formula7>;
template <class T>
using Stencil27Kernel = SweepKernel<T, Formula27>;

/// All steps in one walk through memory. A tile is some rows of y, all of x; along z a front moves through it: when
/// step 1 has made plane k, step 2 makes k - 1 from planes k - 2 to k of step 1, step 3 makes k - 2, and so on. Only
/// the last step writes to v; of the others a ring of three planes is kept. Tiles overlap: step t is made `steps - t`
/// rows beyond the tile, so that no thread waits for another. A thread takes a contiguous share of (tile, z), which it
/// widens in z as its tiles are in y.
template <class T>
class Wavefront {
 public:
  Wavefront(const T* u, T* v, const GridSize& grid, Index steps)
      : u_(u), v_(v), grid_(grid), steps_(steps), parts_(Exec().concurrency()) {
    const Index between = std::max<Index>(1, steps - 1);
    const Index rows = ring_bytes / (ring * between * grid.nx * Index{sizeof(T)});
    const Index most = std::max(rows - 2 * between, least_rows);
    tiles_ = (grid.ny + most - 1) / most;
    const Index tile = (grid.ny + tiles_ - 1) / tiles_;
    plane_ = spread_pitch((tile + 2 * between) * grid.nx, sizeof(T));
    const auto elements = static_cast<std::size_t>(parts_ * ring * between * plane_);
    planes_ = Planes(Kokkos::view_alloc("stencil planes", Kokkos::WithoutInitializing), elements);
  }
  void run(const Exec& exec) const {
    Kokkos::parallel_for("gable::stencil_wavefront", ThreadPolicy(exec, 0, parts_), *this);
  }
  void operator()(Index part) const {
    const Chunk share = chunk_of(tiles_ * grid_.nz, part, parts_, 1);
    for (Index i = share.begin; i < share.end;) {
      const Index tile = i / grid_.nz;
      const Index end = std::min(share.end, (tile + 1) * grid_.nz);
      walk({part, chunk_of(grid_.ny, tile, tiles_, 1), {i - tile * grid_.nz, end - tile * grid_.nz}});
      i = end;
    }
  }

 private:
  using Planes = Kokkos::View<T*, Exec::memory_space>;
  static constexpr Index ring = 3;
  static constexpr Index ring_bytes = 384 * 1024;  ///< of all steps: most of an L2
  static constexpr Index least_rows = 8;

  /// What a thread makes in one go: rows and planes of the result.
  struct Block {
    Index part;
    Chunk y, z;
  };
  /// What of them step t makes: `steps - t` more on each side, within the grid.
  Chunk widened(Chunk range, Index step, Index size) const {
    return {std::max<Index>(0, range.begin - (steps_ - step)), std::min(size, range.end + (steps_ - step))};
  }
  /// Row y of plane z after step t.
  const T* row(const Block& block, Index step, Index z, Index y) const {
    if (step == 0) return u_ + (z * grid_.ny + y) * grid_.nx;
    const Index first = widened(block.y, 1, grid_.ny).begin;
    const Index plane = (block.part * (steps_ - 1) + step - 1) * ring + z % ring;
    return planes_.data() + plane * plane_ + (y - first) * grid_.nx;
  }
  T* target(const Block& block, Index step, Index z, Index y) const {
    if (step == steps_) return v_ + (z * grid_.ny + y) * grid_.nx;
    return const_cast<T*>(row(block, step, z, y));
  }

  void walk(const Block& block) const {
    const Index first = widened(block.z, 1, grid_.nz).begin;
    for (Index front = first; front < block.z.end + steps_ - 1; ++front) {
      for (Index step = 1; step <= steps_; ++step) {
        const Index z = front - (step - 1);
        const Chunk planes = widened(block.z, step, grid_.nz);
        if (z >= planes.begin && z < planes.end) make_plane(block, step, z);
      }
    }
  }
  void make_plane(const Block& block, Index step, Index z) const {
    const Chunk rows = widened(block.y, step, grid_.ny);
    const Index n = grid_.nx;
    const T* from = row(block, step - 1, z, rows.begin);
    T* to = target(block, step, z, rows.begin);
    if (z == 0 || z + 1 == grid_.nz) {
      std::copy_n(from, (rows.end - rows.begin) * n, to);
      return;
    }
    const T* below = row(block, step - 1, z - 1, rows.begin);
    const T* above = row(block, step - 1, z + 1, rows.begin);
    for (Index y = rows.begin; y < rows.end; ++y) {
      if (y == 0 || y + 1 == grid_.ny) {
        std::copy_n(from, n, to);
      } else {
        stencil_row(to, below, from, above, n, n, Formula7<T>{});
        to[0] = from[0];
        to[n - 1] = from[n - 1];
      }
      from += n;
      to += n;
      below += n;
      above += n;
    }
  }

  const T* u_;
  T* v_;
  GridSize grid_;
  Index steps_, parts_;
  Index tiles_{}, plane_{};
  Planes planes_;
};

/// A plain sweep for each step, by turns into v and an array of its own.
template <class T>
class Sweeps {
 public:
  Sweeps(const T* u, T* v, const GridSize& grid, Index steps)
      : u_(u),
        v_(v),
        grid_(grid),
        steps_(steps),
        other_(Kokkos::view_alloc("stencil sweeps", Kokkos::WithoutInitializing),
               static_cast<std::size_t>(steps > 1 ? grid.points() : 0)) {}
  void run(const Exec& exec) const {
    const T* from = u_;
    for (Index step = 1; step <= steps_; ++step) {
      T* const to = (steps_ - step) % 2 == 0 ? v_ : other_.data();
      StencilSweep<T, Formula7<T>>(from, to, grid_, {}).run(exec);
      from = to;
    }
  }

 private:
  const T* u_;
  T* v_;
  GridSize grid_;
  Index steps_;
  Kokkos::View<T*, Exec::memory_space> other_;
};

template <class T>
using Steps = std::conditional_t<on_host, Wavefront<T>, Sweeps<T>>;
template <class T>
struct Stencil7BlockedKernel : UniformTypes<T>, Steps<T> {
  Stencil7BlockedKernel(const Stencil7Blocked::Params& p, const Buffers& buffers)
      : Steps<T>(buffers.input<T>(0), buffers.output<T>(0), Stencil7Blocked::grid(p), p.steps) {}
};

}  // namespace

const OperatorEntry& stencil7_entry() { return wide_entry<Stencil7, Stencil7Kernel>(); }
const OperatorEntry& stencil27_entry() { return wide_entry<Stencil27, Stencil27Kernel>(); }
const OperatorEntry& stencil7_blocked_entry() {
  return entry_of<Stencil7Blocked>(
      {implementation<Stencil7Blocked, Stencil7BlockedKernel<double>, Stencil7BlockedKernel<float>>(
          on_host ? "kokkos-wavefront" : "kokkos-sweeps")});
}

}  // namespace gable::operators
