// What of a cache a series over working sets finds, and what bounds make of it.
#include "core/model/capacity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "core/model/roofline.hpp"
#include "tests/unit/model/stages.hpp"

namespace gable {
namespace {

constexpr double kib = 1024, mib = 1024 * kib;
const std::vector<double> told{64 * kib, 2 * mib, 32 * mib};

std::vector<double> ladder(double first, double last, int per_octave = 3) {
  std::vector<double> sizes;
  for (int i = 0; first * std::exp2(static_cast<double>(i) / per_octave) <= last * 1.001; ++i)
    sizes.push_back(first * std::exp2(static_cast<double>(i) / per_octave));
  return sizes;
}

std::vector<std::optional<CacheStep>> steps(const std::function<double(double)>& time) {
  const auto sizes = ladder(16 * kib, 128 * mib);
  std::vector<double> times;
  for (const double size : sizes) times.push_back(time(size));
  return cache_steps(told, sizes, times);
}

/// A chase on a machine whose L3 keeps `l3` of what is revisited slowly: 1.1, 4, 16 and 140 ns.
double chase(double size, double l3) {
  return size <= 64 * kib ? 1.1e-9 : size <= 2 * mib ? 4e-9 : size <= l3 ? 16e-9 : 140e-9;
}

constexpr double one_size = 1.26;  // a third of a doubling

TEST(CacheSteps, AMachineThatHasWhatItSays) {
  const auto found = steps([](double size) { return chase(size, 32 * mib); });
  ASSERT_EQ(found.size(), told.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    ASSERT_TRUE(found[i]) << i;
    EXPECT_GE(found[i]->holds, 0.99 * told[i] / one_size) << i;
    EXPECT_LE(found[i]->holds, told[i] * one_size) << i;
    EXPECT_LE(found[i]->whole, found[i]->holds) << i;
  }
  EXPECT_NEAR(found[2]->here_s, 16e-9, 1e-12);
  EXPECT_NEAR(found[2]->beyond_s, 140e-9, 1e-12);
}

/// What a virtual machine of two cores has of 32 MB: a chase 5 MB, as neighbours take what is revisited slowly.
TEST(CacheSteps, AShareOfACache) {
  for (const double share : {4.0 * mib, 5.0 * mib, 9.0 * mib, 17.0 * mib}) {
    const auto found = steps([&](double size) { return chase(size, share); });
    ASSERT_TRUE(found[2]) << share;
    EXPECT_GE(found[2]->holds, share / one_size) << share;
    EXPECT_LE(found[2]->holds, share * one_size) << share;
    ASSERT_TRUE(found[1]);
    EXPECT_NEAR(found[1]->holds / (2 * mib), 1, 0.3);
  }
}

TEST(CacheSteps, HoldsUpToWhereTheTimeIsHalfWayAndIsWholeBefore) {
  // from 8 MB on slower by and by, as fast as memory at 64 MB; half way (of logarithms) at 22.6 MB
  const auto found = steps([](double size) {
    const double along = std::clamp(std::log2(size / (8 * mib)) / 3, 0.0, 1.0);
    return chase(size, 1e12) * std::pow(140.0 / 16.0, size > 2 * mib ? along : 0);
  });
  ASSERT_TRUE(found[2]);
  EXPECT_NEAR(found[2]->holds / mib, 22.6, 4);
  EXPECT_NEAR(found[2]->whole / mib, 8, 2);
}

TEST(CacheSteps, NothingOfACacheThatCannotBeToldFromWhatLiesBehind) {
  const auto none = steps([](double) { return 5e-9; });
  for (const auto& step : none) EXPECT_FALSE(step);
  const auto all_taken = steps([](double size) { return chase(size, 0); });  // others have all of L3
  EXPECT_TRUE(all_taken[1]);
  EXPECT_FALSE(all_taken[2]);
  EXPECT_FALSE(cache_steps(told, std::vector<double>{1e5, 1e6}, std::vector<double>{1, 2})[0]) << "too short";
}

/// Times that scatter by a tenth, and one in ten that took twice as long.
/// Of 80,000, a file of a megabyte, they would take 50 GB.
TEST(CacheSteps, NoneOfMoreSizesThanASweepHas) {
  const auto sizes = ladder(16 * kib, 128 * mib, 100);
  std::vector<double> times;
  for (const double size : sizes) times.push_back(chase(size, 20 * mib));
  ASSERT_GT(sizes.size(), 1000U);
  for (const auto& step : cache_steps(told, sizes, times)) EXPECT_FALSE(step);
}

TEST(CacheSteps, StandsNoise) {
  std::mt19937 random(7);
  std::normal_distribution<double> scatter(0, 0.1);
  std::uniform_real_distribution<double> luck(0, 1);
  int good = 0;
  constexpr int machines = 200;
  for (int i = 0; i < machines; ++i) {
    const double share = 4 * mib * std::exp2(3 * luck(random));
    const auto found = steps(
        [&](double size) { return chase(size, share) * std::exp(scatter(random)) * (luck(random) < 0.1 ? 2 : 1); });
    good += found[2] && std::abs(std::log2(found[2]->holds / share)) < 0.5 ? 1 : 0;
  }
  EXPECT_GE(good, 190);
}

/// 400, 200 and 100 GB/s out of the caches, 20 out of memory, of which L3 holds 12 MB and a part up to 48.
double sweep_rate(double size) {
  const double along = std::clamp(std::log2(size / (12 * mib)) / 2, 0.0, 1.0);
  return size <= 64 * kib ? 400e9 : size <= 2 * mib ? 200e9 : 100e9 * std::pow(0.2, along);
}

Roofline swept() {
  Roofline roofline;
  roofline.set_levels({{"L1", told[0]}, {"L2", told[1]}, {"L3", told[2]}, {"DRAM", 0}});
  for (const auto& [level, rate] : {std::pair{"L1", 400e9}, {"L2", 200e9}, {"L3", 100e9}, {"DRAM", 20e9}})
    roofline.add(test::bandwidth_roof(level, rate, Access::read));
  Curve curve;
  curve.name = working_set_sweep;
  curve.series = "read";
  curve.x = ladder(16 * kib, 128 * mib);
  for (const double size : curve.x) curve.y.push_back(sweep_rate(size));
  roofline.set_sweeps(std::vector{curve});
  return roofline;
}

double bound_of(const Roofline& roofline, double size) {
  return roofline.judge(std::vector{test::stage(Unit::vector, 0, size, 0)}, Types{}).bound->time_s;
}

TEST(Sweeps, APassIsBoundByTheBandwidthAtItsOwnSize) {
  const Roofline roofline = swept();
  for (const double size : ladder(16 * kib, 128 * mib)) {
    const double share = bound_of(roofline, size) * sweep_rate(size) / size;
    EXPECT_GE(share, 0.9) << size;  // up to where a cache is whole by its own row
    EXPECT_LE(share, 1 + 1e-9) << size;
  }
  for (double size = 16 * kib; size < 512 * mib; size *= 1.07) {  // between them too
    const double share = bound_of(roofline, size) * sweep_rate(size) / size;
    EXPECT_GE(share, 0.5) << size;  // where a cache ends between two sizes
    EXPECT_LE(share, 1.05) << size;
  }
}

TEST(Sweeps, CapacitiesAreThoseMeasuredBesideThoseTold) {
  const auto levels = swept().levels();
  EXPECT_EQ(levels[2].told_bytes, told[2]);
  EXPECT_NEAR(levels[2].capacity_bytes / mib, 12, 3) << "what is served in part, up to 24 MB, is not its capacity";
  EXPECT_NEAR(levels[2].whole_bytes / mib, 12, 3);
  EXPECT_EQ(levels[3].capacity_bytes, 0);
}

/// The levels after a sweep with this time a byte, s.
std::vector<Level> levels_after(const std::function<double(double)>& time) {
  Roofline roofline;
  roofline.set_levels({{"L1", told[0]}, {"L2", told[1]}, {"L3", told[2]}, {"DRAM", 0}});
  Curve curve;
  curve.name = working_set_sweep;
  curve.series = "read";
  curve.x = ladder(16 * kib, 128 * mib);
  for (const double size : curve.x) curve.y.push_back(1 / time(size));
  roofline.set_sweeps(std::vector{curve});
  return roofline.levels();
}

TEST(Sweeps, ACapacityIsNeverMoreThanTheSystemTells) {
  const auto levels = levels_after([](double size) { return chase(size, 50 * mib); });
  EXPECT_EQ(levels[2].told_bytes, told[2]);
  EXPECT_EQ(levels[2].capacity_bytes, told[2]);
  EXPECT_EQ(levels[2].whole_bytes, told[2]);
}

TEST(Sweeps, ACacheThatDoesNotShowIsNoLargerThanTheOneInside) {
  const auto levels = levels_after([](double size) { return chase(size, 0); });  // others have all of L3
  EXPECT_EQ(levels[2].told_bytes, 0) << "nothing was found of it";
  EXPECT_NEAR(levels[1].whole_bytes / mib, 2, 0.5);
  EXPECT_EQ(levels[2].whole_bytes, levels[1].whole_bytes);
}

/// 30 MB of 100 GB/s and 20 GB/s: the part of the bytes that memory has the time for.
TEST(Sweeps, TrafficIsWhatTheTimeAllows) {
  const Roofline roofline = swept();
  const double size = ladder(16 * kib, 128 * mib)[32];  // 26 MB
  const auto traffic = least_traffic(test::stage(Unit::vector, 0, size, 0), roofline.levels(), false);
  EXPECT_NEAR(traffic[3] / size, 20e9 / sweep_rate(size), 1e-9);
  EXPECT_EQ(traffic[2], size);
  EXPECT_EQ(traffic[0] + traffic[1], 0);
}

TEST(Sweeps, WhatNoProgramBeatsCountsOnAllThatTheCacheIsSaidToHold) {
  const Roofline highest = swept().at_highest();
  EXPECT_NEAR(bound_of(highest, 30 * mib) / (30 * mib / 100e9), 1, 1e-9) << "all 32 MB may be had another time";
  EXPECT_LT(bound_of(highest, 100 * mib), bound_of(swept(), 100 * mib));
}

TEST(Sweeps, ASweepThatWasFasterThanTheRowIsWhatAPassMayReach) {
  Roofline roofline;
  roofline.set_levels({{"L1", told[0]}, {"L2", told[1]}, {"L3", told[2]}, {"DRAM", 0}});
  for (const auto& [level, rate] : {std::pair{"L1", 400e9}, {"L2", 200e9}, {"L3", 80e9}, {"DRAM", 20e9}})
    roofline.add(test::bandwidth_roof(level, rate, Access::read));
  Curve curve;
  curve.name = working_set_sweep;
  curve.series = "read";
  curve.x = ladder(16 * kib, 128 * mib);
  for (const double size : curve.x) curve.y.push_back(sweep_rate(size));
  roofline.set_sweeps(std::vector{curve});
  const double size = curve.x[28];
  ASSERT_EQ(sweep_rate(size), 100e9);
  EXPECT_NEAR(bound_of(roofline, size) * 100e9 / size, 1, 1e-9);
  EXPECT_NEAR(bound_of(roofline.at_highest(), size) * 100e9 / size, 1, 1e-9);
}

TEST(Sweeps, CurvesThatSayNothingChangeNothing) {
  Roofline roofline = test::simple(Unit::vector, Types{}, 1e9, 1e9);
  roofline.set_levels({{"L1", told[0]}, {"DRAM", 0}});
  Curve failed;
  failed.name = working_set_sweep;
  failed.series = "read";
  failed.x = ladder(16 * kib, mib);
  failed.y.assign(failed.x.size(), 1e9);
  roofline.set_sweeps(std::vector{failed});  // flat
  failed.status = Status::suspect;
  for (std::size_t i = 6; i < failed.y.size(); ++i) failed.y[i] = 1e8;
  roofline.set_sweeps(std::vector{failed});
  EXPECT_EQ(roofline.levels()[0].told_bytes, 0);
  EXPECT_TRUE(roofline.levels()[1].swept.empty());
}

}  // namespace
}  // namespace gable
