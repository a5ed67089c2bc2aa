#include "operators/stencil27.hpp"

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
      const Register near = others[y + 1] + (plane[y] + plane[y + 2]), far = others[y] + others[y + 2];
      sums.own[y] = A(Stencil27::centre) * plane[y + 1] + A(Stencil27::face) * near + A(Stencil27::edge) * far;
      sums.beside[y] = A(Stencil27::face) * plane[y + 1] + A(Stencil27::edge) * near + A(Stencil27::corner) * far;
    }
    return sums;
  }
};

template <class T>
struct Stencil27Kernel : UniformTypes<T> {
  StencilSweep<T, Formula27<T>> sweep;

  Stencil27Kernel(const Stencil27::Params& p, const Buffers& buffers)
      : sweep(buffers.input<T>(0), buffers.output<T>(0), p, {}) {}
  void run(const Exec& exec) const { sweep.run(exec); }
};

}  // namespace

const OperatorEntry& stencil27_entry() {
  static const OperatorEntry entry{
      &spec_of<Stencil27>(), {implementation<Stencil27, Stencil27Kernel<double>, Stencil27Kernel<float>>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
