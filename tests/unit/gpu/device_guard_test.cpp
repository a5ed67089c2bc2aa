#include "backends/gpu/buffer.hpp"

#include <gtest/gtest.h>

namespace gable::gpu::test {
namespace {

class Guard : public testing::Test {
 protected:
  Guard() { fake_runtime = {}; }
};

TEST_F(Guard, TheOtherDeviceIsTheCurrentOneWhileItLives) {
  const DeviceGuard guard(1);
  EXPECT_EQ(current_device(), 1);
}

TEST_F(Guard, TheDeviceThatWasIsTheCurrentOneAgain) {
  const auto buffer = allocate_on(1, 64);
  EXPECT_NE(buffer.as<void>(), nullptr);
  EXPECT_EQ(current_device(), 0);
}

TEST_F(Guard, AlsoWhenTheOtherDeviceIsFull) {
  fake_runtime.full = true;
  EXPECT_THROW(allocate_on(1, 64), DeviceFailure);
  EXPECT_EQ(current_device(), 0);
}

TEST_F(Guard, AlsoWhenTheOtherDeviceDoesNotStart) {
  fake_runtime.broken = true;
  EXPECT_THROW(allocate_on(1, 64), DeviceFailure);
  EXPECT_EQ(current_device(), 0);
}

}  // namespace
}  // namespace gable::gpu::test
