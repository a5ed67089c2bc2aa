#pragma once
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// Bandwidth ceilings of every memory level: read, write, copy and triad with ordinary stores, and, of main memory,
/// write, copy and triad with non-temporal stores, which go past the caches and so are no roof of one.
///
/// Bytes are counted the STREAM way. with_write_allocate adds the line fill before an ordinary store, an accounting,
/// not a measurement: for every level but the innermost, where the stored lines are already there. Cores that elide the
/// fill of a fully written line (Intel's SpecI2M, Arm's write streaming) move less than it says.
///
/// A level that cannot be told apart from its neighbours, or main memory that is too small for its working set, is
/// `skipped` with the reason.
std::vector<Item> bandwidth_ceilings(const SharedSetup& setup);

}  // namespace gable::openmp
