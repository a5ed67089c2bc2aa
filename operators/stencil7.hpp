#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/stencil.hpp"

namespace gable::operators {

/// v = 0.4 u + 0.1 (sum of the six neighbours of u) in the interior, v = u on the boundary; u, v: [nz,ny,nx].
/// flop 8 per interior point (5 adds, 2 multiplies, 1 add); bytes: read s, write s per point, 16 at fp64 (three planes
/// of u must stay in a cache for that).
struct Stencil7 {
  static constexpr std::string_view name = "stencil7";
  static constexpr std::string_view summary = "v[nz,ny,nx] = 0.4 u + 0.1 (u's 6 neighbours), boundary copied";
  using Params = GridSize;
  static constexpr auto& fields = grid_fields<Params>;

  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static std::vector<Types> types() { return wide_floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return grids_for_working_sets(device, 2 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() { return stencil_conformance_grids(); }
  static std::vector<Stage> work(const Params& p, const Types& types) { return {stencil_stage(p, 8, types)}; }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) { return stencil_buffers(p, types); }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    reference_sweep(p, in[0], out[0], stencil7_at<S>);
  }
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 8); }
};

}  // namespace gable::operators
