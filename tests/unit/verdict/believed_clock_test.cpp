#include <gtest/gtest.h>

#include "core/verdict/soundness.hpp"
#include "tests/unit/result/sample.hpp"

namespace gable {
namespace {

/// A row of a device of 1.7 GHz at most: a counter of 25 MHz taken for one of 100 MHz makes 1.7 GHz into 6.8 GHz.
Result at(double clock_hz) {
  auto result = test::full_result();
  result.devices.front().max_clock_hz = 1.7e9;
  result.ceilings = {test::full_ceiling()};
  result.points = {test::full_point()};
  for (Conditions* conditions : {&result.ceilings[0].conditions, &result.points[0].conditions}) {
    conditions->clock_hz = clock_hz;
    conditions->clock_source = "counters";
  }
  result.ceilings[0].value.clock_hz = clock_hz;
  verdict::mark_suspects(result);
  return result;
}

TEST(BelievedClock, OneFarAboveTheDevicesHighestIsDroppedAndTheRowSaysSo) {
  const auto result = at(6.8e9);
  EXPECT_FALSE(result.ceilings[0].conditions.clock_hz);
  EXPECT_FALSE(result.ceilings[0].value.clock_hz);
  EXPECT_FALSE(result.ceilings[0].theory_at_clock);
  EXPECT_FALSE(result.points[0].conditions.clock_hz);
  for (const auto& conditions : {result.ceilings[0].conditions, result.points[0].conditions}) {
    EXPECT_EQ(conditions.clock_source,
              "not believed: 6.8 GHz by counters, more than 1.3 x the device's highest, 1.7 GHz");
  }
}

TEST(BelievedClock, ABoostIsBelieved) {
  const auto result = at(1.29 * 1.7e9);
  EXPECT_EQ(result.ceilings[0].conditions.clock_hz, 1.29 * 1.7e9);
  EXPECT_EQ(result.points[0].conditions.clock_source, "counters");
  EXPECT_TRUE(result.ceilings[0].theory_at_clock);
}

TEST(BelievedClock, WithoutAHighestClockEveryOneIs) {
  auto result = at(1e9);
  result.devices.front().max_clock_hz.reset();
  result.ceilings[0].conditions.clock_hz = 6.8e9;
  verdict::mark_suspects(result);
  EXPECT_EQ(result.ceilings[0].conditions.clock_hz, 6.8e9);
}

}  // namespace
}  // namespace gable
