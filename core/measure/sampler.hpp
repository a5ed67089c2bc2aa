#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "core/measure/clock.hpp"
#include "core/model/estimate.hpp"

namespace gable::measure {

/// One timed batch of a benchmark.
struct TimedBatch {
  double time_s{};                ///< of the whole batch, on the device's own timeline
  double involuntary_switches{};  ///< of the threads that worked, during the batch
  double sentinel_s{};            ///< time of a fixed sentinel run directly beside the batch; 0 without one
  double throughput_s{};          ///< time of a fixed piece of independent work beside it; 0 without one
  /// time_s over the part of it in which the thread could run that waited longest for a processor; 1 where unknown.
  double preemption{1.0};
  /// The same if threads waited one by one, where that is known to be more: at most so much slower was the work.
  double most_preemption{1.0};
  std::optional<double> stolen_s{};  ///< by a hypervisor from the CPUs that worked, CPU seconds; nothing where unknown
  std::optional<double> clock_hz{};  ///< of the device, by its own counters, during the batch; nothing where unknown
  double throttled_s{};              ///< that a processor quota stopped this process
  bool moved{};                      ///< somebody changed the cpus that a thread may run on
};

/// Something to time. `run(n)` does n iterations and times them itself, because only it knows the device's timeline.
class Benchmark {
 public:
  virtual ~Benchmark() = default;
  virtual TimedBatch run(std::uint64_t iterations) = 0;
  /// What it saw of the device so far, beside the times, is not of the blocks that follow.
  virtual void forget() {}
};

/// What to make of the times: figure = amount per iteration / time (a rate), or time per iteration.
struct WorkPerIteration {
  double per_iteration{1.0};  ///< flop, byte or op of one iteration
  bool rate{true};            ///< true: per_iteration / s; false: s per iteration x per_iteration
};

/// How one round samples. docs/statistics.md gives the reasons.
struct Policy {
  double batch_s{2e-3};      ///< a batch is made at least this long (and at least 1000 clock steps)
  int batches_per_block{3};  ///< a block's figure is the median of its batches
  int blocks{8};             ///< of a round
  double gap_s{0.0};     ///< idle time before every block (burst: lets the clock recover), then one unrecorded batch
  double warmup_s{0.0};  ///< work before the first block (sustained: reaches the steady state)
  double time_limit_s{10.0};  ///< from the call on, with batch sizing and gaps; nothing is begun past it
  /// With more than 0 the time limit is at least what with_room_for() gives for so many times the first call: long
  /// iterations then still yield a few blocks.
  double room{0.0};
  bool ceiling{false};  ///< EstimateOptions::ceiling (rounds.hpp)
};

/// The time limit was spent before there was a single block: the machine is too busy, or one iteration too long.
struct NoTime : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One round: sizes the batch, takes the policy's blocks, and estimates from them (estimate() in rounds.hpp).
///
/// Batch sizing multiplies the iterations, at least by 2 and at most by 16 a run, until two runs in a row are long
/// enough without the time that their threads did not run; neither these runs nor the first call are samples. Batch
/// sizing is part of the warm-up. An iteration that takes many batches' time is a batch by itself: the first call is
/// the warm-up, and what follows are samples. Only a run that sizes the batch may take 0 s (a coarse clock that has not
/// moved yet). When the time is spent, the current block ends after its running batch, and the estimate is made of the
/// blocks so far (StopReason::time_limit).
///
/// With other processes (rendezvous.hpp) the blocks stand between the rendezvous' begin() and end(), in longer batches
/// and behind a second warm-up; what that takes is no part of the time limit.
///
/// Throws Error for a policy or work that makes no sense; std::runtime_error if the benchmark yields a time that is
/// not positive and finite or takes no measurable time, NoTime if the limit leaves no room for one block.
Estimate measure(Benchmark& benchmark, const WorkPerIteration& work, const Policy& policy,
                 Clock& clock = steady_clock());

/// The policy of a ceiling: blocks of one batch each, and room for long iterations.
Policy ceiling_policy(double batch_s, int blocks, double time_limit_s);

/// The policy with time for the first call and blocks of iterations that take this long: 3 blocks of one batch, of
/// iterations longer than 0.1 s 2, of several batches 2.
Policy with_room_for(Policy policy, double iteration_s);

/// Rough time a round takes on a quiet machine, s, when one iteration is never longer than a batch. beside_s: what
/// every batch costs beside its own time, s (a barrier, a sentinel, a clock reading).
double expected_seconds(const Policy& policy, double beside_s = 3e-4);

}  // namespace gable::measure
