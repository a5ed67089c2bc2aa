#pragma once
#include <array>
#include <cstddef>

/// The lattice of 19 velocities in three dimensions (Qian, d'Humieres, Lallemand 1992) and its BGK collision.
namespace gable::operators::d3q19 {

struct Velocity {
  int x, y, z;
};
/// Rest, then opposite directions in pairs: 6 to faces, 12 to edges.
inline constexpr std::array<Velocity, 19> velocities{{{0, 0, 0},
                                                      {1, 0, 0},
                                                      {-1, 0, 0},
                                                      {0, 1, 0},
                                                      {0, -1, 0},
                                                      {0, 0, 1},
                                                      {0, 0, -1},
                                                      {1, 1, 0},
                                                      {-1, -1, 0},
                                                      {1, -1, 0},
                                                      {-1, 1, 0},
                                                      {1, 0, 1},
                                                      {-1, 0, -1},
                                                      {1, 0, -1},
                                                      {-1, 0, 1},
                                                      {0, 1, 1},
                                                      {0, -1, -1},
                                                      {0, 1, -1},
                                                      {0, -1, 1}}};

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
