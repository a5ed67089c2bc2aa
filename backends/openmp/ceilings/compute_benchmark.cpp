#include "backends/openmp/ceilings/compute_benchmark.hpp"

namespace gable::openmp {

ComputeBenchmark::ComputeBenchmark(Setup& setup, const ComputeChoice& choice)
    : team_(*setup.team),
      kernel_(*choice.kernel),
      operands_(choice.kernel->dtype),
      sinks_(static_cast<std::size_t>(team_.size())),
      probe_(choice, setup.instructions) {}

measure::Sample ComputeBenchmark::run(std::uint64_t iterations) {
  constexpr double sets_the_clock_s = 2e-4;
  const auto sample = team_.timed(
      [&](int rank) { kernel_.run(iterations, operands_.data(), &sinks_[static_cast<std::size_t>(rank)]); });
  if (sample.time_s >= sets_the_clock_s) probe_.take(team_);
  return sample;
}

}  // namespace gable::openmp
