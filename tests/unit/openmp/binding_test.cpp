// Machines as hwloc describes them, of which a process may use a part.
#include "backends/openmp/binding.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "backends/openmp/pinned_threads.hpp"
#include "core/device/device_info.hpp"
#include "core/error.hpp"
#include "tests/unit/openmp/made_up_machine.hpp"

namespace gable::openmp {
namespace {

// 2 sockets of 4 NUMA nodes, each with an L3 of its own and 2 cores of 2 hardware threads: core c has the hardware
// threads 2c and 2c+1, a socket 16 of them, an L3 and its node 4.
const char* const sockets =
    "package:2 l3:4(size=16MiB) [numa(memory=4GiB)] l2:2(size=512KiB) l1d:1(size=32KiB) core:1 pu:2";

using Ids = std::vector<int>;

std::set<int> range(int first, int last, int step = 1) {
  std::set<int> ids;
  for (int id = first; id <= last; id += step) ids.insert(id);
  return ids;
}

Ids node_ids(const Topology& topology) {
  Ids ids;
  for (const auto& node : topology.numa) ids.push_back(node.id);
  return ids;
}

/// What a run on all of it plans with.
double capacity(const Topology& topology, std::string_view name) {
  DeviceInfo device;
  device.cores = static_cast<int>(topology.cores.size());
  device.sockets = topology.sockets;
  device.numa = topology.numa;
  device.memory = topology.memory;
  const auto levels = levels_of(device, Scope::node, device.cores);
  return std::ranges::find(levels, name, &Level::name)->capacity_bytes;
}

TEST(Binding, PartOfASocket) {
  const auto topology = synthetic_topology(sockets, {.cpus = range(0, 7)});
  EXPECT_EQ(topology.cores.size(), 4u);
  EXPECT_EQ(topology.sockets, 1);
  EXPECT_EQ(topology.machine.cores, 16);
  EXPECT_EQ(topology.machine.sockets, 2);
  EXPECT_EQ(level(topology, "L3").instances, 2);
  EXPECT_EQ(level(topology, "L3").shared_by, 2);
  EXPECT_EQ(level(topology, "L3").source, "hwloc") << "nobody else uses these two";
  EXPECT_DOUBLE_EQ(capacity(topology, "L3"), 32 * mib);
  EXPECT_EQ(node_ids(topology), (Ids{0, 1}));
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 0.5) << "two of the four nodes of a socket";
  EXPECT_DOUBLE_EQ(level(topology, "DRAM").size_bytes * level(topology, "DRAM").instances, 8 * gib);
  EXPECT_DOUBLE_EQ(topology.machine.memory_bytes, 32 * gib);
}

TEST(Binding, ACacheOfWhichOthersUseAPartKeepsItsSizeAndSaysSo) {
  const auto topology = synthetic_topology("package:1 l3:1(size=32MiB) core:8 pu:1", {.cpus = range(2, 4)});
  const auto& l3 = level(topology, "L3");
  EXPECT_DOUBLE_EQ(l3.size_bytes, 32 * mib);
  EXPECT_EQ(l3.instances, 1);
  EXPECT_EQ(l3.shared_by, 3) << "cores of this process";
  EXPECT_EQ(l3.source, "hwloc; whole size, shared with 5 other cores");
  EXPECT_DOUBLE_EQ(capacity(topology, "L3"), 32 * mib);
}

TEST(Binding, OneHardwareThread) {
  const auto topology = synthetic_topology(sockets, {.cpus = {{5}}});
  ASSERT_EQ(topology.cores.size(), 1u);
  EXPECT_EQ(topology.cores[0].cpus, Ids{5});
  EXPECT_EQ(topology.cores[0].hardware_threads, 2) << "the other one belongs to somebody else";
  EXPECT_EQ(level(topology, "L1").instances, 1);
  EXPECT_EQ(level(topology, "L3").source, "hwloc; whole size, shared with 1 other core");
  for (const auto scope : {Scope::node, Scope::socket, Scope::numa, Scope::core}) {
    EXPECT_EQ(select(topology, scope, 0).cpus, Ids{5});
    EXPECT_THROW(select(topology, scope, 2), Error);
  }
}

TEST(Binding, OneHardwareThreadOfEachCore) {
  for (const int which : {0, 1}) {  // the first threads only, the second threads only
    const auto topology = synthetic_topology(sockets, {.cpus = range(which, 31, 2)});
    ASSERT_EQ(topology.cores.size(), 16u);
    const auto usable = range(which, 31, 2);
    EXPECT_EQ(select(topology, Scope::node, 0).cpus, Ids(usable.begin(), usable.end()));
    for (const auto& core : topology.cores) EXPECT_EQ(core.hardware_threads, 2);
    EXPECT_EQ(level(topology, "L2").instances, 16);
    EXPECT_EQ(level(topology, "L2").shared_by, 1);
    EXPECT_EQ(level(topology, "L2").source, "hwloc") << "another thread is not another core";
    EXPECT_EQ(level(topology, "L3").shared_by, 2);
  }
}

TEST(Binding, CoresOfTwoSockets) {
  const auto topology = synthetic_topology(sockets, {.cpus = {{0, 2, 4, 16}}});
  EXPECT_EQ(topology.sockets, 2);
  EXPECT_EQ(select(topology, Scope::socket, 0).cpus, (Ids{0, 2, 4}));
  EXPECT_EQ(node_ids(topology), (Ids{0, 1, 4}));
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 0.75);
  EXPECT_EQ(level(topology, "L3").instances, 3);
  EXPECT_DOUBLE_EQ(capacity(topology, "L3"), 48 * mib) << "of all three, though they are not used alike";
}

