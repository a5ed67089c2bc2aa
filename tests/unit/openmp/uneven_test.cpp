#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "backends/openmp/core_kinds.hpp"
#include "backends/openmp/facts.hpp"
#include "tests/unit/openmp/made_up_machine.hpp"

namespace gable::openmp {
namespace {

using UnevenMachine = MadeUpMachine;

std::string fact(const Topology& topology, std::string_view name) {
  for (const auto& one : binding_facts(topology, {})) {
    if (one.name == name) return one.value;
  }
  return "";
}

DeviceInfo device_of(const Topology& topology) {
  DeviceInfo device;
  device.cores = device.threads = static_cast<int>(topology.cores.size());
  device.memory = topology.memory;
  return device;
}

/// Four dies of two cores, of which the second and the fourth have no memory. Where all dies have channels, half of the
/// socket's are filled; where only two have, all.
TEST_F(UnevenMachine, CoresOfDiesWithoutMemoryBelongToNoNode) {
  sockets({{0, 1, 2, 3, 4, 5, 6, 7}});
  nodes({{{0, 1}, 8}, {{2, 3}, 0}, {{4, 5}, 8}, {{6, 7}, 0}});
  const auto topology = read_topology(Binding{});
  ASSERT_EQ(topology.cores.size(), 8U);
  for (const auto& core : topology.cores) {
    const int cpu = core.cpus.front();
    EXPECT_EQ(core.numa, cpu % 4 > 1 ? std::nullopt : std::optional(cpu < 4 ? 0 : 2)) << cpu;
  }
  EXPECT_EQ(select(topology, Scope::numa, 0).cpus, (Cpus{0, 1}));
  EXPECT_EQ(select(topology, Scope::node, 0).cpus.size(), 8U);
  EXPECT_EQ(level(topology, "DRAM").instances, 2);
  EXPECT_EQ(level(topology, "DRAM").shared_by, 2);
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 0.5);
  EXPECT_DOUBLE_EQ(memory_sockets(topology, 2), 1.0);
  EXPECT_EQ(fact(topology, "memory of other nodes"), "yes");
}

TEST_F(UnevenMachine, ASocketWithoutMemoryHasNoChannels) {
  sockets({{0, 1, 2, 3}, {4, 5, 6, 7}});
  nodes({{{0, 1, 2, 3}, 8}, {{4, 5, 6, 7}, 0}});
  const auto topology = read_topology(Binding{});
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 1.0);
  EXPECT_EQ(topology.sockets, 2);
  EXPECT_EQ(fact(topology, "memory of other nodes"), "yes");
  EXPECT_EQ(read_topology(Binding{.cpus = {{4, 5}}}).numa.front().id, 0) << "all there is";
}

TEST_F(UnevenMachine, EachOfUnequalCachesCountsWithItsOwnSize) {
  sockets({{0, 1, 2, 3}});
  cache(3, 96 * 1024, {0, 1});
  cache(3, 32 * 1024, {2, 3});
  const auto topology = read_topology(Binding{});
  const auto& l3 = level(topology, "L3");
  EXPECT_EQ(l3.unequal, (std::vector<LevelInstance>{{96 * mib, 2}, {32 * mib, 2}}));
  EXPECT_DOUBLE_EQ(l3.size_bytes, 32 * mib);
  EXPECT_DOUBLE_EQ(total_bytes(l3), 128 * mib);
  EXPECT_NE(l3.source.find("128 MiB in all"), std::string::npos) << l3.source;
  const auto device = device_of(topology);
  EXPECT_EQ(levels_of(device, Scope::node, 0)[0].capacity_bytes, 128 * mib);
  EXPECT_EQ(levels_of(device, Scope::node, 2)[0].capacity_bytes, 96 * mib) << "the first two cores share the large one";
  EXPECT_EQ(levels_of(device, Scope::node, 3)[0].capacity_bytes, 128 * mib);
  EXPECT_TRUE(part_of(device, Scope::core, 1).memory[0].unequal.empty());
  EXPECT_EQ(part_of(device, Scope::core, 1).memory[0].size_bytes, 96 * mib);
}

TEST_F(UnevenMachine, NodesOfWhichTheKernelKeepsALittleAreAlike) {
  sockets({{0, 1}});
  nodes({{{0}, 31}, {{1}, 32}});
  EXPECT_TRUE(level(read_topology(Binding{}), "DRAM").unequal.empty());
  EXPECT_EQ(total_bytes(level(read_topology(Binding{}), "DRAM")), 63 * gib);
}

/// DRAM before non-volatile memory, HBM before DRAM: arrays of a few times the caches lie in it.
TEST_F(UnevenMachine, AMemorySideCacheIsTold) {
  sockets({{0, 1}});
  nodes({{{0, 1}, 370}});
  for (const std::string file : {"line_size", "indexing", "size"})
    write("sys/devices/system/node/node0/memory_side_cache/index1/" + file, std::to_string(96L << 30) + "\n");
  const auto dram = level(read_topology(Binding{}), "DRAM");
  EXPECT_NE(dram.source.find("memory-side cache of 96 GiB"), std::string::npos) << dram.source;
}

