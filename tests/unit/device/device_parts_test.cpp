#include "core/device/device_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace gable {
namespace {

/// Sockets x NUMA nodes of each x 4 cores; a private L2, an L3 for each node, peaks of the whole.
DeviceInfo server(int sockets, int nodes_of_each) {
  constexpr int cores = 4;
  const int nodes = sockets * nodes_of_each;
  DeviceInfo made;
  made.id = made.backend = "openmp";
  made.name = "a server";
  made.sockets = sockets;
  made.cores = nodes * cores;
  made.threads = 2 * made.cores;
  made.cpus.resize(static_cast<std::size_t>(made.cores));
  std::iota(made.cpus.begin(), made.cpus.end(), 100);
  made.memory = {
      {"L2", 1e6, made.cores, 1, 64, ""}, {"L3", 32e6, nodes, cores, 64, ""}, {"DRAM", 64e9, nodes, cores, 64, ""}};
  for (int i = 0; i < nodes; ++i) {
    NumaNode node{i, 64e9, {}};
    for (int core = 0; core < cores; ++core) node.cpus.push_back(100 + i * cores + core);
    for (int core = 0; core < cores; ++core) node.cpus.push_back(200 + i * cores + core);  // their other threads
    made.numa.push_back(std::move(node));
  }
  made.free_memory_bytes = 800e9;
  TheoreticalPeak compute;
  compute.name = "vector";
  compute.dtype = DType::fp64;
  compute.value = 3200e9;
  compute.per_core_and_cycle = 16;
  TheoreticalPeak memory;
  memory.name = "DRAM";
  memory.value = 400e9;
  made.peaks = {compute, memory};
  return made;
}

std::vector<std::string> ids(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> found;
  for (const DeviceInfo& device : devices) found.push_back(device.id);
  return found;
}

TEST(DeviceParts, AreTheSocketsTheNumaNodesOrTheCores) {
  EXPECT_EQ(largest_parts(server(2, 4)), Scope::socket);
  EXPECT_EQ(largest_parts(server(1, 4)), Scope::numa);
  EXPECT_EQ(largest_parts(server(1, 1)), Scope::core);
  EXPECT_EQ(ids(parts_of(server(2, 4), Scope::socket, Mode::quick)),
            (std::vector<std::string>{"openmp:socket0", "openmp:socket1"}));
  EXPECT_EQ(ids(parts_of(server(1, 2), Scope::numa, Mode::quick)),
            (std::vector<std::string>{"openmp:numa0", "openmp:numa1"}));
  EXPECT_EQ(ids(parts_of(server(1, 1), Scope::core, Mode::quick)),
            (std::vector<std::string>{"openmp:core0", "openmp:core1", "openmp:core2", "openmp:core3"}));
  EXPECT_EQ(ids(parts_of(server(2, 1), Scope::node, Mode::quick)), (std::vector<std::string>{"openmp"}));
}

TEST(DeviceParts, OfASocketHaveItsShareOfTheMachine) {
  const auto parts = parts_of(server(2, 4), Scope::socket, Mode::quick);
  ASSERT_EQ(parts.size(), 2U);
  const DeviceInfo& second = parts[1];
  EXPECT_EQ(second.backend, "openmp");
  EXPECT_EQ(second.sockets, 1);
  EXPECT_EQ(second.cores, 16);
  EXPECT_EQ(second.threads, 32);
  ASSERT_EQ(second.cpus.size(), 16U);
  EXPECT_EQ(second.cpus.front(), 116);
  EXPECT_EQ(second.cpus.back(), 131);
  EXPECT_EQ(second.memory.at(0).instances, 16);
  EXPECT_EQ(second.memory.at(1).instances, 4);
  ASSERT_EQ(second.numa.size(), 4U);
  EXPECT_EQ(second.numa.front().id, 4);
  EXPECT_DOUBLE_EQ(second.free_memory_bytes, 400e9);
  ASSERT_EQ(second.peaks.size(), 1U) << "nothing says how much of the memory's peak one socket may reach";
  EXPECT_DOUBLE_EQ(second.peaks[0].value, 1600e9);
  EXPECT_EQ(second.peaks[0].per_core_and_cycle, 16);
  EXPECT_TRUE(is_part(second));
  EXPECT_FALSE(is_part(server(2, 4)));
}

TEST(DeviceParts, OfANumaNodeHaveItsCpusAlone) {
  const auto parts = parts_of(server(2, 4), Scope::numa, Mode::quick);
  ASSERT_EQ(parts.size(), 8U);
  EXPECT_EQ(parts[5].cpus, (std::vector<int>{120, 121, 122, 123}));
  EXPECT_EQ(parts[5].memory.at(1).instances, 1);
  ASSERT_EQ(parts[5].numa.size(), 1U);
  EXPECT_EQ(parts[5].numa[0].id, 5);
}

TEST(DeviceParts, ANodeOfMemoryWithoutCoresIsNone) {
  DeviceInfo machine = server(1, 2);
  machine.numa.push_back({7, 512e9, {}});
  EXPECT_EQ(parts_of(machine, Scope::numa, Mode::quick).size(), 2U);
}

TEST(DeviceParts, OfManyCoresAreSomeAndAllOthersTogether) {
  const DeviceInfo machine = server(2, 4);  // 32 cores
  for (const Mode mode : {Mode::quick, Mode::full}) {
    const auto parts = parts_of(machine, Scope::core, mode);
    const std::size_t most = mode == Mode::quick ? 8 : 16;
    ASSERT_EQ(parts.size(), most);
    EXPECT_EQ(parts.back().id, "openmp:other_cores");
    EXPECT_TRUE(is_part(parts.back()));
    std::vector<int> cpus;
    for (const DeviceInfo& part : parts) cpus.insert(cpus.end(), part.cpus.begin(), part.cpus.end());
    std::ranges::sort(cpus);
    EXPECT_EQ(cpus, machine.cpus) << "every core once";
    for (std::size_t i = 0; i + 1 < most; ++i) EXPECT_EQ(parts[i].cores, 1);
    EXPECT_GT(parts[most - 2].cpus.front(), 100 + 24) << "from all over the machine";
  }
}

TEST(DeviceParts, UnlikeSocketsAreRefused) {
  DeviceInfo machine = server(2, 1);
  machine.cpus.pop_back();
  EXPECT_THROW(parts_of(machine, Scope::socket, Mode::quick), Error);
}

TEST(DeviceParts, AreFoundByTheirIds) {
  DeviceInfo gpu;
  gpu.id = "cuda:0";
  gpu.backend = "cuda";
  const std::vector<DeviceInfo> all{server(1, 2), gpu};
  EXPECT_EQ(find_device(all, "openmp", Scope::numa, Mode::quick)->cores, 8);
  EXPECT_EQ(find_device(all, "openmp:numa1", Scope::numa, Mode::quick)->cpus.front(), 104);
  EXPECT_EQ(find_device(all, "cuda:0", Scope::numa, Mode::quick)->backend, "cuda");
  EXPECT_FALSE(find_device(all, "openmp:numa2", Scope::numa, Mode::quick));
  EXPECT_FALSE(find_device(all, "openmp:core1", Scope::numa, Mode::quick)) << "of another scope";
  EXPECT_FALSE(find_device(all, "cuda:1", Scope::numa, Mode::quick));
}

TEST(DeviceParts, SeveralAreCalledByWhatTheyAre) {
  const auto kind = [](const std::vector<std::string>& devices) { return kind_of_devices(devices); };
  EXPECT_EQ(kind({"openmp:core0", "openmp:core5", "openmp:other_cores"}), "cores");
  EXPECT_EQ(kind({"openmp:numa0", "openmp:numa1"}), "numa");
  EXPECT_EQ(kind({"openmp:socket0", "openmp:socket1"}), "sockets");
  EXPECT_EQ(kind({"cuda:0", "cuda:1"}), "cuda");
  EXPECT_EQ(kind({"openmp", "cuda:0"}), "all");
  EXPECT_EQ(kind({"openmp:numa0", "openmp:numa1", "hip:0"}), "all");
}

}  // namespace
}  // namespace gable
