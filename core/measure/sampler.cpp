#include "core/measure/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/measure/rendezvous.hpp"
#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"

namespace gable::measure {
namespace {

Rendezvous* next_rendezvous = nullptr;

constexpr double clock_steps = 1000;
/// An iteration this many batches long is a batch by itself.
constexpr double long_iteration = 8;
/// Greatest factor by which a batch grows from one run to the next.
constexpr double greatest_step = 16;
constexpr std::uint64_t most_iterations = std::uint64_t{1} << 50;

/// Files keep what blocks are judged by, and everything is computed from what they keep.
double rounded(double value) { return to_digits(value, 4); }

void check(const WorkPerIteration& work, const Policy& policy) {
  const auto require = [](bool good, std::string_view what) {
    if (!good) throw Error(fmt::format("sampling policy: {}", what));
  };
  require(std::isfinite(work.per_iteration) && work.per_iteration > 0, "per_iteration must be positive");
  require(policy.batch_s > 0, "batch_s must be positive");
  require(policy.batches_per_block >= 1, "batches_per_block must be at least 1");
  require(policy.blocks >= 1, "blocks must be at least 1");
  require(policy.gap_s >= 0 && policy.warmup_s >= 0, "gap_s and warmup_s must not be negative");
  require(policy.room >= 0, "room must not be negative");
  require(policy.time_limit_s > 0, "time_limit_s must be positive");
}

/// One run of measure().
class Sampling {
 public:
  Sampling(Benchmark& benchmark, const WorkPerIteration& work, const Policy& policy, Clock& clock)
      : benchmark_(benchmark),
        work_(work),
        policy_(policy),
        clock_(clock),
        rendezvous_(take_rendezvous()),
        start_(clock.now()),
        waited_before_s_(clock.waited_s()),
        limit_s_(policy.time_limit_s) {}

  Estimate round() {
    size_batch();
    warm_up();
    if (rendezvous_) join();
    const bool all = take_blocks();
    set_waiting_share();
    if (rendezvous_) rendezvous_->end([&] { timed(iterations_, true); });
    Estimate seen = estimate(blocks_, {.larger_is_slower = !work_.rate, .ceiling = policy_.ceiling});
    seen.stop = all ? StopReason::last_look : StopReason::time_limit;
    return seen;
  }

 private:
  bool spent() { return clock_.now() - start_ >= limit_s_; }

  /// Runs and checks one batch. Zero is a time only while the batch is sized: a coarse clock may not have moved.
  TimedBatch timed(std::uint64_t iterations, bool sizing) {
    const TimedBatch batch = benchmark_.run(iterations);
    throttled_s_ += batch.throttled_s;
    const bool good = std::isfinite(batch.time_s) && (batch.time_s > 0 || (sizing && batch.time_s == 0));
    if (!good) {
      throw std::runtime_error(
          fmt::format("the benchmark gave a time of {} s for {} iterations", batch.time_s, iterations));
    }
    return batch;
  }

  /// Time that the work itself took: what the threads did not run is not theirs. Without it a thread that is kept from
  /// running for some milliseconds would make a batch of a few iterations look long enough, whose figure is the
  /// clock's.
  static double own_time_s(const TimedBatch& batch) { return batch.time_s / batch.preemption; }

  /// Makes the batch longer until two runs in a row are long enough: one long run may have been an interruption. By as
  /// much as the last run lacked, so that few runs are needed, but not by more than `greatest_step` at a time, because
  /// a short run shows mostly what a call costs.
  void size_batch() {
    const double shortest = std::max(policy_.batch_s, clock_steps * clock_.resolution());
    const TimedBatch first = timed(1, true);  // pays one-time costs (page faults)
    if (policy_.room > 0) limit_s_ = with_room_for(policy_, policy_.room * first.time_s).time_limit_s;
    int in_a_row = 0;
    if (own_time_s(first) >= long_iteration * shortest && !spent()) {
      const TimedBatch second = timed(1, true);
      in_a_row = own_time_s(second) >= shortest ? 2 : 0;
      // Page faults may have made the first call long, and even the second is no sample if it was still warming up.
      if (in_a_row == 2 && second.time_s > first.time_s / 2 && policy_.gap_s <= 0) sample_ = second;
    }
    while (in_a_row < 2 && !spent()) {
      const double own_s = own_time_s(timed(iterations_, true));
      if (own_s >= shortest) {
        ++in_a_row;
        continue;
      }
      if (iterations_ >= most_iterations) throw std::runtime_error("the benchmark takes no measurable time");
      const double lacking = own_s > 0 ? std::ceil(shortest / own_s) : greatest_step;
      iterations_ *= static_cast<std::uint64_t>(std::clamp(lacking, 2.0, greatest_step));
      in_a_row = 0;
    }
  }

  void warm_up() {
    while (clock_.now() - start_ < policy_.warmup_s && !spent()) {
      timed(iterations_, true);
      sample_.reset();
    }
  }

  /// Waits at work until all others are, then warms up once more, as the load of all may lower the clock. A batch is
  /// made longer: what stands beside each is time in which the others would be alone.
  void join() {
    constexpr double batch_s = 10e-3, longest = 5;
    const double from = clock_.now();
    sample_.reset();
    const double one_s = timed(iterations_, true).time_s;
    const double longer = one_s > 0 ? std::clamp(batch_s / one_s, 1.0, longest) : 1.0;
    iterations_ *= static_cast<std::uint64_t>(longer);
    const auto work = [&] { timed(iterations_, true); };
    rendezvous_->begin(work);
    for (const double together = clock_.now(); clock_.now() - together < policy_.warmup_s;) work();
    benchmark_.forget();
    limit_s_ += clock_.now() - from + 2 * (longer - 1) * one_s * policy_.blocks * policy_.batches_per_block;
  }