TEST(Binding, CpusThatAreNotThereAreLeftOut) {
  const auto topology = synthetic_topology(sockets, {.cpus = {{2, 500}}});
  ASSERT_EQ(topology.cores.size(), 1u);
  EXPECT_EQ(topology.cores[0].cpus, Ids{2});
}

TEST(Binding, MemoryOfOneNode) {
  const auto topology = synthetic_topology(sockets, {.memory_nodes = {{2}}});
  EXPECT_EQ(topology.cores.size(), 16u);
  EXPECT_EQ(node_ids(topology), Ids{2});
  EXPECT_EQ(topology.numa[0].cpus, (Ids{8, 9, 10, 11}));
  EXPECT_DOUBLE_EQ(level(topology, "DRAM").size_bytes, 4 * gib);
  EXPECT_EQ(level(topology, "DRAM").instances, 1);
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 0.25) << "16 cores share the channels of one node";
  EXPECT_EQ(select(topology, Scope::numa, 0).cpus.size(), 2u) << "cores stay where they are";
}

TEST(Binding, MemoryOfAnotherSocketOnly) {
  const auto topology = synthetic_topology(sockets, {.cpus = range(0, 15), .memory_nodes = {{4, 5}}});
  EXPECT_EQ(node_ids(topology), (Ids{4, 5}));
  EXPECT_TRUE(topology.numa[0].cpus.empty());
  EXPECT_DOUBLE_EQ(level(topology, "DRAM").size_bytes * 2, 8 * gib);
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 0.5);
}

TEST(Binding, InterleavedMemoryComesFromNodesWithoutTheseCoresToo) {
  const auto topology =
      synthetic_topology(sockets, {.cpus = range(0, 7), .memory_nodes = {{0, 4}}, .interleaved = true});
  EXPECT_EQ(node_ids(topology), (Ids{0, 4}));
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 0.5) << "a quarter of each socket's channels";
}

TEST(Binding, NodesThatAreNotThereDoNotLeaveAMachineWithoutMemory) {
  const auto topology = synthetic_topology(sockets, {.memory_nodes = {{99}}});
  EXPECT_EQ(topology.numa.size(), 8u);
  EXPECT_DOUBLE_EQ(level(topology, "DRAM").size_bytes, 4 * gib);
}

TEST(Binding, OneNodeOverTwoSocketsHasTheChannelsOfBoth) {
  const char* const interleaved = "[numa(memory=64GiB)] package:2 l3:1(size=16MiB) core:4 pu:1";
  EXPECT_DOUBLE_EQ(memory_sockets(synthetic_topology(interleaved)), 2.0);
  EXPECT_DOUBLE_EQ(memory_sockets(synthetic_topology(interleaved, {.cpus = range(0, 3)})), 2.0);
}

TEST(Binding, TheFirstOfTwoKindsOfMemoryIsTheMainMemory) {
  const auto topology = synthetic_topology("package:1 [numa(memory=8GiB)] [numa(memory=1GiB)] core:4 pu:1");
  EXPECT_FALSE(topology.memory_kinds.empty());
  EXPECT_EQ(node_ids(topology), Ids{0}) << "memory that is touched first goes there";
  EXPECT_DOUBLE_EQ(level(topology, "DRAM").size_bytes, 8 * gib);
  EXPECT_EQ(level(topology, "DRAM").instances, 1);
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 1.0);
}

