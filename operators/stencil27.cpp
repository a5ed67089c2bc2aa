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

  /// As stencil_row, in two passes over pieces of the row: what each x has in its eight neighbours with the same x,
  /// which the points before and after need too; then the results. 18 loads a pack where 27 points take 27, and few of
  /// them across lines.
  void host_row(A* out, const A* below, const A* here, const A* above, Index row, Index n) const {
    constexpr Index width = 256;
    constexpr Index pad = 16;  // a line, so that packs of sums are aligned as those of the rows are
    alignas(64) A across[pad + width + pad], diagonal[pad + width + pad];
    for (Index begin = 0; begin < n; begin += width) {
      const Index count = n - begin < width ? n - begin : width;
      const auto sums = [&](auto access, Index x) __attribute__((always_inline)) {
        const Index i = begin + x;
        const auto pair = [&](const A* at) { return access.load(at - row) + access.load(at + row); };
        access.store(across + pad + x, pair(here + i) + (access.load(below + i) + access.load(above + i)));
        access.store(diagonal + pad + x, pair(below + i) + pair(above + i));
      };
      sums(Some<pack_size<A>>{1}, -1);
      for_packs<A>(count, sums);
      sums(Some<pack_size<A>>{1}, count);
      for_packs<A>(
          count, [&](auto access, Index x) __attribute__((always_inline)) {
            const auto beside = [&](const A* at) { return access.load(at - 1) + access.load(at + 1); };
            const A* const u = here + begin + x;
            const A* const faces = across + pad + x;
            const A* const edges = diagonal + pad + x;
            access.store(out + begin + x, weighted(access.load(u), access.load(faces) + beside(u),
                                                   access.load(edges) + beside(faces), beside(edges)));
          });
    }
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
