#include "benchmarks/spread_table.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace gable::bench {
namespace {

Result run_with(double flop_per_s, double clock_hz, int disturbed_blocks) {
  Ceiling row{.id = "ceiling/compute/vector/fp64/burst/avx2",
              .kind = CeilingKind::compute,
              .name = "vector",
              .at = OperatingPoint::burst};
  row.value.value = flop_per_s;
  row.value.seen.disturbed_blocks = disturbed_blocks;
  row.conditions.clock_hz = clock_hz;
  Result result;
  result.ceilings = {row};
  return result;
}

TEST(Spreads, ArePerObservedClock) {
  const auto all = spreads({run_with(64e9, 2e9, 0), run_with(96e9, 3e9, 0)});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(relative_spread(all[0].sightings), 0.0);
}

TEST(Spreads, DisturbedRunsThatSaySoAreForgiven) {
  const auto quiet = spreads({run_with(32e9, 1e9, 0), run_with(24e9, 1e9, 5), run_with(32e9, 1e9, 0)});
  EXPECT_DOUBLE_EQ(relative_spread(quiet[0].sightings), 0.25);
  EXPECT_EQ(steadiness_of(quiet[0].sightings, 0.03), Steadiness::said_so);
  const auto silent = spreads({run_with(32e9, 1e9, 0), run_with(24e9, 1e9, 0), run_with(32e9, 1e9, 5)});
  EXPECT_EQ(steadiness_of(silent[0].sightings, 0.03), Steadiness::missed);
}

TEST(Spreads, AnotherEstimatorThanTheMedianSaysSoToo) {
  auto second = run_with(24e9, 1e9, 0);
  second.ceilings[0].value.estimator = Estimator::mode;
  const auto all = spreads({run_with(32e9, 1e9, 0), second, run_with(32e9, 1e9, 0)});
  EXPECT_EQ(steadiness_of(all[0].sightings, 0.03), Steadiness::said_so);
}

TEST(Spreads, WithinTheLimitIsMetEvenWhenDisturbed) {
  const auto all = spreads({run_with(100e9, 1e9, 3), run_with(102e9, 1e9, 0)});
  EXPECT_EQ(steadiness_of(all[0].sightings, 0.03), Steadiness::met);
}

TEST(Spreads, RowsWithoutAFigureKeepTheirReason) {
  auto broken = run_with(32e9, 1e9, 0);
  broken.ceilings[0].status = Status::error;
  broken.ceilings[0].reason = "worker died";
  const auto all = spreads({run_with(32e9, 1e9, 0), broken});
  EXPECT_NE(table(all, 0.03).find("worker died"), std::string::npos);
  EXPECT_THROW(relative_spread({}), Error);
}

TEST(Spreads, ARunThatSkippedTheRowIsLeftOutWhileTwoRemain) {
  auto skipped = run_with(0.0, 1e9, 3);
  skipped.ceilings[0].status = Status::skipped;
  skipped.ceilings[0].reason = "too few blocks";
  const auto three = spreads({run_with(32e9, 1e9, 0), skipped, run_with(32e9, 1e9, 0)});
  EXPECT_EQ(three[0].skipped, 1);
  EXPECT_TRUE(three[0].reason.empty());
  EXPECT_DOUBLE_EQ(relative_spread(three[0].sightings), 0.0);
  const auto two = spreads({run_with(32e9, 1e9, 0), skipped});
  EXPECT_NE(two[0].reason.find("too few blocks"), std::string::npos);
}

TEST(Spreads, OfComputeAndTheFirstLevelOnly) {
  auto run = run_with(32e9, 1e9, 0);
  Ceiling row = run.ceilings[0];
  row.kind = CeilingKind::bandwidth;
  row.at = OperatingPoint::sustained;
  row.name = "DRAM";
  run.ceilings.push_back(row);
  row.name = "L1";
  row.id = "ceiling/bandwidth/L1/read/sustained/avx2";
  run.ceilings.push_back(row);
  const auto all = spreads({run, run});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].id, row.id);
}

}  // namespace
}  // namespace gable::bench
