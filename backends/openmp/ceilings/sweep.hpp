#pragma once
#include <span>
#include <string>
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// Working sets of a sweep, byte of all threads: `per_octave` in every doubling, from 4 KiB a thread to `largest`.
std::vector<double> sweep_sizes(int threads, double largest, int per_octave);

/// Whether a measured curve of bandwidth (byte/s) against working set (byte, ascending) shows the caches of the
/// topology: per cache its plateau (median over the working sets that lie well inside it) and the working set where
/// bandwidth falls through the geometric mean of its plateau and the next one's. A cache is confirmed if that lies
/// within a factor of two of its capacity. One sentence a cache.
std::string confirm_levels(std::span<const Level> levels, std::span<const double> sizes, std::span<const double> rates);

/// Bandwidth against working set for read, copy and triad, the whole curve, with what it says of the levels as the
/// curve's reason.
std::vector<Item> working_set_sweeps(const SharedSetup& setup);

}  // namespace gable::openmp