  /// False if the time is spent first. Throws if it is spent before there is any block.
  bool take_blocks() {
    while (static_cast<int>(blocks_.size()) < policy_.blocks) {
      if (!sample_ && clock_.now() - start_ + policy_.gap_s >= limit_s_) {
        if (!blocks_.empty()) return false;
        throw NoTime(
            fmt::format("no block fitted into the time limit of {} s: finding a batch of {} "
                        "iterations and warming up took {:.3g} s",
                        limit_s_, iterations_, clock_.now() - start_));
      }
      blocks_.push_back(take_block());
    }
    return true;
  }

  Block take_block() {
    if (policy_.gap_s > 0) {
      clock_.sleep(policy_.gap_s);
      slept_s_ += policy_.gap_s;
      timed(iterations_, true);  // the ramp: brings the clock up again
    }
    Block block;
    std::vector<double> figures, sentinels, throughputs, preemptions, most_preemptions, clocks;
    do {
      const TimedBatch batch = sample_ ? *std::exchange(sample_, std::nullopt) : timed(iterations_, false);
      figures.push_back(figure(batch.time_s));
      block.involuntary_switches += batch.involuntary_switches;
      if (batch.stolen_s) block.stolen_s = block.stolen_s.value_or(0.0) + *batch.stolen_s;
      block.throttled_s += batch.throttled_s;
      if (batch.moved) ++block.moved;
      if (batch.sentinel_s > 0) sentinels.push_back(batch.sentinel_s);
      if (batch.throughput_s > 0) throughputs.push_back(batch.throughput_s);
      preemptions.push_back(batch.preemption);
      most_preemptions.push_back(batch.most_preemption);
      if (batch.clock_hz) clocks.push_back(*batch.clock_hz);
    } while (static_cast<int>(figures.size()) < policy_.batches_per_block && !spent());
    block.figure = median(figures);
    block.batches = static_cast<int>(figures.size());
    if (!sentinels.empty()) block.sentinel_s = rounded(median(sentinels));
    if (!throughputs.empty()) block.throughput_s = rounded(median(throughputs));
    block.preemption = rounded(median(preemptions));
    block.most_preemption = rounded(median(most_preemptions));
    if (!clocks.empty()) block.clock_hz = median(clocks);
    return block;
  }

  /// Of blocks beside which a sentinel ran: others are not timed on a processor. While a quota stops the process nobody
  /// else has its caches; that is seen in the batches that it stops. Less than a hundredth is nothing.
  void set_waiting_share() {
    constexpr double least = 0.01;
    const double waited_s = clock_.waited_s() - waited_before_s_ - throttled_s_;
    const double share = std::clamp(waited_s / (clock_.now() - start_ - slept_s_), 0.0, 1.0);
    for (Block& block : blocks_) {
      if (block.sentinel_s > 0 && share >= least) block.waiting_share = rounded(share);
    }
  }

  double figure(double time_s) const {
    const auto iterations = static_cast<double>(iterations_);
    return work_.rate ? work_.per_iteration * iterations / time_s : time_s / iterations * work_.per_iteration;
  }

  Benchmark& benchmark_;
  const WorkPerIteration& work_;
  const Policy& policy_;
  Clock& clock_;
  Rendezvous* rendezvous_;
  double start_, waited_before_s_;
  double limit_s_;
  double slept_s_{}, throttled_s_{};
  std::uint64_t iterations_{1};
  std::optional<TimedBatch> sample_;  ///< taken already: of an iteration that is a batch by itself
  std::vector<Block> blocks_;
};

}  // namespace

Rendezvous* take_rendezvous() { return std::exchange(next_rendezvous, nullptr); }

AtRendezvous::AtRendezvous(Rendezvous& rendezvous) { next_rendezvous = &rendezvous; }
AtRendezvous::~AtRendezvous() { next_rendezvous = nullptr; }

Estimate measure(Benchmark& benchmark, const WorkPerIteration& work, const Policy& policy, Clock& clock) {
  check(work, policy);
  return Sampling(benchmark, work, policy, clock).round();
}

Policy ceiling_policy(double batch_s, int blocks, double time_limit_s) {
  return {.batch_s = batch_s,
          .batches_per_block = 1,
          .blocks = blocks,
          .time_limit_s = time_limit_s,
          .room = 1,
          .ceiling = true};
}

Policy with_room_for(Policy policy, double iteration_s) {
  constexpr double long_s = 0.1;
  const int iterations = 1 + std::max(iteration_s < long_s ? 3 : 2, 2 * policy.batches_per_block);
  policy.time_limit_s = std::max(policy.time_limit_s, iterations * iteration_s);
  return policy;
}

double expected_seconds(const Policy& policy, double beside_s) {
  const int batches = policy.batches_per_block + (policy.gap_s > 0 ? 1 : 0);
  const double block_s = (1.3 * policy.batch_s + beside_s) * batches + policy.gap_s;
  const double sizing_s = 5.0 * (policy.batch_s + beside_s);
  return std::min(policy.warmup_s + sizing_s + policy.blocks * block_s, policy.time_limit_s);
}

}  // namespace gable::measure