TEST(Binding, AQuotaLeavesThatManyOfTheUsableCores) {
  const Binding binding{.cpus = range(8, 15), .quota = 2.5};
  EXPECT_EQ(select(synthetic_topology(sockets, binding), Scope::node, 0).cpus, (Ids{8, 10}));
  EXPECT_EQ(synthetic_topology(sockets, {.quota = 0.5}).cores.size(), 1u);
  EXPECT_EQ(synthetic_topology(sockets, {.quota = 64.0}).cores.size(), 16u);
}

TEST(Binding, OfThisProcessHoldsWhatTheKernelSays) {
  const auto binding = binding_of_this_process();
  ASSERT_TRUE(binding.cpus);
  EXPECT_EQ(Ids(binding.cpus->begin(), binding.cpus->end()), usable_cpus());
  EXPECT_TRUE(!binding.memory_nodes || !binding.memory_nodes->empty());
  EXPECT_FALSE(memory_policy().empty());
}

TEST(Binding, FollowsTheMemoryPolicyOfThisProcess) {
  const unsigned long first = 1;
  const auto set = [&](int mode, const unsigned long* nodes) {
    return syscall(SYS_set_mempolicy, mode, nodes, nodes ? 64UL : 0UL) == 0;
  };
  if (!set(MPOL_INTERLEAVE, &first)) GTEST_SKIP() << "this system lets no process set a memory policy";
  const auto interleaved = binding_of_this_process();
  const auto said = memory_policy();
  set(MPOL_DEFAULT, nullptr);
  EXPECT_TRUE(interleaved.interleaved);
  EXPECT_EQ(interleaved.memory_nodes, std::set<int>{0});
  EXPECT_EQ(said, "interleaved over NUMA nodes 0");
  EXPECT_FALSE(binding_of_this_process().interleaved);
}

/// A machine's /sys, as hwloc reads it: 4 cores of one socket with one L3, of which core 3 is offline, and a NUMA node
/// of 16 GiB without cpus beside the 8 GiB of the socket's.
class MachineFiles : public MadeUpMachine {
 protected:
  void SetUp() override {
    MadeUpMachine::SetUp();
    sockets({{0, 1, 2}});
    for (const auto* file : {"possible", "present"}) write(std::string(cpus_) + file, "0-3\n");
    write(std::string(cpus_) + "cpu3/online", "0\n");
    cache(3, 32768, {0, 1, 2});
    nodes({{{0, 1, 2}, 8}, {{}, 16}});
  }
};

TEST_F(MachineFiles, OfflineCoresAreNotThere) {
  const auto topology = read_topology();
  EXPECT_EQ(topology.machine.cores, 3);
  EXPECT_EQ(select(topology, Scope::node, 0).cpus, (Ids{0, 1, 2}));
  EXPECT_EQ(level(topology, "L3").shared_by, 3);
  EXPECT_EQ(level(topology, "L3").source, "hwloc") << "a core that is offline shares nothing";
}

TEST_F(MachineFiles, AMaskWithAnOfflineCpuLeavesTheOthers) {
  EXPECT_EQ(select(read_topology(Binding{.cpus = {{1, 3}}}), Scope::node, 0).cpus, Ids{1});
  EXPECT_THROW(read_topology(Binding{.cpus = {{3}}}), Error);
}

TEST_F(MachineFiles, ANodeWithoutCpusIsNotTheCoresMainMemory) {
  const auto topology = read_topology();
  EXPECT_EQ(node_ids(topology), Ids{0});
  EXPECT_DOUBLE_EQ(level(topology, "DRAM").size_bytes, 8 * gib);
  EXPECT_EQ(level(topology, "DRAM").instances, 1);
  EXPECT_EQ(topology.machine.memory_nodes, 2);
  EXPECT_DOUBLE_EQ(topology.machine.memory_bytes, 24 * gib);
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 1.0);
}

TEST_F(MachineFiles, ANodeWithoutCpusIsTheMainMemoryIfNothingElseMayBeUsed) {
  const auto topology = read_topology(Binding{.memory_nodes = {{1}}});
  EXPECT_EQ(node_ids(topology), Ids{1});
  EXPECT_DOUBLE_EQ(level(topology, "DRAM").size_bytes, 16 * gib);
  EXPECT_DOUBLE_EQ(memory_sockets(topology), 0.0) << "its channels are not those of a socket";
}

TEST_F(MachineFiles, AMachineThatHidesItsNodesHasTheMemoryThatTheSystemCounts) {
  std::filesystem::remove_all(root() + "/sys/devices/system/node");
  const auto topology = read_topology();
  EXPECT_EQ(node_ids(topology), Ids{0});
  EXPECT_GT(level(topology, "DRAM").size_bytes, 1 << 20);
  EXPECT_EQ(level(topology, "DRAM").instances, 1);
}

}  // namespace
}  // namespace gable::openmp