/// Four slow cores with one L2 together come first, then two fast ones of two hardware threads each with their own.
class HybridMachine : public UnevenMachine {
 protected:
  void SetUp() override {
    UnevenMachine::SetUp();
    const Cpus all{0, 1, 2, 3, 4, 5, 6, 7};
    for (const int cpu : {0, 1, 2, 3}) core(cpu, {cpu}, 0, all);
    core(4, {4, 5}, 0, all);
    core(5, {6, 7}, 0, all);
    cache(2, 2048, {0, 1, 2, 3});
    cache(2, 1280, {4, 5});
    cache(2, 1280, {6, 7});
    highest_clock(3'900'000, {0, 1, 2, 3});
    highest_clock(5'200'000, {4, 5, 6, 7});
    nodes({{all, 8}});
  }
};

TEST_F(HybridMachine, HasTwoKindsOfCoresTheFastestFirst) {
  const auto topology = read_topology(Binding{});
  EXPECT_EQ(kinds_in_words(topology), "two kinds of cores");
  ASSERT_EQ(topology.cores.size(), 6U);
  EXPECT_EQ(topology.cores.front().cpus, (Cpus{4, 5}));
  EXPECT_EQ(fact(topology, core_kinds_fact),
            "two kinds of cores: 2 and 4 (up to 5.2 GHz, cpus 4-7; up to 3.9 GHz, cpus 0-3)");
  EXPECT_EQ(level(topology, "L2").unequal,
            (std::vector<LevelInstance>{{1.25 * mib, 1}, {1.25 * mib, 1}, {2 * mib, 4}}));
}

/// Two fast cores with 2 MiB each, four slow ones that share 2 MiB: the fast ones have 4 MiB.
TEST_F(UnevenMachine, CachesOfOneSizeThatNotAsManyCoresShareAreUnequal) {
  sockets({{0, 1, 2, 3, 4, 5}});
  for (const auto& cpus : {Cpus{0}, {1}, {2, 3, 4, 5}}) cache(2, 2048, cpus);
  EXPECT_EQ(levels_of(device_of(read_topology(Binding{})), Scope::node, 2)[0].capacity_bytes, 4 * mib);
}

/// A fast core and a slow one share each of two caches: the two fast ones have both.
TEST_F(UnevenMachine, FastCoresReachEachCacheThatSlowOnesShare) {
  sockets({{0, 1, 2, 3}});
  cache(3, 8192, {0, 2});
  cache(3, 16384, {1, 3});
  highest_clock(2'800'000, {0, 1});
  highest_clock(3'900'000, {2, 3});
  const auto device = device_of(read_topology(Binding{}));
  EXPECT_EQ(levels_of(device, Scope::node, 2)[0].capacity_bytes, 24 * mib);
  EXPECT_EQ(levels_of(device, Scope::node, 1)[0].capacity_bytes, 8 * mib);
}

TEST_F(HybridMachine, TheFastKindAloneIsMeasuredUnlessMoreIsAskedFor) {
  const auto topology = read_topology(Binding{});
  EXPECT_EQ(select(topology, Scope::node, 0).cpus, (Cpus{4, 6}));
  EXPECT_EQ(select(topology, Scope::core, 0).cpus, (Cpus{4}));
  EXPECT_EQ(select(topology, Scope::node, 3).cpus, (Cpus{4, 6, 0}));
  EXPECT_EQ(select(topology, Scope::node, 6).cpus.size(), 6U);
  const auto slow = read_topology(Binding{.cpus = {{0, 1}}});
  EXPECT_EQ(kinds_in_words(slow), "") << "of what may be used all are alike";
  EXPECT_EQ(select(slow, Scope::node, 0).cpus, (Cpus{0, 1}));
}

TEST_F(HybridMachine, CapacityAndCountersTellKindsToo) {
  std::filesystem::remove_all(root() + "/sys/devices/system/cpu/cpu0/cpufreq");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const auto folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    std::filesystem::remove_all(root() + folder + "/cpufreq");
    write(folder.substr(1) + "/cpu_capacity", cpu < 4 ? "446\n" : "1024\n");
  }
  EXPECT_EQ(select(read_topology(Binding{}), Scope::node, 0).cpus, (Cpus{4, 6}));
  for (int cpu = 0; cpu < 8; ++cpu)
    std::filesystem::remove_all(root() + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity");
  EXPECT_EQ(kinds_in_words(read_topology(Binding{})), "");
  write("sys/devices/cpu_core/cpus", "4-7\n");
  write("sys/devices/cpu_atom/cpus", "0-3\n");
  EXPECT_EQ(select(read_topology(Binding{}), Scope::node, 0).cpus, (Cpus{4, 6}));
}

TEST_F(UnevenMachine, FavouredCoresAreNoOtherKind) {
  sockets({{0, 1, 2, 3}});
  highest_clock(5'800'000, {0, 1});
  highest_clock(5'300'000, {2, 3});
  EXPECT_EQ(read_topology(Binding{}).kinds.size(), 1U);
}

}  // namespace
}  // namespace gable::openmp
