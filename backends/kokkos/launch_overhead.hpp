#pragma once
#include <memory>

#include "core/measure/timed.hpp"

namespace gable::kokkos {

/// One iteration: an empty parallel_for, over the threads of a CPU or one warp of a GPU, and a fence; without
/// fence_each one fence behind all iterations. The functor's body is empty, but the launch is not: Kokkos dispatches at
/// run time. Timed by `timer`, plainly without one. Needs a living Runtime.
std::unique_ptr<measure::Benchmark> launch_overhead(bool fence_each, measure::Timer timer = {});

}  // namespace gable::kokkos
