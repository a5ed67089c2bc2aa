#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/model/roofline.hpp"
#include "core/model/work.hpp"
#include "stages.hpp"

using namespace gable;
using namespace gable::test;

TEST(Intensity, GemmIsSixthOfSizeAtFourBytesAndThirdAtTwo) {
  EXPECT_NEAR(intensity(gemm(4096, 4096, 4096, 4)), 682.7, 0.05);
  EXPECT_NEAR(intensity(gemm(4096, 4096, 4096, 2)), 1365.3, 0.05);
  EXPECT_NEAR(intensity(gemm(64, 64, 64, 4)), 10.67, 0.005);
  EXPECT_NEAR(intensity(gemm(64, 64, 64, 2)), 21.33, 0.005);
}

TEST(Intensity, LinearLayerByBatch) {
  const std::pair<double, double> cases[] = {{1, 0.9995}, {8, 7.969},   {16, 15.88},
                                             {32, 31.51}, {256, 227.6}, {512, 409.6}};
  for (const auto& [batch, expected] : cases) {
    EXPECT_NEAR(intensity(gemm(batch, 4096, 4096, 2)), expected, expected * 4e-4) << "batch " << batch;
  }
}

TEST(Intensity, AttentionAt2048) {
  const auto naive = naive_attention(2048, 64, 2);
  EXPECT_NEAR(flops(naive), 1.0737e9, 1e5);
  EXPECT_NEAR(bytes(naive), 34.603e6, 1e3);
  EXPECT_NEAR(intensity(naive), 31.03, 0.005);
  const auto fused = fused_attention(2048, 64, 2);
  EXPECT_NEAR(bytes(fused), 1.0486e6, 1e2);
  EXPECT_DOUBLE_EQ(intensity(fused), 1024);
}

TEST(Intensity, FusedAttentionAt8192) { EXPECT_DOUBLE_EQ(intensity(fused_attention(8192, 64, 2)), 4096); }

TEST(Work, ExponentialsAndConversionsAreNoFlops) {
  Stage silu = stage(Unit::vector, 3000, 4000, 4000);
  silu.work.push_back({Unit::exp, 1000});
  silu.work.push_back({Unit::convert, 2000});
  EXPECT_EQ(flops(silu), 3000);
  EXPECT_EQ(bytes(silu), 8000);
}

TEST(Work, RatesAreOfFlopsUnlessElementsOrIntegersAreCounted) {
  for (const Unit unit : {Unit::scalar, Unit::vector, Unit::matrix, Unit::multiply_add}) {
    EXPECT_TRUE(is_flop(unit)) << to_string(unit);
    EXPECT_EQ(rate_unit(unit, DType::bf16), "flop/s") << to_string(unit);
    EXPECT_EQ(rate_unit(unit, DType::int8), "op/s") << to_string(unit);
  }
  for (const Unit unit : {Unit::exp, Unit::convert, Unit::divide}) {
    EXPECT_FALSE(is_flop(unit)) << to_string(unit);
    EXPECT_EQ(rate_unit(unit, DType::fp32), "op/s") << to_string(unit);
    EXPECT_EQ(operation_name(unit, DType::fp32), "op") << to_string(unit);
  }
  EXPECT_EQ(operation_name(Unit::vector, DType::fp64), "flop");
}

TEST(Work, CopyHasIntensityZeroAndNothingMovedIsAnError) {
  EXPECT_EQ(intensity({stage(Unit::vector, 0, 8, 8)}), 0);
  EXPECT_THROW(intensity({stage(Unit::vector, 8, 0, 0)}), Error);
  EXPECT_THROW(intensity({}), Error);
}

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

/// The levels of a GPU begin with L2. A multiprocessor's L1 holds at most 256 KiB of a table that all read; 48 of the
/// 100 in this one, and that of an L1, are not from memory.
TEST(RandomTraffic, NothingOfATableThatAnL1HoldsComesFromL2) {
  constexpr double l1 = 262144;
  const auto traffic = [](double span) {
    Stage gathered = stage(Unit::vector, 0, 8e6, 0);
    gathered.random_lines = 1000;
    gathered.random_span = span;
    return random_traffic(gathered, std::vector<Level>{{"L2", 48 * l1}, {"HBM", 0}}, false);
  };
  EXPECT_EQ(traffic(l1), (std::vector<double>{0, 0}));
  EXPECT_EQ(traffic(2 * l1), (std::vector<double>{32000, 0}));
  EXPECT_DOUBLE_EQ(traffic(100 * l1)[0], 64000 * 0.99);
  EXPECT_DOUBLE_EQ(traffic(100 * l1)[1], 64000 * 0.51);
}
