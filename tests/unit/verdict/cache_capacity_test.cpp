// Capacities of caches by ladders of several rounds, between which neighbours come and go.
#include "core/verdict/cache_capacity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/measure/statistics.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable {
namespace {

constexpr double kib = 1024, mib = 1024 * kib;

/// Two cores beside an L3 of 32 MiB.
Result machine() {
  Result result = test::made_up_result();
  DeviceInfo& device = result.devices.front();
  device.cores = device.threads = 2;
  device.memory = {{"L1", 32 * kib, 2, 1, 64, ""},
                   {"L2", 1 * mib, 2, 1, 64, ""},
                   {"L3", 32 * mib, 1, 2, 64, ""},
                   {"DRAM", 2.4e10, 1, 2, 64, ""}};
  return result;
}

/// A chase of the first core that finds so many bytes of L3 in each round; times scatter.
Curve chase(const std::vector<double>& l3, std::mt19937& random) {
  std::normal_distribution<double> scatter(0, 0.05);
  Curve curve{.device = "openmp",
              .threads = 1,
              .name = std::string(latency_sweep),
              .series = std::string(chase_series),
              .y_unit = "s"};
  for (double size = 16 * kib; size < 65 * mib; size *= std::exp2(size < 4 * mib ? 1.0 / 3 : 0.5))
    curve.x.push_back(size);
  for (const double found : l3) {
    for (const double size : curve.x) {
      const double time = size <= 32 * kib ? 1.1e-9 : size <= mib ? 4e-9 : size <= found ? 16e-9 : 140e-9;
      curve.of_rounds.push_back(time * std::exp(scatter(random)));
    }
  }
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    std::vector<double> at;
    for (std::size_t j = i; j < curve.of_rounds.size(); j += curve.x.size()) at.push_back(curve.of_rounds[j]);
    curve.y.push_back(measure::median(at));
  }
  return curve;
}

TEST(CacheCapacity, OfEveryCacheBesideWhatIsTold) {
  std::mt19937 random(1);
  Result result = machine();
  result.curves = {chase({5 * mib, 5 * mib, 5 * mib}, random)};
  const auto caches = cache_capacities(result, "openmp", Scope::node);
  ASSERT_EQ(caches.size(), 3U);
  EXPECT_EQ(caches[1].level, "L2");
  EXPECT_EQ(caches[1].told_bytes, 2 * mib) << "of both cores";
  EXPECT_EQ(caches[1].told_to_one_bytes, 1 * mib);
  EXPECT_FALSE(caches[1].streams) << "no sweep of streams";
  ASSERT_TRUE(caches[1].chase && caches[2].chase);
  EXPECT_NEAR(caches[1].chase->bytes / mib, 0.9, 0.15);
  EXPECT_NEAR(caches[2].chase->bytes / mib, 4, 0.01) << "the last size that is as fast";
  EXPECT_GT(caches[2].chase->high, caches[2].chase->bytes) << "half way to the first that is not";
  EXPECT_LT(caches[2].chase->high / caches[2].chase->low, 1.42) << "all rounds say the same";
  EXPECT_TRUE(cache_capacities(machine(), "openmp", Scope::node).empty());
}

TEST(CacheCapacity, NoMoreThanTheSystemTells) {
  std::mt19937 random(1);
  Result result = machine();
  result.curves = {chase({40 * mib, 40 * mib, 40 * mib}, random)};
  const auto l3 = *cache_capacities(result, "openmp", Scope::node)[2].chase;
  EXPECT_EQ(l3.bytes, 32 * mib);
  EXPECT_EQ(l3.high, 32 * mib);
}

TEST(CacheCapacity, RoundsThatDifferWidenTheInterval) {
  std::mt19937 random(1);
  Result result = machine();
  result.curves = {chase({5 * mib, 17 * mib, 5 * mib}, random)};
  const auto l3 = *cache_capacities(result, "openmp", Scope::node)[2].chase;
  EXPECT_NEAR(l3.bytes / mib, 4.5, 0.6) << "the median of the rounds";
  EXPECT_LT(l3.low, 5 * mib);
  EXPECT_GT(l3.high, 17 * mib);
}

/// A neighbour who takes 12 of 17 MB for a part of the time: how often the interval holds what is found most of the
/// time, and the value is that (docs/statistics.md prints the figures).
TEST(CacheCapacity, SimulatedCoverageBesideANeighbourWhoComesAndGoes) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> luck(0, 1);
  constexpr int runs = 200;
  for (const int rounds : {3, 5}) {
    for (const double share : {0.0, 0.1, 0.3}) {
      int covered = 0, near = 0;
      for (int run = 0; run < runs; ++run) {
        std::vector<double> found(static_cast<std::size_t>(rounds));
        for (double& one : found) one = luck(random) < share ? 5 * mib : 17 * mib;
        Result result = machine();
        result.curves = {chase(found, random)};
        const auto l3 = cache_capacities(result, "openmp", Scope::node)[2].chase;
        ASSERT_TRUE(l3);
        constexpr double one_size = 1.42;  // half of a doubling
        covered += l3->low <= 17 * mib * one_size && l3->high >= 17 * mib / one_size ? 1 : 0;
        near += std::abs(std::log(l3->bytes / (17 * mib))) <= std::log(one_size) ? 1 : 0;
      }
      EXPECT_GE(covered, 0.9 * runs) << rounds << ' ' << share;
      EXPECT_GE(near, (share < 0.2 ? 0.9 : 0.65) * runs) << rounds << ' ' << share;
    }
  }
}

}  // namespace
}  // namespace gable
