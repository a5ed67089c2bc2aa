#pragma once
#include <vector>

#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// Bandwidth rows, byte/s: main memory and L2 each with read, write, copy and triad, Infinity Cache with read and copy,
/// L1 and shared memory (LDS) with read, and the runtime's copy in main memory beside them.
std::vector<Item> bandwidth_ceilings(const SharedSetup& setup);

/// Curves of read bandwidth past L1 against the working set, hot and cold.
std::vector<Item> working_set_sweeps(const SharedSetup& setup);

/// Bytes of all arrays of a main-memory stream together: each array 512 MiB (full: 2 GiB) and four times the outermost
/// cache at least, as far as the budget goes; 0 if not even four times that cache fits.
double memory_set_bytes(const Setup& setup, int arrays);
/// A quarter of L2: it stays there also where each half of the device keeps its own copy of what the other half owns.
/// Where each die has an L2 of its own, blocks are dealt to the dies in turn and every die sees its share only.
double l2_set_bytes(const Setup& setup);
/// Half of the Infinity Cache: several times L2, and others may hold the other half.
double infinity_cache_set_bytes(const Setup& setup);
/// Working sets of a sweep, byte: from 1 MiB to four times the outermost cache, `per_octave` in every doubling.
std::vector<double> sweep_sizes(double cache_bytes, int per_octave);
/// Arrays of an access mix: read and write 1, copy 2, triad 3.
int arrays_of(Access access);

}  // namespace gable::gpu
