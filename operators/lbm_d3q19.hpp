#pragma once
#include <cstddef>

#include "operators/grid.hpp"

/// The lattice of 19 velocities in three dimensions (Qian, d'Humieres, Lallemand 1992) and its BGK collision.
namespace gable::operators::d3q19 {

struct Velocity {
  int x, y, z;
  constexpr Velocity operator-() const { return {-x, -y, -z}; }
};
constexpr Velocity operator+(const Velocity& a, const Velocity& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline constexpr Velocity rest{0, 0, 0}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
/// Rest, then opposite directions in pairs: 6 to faces, 12 to edges.
inline constexpr std::array velocities{rest,   x,     -x,      y,      -y,     z,     -z,      x + y,  -x + -y, x + -y,
                                       -x + y, x + z, -x + -z, x + -z, -x + z, y + z, -y + -z, y + -z, -y + z};

constexpr double weight(const Velocity& c) {
  const int length = c.x * c.x + c.y * c.y + c.z * c.z;
  return length == 0 ? 1.0 / 3 : (length == 1 ? 1.0 / 18 : 1.0 / 36);
}

/// How much of the way to equilibrium a collision takes: 1 / relaxation time.
inline constexpr double rate = 1.2;
/// Of collide_plainly.
inline constexpr double flops = 252;

/// g_q = f_q + rate (w_q rho (1 + 3 c.u + 4.5 (c.u)^2 - 1.5 u.u) - f_q), rho = sum f_q, u = sum c_q f_q / rho.
/// flop: 18 for rho, 27 for momentum, 3 for u, 5 for u.u, 2 for what all directions share, 12 for c.u, 10 for each of
/// 18 directions, 5 for rest.
template <class S>
std::array<S, 19> collide_plainly(const std::array<S, 19>& f) {
  S rho = f[0];
  for (std::size_t q = 1; q < 19; ++q) rho += f[q];
  /// a x + b y + c z for a, b, c of -1, 0 and 1: only additions
  const auto add = [](bool& empty, S& sum, int sign, const S& value) {
    if (sign == 0) return;
    const S term = sign > 0 ? value : -value;
    sum = empty ? term : sum + term;
    empty = false;
  };
  std::array<S, 3> u{S(0.0), S(0.0), S(0.0)};
  std::array<bool, 3> empty{true, true, true};
  for (std::size_t q = 1; q < 19; ++q) {
    const std::array<int, 3> c{velocities[q].x, velocities[q].y, velocities[q].z};
    for (std::size_t axis = 0; axis < 3; ++axis) add(empty[axis], u[axis], c[axis], f[q]);
  }
  for (S& along : u) along = along / rho;
  const S shared = S(1.0) - S(1.5) * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  std::array<S, 19> g;
  g[0] = f[0] + S(rate) * (S(weight(velocities[0])) * rho * shared - f[0]);
  for (std::size_t q = 1; q < 19; ++q) {
    S cu = 0.0;
    bool none = true;
    add(none, cu, velocities[q].x, u[0]);
    add(none, cu, velocities[q].y, u[1]);
    add(none, cu, velocities[q].z, u[2]);
    const S equilibrium = S(weight(velocities[q])) * rho * (shared + S(3.0) * cu + S(4.5) * cu * cu);
    g[q] = f[q] + S(rate) * (equilibrium - f[q]);
  }
  return g;
}

}  // namespace gable::operators::d3q19

namespace gable::operators {

/// One step of a lattice Boltzmann fluid, D3Q19, BGK collision with relaxation rate 1.2, pulled: cell x takes f_q of
/// cell x - c_q, collides, and writes g_q; the grid is periodic. f, g: [19][pitch], one lattice a direction; pitch
/// is the cells in whole lines and some more, so that the 38 streams do not share a few sets of a cache. What lies
/// between two lattices is copied. flop 252 per cell (collide_plainly()); bytes: read 19 s, write 19 s per cell. Inputs
/// must be finite.
struct LbmD3q19 {
  static constexpr std::string_view name = "lbm_d3q19";
  static constexpr std::string_view summary = "g[19,nz,ny,nx] = one BGK step of f[19,nz,ny,nx], periodic, pull";
  using Params = GridSize;
  static constexpr auto& fields = grid_fields<Params>;

  /// Elements from one lattice to the next; the same for every type.
  static Index pitch(const Params& p) { return spread_pitch(p.points(), 4); }

  /// A density of zero divides by zero.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() { return wide_types(); }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return grids_for_working_sets(device, 38 * size_bytes(types.a));
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1}, {3, 4, 5}, {2, 1, 3}, {16, 3, 2}, {17, 5, 4}, {37, 19, 11}};
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto cells = static_cast<double>(p.points());
    return {streaming_stage(d3q19::flops * cells, 0, 19 * cells, 19 * cells, types)};
  }
  /// Populations within a tenth of those of a fluid at rest with density 1 to 2.
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"f", 19 * pitch(p), types.a, Role::input, 0.05, 0.06}, {"g", 19 * pitch(p), types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    const Index step = pitch(p);
    const auto wrapped = [](Index i, Index n) { return (i + n) % n; };
    for (Index z = 0; z < p.nz; ++z) {
      for (Index y = 0; y < p.ny; ++y) {
        for (Index x = 0; x < p.nx; ++x) {
          std::array<S, 19> f;
          for (std::size_t q = 0; q < 19; ++q) {
            const auto& c = d3q19::velocities[q];
            const Index from = (wrapped(z - c.z, p.nz) * p.ny + wrapped(y - c.y, p.ny)) * p.nx + wrapped(x - c.x, p.nx);
            f[q] = in[0][q * static_cast<std::size_t>(step) + static_cast<std::size_t>(from)];
          }
          const Index cell = (z * p.ny + y) * p.nx + x;
          const auto g = d3q19::collide_plainly(f);
          for (std::size_t q = 0; q < 19; ++q) out[0][q * step + cell] = g[q];
        }
      }
    }
    for (Index q = 0; q < 19; ++q) {
      for (Index i = p.points(); i < step; ++i) out[0][q * step + i] = in[0][q * step + i];
    }
  }
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 32); }
};

}  // namespace gable::operators
