// The parts of the CPU ceilings that need no machine: working sets, factors, cycles, what a curve says of the levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "backends/openmp/ceilings/benchmarks.hpp"
#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {
namespace {

constexpr double kib = 1024.0, mib = 1024.0 * kib, gib = 1024.0 * mib;
const std::vector<Level> usual{{"L1", 64 * kib}, {"L2", 1 * mib}, {"L3", 32 * mib}, {"DRAM", 0}};

TEST(WorkingSets, LieInsideTheirLevelAndBeyondTheInnerOne) {
  const auto sets = working_sets(usual, 4 * gib, 4.0);
  ASSERT_EQ(sets.size(), usual.size());
  double inside = 0.0;
  for (std::size_t i = 0; i + 1 < usual.size(); ++i) {
    EXPECT_TRUE(sets[i].reason.empty()) << sets[i].reason;
    EXPECT_GE(sets[i].bytes, 2.0 * inside) << usual[i].name;
    EXPECT_LE(sets[i].bytes, usual[i].capacity_bytes) << usual[i].name;
    inside = usual[i].capacity_bytes;
  }
  EXPECT_GE(sets.back().bytes, 4.0 * (64 * kib + 1 * mib + 32 * mib));
}

/// A chase finds 5 MB of 32, and all of L1 and L2: 5.7 MB become 2.2.
TEST(WorkingSets, StayWithinWhatIsFoundOfACache) {
  const auto planned = working_sets(usual, 4 * gib, 4.0);
  std::vector<std::optional<CacheStep>> found{CacheStep{70 * kib, 64 * kib, 1, 4}, CacheStep{1 * mib, 0.8 * mib, 4, 16},
                                              CacheStep{5 * mib, 4 * mib, 16, 140}};
  const auto sets = within_found(planned, usual, found);
  ASSERT_EQ(sets.size(), planned.size());
  for (const std::size_t same : {0, 1, 3}) EXPECT_EQ(sets[same].bytes, planned[same].bytes) << same;
  EXPECT_NEAR(sets[2].bytes / mib, std::sqrt(5), 0.01);
  found[2].reset();  // nothing shows L3
  EXPECT_EQ(within_found(planned, usual, found)[2].bytes, planned[2].bytes);
  found[2] = CacheStep{32 * mib, 30 * mib, 16, 140};  // all of it
  EXPECT_EQ(within_found(planned, usual, found)[2].bytes, planned[2].bytes);
}

/// 2.2 MB of an L3, whatever is told of it, are walked; so are sizes on both sides of every cache.
TEST(ChaseSizes, GoFromHalfOfTheInnermostCacheToTheLargest) {
  const auto sizes = chase_sizes(usual, 64 * mib, false);
  EXPECT_DOUBLE_EQ(sizes.front(), 32 * kib);
  EXPECT_LE(sizes.back(), 64 * mib * 1.001);
  EXPECT_GE(sizes.back(), 32 * mib);
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const double octaves = std::log2(sizes[i] / sizes[i - 1]);
    EXPECT_GT(octaves, 0.3);
    EXPECT_LE(octaves, sizes[i - 1] >= 33 * mib ? 1.001 : 0.501) << sizes[i];
  }
  double lines = 0;
  for (const double size : sizes) lines += size / 64;
  EXPECT_LT(lines, 4e6) << "a quick run walks them in every round";
}

TEST(WorkingSets, MainMemoryGrowsWithTheFactorUpToTheBudget) {
  const double caches = 64 * kib + 1 * mib + 32 * mib;
  EXPECT_DOUBLE_EQ(working_sets(usual, 4 * gib, 12.0).back().bytes, 12.0 * caches);
  EXPECT_DOUBLE_EQ(working_sets(usual, 5.0 * caches, 12.0).back().bytes, 5.0 * caches);
}

TEST(WorkingSets, MainMemoryOfAFullRunIsFourCachesAnArrayUnlessAPassTakesTooLong) {
  EXPECT_DOUBLE_EQ(memory_factor_for(Mode::quick, 33 * mib, 2), 4.0);
  EXPECT_DOUBLE_EQ(memory_factor_for(Mode::full, 33 * mib, 2), 12.0);      // 0.4 GB: 0.02 s at 10 GB/s a thread
  EXPECT_DOUBLE_EQ(memory_factor_for(Mode::full, 256e6, 2), 2e9 / 256e6);  // 0.1 s are 2 GB
  EXPECT_DOUBLE_EQ(memory_factor_for(Mode::full, 256e6, 1), 4.0);
  EXPECT_DOUBLE_EQ(memory_factor_for(Mode::full, 256e6, 64), 12.0);
}

