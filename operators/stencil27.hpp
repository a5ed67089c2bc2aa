#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "operators/stencil.hpp"

namespace gable::operators {

/// v = 0.2 u + 0.05 (6 neighbours across faces) + 0.025 (12 across edges) + 0.025 (8 across corners) in the interior,
/// v = u on the boundary; u, v: [nz,ny,nx]. The weights sum to 1.
/// flop 30 per interior point (5 + 11 + 7 adds within the groups, 4 multiplies, 3 adds); bytes: read s, write s per
/// point.
struct Stencil27 {
  static constexpr std::string_view name = "stencil27";
  static constexpr std::string_view summary = "v[nz,ny,nx] = u's 27 points with 4 weights, boundary copied";
  using Params = GridSize;
  static constexpr auto& fields = grid_fields<Params>;
  static constexpr double centre = 0.2, face = 0.05, edge = 0.025, corner = 0.025;

  /// NaN and infinity go where the formula takes them.
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static std::vector<Types> types() { return wide_floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return grids_for_working_sets(device, 2 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() { return stencil_conformance_grids(); }
  static std::vector<Stage> work(const Params& p, const Types& types) { return {stencil_stage(p, 30, types)}; }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) { return stencil_buffers(p, types); }

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

}  // namespace gable::operators
