#include "backends/openmp/pinned_threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <sys/wait.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

#include "backends/openmp/binding.hpp"
#include "backends/openmp/topology.hpp"
#include "core/error.hpp"
#include "tests/unit/error_of.hpp"

namespace gable::openmp {
namespace {

std::vector<int> some_cpus() { return select(read_topology(), Scope::node, 0).cpus; }

struct Outcome {
  int code{};
  std::string output;
};

/// Runs pinned_threads_probe under the given assignments of OMP_* variables, without what the machine's owner may have
/// set for libraries: probing tells that too.
Outcome two_pinned(const std::string& environment, const std::string& argument = "") {
  const std::string command = "env -u OPENBLAS_CORETYPE -u LD_PRELOAD -u GLIBC_TUNABLES " + environment +
                              " " PINNED_THREADS_PROBE " " + argument + " 2>&1";
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {-1, "popen failed"};
  std::array<char, 512> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe)) outcome.output += buffer.data();
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

TEST(PinnedThreads, EveryRankRunsOnceOnItsCpu) {
  PinnedThreads pinned(some_cpus());
  std::vector<int> runs(pinned.cpus().size()), cpu(pinned.cpus().size(), -1);
  const auto batch = pinned.timed([&](int rank) {
    ++runs[static_cast<std::size_t>(rank)];
    cpu[static_cast<std::size_t>(rank)] = sched_getcpu();
  });
  EXPECT_EQ(runs, std::vector<int>(pinned.cpus().size(), 1));
  EXPECT_EQ(cpu, pinned.cpus());
  EXPECT_GT(batch.time_s, 0.0);
  EXPECT_GT(batch.sentinel_s, 0.0);
  EXPECT_GT(batch.throughput_s, 0.0);
  EXPECT_GE(batch.involuntary_switches, 0.0);
}

TEST(PinnedThreads, TimesWorkOfOthersBesideTheSentinelsOfEveryCpu) {
  PinnedThreads pinned(some_cpus());
  int runs = 0, cpu = -1;
  for (int i = 0; i < 3; ++i) {
    const auto batch = pinned.timed_beside([&] {
      ++runs;
      cpu = sched_getcpu();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    EXPECT_GE(batch.time_s, 5e-3);
    EXPECT_GT(batch.sentinel_s, 0.0);
    EXPECT_GT(batch.throughput_s, 0.0);
  }
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(cpu, pinned.cpus().front()) << "by the calling thread";
  EXPECT_THROW(pinned.timed_beside([] { throw std::runtime_error("of the body"); }), std::runtime_error);
  EXPECT_GT(pinned.timed_beside([] {}).throughput_s, 0.0);
}

TEST(PinnedThreads, TheTimeCoversTheSlowestRank) {
  PinnedThreads pinned(some_cpus());
  const auto batch = pinned.timed([&](int rank) {
    if (rank != pinned.size() - 1) return;
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(5)) continue;
  });
  EXPECT_GE(batch.time_s, 5e-3);
}

TEST(PinnedThreads, SayForWhichPartOfTheTimeTheyDidNotRun) {
  PinnedThreads threads({some_cpus().front()});
  const auto slept = threads.timed([](int) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  EXPECT_GT(slept.preemption, 2) << "a thread that did next to nothing in 20 ms";
}

TEST(PinnedThreads, AnExceptionOfAThreadArrivesAndTheThreadsStayUsable) {
  PinnedThreads pinned(some_cpus());
  const auto last = pinned.size() - 1;
  const auto throwing = [&](int rank) {
    if (rank == last) throw std::runtime_error("rank failed");
  };
  EXPECT_THROW(pinned.timed(throwing), std::runtime_error);
  EXPECT_THROW(pinned.each(throwing), std::runtime_error);
  std::atomic<int> runs{0};
  pinned.timed([&](int) { ++runs; });
  EXPECT_EQ(runs.load(), pinned.size());
}

TEST(PinnedThreads, ASmallerSetBetweenDoesNotMoveTheLargerOne) {
  const auto cpus = some_cpus();
  PinnedThreads large(cpus);
  {
    PinnedThreads small({cpus.back()});
    int where = -1;
    small.each([&](int) { where = sched_getcpu(); });
    EXPECT_EQ(where, cpus.back());
  }
  std::vector<int> where(cpus.size(), -1);
  large.each([&](int rank) { where[static_cast<std::size_t>(rank)] = sched_getcpu(); });
  EXPECT_EQ(where, cpus);
}

TEST(PinnedThreads, AThreadThatIsMovedOffItsCpuIsAnErrorNamingIt) {
  const auto cpus = some_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two cores";
  PinnedThreads pinned({cpus[0]});
  const auto expected = "moved off cpu " + std::to_string(cpus[0]);
  EXPECT_NE(error_of([&] { pinned.timed([&](int) { confine_this_thread({cpus[1]}); }); }).find(expected),
            std::string::npos);
  int cpu = -1;
  pinned.timed([&](int) { cpu = sched_getcpu(); });
  EXPECT_EQ(cpu, cpus[0]) << "it goes back where that is possible";
}

TEST(PinnedThreads, OneThatIsMovedOnceMeasuresAnew) {
  const auto cpus = some_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two cores";
  PinnedThreads pinned({cpus[0]});
  int runs = 0, cpu = -1;
  const auto batch = pinned.timed([&](int) {
    if (++runs == 1) confine_this_thread({cpus[1]});
    cpu = sched_getcpu();
  });
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(cpu, cpus[0]);
  EXPECT_GT(batch.time_s, 0.0);
}

TEST(PinnedThreads, SayThatSomebodyMovedAThreadBesideThem) {
  const auto cpus = some_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "needs two cores";
  PinnedThreads pinned({cpus[0]});
  EXPECT_FALSE(pinned.timed_beside([] {}).moved);
  EXPECT_TRUE(pinned.timed_beside([&] { confine_this_thread({cpus[1]}); }).moved);
  EXPECT_EQ(cpus_of_this_thread(), std::vector<int>{cpus[0]}) << "it is back";
  EXPECT_FALSE(pinned.timed_beside([] {}).moved);
}

TEST(PinnedThreads, GivesTheCallersCpusBack) {
  const auto before = cpus_of_this_thread();
  { PinnedThreads pinned(some_cpus()); }
  EXPECT_EQ(cpus_of_this_thread(), before);
}

TEST(PinnedThreads, UnusableCpusAreAnErrorNamingThem) {
  EXPECT_NE(error_of([&] { PinnedThreads pinned({4095}); }).find("4095"), std::string::npos);
  EXPECT_THROW(PinnedThreads(std::vector<int>{}), Error);
}

class TeamEnvironment : public ::testing::Test {
 protected:
  void SetUp() override {
    if (some_cpus().size() < 2) GTEST_SKIP() << "needs two cores";
  }
};

TEST_F(TeamEnvironment, AThreadLimitIsNamedWithTheWayOut) {
  const auto outcome = two_pinned("OMP_THREAD_LIMIT=1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "OMP_THREAD_LIMIT=1 leaves 1 of 2 threads; unset it or ask for --threads 1\n");
}

TEST_F(TeamEnvironment, NoActiveLevelIsNamed) {
  const auto outcome = two_pinned("OMP_MAX_ACTIVE_LEVELS=0");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("OMP_MAX_ACTIVE_LEVELS=0"), std::string::npos) << outcome.output;
}

TEST_F(TeamEnvironment, NumberDynamicAndBindingDoNotChangeTheTeam) {
  const auto cpus = some_cpus();
  const auto expected = "ok 2 " + std::to_string(cpus[0]) + " " + std::to_string(cpus[1]) + "\n";
  for (const auto* environment :
       {"OMP_NUM_THREADS=1", "OMP_DYNAMIC=true", "OMP_PROC_BIND=close", "OMP_PROC_BIND=master",
        "OMP_PROC_BIND=spread OMP_PLACES=cores", "OMP_NUM_THREADS=64"}) {
    const auto outcome = two_pinned(environment);
    EXPECT_EQ(outcome.code, 0) << environment;
    EXPECT_EQ(outcome.output, expected) << environment;
  }
}

TEST_F(TeamEnvironment, ProbingSaysWhatSettingsTake) {
  const auto place = "OMP_PLACES={" + std::to_string(some_cpus()[0]) + "}";
  const auto bound = two_pinned("OMP_PROC_BIND=true " + place, "probe").output;
  EXPECT_EQ(bound.find(place + " and OMP_PROC_BIND=true leave 1 of "), 0u) << bound;
  EXPECT_EQ(two_pinned("OMP_NUM_THREADS=1", "probe").output, "OMP_NUM_THREADS=1 is not used, --threads is\n");
  EXPECT_EQ(two_pinned("OMP_PROC_BIND=close", "probe").output, "\n") << "every cpu is still there";
  EXPECT_EQ(two_pinned("OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0", "probe").output,
            "OMP_WAIT_POLICY=passive and GOMP_SPINCOUNT=0 may change every time that is measured\n");
}

TEST_F(TeamEnvironment, ACpuThatIsNotThereNamesTheSetting) {
  const std::string setting = "GOMP_CPU_AFFINITY=" + std::to_string(::sysconf(_SC_NPROCESSORS_CONF) + 7);
  const auto outcome = two_pinned(setting, "probe");
  EXPECT_NE(outcome.output.find(setting), std::string::npos) << outcome.output;
}

TEST_F(TeamEnvironment, PlacesThatLeaveOneCpuAreRespected) {
  const auto place = "OMP_PROC_BIND=true OMP_PLACES={" + std::to_string(some_cpus()[0]) + "}";
  const auto outcome = two_pinned(place);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("1 core"), std::string::npos) << outcome.output;
}

}  // namespace
}  // namespace gable::openmp
