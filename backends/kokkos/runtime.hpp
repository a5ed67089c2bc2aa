#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/measure/timed.hpp"

namespace gable::kokkos {

/// Kokkos, running while this object lives. One per process: Kokkos cannot be started again. On a CPU it runs on
/// OpenMP's pool, so the threads that PinnedThreads pinned are the ones it uses. Nothing is printed to stdout, which
/// carries the worker's protocol.
class Runtime {
 public:
  /// threads: of the host (0: Kokkos chooses). device: number of the GPU, -1 without one. Throws Error if Kokkos is
  /// already running, was stopped before, or starts with another number of threads, and on a GPU if what kernels get as
  /// arguments lies otherwise on the device than on the host (layouts()).
  explicit Runtime(int threads, int device = -1);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
};

/// "4.6.99"; of the Kokkos this was built with.
std::string version();

/// What host and device must agree on, in bytes: a kernel reads its arguments where the device's compiler has them, and
/// they are written where the host's compiler has them.
struct Layout {
  std::string of;  ///< "size of a view"
  std::size_t host, device;
};
/// Sizes of what kernels get as arguments, and the place of a member behind each, as a kernel on the device has them;
/// none on a CPU. Needs a running Kokkos.
std::vector<Layout> layouts();
/// One line with the first that differs and who compiled it; empty where none does.
std::string layout_fault(const std::vector<Layout>& layouts);

/// One iteration: an empty parallel_for, over the threads of a CPU or one warp of a GPU, and a fence; without
/// fence_each one fence behind all iterations. The functor's body is empty, but the launch is not: Kokkos dispatches at
/// run time. Timed by `timer`, plainly without one. Needs a living Runtime.
std::unique_ptr<measure::Benchmark> launch_overhead(bool fence_each, measure::Timer timer = {});

}  // namespace gable::kokkos
