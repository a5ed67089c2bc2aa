#include "core/model/traffic.hpp"

#include <gtest/gtest.h>

#include "stages.hpp"

using namespace gable;
using namespace gable::test;

namespace {
const std::vector<Level> levels{{"L1", 1000}, {"L2", 10'000}, {"DRAM", 0}};

std::vector<double> hot(double working_set) {
  Stage touched = stage(Unit::vector, 1, working_set, 0);
  return least_traffic(touched, levels, false);
}
}  // namespace

TEST(Traffic, InnermostLevelThatHoldsTheDataServesThemAndNothingMovesBeyond) {
  EXPECT_EQ(hot(1000), (std::vector<double>{1000, 0, 0}));
  EXPECT_EQ(hot(5000), (std::vector<double>{0, 5000, 0}));
}

TEST(Traffic, PartlyResidentDataDrawAtLeastWhatDoesNotFit) {
  EXPECT_EQ(hot(2000), (std::vector<double>{2000, 1000, 0}));
  // L1 and L2 may hold different data: 22000 - 11000 must come from DRAM
  EXPECT_EQ(hot(22'000), (std::vector<double>{0, 22'000, 11'000}));
}

TEST(Traffic, ResidencyBeyondFourTimesTheCapacityCountsAsNone) {
  EXPECT_EQ(hot(4000), (std::vector<double>{4000, 3000, 0}));
  EXPECT_EQ(hot(4001), (std::vector<double>{0, 4001, 0}));
  EXPECT_EQ(hot(40'001), (std::vector<double>{0, 0, 40'001}));
}

TEST(Traffic, ColdComesFromTheOutermostLevel) {
  EXPECT_EQ(least_traffic(stage(Unit::vector, 1, 100, 20), levels, true), (std::vector<double>{0, 0, 120}));
}

TEST(Traffic, DataPassedTwiceSaveBothPasses) {
  Stage in_place = stage(Unit::vector, 1, 2000, 2000);  // 2000 bytes read and written in place
  in_place.working_set = 2000;
  EXPECT_EQ(least_traffic(in_place, levels, false), (std::vector<double>{4000, 2000, 0}));
}
