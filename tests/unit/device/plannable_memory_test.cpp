#include "core/device/plannable_memory.hpp"

#include <gtest/gtest.h>

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

TEST(PlannableMemory, OfADeviceWithoutKnownMemoryIsNone) { EXPECT_EQ(plannable_memory_bytes(DeviceInfo{}), 0); }

}  // namespace
}  // namespace gable::test
