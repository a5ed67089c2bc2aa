#pragma once
#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// Cost of one empty parallel region of all threads in s, regions directly behind one another: the threads still wait
/// actively, as between the loops of a program, unless OMP_WAIT_POLICY says otherwise.
Item parallel_region_overhead(const SharedSetup& setup);

}  // namespace gable::openmp
