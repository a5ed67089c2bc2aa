#pragma once
#include <vector>

#include "backends/openmp/ceilings/clock_probe.hpp"
#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// Runs a compute kernel on every thread and takes the clock behind every batch that is long enough to set it.
class ComputeBenchmark final : public measure::Benchmark {
 public:
  ComputeBenchmark(Setup& setup, const ComputeChoice& choice);
  measure::Sample run(std::uint64_t iterations) override;
  /// Of all threads, per iteration.
  double operations() const { return kernel_.operations * team_.size(); }
  const ClockProbe& probe() const { return probe_; }

 private:
  Team& team_;
  const isa::ComputeKernel& kernel_;
  Operands operands_;
  std::vector<Sink> sinks_;
  ClockProbe probe_;
};

}  // namespace gable::openmp
