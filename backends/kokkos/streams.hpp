#pragma once
#include <cstddef>
#include <memory>

#include "core/measure/timed.hpp"
#include "core/model/ceiling.hpp"

namespace gable::kokkos {

/// Portable streams over arrays of `count` doubles: read (sum of a), copy (a = b), triad (a = b + k c), written the way
/// a user of Kokkos would, so that the gap to the native streams is the price of portability. First touched in parallel
/// and filled with non-zero values. One iteration is one pass and, on a CPU, its fence; a GPU's passes queue up, and
/// its threads move 16 bytes at a time. Throws Error for other accesses and for a count that is no multiple of 64.
/// Timed by `timer`, plainly without one. Needs a living Runtime.
std::unique_ptr<measure::Benchmark> stream(Access access, std::size_t count, measure::Timer timer = {});

/// Bytes of one pass, counted the STREAM way: read 8, copy 16, triad 24 per element.
double stream_bytes(Access access, std::size_t count);

}  // namespace gable::kokkos
