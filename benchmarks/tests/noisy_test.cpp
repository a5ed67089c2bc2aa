#include <gtest/gtest.h>

#include "benchmarks/disturber.hpp"
#include "benchmarks/noisy_table.hpp"
#include "core/error.hpp"

namespace gable::bench {
namespace {

Ceiling stream(const std::string& id, double value, double half) {
  Ceiling row{.id = id, .device = "openmp", .kind = CeilingKind::bandwidth, .name = "DRAM", .access = Access::read};
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

TEST(Noisy, JudgesByTheMedianOfUndisturbedBlocks) {
  const auto calm = run_with({stream("a", 100, 1)});
  const auto levels = undisturbed_levels({calm, calm});
  EXPECT_DOUBLE_EQ(levels.at("a"), 100);
  const auto needed = needed_rows(calm);
  ASSERT_EQ(needed.size(), 1U);
  EXPECT_EQ(needed[0].name, "DRAM read");
  EXPECT_EQ(verdict_of(run_with({stream("a", 96, 0.1)}), needed, levels).off, 0) << "within 5 %";
  EXPECT_EQ(verdict_of(run_with({stream("a", 90, 11)}), needed, levels).off, 0) << "the interval holds it";
  EXPECT_EQ(verdict_of(run_with({stream("a", 90, 5)}), needed, levels).off, 1);
  EXPECT_EQ(verdict_of(run_with({stream("a", 90, 5)}), needed, levels).slower, 1);
  const auto faster = verdict_of(run_with({stream("a", 120, 5)}), needed, levels);
  EXPECT_EQ(faster.off, 1);
  EXPECT_EQ(faster.slower, 0) << "the level was taken in worse moments";
}

TEST(Noisy, ComparesCachesAtOneClockAndTellsMainMemoryApart) {
  const auto at_clock = [](const char* level, double value, double clock_hz) {
    auto row = stream("a", value, 1);
    row.name = level;
    row.conditions.clock_hz = clock_hz;
    return run_with({row});
  };
  const auto judged = [&](const char* level) {
    return verdict_of(at_clock(level, 90, 3.6e9), {}, undisturbed_levels({at_clock(level, 100, 4e9)}));
  };
  EXPECT_EQ(judged("L1").off, 0) << "a tenth slower at a clock a tenth lower";
  EXPECT_EQ(judged("DRAM").off, 1);
  EXPECT_EQ(judged("DRAM").off_of_main_memory, 1);
}

TEST(Noisy, ARunWithoutANeededFigureOrVerdictIsNotGood) {
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

TEST(Neighbour, IsReadWithItsAmount) {
  EXPECT_EQ(read_neighbour("quota:0.5").how, Disturbing::quota);
  EXPECT_DOUBLE_EQ(read_neighbour("quota:0.5").amount, 0.5);
  EXPECT_EQ(read_neighbour("loops:8").how, Disturbing::loops);
  EXPECT_EQ(read_neighbour("affinity:5").how, Disturbing::affinity);
  for (const char* wrong : {"", "loops", "loops:", "loops:x", "loops:0", "quota:-1", "bursts:1", "noise:3"})
    EXPECT_THROW(read_neighbour(wrong), Error) << wrong;
}

TEST(Noisy, SaysWhetherTheHostChangedMainMemory) {
  const auto ran = [](std::vector<double> of_rounds) {
    auto row = stream("a", 100, 1);
    row.value.samples.clear();
    row.value.disturbed_samples.clear();
    row.unit = "byte/s";
    for (int round = 0; const double rate : of_rounds) {
      for (int block = 0; block < 2; ++block) {
        row.value.samples.push_back(rate);
        row.value.rounds.push_back(round);
      }
      row.value.ended_s.push_back(1e9 + round++);
    }
    return verdict_of(run_with({row}), {}, {});
  };
  const auto steady = ran({100, 105, 95, 90, 110});
  EXPECT_NEAR(*steady.memory_ratio, 105.0 / 95, 1e-12) << "without one round at each end";
  EXPECT_TRUE(steady.memory_kept_its_speed);
  const auto changed = ran({100, 60, 100, 60, 100, 60});
  EXPECT_NEAR(*changed.memory_ratio, 100.0 / 60, 1e-12);
  EXPECT_FALSE(changed.memory_kept_its_speed);
  const auto few = ran({100, 60, 100});
  EXPECT_FALSE(few.memory_ratio);
  EXPECT_FALSE(few.memory_kept_its_speed) << "three rounds do not tell";
  EXPECT_NE(line(1, changed).find(" 1.67 "), std::string::npos);
}

}  // namespace
}  // namespace gable::bench
