#pragma once
#include <memory>

#include "core/measure/sampler.hpp"

namespace gable::kokkos {

/// One iteration: an empty parallel_for over the concurrency of the default execution space, and a fence. The functor's
/// body is empty, but the launch is not: Kokkos dispatches at run time. Needs a living Runtime.
std::unique_ptr<measure::Benchmark> launch_overhead();

}  // namespace gable::kokkos
