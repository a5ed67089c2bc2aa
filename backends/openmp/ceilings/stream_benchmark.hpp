#pragma once
#include <cstddef>
#include <vector>

#include "backends/openmp/ceilings/clock_probe.hpp"
#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// Arrays of an access mix: read, write and update 1, copy 2, triad 3.
int arrays_of(Access access);

/// Bytes the line fills add to the counted (STREAM) ones, as a factor, when every ordinary store misses in a
/// write-allocate cache: write 2, copy 3/2, triad 4/3; read and update 1.
double write_allocate_factor(Access access);

/// Passes of a streaming kernel over a working set; every thread has arrays of its own inside its slice of the memory.
class StreamBenchmark final : public measure::Benchmark {
 public:
  /// working_set_bytes of all threads together; rounded down to whole vectors of 64 doubles, one of each array at
  /// least.
  StreamBenchmark(Setup& setup, const StreamChoice& choice, double working_set_bytes);

  measure::Sample run(std::uint64_t passes) override;
  /// Counted the STREAM way: what the kernel reads and writes, no line fills. byte a pass.
  double bytes_per_pass() const;
  /// Of all threads and arrays. byte.
  double working_set_bytes() const;
  const ClockProbe& probe() const { return probe_; }

 private:
  struct Arrays {
    double* a;
    const double* b;
    const double* c;
  };
  Team& team_;
  const isa::StreamKernel& kernel_;
  int count_;      ///< arrays a thread
  int moves_;      ///< bytes moved a pass for each of the working set: 2 where it is read and written
  std::size_t n_;  ///< doubles of one array
  std::vector<Arrays> arrays_;
  std::vector<Sink> sinks_;
  ClockProbe probe_;
};

}  // namespace gable::openmp
