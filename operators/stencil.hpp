#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/common.hpp"
#include "operators/grid.hpp"
#include "operators/wide_floating.hpp"

namespace gable::operators {

/// Points that a stencil computes; all others are the boundary.
inline double interior_points(const GridSize& grid) {
  const auto inside = [](Index n) { return static_cast<double>(std::max<Index>(0, n - 2)); };
  return inside(grid.nx) * inside(grid.ny) * inside(grid.nz);
}

/// One launch that reads u and writes v once.
inline Stage stencil_stage(const GridSize& grid, double flops_per_point, const Types& types) {
  const auto points = static_cast<double>(grid.points());
  return streaming_stage(flops_per_point * interior_points(grid), 0, points, points, types);
}

inline std::vector<BufferSpec> stencil_buffers(const GridSize& grid, const Types& types) {
  return {{"u", grid.points(), types.a, Role::input}, {"v", grid.points(), types.out, Role::output}};
}

/// The grids that every stencil is tested with: one point, no interior, one inner point, odd, whole packs, several
/// blocks of rows.
inline std::vector<GridSize> stencil_conformance_grids() {
  return {{1, 1, 1}, {3, 4, 5}, {3, 3, 3}, {7, 2, 9}, {17, 9, 5}, {64, 6, 4}, {33, 130, 7}, {1201, 37, 5}};
}

/// v = formula(point, row, plane) in the interior, which lies `row` elements from its neighbours in y and `plane` from
/// those in z; v = u on the boundary.
template <class S, class Formula>
void reference_sweep(const GridSize& grid, const std::vector<S>& u, std::vector<S>& v, const Formula& formula) {
  const Index row = grid.nx, plane = grid.nx * grid.ny;
  const auto inside = [](Index i, Index n) { return i > 0 && i + 1 < n; };
  for (Index z = 0; z < grid.nz; ++z) {
    for (Index y = 0; y < grid.ny; ++y) {
      for (Index x = 0; x < grid.nx; ++x) {
        const Index i = z * plane + y * row + x;
        const bool inner = inside(x, grid.nx) && inside(y, grid.ny) && inside(z, grid.nz);
        v[static_cast<std::size_t>(i)] = inner ? formula(u.data() + i, row, plane) : u[static_cast<std::size_t>(i)];
      }
    }
  }
}

/// Weights of the 7-point stencil, which sum to 1, so that values stay bounded over many steps.
struct Weights7 {
  static constexpr double centre = 0.4, face = 0.1;
};

/// centre u + face (sum of the 6 neighbours): 8 flop.
template <class S>
S stencil7_at(const S* u, Index row, Index plane) {
  const S faces = u[-1] + u[1] + u[-row] + u[row] + u[-plane] + u[plane];
  return S(Weights7::centre) * u[0] + S(Weights7::face) * faces;
}

}  // namespace gable::operators
