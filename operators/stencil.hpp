#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/error.hpp"
#include "operators/common.hpp"
#include "operators/grid.hpp"

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

/// What stencils on a grid share.
struct Stencil {
  using Params = GridSize;
  static constexpr auto& fields = grid_fields<Params>;

  static std::vector<Types> types() { return wide_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return grids_for_working_sets(device, 2 * size_bytes(types.a));
  }
  /// One point, no interior, one inner point, odd, whole packs, several blocks of rows.
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1}, {3, 4, 5}, {3, 3, 3}, {7, 2, 9}, {17, 9, 5}, {64, 6, 4}, {33, 130, 7}, {1201, 37, 5}};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"u", p.points(), types.a, Role::input}, {"v", p.points(), types.out, Role::output}};
  }
};

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

/// v = 0.4 u + 0.1 (sum of the six neighbours of u) in the interior, v = u on the boundary; u, v: [nz,ny,nx].
/// flop 8 per interior point (5 adds, 2 multiplies, 1 add); bytes: read s, write s per point, 16 at fp64 (three planes
/// of u must stay in a cache for that).
struct Stencil7 : Stencil {
  static constexpr std::string_view name = "stencil7";
  static constexpr std::string_view summary = "v[nz,ny,nx] = 0.4 u + 0.1 (u's 6 neighbours), boundary copied";

  static std::vector<Stage> work(const Params& p, const Types& types) { return {stencil_stage(p, 8, types)}; }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    reference_sweep(p, in[0], out[0], stencil7_at<S>);
  }
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 8); }
};

/// v = 0.2 u + 0.05 (6 neighbours across faces) + 0.025 (12 across edges) + 0.025 (8 across corners) in the interior,
/// v = u on the boundary; u, v: [nz,ny,nx]. The weights sum to 1.
/// flop 30 per interior point (5 + 11 + 7 adds within the groups, 4 multiplies, 3 adds); bytes: read s, write s per
/// point.
struct Stencil27 : Stencil {
  static constexpr std::string_view name = "stencil27";
  static constexpr std::string_view summary = "v[nz,ny,nx] = u's 27 points with 4 weights, boundary copied";
  static constexpr double centre = 0.2, face = 0.05, edge = 0.025, corner = 0.025;

  static std::vector<Stage> work(const Params& p, const Types& types) { return {stencil_stage(p, 30, types)}; }

  template <class S>
  static S at(const S* u, Index row, Index plane) {
    S group[4] = {S(0.0), S(0.0), S(0.0), S(0.0)};
    bool empty[4] = {true, true, true, true};
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          const int distance = x * x + y * y + z * z;
          const S& value = u[z * plane + y * row + x];
          group[distance] = empty[distance] ? value : group[distance] + value;
          empty[distance] = false;
        }
      }
    }
    return S(centre) * group[0] + S(face) * group[1] + S(edge) * group[2] + S(corner) * group[3];
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    reference_sweep(p, in[0], out[0], at<S>);
  }
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 16); }
};

/// `steps` steps of stencil7 as one operator: v = the last of u, step(u), step(step(u)), ...; u, v: [nz,ny,nx].
/// flop 8 steps per interior point; bytes: read s, write s per point for all steps together, which is what is
/// compulsory: an implementation that sweeps memory for each step is far below this roof.
struct Stencil7Blocked {
  static constexpr std::string_view name = "stencil7_blocked";
  static constexpr std::string_view summary = "v[nz,ny,nx] = `steps` steps of stencil7 from u";
  struct Params {
    Index nx, ny, nz, steps;
  };
  static constexpr std::array fields{grid_fields<Params>[0], grid_fields<Params>[1], grid_fields<Params>[2],
                                     Field { "steps", &Params::steps, "steps in time, 32 at most" }};
  static constexpr Index most_steps = 32;

  static GridSize grid(const Params& p) { return {p.nx, p.ny, p.nz}; }
  /// Every step keeps three planes in a cache.
  static void check(const Params& p) {
    if (p.steps > most_steps) throw Error(fmt::format("{}: 'steps' is {}, at most {}", name, p.steps, most_steps));
  }
  static std::vector<Types> types() { return wide_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return with_steps(Stencil::default_params(device, types), {4, 4});
  }
  static std::vector<Params> conformance_params() {
    return with_steps(Stencil::conformance_params(), {1, 2, 3, 5, 4, 3, 4, 6});
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    return {stencil_stage(grid(p), 8 * static_cast<double>(p.steps), types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return Stencil::buffers(grid(p), types);
  }
  /// A GPU's second grid.
  static double workspace_bytes(const Params& p, const Types& types) {
    return static_cast<double>(p.nx) * static_cast<double>(p.ny) * static_cast<double>(p.nz) * size_bytes(types.a);
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    std::vector<S> before = in[0];
    for (Index step = 0; step < p.steps; ++step) {
      reference_sweep(grid(p), before, out[0], stencil7_at<S>);
      before = out[0];
    }
  }
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, 8 * static_cast<double>(p.steps));
  }

 private:
  static std::vector<Params> with_steps(const std::vector<GridSize>& grids, const std::vector<Index>& steps) {
    std::vector<Params> list;
    for (std::size_t i = 0; i < grids.size(); ++i) list.push_back({grids[i].nx, grids[i].ny, grids[i].nz, steps[i]});
    return list;
  }
};

}  // namespace gable::operators