TEST(WorkingSets, TooLittleMemoryIsAReason) {
  const auto set = working_sets(usual, 100 * mib, 4.0).back();
  EXPECT_EQ(set.bytes, 0.0);
  EXPECT_NE(set.reason.find("100 MiB"), std::string::npos) << set.reason;
}

TEST(WorkingSets, CacheNoLargerThanTheInnerOneIsAReason) {
  const std::vector<Level> levels{{"L1", 32 * kib}, {"L2", 1 * mib}, {"L3", 1.1 * mib}, {"DRAM", 0}};
  const auto sets = working_sets(levels, 4 * gib, 4.0);
  EXPECT_EQ(sets[2].bytes, 0.0);
  EXPECT_NE(sets[2].reason.find("L3"), std::string::npos) << sets[2].reason;
  EXPECT_TRUE(sets[3].reason.empty());
}

/// Firmware and hypervisors leave out caches that are there: 4 x what is shown could lie in one.
TEST(WorkingSets, MachineWithoutAnL3GetsMemoryBeyondAnyCacheAsFarAsTheBudgetGoes) {
  const std::vector<Level> levels{{"L1", 512 * kib}, {"DRAM", 0}};
  EXPECT_DOUBLE_EQ(working_sets(levels, 4 * gib, 4.0).back().bytes, 1 * gib);
  EXPECT_DOUBLE_EQ(working_sets(levels, 100 * mib, 4.0).back().bytes, 100 * mib);
  EXPECT_NE(working_sets(levels, 1 * mib, 4.0).back().reason, "") << "4 x 512 KiB are 2 MiB";
}

TEST(WorkingSets, MachineWithoutKnownCachesStillGetsMemoryBeyondAnyCache) {
  const std::vector<Level> levels{{"DRAM", 0}};
  EXPECT_GE(working_sets(levels, 4 * gib, 4.0).front().bytes, 1 * gib);
}

