#include "core/measure/rendezvous.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/measure/sampler.hpp"
#include "simulated_device.hpp"

namespace gable::measure {
namespace {

using namespace testing;

constexpr WorkPerIteration plain_seconds{.rate = false};

/// Lets a benchmark work so many times before the others are there, and behind its blocks.
class SlowRendezvous final : public Rendezvous {
 public:
  SlowRendezvous(const SimulatedBenchmark& benchmark, int before, int behind)
      : benchmark_(benchmark), before_(before), behind_(behind) {}
  void begin(const std::function<void()>& work) override {
    ++begun;
    for (int i = 0; i < before_; ++i) work();
    calls_at_start = benchmark_.calls;
  }
  void end(const std::function<void()>& work) override {
    ++ended;
    calls_at_last = benchmark_.calls;
    for (int i = 0; i < behind_; ++i) work();
  }

  int begun{}, ended{}, calls_at_start{}, calls_at_last{};

 private:
  const SimulatedBenchmark& benchmark_;
  int before_, behind_;
};

/// Its calls last as long as their number says: a block tells which call it was.
SimulatedBenchmark counting(FakeClock& clock) {
  return {clock, [](int call, std::uint64_t) { return Call{1e-2 + 1e-6 * call}; }};
}

TEST(Rendezvous, TakesItsBlocksWhileAllAreAtWork) {
  FakeClock clock;
  auto benchmark = counting(clock);
  SlowRendezvous rendezvous(benchmark, 50, 20);
  const AtRendezvous together(rendezvous);
  const Policy policy{.batches_per_block = 1, .blocks = 8};
  const Estimate estimate = measure(benchmark, plain_seconds, policy, clock);
  EXPECT_EQ(rendezvous.begun, 1);
  EXPECT_EQ(rendezvous.ended, 1);
  ASSERT_EQ(estimate.samples.size(), 8U);
  EXPECT_EQ(rendezvous.calls_at_last - rendezvous.calls_at_start, 8);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(estimate.samples[i], 1e-2 + 1e-6 * (rendezvous.calls_at_start + static_cast<int>(i)), 2e-9);
  EXPECT_EQ(benchmark.calls, rendezvous.calls_at_last + 20) << "it works until the others have theirs";
}

TEST(Rendezvous, WaitingThereCostsNoTimeLimit) {
  FakeClock clock;
  auto benchmark = counting(clock);
  SlowRendezvous rendezvous(benchmark, 1000, 0);  // ten seconds
  const AtRendezvous together(rendezvous);
  const Policy policy{.batches_per_block = 1, .blocks = 8, .time_limit_s = 0.5};
  const Estimate estimate = measure(benchmark, plain_seconds, policy, clock);
  EXPECT_EQ(estimate.blocks, 8);
  EXPECT_EQ(estimate.stop, StopReason::last_look);
}

TEST(Rendezvous, WarmsUpOnceMoreWhenAllAreThere) {
  FakeClock clock;
  auto benchmark = counting(clock);
  SlowRendezvous rendezvous(benchmark, 1, 0);
  const AtRendezvous together(rendezvous);
  const Policy policy{.batches_per_block = 1, .blocks = 8, .warmup_s = 0.5};
  measure(benchmark, plain_seconds, policy, clock);
  EXPECT_GE(rendezvous.calls_at_last - rendezvous.calls_at_start, 8 + 45) << "half a second of calls of 10 ms";
}

TEST(Rendezvous, MakesShortBatchesLonger) {
  FakeClock clock;
  SimulatedBenchmark benchmark(
      clock, [](int, std::uint64_t iterations) { return Call{1e-5 * static_cast<double>(iterations)}; });
  SlowRendezvous rendezvous(benchmark, 1, 0);
  const Policy policy{.batch_s = 2e-3, .batches_per_block = 1, .blocks = 8};
  measure(benchmark, plain_seconds, policy, clock);
  const auto alone = benchmark.last_iterations;
  const AtRendezvous together(rendezvous);
  measure(benchmark, plain_seconds, policy, clock);
  EXPECT_GE(benchmark.last_iterations, 3 * alone) << "beside each batch the others are alone";
}

TEST(Rendezvous, IsOfOneMeasurementOnly) {
  FakeClock clock;
  auto benchmark = counting(clock);
  SlowRendezvous rendezvous(benchmark, 1, 1);
  {
    const AtRendezvous together(rendezvous);
    measure(benchmark, plain_seconds, {}, clock);
    measure(benchmark, plain_seconds, {}, clock);
  }
  measure(benchmark, plain_seconds, {}, clock);
  EXPECT_EQ(rendezvous.begun, 1);
  EXPECT_EQ(rendezvous.ended, 1);
}

/// Remembers how many calls it had made when it was told to forget.
class Forgetful final : public Benchmark {
 public:
  explicit Forgetful(SimulatedBenchmark& benchmark) : benchmark_(benchmark) {}
  TimedBatch run(std::uint64_t iterations) override { return benchmark_.run(iterations); }
  void forget() override { forgotten = benchmark_.calls; }
  int forgotten{};

 private:
  SimulatedBenchmark& benchmark_;
};

TEST(Rendezvous, WhatWasSeenWhileWaitingIsForgotten) {
  FakeClock clock;
  auto inner = counting(clock);
  Forgetful benchmark(inner);
  SlowRendezvous rendezvous(inner, 30, 0);
  const AtRendezvous together(rendezvous);
  measure(benchmark, plain_seconds, {.batches_per_block = 1, .blocks = 8}, clock);
  EXPECT_EQ(benchmark.forgotten, rendezvous.calls_at_start);
}

}  // namespace
}  // namespace gable::measure
