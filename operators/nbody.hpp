#pragma once
#include <cmath>
#include <cstddef>

#include "operators/common.hpp"

namespace gable::operators {

/// a_i = sum_j m_j d_j / (|d_j|^2 + 0.01)^(3/2), d_j = r_j - r_i: accelerations by gravity of all pairs, softened, a
/// body with itself included (it adds zero); x, y, z, m, ax, ay, az: [n]. flop 20 n^2: 3 for the distance, 6 for its
/// softened square, a root and a division, 3 for the factor, 6 for the sums. Divisions and roots in fp64 2 n^2 (fp32:
/// an estimate and a step of Newton's). bytes: read 4 s n, write 3 s n.
struct Nbody : ArrayOperator {
  static constexpr std::string_view name = "nbody";
  static constexpr std::string_view summary =
      "a[i] = sum_j m[j] (r[j] - r[i]) / (|r[j] - r[i]|^2 + 0.01)^1.5, i, j < n";
  static constexpr std::array fields{Field{"n", &Params::n, "bodies"}};
  static constexpr double softening = 0.01;

  static std::vector<Types> types() { return wide_types(); }
  /// A GPU has work for all its threads in the second only.
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) { return {{8192}, {65536}}; }
  static std::vector<Params> conformance_params() { return {{1}, {7}, {64}, {301}, {1000}}; }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto n = static_cast<double>(p.n);
    Stage stage = streaming_stage(20 * n * n, 0, 4 * n, 3 * n, types);
    if (size_bytes(types.a) == 8) stage.work.push_back({Unit::divide, 2 * n * n});
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input},     {"y", p.n, types.a, Role::input},
            {"z", p.n, types.a, Role::input},     {"m", p.n, types.a, Role::input, 0.0, 1.0},
            {"ax", p.n, types.out, Role::output}, {"ay", p.n, types.out, Role::output},
            {"az", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::sqrt;
    for (Index i = 0; i < p.n; ++i) {
      std::array<S, 3> sum{S(0.0), S(0.0), S(0.0)};
      for (Index j = 0; j < p.n; ++j) {
        const S dx = in[0][j] - in[0][i], dy = in[1][j] - in[1][i], dz = in[2][j] - in[2][i];
        const S inverse = S(1.0) / sqrt(dx * dx + dy * dy + dz * dz + S(softening));
        const S factor = in[3][j] * (inverse * inverse * inverse);
        sum[0] += factor * dx;
        sum[1] += factor * dy;
        sum[2] += factor * dz;
      }
      for (std::size_t k = 0; k < 3; ++k) out[k][i] = sum[k];
    }
  }
  /// n roundings of partial sums that grow like the square root of n.
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, 64 + static_cast<double>(p.n) / 4);
  }
};

}  // namespace gable::operators
