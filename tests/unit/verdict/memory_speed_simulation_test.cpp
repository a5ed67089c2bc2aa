#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/measure/statistics.hpp"
#include "core/operator.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/unit/verdict/memory_rounds.hpp"

namespace gable {
namespace {

/// Figures that scatter by a standard deviation of `scatter`, over what memory gives in that round.
std::vector<double> scattered(const std::vector<double>& speeds, double scatter, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, scatter);
  std::vector<double> figures;
  for (const double speed : speeds) figures.push_back(speed * std::exp(normal(random)));
  return figures;
}

/// 400 runs of 12 rounds, in which memory is at half of its speed for a third of the time; stream and point scatter by
/// 5 % besides, and the point moves its bytes at 80 % of what memory gives. Raw shares spread by which of the two met
/// the better rounds; those of pairs do not.
TEST(MemorySpeed, SimulatedSharesOfTwoSpeeds) {
  std::mt19937_64 random(17);
  std::bernoulli_distribution slow(1 / 3.0);
  std::vector<double> paired, raw;
  int covered = 0;
  for (int run = 0; run < 400; ++run) {
    std::vector<double> speeds, of_point;
    for (int round = 0; round < 12; ++round) speeds.push_back(slow(random) ? 40e9 : 80e9);
    for (const double speed : scattered(speeds, 0.05, random)) of_point.push_back(1e9 / (0.8 * speed));
    Result result = beside(scattered(speeds, 0.05, random), of_point);
    // The point has its last nine rounds only.
    std::vector<double> last(of_point.begin() + 3, of_point.end());
    result.points[0].time = of_rounds(last, 3 * a_round_s + 1, false);
    Result without = result;
    without.points[0].time.ended_s.clear();
    set_verdicts(result);
    set_verdicts(without);
    if (result.points[0].compared_rounds == 0) continue;
    paired.push_back(*result.points[0].fraction_of_limit);
    raw.push_back(*without.points[0].bound_s / without.points[0].time.value);
    covered += *result.points[0].fraction_low <= 0.8 && 0.8 <= *result.points[0].fraction_high ? 1 : 0;
  }
  const auto spread = [](std::vector<double> shares) {
    std::ranges::sort(shares);
    return std::log(shares[shares.size() * 95 / 100] / shares[shares.size() * 5 / 100]);
  };
  RecordProperty("paired_spread", std::to_string(spread(paired)));
  RecordProperty("raw_spread", std::to_string(spread(raw)));
  RecordProperty("compared", std::to_string(paired.size()));
  RecordProperty("covered", std::to_string(covered));
  EXPECT_GT(paired.size(), 350U);
  EXPECT_NEAR(measure::median(paired), 0.8, 0.01);
  EXPECT_LT(spread(paired), 0.15);
  EXPECT_GT(spread(raw), 0.5) << "what a share is without pairs";
  EXPECT_GT(covered, 0.92 * static_cast<double>(paired.size()));
}

/// Memory that keeps its speed is seldom taken for one that changed it, and then the share is as good.
TEST(MemorySpeed, SimulatedScatterIsSeldomAChange) {
  std::mt19937_64 random(18);
  const std::vector<double> steady(10, 80e9);
  int compared = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<double> of_point;
    for (const double speed : scattered(steady, 0.05, random)) of_point.push_back(1e9 / (0.8 * speed));
    Result result = beside(scattered(steady, 0.05, random), of_point);
    set_verdicts(result);
    compared += result.points[0].compared_rounds > 0 ? 1 : 0;
    EXPECT_NEAR(result.points[0].fraction_of_limit.value(), 0.8, 0.1);
  }
  RecordProperty("compared", std::to_string(compared));
  EXPECT_LT(compared, 20);
}

}  // namespace
}  // namespace gable
