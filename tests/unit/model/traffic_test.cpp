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
  // L1 and L2 may hold different data: 20000 - 11000 must come from DRAM
  EXPECT_EQ(hot(20'000), (std::vector<double>{0, 20'000, 9'000}));
}

TEST(Traffic, ResidencyBeyondFourTimesTheCapacityCountsAsNone) {
  EXPECT_EQ(hot(4000), (std::vector<double>{0, 4000, 0}));
  EXPECT_EQ(hot(40'000), (std::vector<double>{0, 0, 40'000}));
}

TEST(Traffic, BetweenTwoAndFourTimesTheCapacityLessAndLessOfItCounts) {
  EXPECT_DOUBLE_EQ(hot(3000)[1], 3000 - 0.5 * 1000);
  EXPECT_DOUBLE_EQ(hot(30'000)[2], 30'000 - 0.5 * 11'000);
}

TEST(Traffic, GrowsWithTheWorkingSetWithoutAStep) {
  constexpr double step = 10;
  for (double size = 1000; size < 60'000; size += step) {
    const auto before = hot(size), after = hot(size + step);
    // Outside the innermost useful level every byte more costs at least that byte, and a few as the share found falls.
    EXPECT_GE(after[2], before[2]) << size;
    EXPECT_LE(after[2] - before[2], 2 * step) << size;
    if (size < 4000) {
      EXPECT_LE(after[1] - before[1], 2 * step) << size;
    }
  }
}

/// L2 of 192 MB beside 36 MB of L3: no more comes from main memory than passes L3, and nothing jumps.
TEST(Traffic, AnOuterCacheSmallerThanTheInnerOne) {
  const std::vector<Level> odd{{"L1", 6e6}, {"L2", 192e6}, {"L3", 36e6}, {"DRAM", 0}};
  double before = 0;
  for (double size = 200e6; size < 900e6; size += 1e6) {
    const auto traffic = least_traffic(stage(Unit::vector, 1, size, 0), odd, false);
    EXPECT_LE(traffic[3], std::max(traffic[2], traffic[3] == size ? size : 0)) << size;
    EXPECT_LE(traffic[3] - before, 3e6) << size;
    before = traffic[3];
  }
  // twice L2 and more of L3 than passes: 384 - (6 + 192 + 36)
  EXPECT_DOUBLE_EQ(least_traffic(stage(Unit::vector, 1, 384e6, 0), odd, false)[3], 150e6);
}

/// What no program beats: all of the caches' contents, up to four times the largest.
TEST(Traffic, TheMostThatCachesKeepIsAllTheyHold) {
  const auto most = [](double size) {
    return least_traffic(stage(Unit::vector, 1, size, 0), levels, false, Residency::most)[2];
  };
  EXPECT_DOUBLE_EQ(most(30'000), 30'000 - 11'000);
  EXPECT_DOUBLE_EQ(most(40'000), 40'000);
}

TEST(Traffic, ColdComesFromTheOutermostLevel) {
  EXPECT_EQ(least_traffic(stage(Unit::vector, 1, 100, 20), levels, true), (std::vector<double>{0, 0, 120}));
}

TEST(Traffic, DataPassedTwiceSaveBothPasses) {
  Stage in_place = stage(Unit::vector, 1, 2000, 2000);  // 2000 bytes read and written in place
  in_place.working_set = 2000;
  EXPECT_EQ(least_traffic(in_place, levels, false), (std::vector<double>{4000, 2000, 0}));
}
