#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "operators/common.hpp"

namespace gable::operators {

/// Points of a 3-D grid; x is contiguous: point (x, y, z) is element (z ny + y) nx + x.
struct GridSize {
  Index nx, ny, nz;
  constexpr Index points() const { return nx * ny * nz; }
};

/// The sizes of an operator on a grid as its named parameters. P has nx, ny and nz.
template <class P>
inline constexpr std::array grid_fields{Field<P>{"nx", &P::nx, "points along x, contiguous"},
                                        Field<P>{"ny", &P::ny, "points along y"},
                                        Field<P>{"nz", &P::nz, "points along z"}};

/// Elements from one array to the next of several that are walked side by side: `elements` in whole lines, and lines to
/// 27 modulo 64, so that a power of two does not put all of them into the same few sets of a cache.
inline Index spread_pitch(Index elements, std::size_t element_bytes) {
  const Index per_line = 64 / static_cast<Index>(element_bytes);
  const Index lines = (elements + per_line - 1) / per_line;
  return (lines + (64 + 27 - lines % 64) % 64) * per_line;
}

/// Grids that fill working_sets(): nearly cubes, but nx a multiple of 32 of at least 64, so that rows begin at whole
/// lines and packs.
inline std::vector<GridSize> grids_for_working_sets(const DeviceInfo& device, double bytes_per_point) {
  return for_working_sets<GridSize>(device, [=](double bytes) {
    const double points = bytes / bytes_per_point;
    const Index nx = std::max<Index>(2, static_cast<Index>(std::cbrt(points) / 32.0 + 0.5)) * 32;
    const double plane = points / static_cast<double>(nx);
    const Index ny = std::max<Index>(1, static_cast<Index>(std::sqrt(plane)));
    return GridSize{nx, ny, units_in(plane, static_cast<double>(ny))};
  });
}

}  // namespace gable::operators
