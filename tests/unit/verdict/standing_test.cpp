// Points that are faster than their roof.

#include <gtest/gtest.h>

#include "core/verdict/measured_judgement.hpp"
#include "tests/unit/model/stages.hpp"

using namespace gable;
using namespace gable::test;

namespace {
const Types fp32 = uniform_types(DType::fp32);

/// 100 GB/s, credible up to so much more.
Roofline memory(double high) {
  Roofline roofline;
  BandwidthRoof roof = bandwidth_roof("DRAM", 100e9);
  roof.high = high;
  roofline.add(roof);
  roofline.set_levels({{"DRAM", 0}});
  return roofline;
}

/// 1 GB, 10 ms at 100 GB/s.
Point moved_in(double seconds, double at_most) {
  Point point;
  point.op = "relu";
  point.types = fp32;
  point.stages = {stage(Unit::vector, 0, 1e9, 0)};
  point.time.value = seconds;
  point.time.ci_low = 2 * seconds - at_most;
  point.time.ci_high = at_most;
  return point;
}
}  // namespace

TEST(Standing, UnderItsRoof) {
  EXPECT_EQ(standing(moved_in(10e-3, 11e-3), memory(100e9)), Standing::under_roof);
  EXPECT_EQ(standing(moved_in(12e-3, 12e-3), memory(150e9)), Standing::under_roof) << "its own bound counts first";
}

TEST(Standing, AtItsRoofWithinTheJointInterval) {
  EXPECT_EQ(standing(moved_in(9e-3, 10e-3), memory(100e9)), Standing::at_roof) << "its own interval reaches 10 ms";
  EXPECT_EQ(standing(moved_in(9e-3, 9e-3), memory(115e9)), Standing::at_roof) << "at 115 GB/s it takes 8.7 ms";
  EXPECT_EQ(standing(moved_in(8e-3, 8.5e-3), memory(118e9)), Standing::at_roof) << "8.5 ms against 8.47 ms, together";
  EXPECT_EQ(standing(moved_in(9.95e-3, 9.95e-3), memory(100e9)), Standing::at_roof) << "1 % is tolerated";
}

TEST(Standing, AboveItsRoofBeyondTheJointInterval) {
  EXPECT_EQ(standing(moved_in(8e-3, 8.2e-3), memory(110e9)), Standing::above_roof) << "8.2 ms against 9.09 ms";
  EXPECT_EQ(standing(moved_in(9e-3, 9e-3), memory(110e9)), Standing::above_roof) << "9 ms against 9.09 ms, 101.01 %";
}

TEST(Standing, TheLowerEndOfTheLaunchOverheadCounts) {
  Roofline roofline = memory(100e9);
  roofline.set_overhead({.seconds = 2e-3, .synchronous = true, .label = "launch", .low = 1e-3});
  EXPECT_EQ(standing(moved_in(11e-3, 11e-3), roofline), Standing::at_roof) << "12 ms, 11 ms at best";
  EXPECT_EQ(standing(moved_in(10.5e-3, 10.5e-3), roofline), Standing::above_roof);
}

TEST(Place, AShareUnderItsRoofIsAPlainFigure) {
  Point point = moved_in(12.5e-3, 12.5e-3);
  set_verdict(point, memory(100e9));
  EXPECT_EQ(share_of_bound(point), "80.0 %");
  EXPECT_EQ(standing(point), Standing::under_roof);
}

TEST(Place, APointAboveItsRoofIsSuspectAndNamesBoth) {
  Point point = moved_in(8e-3, 8.2e-3);
  set_verdict(point, memory(110e9));
  EXPECT_EQ(point.status, Status::suspect);
  EXPECT_TRUE(above_roof(point));
  EXPECT_EQ(point.regime, Regime::memory_bound);
  EXPECT_NEAR(point.fraction_of_limit.value(), 1.25, 1e-12) << "files keep the raw figure";
  EXPECT_EQ(share_of_bound(point), "suspect");
  EXPECT_EQ(standing(point), Standing::above_roof);
  for (const char* word : {"relu takes 8 ms", "its roof DRAM allows 10 ms at best", "beyond both intervals"})
    EXPECT_NE(point.reason.find(word), std::string::npos) << point.reason;
}

TEST(Place, UnderABetterRoofASuspectPointIsJudgedAnew) {
  Point point = moved_in(8e-3, 8.2e-3);
  set_verdict(point, memory(110e9));
  set_verdict(point, memory(125e9));
  EXPECT_EQ(point.status, Status::ok);
  EXPECT_EQ(point.reason, "");
  EXPECT_EQ(share_of_bound(point), "100 % (at its roof)");
  EXPECT_EQ(standing(point), Standing::at_roof);
}

TEST(Place, APointThatIsSuspectOfItselfStaysSo) {
  Point point = moved_in(12e-3, 12e-3);
  point.status = Status::suspect;
  point.reason = "its data are not random";
  set_verdict(point, memory(100e9));
  EXPECT_EQ(point.status, Status::suspect);
  EXPECT_EQ(point.reason, "its data are not random");
  EXPECT_FALSE(point.bound_s);
}
