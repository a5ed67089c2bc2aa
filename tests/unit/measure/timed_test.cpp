// What is seen beside the timing of work that is not the team's own.
#include "core/measure/timed.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace gable::measure {
namespace {

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
