#include "core/measure/clock.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/measure/timed.hpp"

namespace gable::measure {
namespace {

TEST(steady_clock, runs_forward_and_knows_its_step) {
  Clock& clock = steady_clock();
  const double before = clock.now();
  EXPECT_GE(clock.now(), before);
  EXPECT_GT(clock.resolution(), 0);
  EXPECT_LT(clock.resolution(), 1);
  EXPECT_EQ(&clock, &steady_clock());
}

TEST(steady_clock, sleeps_no_less_than_asked) {
  Clock& clock = steady_clock();
  const double before = clock.now();
  clock.sleep(0.005);
  EXPECT_GE(clock.now() - before, 0.005);
  clock.sleep(-1);  // nothing to wait for
}

/// Both threads on one cpu: they take it from each other.
void share_a_cpu(const std::atomic<bool>& stop) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  std::thread rival([&] {
    sched_setaffinity(0, sizeof one, &one);
    while (!stop) {
    }
  });
  std::thread worker([&] {
    sched_setaffinity(0, sizeof one, &one);
    while (!stop) {
    }
  });
  worker.join();
  rival.join();
}

TEST(Timed, CountsTheSwitchesOfOtherThreadsOfTheProcess) {
  std::atomic<bool> stop{false};
  std::thread busy([&] { share_a_cpu(stop); });
  const auto sample = timed([] {
    const double before = involuntary_switches();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (involuntary_switches() == before && std::chrono::steady_clock::now() < deadline) {
    }
  });
  stop = true;
  busy.join();
  EXPECT_GT(sample.involuntary_switches, 0.0);
}

TEST(Timed, TakesTheWallTimeOfOneRun) {
  int runs = 0;
  const auto sample = timed([&] {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_EQ(runs, 1);
  EXPECT_GE(sample.time_s, 0.02);
}

}  // namespace
}  // namespace gable::measure
