#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "backends/openmp/binding.hpp"
#include "backends/openmp/pinned_threads.hpp"
#include "backends/openmp/topology.hpp"
#include "core/error.hpp"
#include "tests/unit/error_of.hpp"

namespace gable::openmp {
namespace {

// 2 sockets x 4 NUMA nodes x 2 cores x 2 hardware threads. hwloc numbers the hardware threads in topology order.
const char* const big =
    "package:2 [numa(memory=1GiB)] group:4 [numa(memory=8GiB)] l3:1(size=32MiB) l2:2(size=1MiB) "
    "l1d:1(size=32KiB) core:1 pu:2";
const char* const sockets =
    "package:2 l3:4(size=16MiB) [numa(memory=4GiB)] l2:2(size=512KiB) l1d:1(size=32KiB) core:1 pu:2";

const MemoryLevel* level(const Topology& topology, std::string_view name) {
  const auto found = std::find_if(topology.memory.begin(), topology.memory.end(),
                                  [&](const MemoryLevel& entry) { return entry.name == name; });
  return found == topology.memory.end() ? nullptr : &*found;
}

TEST(Topology, TwoSocketsFourNumaNodesEachWithSmt) {
  const auto topology = synthetic_topology(sockets);
  EXPECT_EQ(topology.sockets, 2);
  ASSERT_EQ(topology.cores.size(), 16u);
  EXPECT_EQ(topology.numa.size(), 8u);
  EXPECT_EQ(topology.memory_kinds, "");
  for (const auto& core : topology.cores) EXPECT_EQ(core.cpus.size(), 2u);
  ASSERT_EQ(topology.memory.size(), 4u);
  EXPECT_EQ(topology.memory.front().name, "L1");
  EXPECT_EQ(topology.memory.back().name, "DRAM");
  const auto* l3 = level(topology, "L3");
  ASSERT_TRUE(l3);
  EXPECT_EQ(l3->instances, 8);
  EXPECT_EQ(l3->shared_by, 2) << "cores, not hardware threads";
  EXPECT_DOUBLE_EQ(l3->size_bytes, 16.0 * 1024 * 1024);
  EXPECT_EQ(level(topology, "L1")->instances, 16);
  EXPECT_EQ(level(topology, "L1")->shared_by, 1);
  EXPECT_DOUBLE_EQ(topology.memory.back().size_bytes, 4.0 * 1024 * 1024 * 1024) << "of one node";
  EXPECT_EQ(topology.memory.back().instances, 8);
}

TEST(Topology, NoL3) {
  const auto topology = synthetic_topology("l2:4(size=1MiB) l1d:1(size=64KiB) core:1 pu:1");
  EXPECT_FALSE(level(topology, "L3"));
  ASSERT_EQ(topology.memory.size(), 3u);
  EXPECT_EQ(topology.memory[1].name, "L2");
  EXPECT_EQ(topology.memory[2].name, "DRAM");
}

TEST(Topology, OneCore) {
  const auto topology = synthetic_topology("core:1 pu:1");
  ASSERT_EQ(topology.cores.size(), 1u);
  EXPECT_EQ(topology.sockets, 1);
  EXPECT_EQ(select(topology, Scope::socket, 0).cpus, std::vector<int>{0});
  EXPECT_THROW(select(topology, Scope::node, 2), Error);
}

TEST(Topology, WithoutCoresEveryHardwareThreadIsOne) { EXPECT_EQ(synthetic_topology("pu:3").cores.size(), 3u); }

TEST(Topology, TwoKindsOfMemoryAtOneCoreAreSeen) { EXPECT_NE(synthetic_topology(big).memory_kinds, ""); }

TEST(Topology, AffinityRemovesCoresCachesAndNodes) {
  // Hardware threads 8 to 11: both cores of the third NUMA node of socket 0; 16 cpus a socket.
  const auto topology = synthetic_topology(sockets, {.cpus = {{8, 10, 11}}});
  ASSERT_EQ(topology.cores.size(), 2u);
  EXPECT_EQ(topology.cores[0].cpus, std::vector<int>{8});
  EXPECT_EQ(topology.cores[1].cpus, (std::vector<int>{10, 11}));
  EXPECT_EQ(topology.sockets, 1);
  EXPECT_EQ(level(topology, "L3")->instances, 1);
  EXPECT_EQ(topology.numa.size(), 1u);
}

TEST(Topology, AffinityOutsideTheMachineIsAnErrorNamingTheCpus) {
  EXPECT_NE(error_of([&] {
              synthetic_topology(sockets, {.cpus = {{500, 501, 502}}});
            }).find("500-502"),
            std::string::npos);
}

TEST(Topology, NonsenseIsAnErrorNamingIt) {
  EXPECT_NE(error_of([&] { synthetic_topology("package:two"); }).find("package:two"), std::string::npos);
}

TEST(Select, ScopesTakeTheFirstDomainAndOneThreadACore) {
  const auto topology = synthetic_topology(sockets);
  EXPECT_EQ(select(topology, Scope::node, 0).cpus.size(), 16u);
  EXPECT_EQ(select(topology, Scope::node, 0).numa.size(), 8u);
  EXPECT_EQ(select(topology, Scope::socket, 0).cpus, (std::vector<int>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(select(topology, Scope::numa, 0).cpus, (std::vector<int>{0, 2}));
  EXPECT_EQ(select(topology, Scope::core, 0).cpus, (std::vector<int>{0}));
  const auto three = select(topology, Scope::socket, 3);
  EXPECT_EQ(three.cpus, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(three.numa.size(), 2u);
}

TEST(Select, TooManyThreadsNameTheScopeAndItsCores) {
  const auto topology = synthetic_topology(sockets);
  EXPECT_EQ(select(topology, Scope::numa, 2).cpus.size(), 2u);
  const std::string text = error_of([&] { select(topology, Scope::numa, 3); });
  for (const char* words : {"--threads 3", "numa", "2 cores"})
    EXPECT_NE(text.find(words), std::string::npos) << words << ": " << text;
  EXPECT_THROW(select(topology, Scope::node, -1), Error);
}

/// Looked at from another thread, as often as that can.
TEST(Topology, ReadingItDoesNotLeaveTheCpusOfTheThread) {
  if (usable_cpus().size() < 2) GTEST_SKIP() << "needs two cpus: one could not be told from the other";
  if (!std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache/index0")) GTEST_SKIP() << "no caches in /sys";
  const auto before = cpus_of_this_thread();
  const auto reader = static_cast<int>(gettid());
  std::atomic<bool> done{false};
  std::atomic<int> away{0}, looks{0};
  std::thread watcher([&] {
    while (!done) {
      if (cpus_of(reader) != before) ++away;
      ++looks;
    }
  });
  for (int i = 0; i < 30; ++i) read_topology();
  done = true;
  watcher.join();
  EXPECT_GT(looks, 0);
  EXPECT_EQ(away, 0);
}

TEST(Probe, DescribesThisMachineConsistently) {
  const auto probed = probe();
  ASSERT_EQ(probed.devices.size(), 1u);
  const auto& device = probed.devices.front();
  EXPECT_EQ(device.id, "openmp");
  EXPECT_FALSE(device.name.empty());
  EXPECT_GE(device.cores, 1);
  EXPECT_EQ(device.cpus.size(), static_cast<std::size_t>(device.cores));
  EXPECT_GE(device.threads, device.cores);
  const auto& usable = usable_cpus();
  for (const int cpu : device.cpus) EXPECT_TRUE(std::binary_search(usable.begin(), usable.end(), cpu)) << cpu;
  ASSERT_FALSE(device.memory.empty());
  EXPECT_GT(device.memory.back().size_bytes, device.memory.front().size_bytes);
  EXPECT_GT(device.free_memory_bytes, 0.0);
  EXPECT_LE(device.free_memory_bytes, device.memory.back().size_bytes * device.memory.back().instances);
  EXPECT_FALSE(device.clock_source.empty());
  for (const auto& peak : device.peaks) {
    EXPECT_GT(peak.value, 0.0) << peak.name;
    EXPECT_FALSE(peak.source.empty()) << peak.name;
  }
  for (const auto& fact : device.facts) {
    EXPECT_FALSE(fact.value.empty()) << fact.name;
    EXPECT_FALSE(fact.source.empty()) << fact.name;
  }
}

}  // namespace
}  // namespace gable::openmp
