#include "core/measure/held_back.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/unit/openmp/scratch_root.hpp"

namespace gable::measure {
namespace {

/// Threads as the kernel tells of them, with numbers that no process has.
class HeldBackTest : public ScratchRoot {
 protected:
  static constexpr int first = 900'000'001, second = 900'000'002;

  /// It ran for a millisecond since the last time.
  void schedstat(int thread, double delay_s, bool ran = true) {
    const auto ns = std::to_string(static_cast<std::int64_t>(delay_s * 1e9));
    if (ran) ran_ns_ += 1'000'000;
    write("proc/self/task/" + std::to_string(thread) + "/schedstat", std::to_string(ran_ns_) + " " + ns + " 42\n");
  }
  void end(int thread) {
    std::filesystem::remove_all(std::filesystem::path(root()) / "proc/self/task" / std::to_string(thread));
  }

 private:
  std::int64_t ran_ns_{123'456'789};
};

TEST_F(HeldBackTest, AddsUpWhatTheThreadsWaited) {
  schedstat(first, 5);
  schedstat(second, 7);
  HeldWatch watch(root());
  watch.begin();
  schedstat(first, 5.004);
  schedstat(second, 7.001);
  const HeldBack seen = watch.end(0.020, true);
  EXPECT_NEAR(seen.waited_s, 0.005, 1e-9);
  EXPECT_FALSE(seen.moved);
  EXPECT_NEAR(seen.preemption(0.020), 20.0 / 16, 1e-6) << "if the second waited while the first did";
  EXPECT_NEAR(seen.most_preemption(0.020), 20.0 / 15, 1e-6) << "if they waited one by one";
  watch.begin();
  EXPECT_DOUBLE_EQ(watch.end(0.020, true).waited_s, 0) << "what was before is not of this work";
}

TEST_F(HeldBackTest, ManyThreadsThatWaitAMomentEachAreCalm) {
  HeldWatch watch(root());
  for (int i = 0; i < 128; ++i) schedstat(first + i, 5);
  watch.begin();
  for (int i = 0; i < 128; ++i) schedstat(first + i, 5 + 40e-6);
  const HeldBack seen = watch.end(0.020, true);
  EXPECT_NEAR(seen.waited_s, 128 * 40e-6, 1e-9);
  EXPECT_LT(seen.preemption(0.020), 1.01);
}

TEST_F(HeldBackTest, AQuotaStopsAllThreadsAtTheSameTime) {
  for (const int thread : {first, second}) schedstat(thread, 5);
  HeldWatch watch(root());
  watch.begin();
  for (const int thread : {first, second}) schedstat(thread, 5.004);
  const HeldBack seen = watch.end(0.020, true);
  EXPECT_NEAR(seen.preemption(0.020), 1.25, 1e-6) << "of 20 ms each was stopped for 4";
  EXPECT_NEAR(seen.most_preemption(0.020), 20.0 / 12, 1e-6);
}

TEST_F(HeldBackTest, AThreadThatHadNoProcessorTimeHadNoWork) {
  schedstat(first, 5);
  HeldWatch watch(root());
  watch.begin();
  schedstat(first, 5.010, false);
  const HeldBack seen = watch.end(0.020, true);
  EXPECT_DOUBLE_EQ(seen.waited_s, 0);
  EXPECT_DOUBLE_EQ(seen.longest_s, 0);
}

TEST_F(HeldBackTest, ThreadsComeAndGo) {
  schedstat(first, 1);
  HeldWatch watch(root());
  watch.begin();
  schedstat(second, 3);
  EXPECT_DOUBLE_EQ(watch.end(1, true).waited_s, 0);
  watch.begin();
  schedstat(second, 3.5);
  EXPECT_NEAR(watch.end(1, true).waited_s, 0.5, 1e-9) << "one that began after the watch";
  end(first);
  watch.begin();
  schedstat(second, 3.75);
  EXPECT_NEAR(watch.end(1, true).waited_s, 0.25, 1e-9);
}

TEST_F(HeldBackTest, WithoutDelaysTheProcessorTimeOfTheProcessTells) {
  HeldWatch watch(root());
  watch.begin();
  const HeldBack stopped = watch.end(1000);  // as if 1000 s had passed, in which this process ran for microseconds
  EXPECT_NEAR(stopped.waited_s, 1000, 1);
  EXPECT_DOUBLE_EQ(stopped.most_preemption(1000), 100) << "at most";
  watch.begin();
  EXPECT_DOUBLE_EQ(watch.end(1000, true).waited_s, 0) << "work that others do may let all threads sleep";
  watch.begin();
  EXPECT_DOUBLE_EQ(watch.end(0.005).waited_s, 0) << "the processor time of threads is some ms old";
}

TEST(HeldWatch, SeesThatAThreadMayRunElsewhereThanBefore) {
  cpu_set_t before, less;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "needs two cpus";
  CPU_ZERO(&less);
  for (int cpu = 0; CPU_COUNT(&less) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &less);
  }
  HeldWatch watch;
  watch.begin();
  EXPECT_FALSE(watch.end(0.001).moved);
  watch.begin();
  sched_setaffinity(0, sizeof less, &less);
  const bool in_the_middle = watch.end(0.001).moved;
  watch.begin();
  const bool still = watch.end(0.001).moved;
  sched_setaffinity(0, sizeof before, &before);
  watch.begin();
  EXPECT_TRUE(in_the_middle);
  EXPECT_TRUE(still) << "it lacks a cpu that it had at first";
  EXPECT_FALSE(watch.end(0.001).moved);
}

TEST(HeldWatch, SeesThatAThreadOfOneCpuWasMovedBetweenBatches) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "needs two cpus";
  const auto move_to = [&](int wanted) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &before) && wanted-- == 0) CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof one, &one);
  };
  move_to(0);
  HeldWatch watch;
  const auto moved = [&] {
    watch.begin();
    return watch.end(0.001).moved;
  };
  const bool at_first = moved();
  move_to(1);
  const bool elsewhere = moved(), still = moved();
  watch.pinned(gettid());
  const bool by_us = moved();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_FALSE(at_first);
  EXPECT_TRUE(elsewhere);
  EXPECT_TRUE(still);
  EXPECT_FALSE(by_us) << "where it was pinned to since";
}

TEST_F(HeldBackTest, TheQuotaOfBothVersionsOfControlGroupsTells) {
  write("v1/cpu.stat", "nr_periods 7\nnr_throttled 6\nthrottled_time 396943309\nnr_bursts 0\n");
  write("v2/cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 1000\n");
  const ThrottleClock clock({root() + "/v1/cpu.stat", root() + "/v2/cpu.stat", root() + "/none/cpu.stat"});
  EXPECT_NEAR(clock.now_s(), 0.396943309 + 0.001, 1e-9);
  write("v2/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 9\nthrottled_usec 251000\n");
  EXPECT_NEAR(clock.now_s(), 0.396943309 + 0.251, 1e-9);
  EXPECT_DOUBLE_EQ(ThrottleClock({}).now_s(), 0);
}

}  // namespace
}  // namespace gable::measure
