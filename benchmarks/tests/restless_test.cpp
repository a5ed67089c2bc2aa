#include <gtest/gtest.h>

#include "benchmarks/restless_table.hpp"

namespace gable::bench {
namespace {

Ceiling stream(const std::string& id, double value, double half) {
  Ceiling row;
  row.id = id;
  row.device = "openmp";
  row.kind = CeilingKind::bandwidth;
  row.name = "DRAM";
  row.access = Access::read;
  row.value.value = value;
  row.value.ci_low = value - half;
  row.value.ci_high = value + half;
  row.value.samples = {value, 0.5 * value, value};
  row.value.disturbed_samples = {1};
  return row;
}

Result run_with(std::vector<Ceiling> rows) {
  Result result;
  DeviceInfo device;
  device.id = "openmp";
  device.memory = {{"L1", 32768, 2, 1, 64, "test"}, {"DRAM", 4e9, 1, 2, 64, "test"}};
  result.devices = {device};
  result.ceilings = std::move(rows);
  return result;
}

TEST(Restless, JudgesByTheMedianOfUndisturbedBlocks) {
  const auto calm = run_with({stream("a", 100, 1)});
  const auto levels = undisturbed_levels({calm, calm});
  EXPECT_DOUBLE_EQ(levels.at("a"), 100);
  const auto needed = needed_rows(calm);
  ASSERT_EQ(needed.size(), 1U);
  EXPECT_EQ(needed[0].name, "DRAM read");
  EXPECT_EQ(verdict_of(run_with({stream("a", 96, 0.1)}), needed, levels).off, 0) << "within 5 %";
  EXPECT_EQ(verdict_of(run_with({stream("a", 90, 11)}), needed, levels).off, 0) << "the interval holds it";
  EXPECT_EQ(verdict_of(run_with({stream("a", 90, 5)}), needed, levels).off, 1);
}

TEST(Restless, ARunWithoutANeededFigureOrVerdictIsNotGood) {
  const auto calm = run_with({stream("a", 100, 1)});
  const auto needed = needed_rows(calm);
  auto row = stream("a", 100, 1);
  row.status = Status::suspect;
  const auto missing = verdict_of(run_with({row}), needed, {});
  EXPECT_EQ(missing.missing, std::vector<std::string>{"DRAM read"});
  EXPECT_FALSE(missing.good());
  EXPECT_TRUE(verdict_of(calm, needed, {}).good());
  auto with_points = calm;
  with_points.points.resize(3);
  with_points.points[2].status = Status::suspect;
  with_points.points[0].regime = Regime::memory_bound;
  with_points.points[0].fraction_of_limit = 1.25;
  const auto judged = verdict_of(with_points, needed, {});
  EXPECT_EQ(judged.unjudged, 2);
  EXPECT_DOUBLE_EQ(judged.highest_percent, 125);
  EXPECT_FALSE(judged.good());
}

}  // namespace
}  // namespace gable::bench