TEST(WriteAllocate, CountsOneFillForEveryStore) {
  EXPECT_DOUBLE_EQ(write_allocate_factor(Access::read), 1.0);
  EXPECT_DOUBLE_EQ(write_allocate_factor(Access::write), 2.0);
  EXPECT_DOUBLE_EQ(write_allocate_factor(Access::copy), 1.5);
  EXPECT_DOUBLE_EQ(write_allocate_factor(Access::triad), 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(write_allocate_factor(Access::update), 1);
}

TEST(Theory, IsUnitsTimesRateTimesClock) {
  EXPECT_DOUBLE_EQ(theory_at_clock(2, 16.0, 3.5e9).value(), 112e9);
  EXPECT_FALSE(theory_at_clock(2, {}, 3.5e9));
  EXPECT_FALSE(theory_at_clock(2, 16.0, {}));
}

TEST(Policies, SlowIterationGetsTheTimeForItsBlocks) {
  const auto quick = policies_for(Mode::quick).stream;
  EXPECT_DOUBLE_EQ(with_room_for(quick, 1e-6).time_limit_s, quick.time_limit_s);
  EXPECT_GE(with_room_for(quick, 0.5).time_limit_s, 3 * 0.5);  // the first call, two blocks
}

TEST(Policies, FullModeTakesMoreBlocksThanQuick) {
  const auto quick = policies_for(Mode::quick), full = policies_for(Mode::full);
  EXPECT_EQ(full.sustained.warmup_s, quick.sustained.warmup_s) << "so that a quick run can be held against a full one";
  EXPECT_GT(full.stream.blocks, quick.stream.blocks);
  EXPECT_GT(quick.burst.gap_s, 0.0);
  EXPECT_TRUE(quick.burst.ceiling && quick.stream.ceiling && quick.library.ceiling);
}

TEST(PointerChase, PermutationIsOneCycleOverAllLines) {
  for (const std::size_t count : {1UL, 2UL, 3UL, 64UL, 1000UL}) {
    std::vector<ChaseLine> lines(count);
    link_random_cycle(lines, 7);
    std::set<const ChaseLine*> seen;
    const ChaseLine* at = lines.data();
    for (std::size_t i = 0; i < count; ++i) {
      seen.insert(at);
      at = at->next;
    }
    EXPECT_EQ(seen.size(), count);
    EXPECT_EQ(at, lines.data());
  }
}

TEST(PointerChase, NoStrideForAPrefetcherToFind) {
  std::vector<ChaseLine> lines(4096);
  link_random_cycle(lines, 7);
  std::size_t neighbours = 0;
  std::set<std::ptrdiff_t> strides;
  for (auto& line : lines) {
    const auto stride = line.next - &line;
    strides.insert(stride);
    if (std::abs(stride) <= 2) ++neighbours;
  }
  EXPECT_LT(neighbours, lines.size() / 100);
  EXPECT_GT(strides.size(), lines.size() / 4);
}

TEST(PointerChase, LowBitsOfTheLinesFollowNoPattern) {
  std::vector<ChaseLine> lines(50'000);
  link_random_cycle(lines, 7);
  constexpr std::size_t kinds = 8;
  std::array<int, kinds * kinds> steps{};
  for (const auto& line : lines) {
    const auto from = static_cast<std::size_t>(&line - lines.data()),
               to = static_cast<std::size_t>(line.next - lines.data());
    ++steps.at(from % kinds * kinds + to % kinds);
  }
  const double expected = static_cast<double>(lines.size()) / steps.size();  // 781, standard deviation 28
  for (const int seen : steps) EXPECT_NEAR(seen, expected, 5 * std::sqrt(expected));
}

/// A machine that does what its topology says: 400, 200, 100, 20 GB/s.
double ideal_rate(double size, double l3_bytes) {
  if (size <= 64 * kib) return 400e9;
  if (size <= 1 * mib) return 200e9;
  return size <= l3_bytes ? 100e9 : 20e9;
}

std::string verdict_with_l3(double l3_bytes) {
  const auto sizes = sweep_sizes(2, 33 * mib, 256 * mib, 4);
  std::vector<double> rates;
  for (const double size : sizes) rates.push_back(ideal_rate(size, l3_bytes));
  return confirm_levels(usual, sizes, rates);
}

TEST(Sweep, ConfirmsTheLevelsOfACurveThatShowsThem) {
  const auto text = verdict_with_l3(32 * mib);
  for (const char* level : {"L1 confirmed", "L2 confirmed", "L3 confirmed"}) {
    EXPECT_NE(text.find(level), std::string::npos) << text;
  }
}

TEST(Sweep, SaysWhenACacheIsSmallerThanTheTopologyClaims) {
  const auto text = verdict_with_l3(8 * mib);
  EXPECT_NE(text.find("L2 confirmed"), std::string::npos) << text;
  EXPECT_NE(text.find("L3 not confirmed"), std::string::npos) << text;
}

TEST(Sweep, SaysWhenThereIsNoStep) {
  const auto sizes = sweep_sizes(2, 33 * mib, 256 * mib, 4);
  const std::vector<double> flat(sizes.size(), 50e9);
  EXPECT_NE(confirm_levels(usual, sizes, flat).find("L1 not confirmed: no step"), std::string::npos);
}

TEST(Sweep, SizesAscendFromAPageAThreadToTheLargest) {
  const auto sizes = sweep_sizes(2, 0, 1 * mib, 2);
  EXPECT_DOUBLE_EQ(sizes.front(), 8 * kib);
  EXPECT_DOUBLE_EQ(sizes.back(), 1 * mib);
  EXPECT_EQ(sizes.size(), 15U);  // seven doublings, two each, and the first
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
}

TEST(Sweep, TakesADoublingAtATimeWhereOnlyMainMemoryIsLeft) {
  const auto sizes = sweep_sizes(2, 1 * mib, 32 * mib, 4);
  const std::vector<double> last(sizes.end() - 4, sizes.end());
  EXPECT_EQ(last, (std::vector<double>{4 * mib, 8 * mib, 16 * mib, 32 * mib}));
  EXPECT_EQ(sizes.size(), 37U);  // the first, eight doublings of four up to 2 MiB, and these four
}

TEST(Sweep, TakesHalfAsManySizesBeyond32MiBAThread) {
  const auto sizes = sweep_sizes(2, 300 * mib, 512 * mib, 4);
  const auto from = std::ranges::find(sizes, 64 * mib);
  ASSERT_NE(from, sizes.end());
  const std::vector<double> expected{64 * mib,  64 * std::sqrt(2) * mib,  128 * mib, 128 * std::sqrt(2) * mib,
                                     256 * mib, 256 * std::sqrt(2) * mib, 512 * mib};
  ASSERT_EQ(static_cast<std::size_t>(sizes.end() - from), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(*(from + static_cast<std::ptrdiff_t>(i)), expected[i], 1);
}

TEST(CoreCounts, BeginWithOneAndEndWithAll) {
  EXPECT_EQ(core_counts(1), (std::vector<int>{1}));
  EXPECT_EQ(core_counts(2), (std::vector<int>{1, 2}));
  const auto many = core_counts(128);
  EXPECT_EQ(many.front(), 1);
  EXPECT_EQ(many.back(), 128);
  EXPECT_LT(many.size(), 30U);
  EXPECT_TRUE(std::adjacent_find(many.begin(), many.end(), std::greater_equal<>()) == many.end());
}

}  // namespace
}  // namespace gable::openmp
