#include <gtest/gtest.h>

#include "core/device/device_info.hpp"
#include "core/error.hpp"

using namespace gable;

namespace {
constexpr double kib = 1024, mib = 1024 * 1024;

/// Two sockets of 16 cores; private L1 and L2, an L3 per 8 cores; two NUMA nodes.
DeviceInfo machine() {
  DeviceInfo device;
  device.id = "openmp";
  device.sockets = 2;
  device.cores = 32;
  device.threads = 64;
  device.numa.resize(2);
  device.memory = {{"L1", 32 * kib, 32, 1, 64, ""},
                   {"L2", 512 * kib, 32, 1, 64, ""},
                   {"L3", 32 * mib, 4, 8, 64, ""},
                   {"DRAM", 512e9, 1, 32, 64, ""}};
  return device;
}

std::vector<double> capacities(Scope scope, int threads) {
  std::vector<double> result;
  for (const Level& level : levels_of(machine(), scope, threads)) result.push_back(level.capacity_bytes);
  return result;
}
}  // namespace

TEST(Levels, WholeNode) {
  const auto levels = levels_of(machine(), Scope::node, 0);
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_EQ(levels[0].name, "L1");
  EXPECT_EQ(capacities(Scope::node, 0), (std::vector<double>{1 * mib, 16 * mib, 128 * mib, 0}));
}

TEST(Levels, SocketAndNumaHoldTheirShare) {
  EXPECT_EQ(capacities(Scope::socket, 0), (std::vector<double>{512 * kib, 8 * mib, 64 * mib, 0}));
  EXPECT_EQ(capacities(Scope::numa, 0), capacities(Scope::socket, 0));
}

TEST(Levels, OneCoreHasItsOwnCachesAndOneSharedOne) {
  EXPECT_EQ(capacities(Scope::core, 1), (std::vector<double>{32 * kib, 512 * kib, 32 * mib, 0}));
  EXPECT_EQ(capacities(Scope::node, 1), capacities(Scope::core, 1));
}

TEST(Levels, CompactPlacementReachesOneSharedCacheAfterTheOther) {
  EXPECT_EQ(capacities(Scope::node, 8)[2], 32 * mib);
  EXPECT_EQ(capacities(Scope::node, 9)[2], 64 * mib);
  EXPECT_EQ(capacities(Scope::node, 9)[1], 4.5 * mib);
}

TEST(Levels, AllCoresReachAllCachesThoughTheyAreSpreadUnevenly) {
  DeviceInfo device = machine();  // of which a binding left 8 cores at one L3 and one core at each of two others
  device.cores = device.threads = 10;
  device.memory[2] = {"L3", 32 * mib, 3, 8, 64, ""};
  EXPECT_EQ(levels_of(device, Scope::node, 10)[2].capacity_bytes, 96 * mib);
  EXPECT_EQ(levels_of(device, Scope::node, 0)[2].capacity_bytes, 96 * mib);
}

TEST(Levels, HardwareThreadsBeyondTheCoresAddNoCache) {
  EXPECT_EQ(capacities(Scope::node, 64), capacities(Scope::node, 32));
  EXPECT_EQ(capacities(Scope::core, 2), capacities(Scope::core, 1));
}

TEST(Levels, NegativeThreadsAreAnError) { EXPECT_THROW(levels_of(machine(), Scope::node, -1), Error); }

TEST(PartOf, HasTheCachesThatItsCoresReach) {
  const DeviceInfo core = part_of(machine(), Scope::core, 0);
  EXPECT_EQ(core.cores, 1);
  EXPECT_EQ(core.threads, 2);
  EXPECT_EQ(core.memory[1].instances, 1);
  EXPECT_EQ(core.memory[2].instances, 1);
  EXPECT_EQ(core.memory[3].size_bytes, 512e9);
  EXPECT_EQ(part_of(machine(), Scope::node, 9).memory[2].instances, 2);
}

TEST(PartOf, WholeIsTheDeviceItself) {
  const DeviceInfo whole = part_of(machine(), Scope::node, 0);
  EXPECT_EQ(whole.cores, 32);
  EXPECT_EQ(whole.threads, 64);
  for (std::size_t i = 0; i < whole.memory.size(); ++i) {
    EXPECT_EQ(whole.memory[i].instances, machine().memory[i].instances) << whole.memory[i].name;
  }
}

namespace gable::test {
namespace {

DeviceInfo device(double free_bytes) {
  DeviceInfo info;
  info.memory = {{"L2", 50e6, 1, 132, 128, ""}, {"HBM", 40e9, 2, 132, 0, ""}};
  info.free_memory_bytes = free_bytes;
  return info;
}

TEST(PlannableMemory, IsWhatIsFree) { EXPECT_EQ(plannable_memory_bytes(device(7e9)), 7e9); }

TEST(PlannableMemory, IsAllMainMemoryWhereNobodyTellsWhatIsFree) { EXPECT_EQ(plannable_memory_bytes(device(0)), 80e9); }

/// Caches of 50 MB: five times that; of little memory an eighth, but never less than four times the caches.
TEST(MainMemorySet, NeverShrinksIntoTheCaches) {
  EXPECT_EQ(main_memory_set_bytes(device(7e9)), 250e6);
  EXPECT_EQ(main_memory_set_bytes(device(1.8e9)), 225e6);
  EXPECT_EQ(main_memory_set_bytes(device(53e6)), 200e6) << "does not fit: whoever plans it skips it";
}

TEST(PlannableMemory, OfADeviceWithoutKnownMemoryIsNone) { EXPECT_EQ(plannable_memory_bytes(DeviceInfo{}), 0); }

}  // namespace
}  // namespace gable::test
