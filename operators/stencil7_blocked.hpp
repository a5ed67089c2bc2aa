#pragma once
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/operator_spec.hpp"
#include "operators/stencil.hpp"

namespace gable::operators {

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
  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static std::vector<Types> types() { return wide_floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return with_steps(grids_for_working_sets(device, 2 * size_bytes(types.a)), {4, 4});
  }
  static std::vector<Params> conformance_params() {
    return with_steps(stencil_conformance_grids(), {1, 2, 3, 5, 4, 3, 4, 6});
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    return {stencil_stage(grid(p), 8 * static_cast<double>(p.steps), types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return stencil_buffers(grid(p), types);
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
