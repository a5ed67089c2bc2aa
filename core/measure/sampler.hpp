#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/measure/clock.hpp"
#include "core/measure/estimate.hpp"

namespace gable::measure {

/// One timed batch of a benchmark.
struct Sample {
  double time_s{};                       ///< of the whole batch, on the device's own timeline
  double involuntary_switches{};         ///< of the threads that worked, during the batch
  double sentinel_s{};                   ///< time of a fixed sentinel run directly beside the batch; 0 without one
};

/// Something to time. `run(n)` does n iterations and times them itself, because only the owner knows the device's timeline.
class Benchmark {
 public:
  virtual ~Benchmark() = default;
  virtual Sample run(std::uint64_t iterations) = 0;
};

/// What to make of the times: figure = amount per iteration / time (a rate), or time per iteration.
struct Quantity {
  double per_iteration{1.0};  ///< flop, byte or op of one iteration
  bool rate{true};            ///< true: per_iteration / s; false: s per iteration x per_iteration
};

/// When to sample and when to stop.
struct Policy {
  double batch_s{2e-3};             ///< a batch is made at least this long (and at least 1000 clock steps)
  int batches_per_block{3};         ///< a block's figure is the median of its batches
  std::vector<int> looks{8, 16, 32}; ///< blocks at which the stopping rule looks, ascending; nothing in between
  double target_half_width{0.01};   ///< relative; a look stops when (ci_high - ci_low) / 2 / value is at most this
  double gap_s{0.0};                ///< idle time before every block (burst: lets the clock recover)
  double warmup_s{0.0};             ///< work before the first block (sustained: reaches the steady state)
  double time_limit_s{10.0};        ///< no block is begun past this
  bool ceiling{false};              ///< true: value may come from undisturbed blocks or the mode; false: median over all blocks
  std::uint64_t seed{1};            ///< of the block bootstrap
};

/// Calibrates the batch, takes blocks until the policy stops, and estimates. Throws std::runtime_error if the benchmark
/// yields a time that is not positive and finite.
Estimate measure(Benchmark& benchmark, const Quantity& quantity, const Policy& policy, Clock& clock = steady_clock());

}  // namespace gable::measure
