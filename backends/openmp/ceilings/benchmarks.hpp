#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "backends/openmp/ceilings/clock_probe.hpp"
#include "backends/openmp/ceilings/setup.hpp"
#include "core/measure/sampler.hpp"
#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// A benchmark that is one function of the number of iterations.
class TimedWork final : public measure::Benchmark {
 public:
  using Run = std::function<measure::TimedBatch(std::uint64_t iterations)>;
  explicit TimedWork(Run run) : run_(std::move(run)) {}
  measure::TimedBatch run(std::uint64_t iterations) override { return run_(iterations); }

 private:
  Run run_;
};

/// Runs a compute kernel on every thread and takes the clock behind every batch that is long enough to set it.
class ComputeBenchmark final : public measure::Benchmark {
 public:
  ComputeBenchmark(Setup& setup, const ComputeChoice& choice);
  measure::TimedBatch run(std::uint64_t iterations) override;
  void forget() override { probe_.forget(); }
  /// Of all threads, per iteration.
  double operations() const { return kernel_.operations * pinned_.size(); }
  const ClockProbe& probe() const { return probe_; }

 private:
  PinnedThreads& pinned_;
  const isa::ComputeKernel& kernel_;
  Operands operands_;
  std::vector<Sink> sinks_;
  ClockProbe probe_;
};

/// Bytes the line fills add to the counted (STREAM) ones, as a factor, when every ordinary store misses in a
/// write-allocate cache: write 2, copy 3/2, triad 4/3; read and update 1.
double write_allocate_factor(Access access);

/// The working set (byte, of all threads together) that reads at random take for a planned one: a power of two a
/// thread.
double random_set_bytes(double planned_bytes, int threads);

/// Passes of a streaming kernel over a working set; every thread has arrays of its own inside its slice of the memory.
class StreamBenchmark final : public measure::Benchmark {
 public:
  /// working_set_bytes of all threads together; rounded down to whole vectors of 64 doubles, one of each array at
  /// least; of random to random_set_bytes().
  StreamBenchmark(Setup& setup, const StreamChoice& choice, double working_set_bytes);

  measure::TimedBatch run(std::uint64_t passes) override;
  void forget() override { probe_.forget(); }
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
  PinnedThreads& pinned_;
  const isa::StreamKernel& kernel_;
  Access access_;
  std::size_t n_{};  ///< doubles of one array
  std::vector<Arrays> arrays_;
  std::vector<Sink> sinks_;
  ClockProbe probe_;
};

/// One cache line of a chase: where to go next, and nothing else.
struct alignas(64) ChaseLine {
  ChaseLine* next;
};

/// Links the lines into one random cycle that visits every line once. Visited in turn, a line comes back only after all
/// others, so that a cache smaller than the cycle which replaces the least recently used line holds none of it; and no
/// prefetcher finds a stride.
void link_random_cycle(std::span<ChaseLine> lines, std::uint64_t seed);

/// Follows a cycle of links with one thread. One iteration is one access that waits for the one before.
class PointerChase final : public measure::Benchmark {
 public:
  PointerChase(PinnedThreads& alone, std::span<ChaseLine> cycle) : alone_(alone), at_(cycle.data()) {}
  measure::TimedBatch run(std::uint64_t accesses) override;

 private:
  PinnedThreads& alone_;
  ChaseLine* at_;
};

/// The first `bytes` of memory as lines (64-byte aligned memory, whole lines only).
std::span<ChaseLine> as_lines(std::span<double> memory, double bytes);

}  // namespace gable::openmp
