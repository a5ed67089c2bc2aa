#include "backends/openmp/cpuid_caches.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gable::openmp {
namespace {

constexpr double mib = 1024.0 * 1024.0;

/// As hwloc makes it out of CPUID leaf 0x80000006 alone: the L3 of the package for every core.
MemoryLevel shown(double bytes, int cores) { return {"L3", bytes, cores, 1, 64, "hwloc"}; }

TEST(PackageL3, OfTurinIsThatOfItsComplexes) {
  // EPYC 9755: 16 complexes of 8 cores and 32 MiB; a guest with two cores saw 508 MiB for each.
  const auto level = l3_of_complexes(shown(508 * mib, 2), 508 * mib, "Zen 5", 0x02, 2);
  ASSERT_TRUE(level);
  EXPECT_DOUBLE_EQ(level->size_bytes, 32 * mib);
  EXPECT_EQ(level->instances, 1);
  EXPECT_EQ(level->shared_by, 2);
  EXPECT_EQ(level->line_bytes, 64);
  EXPECT_NE(level->source.find("508 MiB"), std::string::npos) << level->source;
}

TEST(PackageL3, TakesAsFewComplexesAsHoldTheCores) {
  const auto milan = l3_of_complexes(shown(256 * mib, 24), 256 * mib, "Zen 3", 0x01, 24);  // EPYC 7763
  ASSERT_TRUE(milan);
  EXPECT_EQ(milan->instances, 3);
  EXPECT_EQ(milan->shared_by, 8);
  const auto rome = l3_of_complexes(shown(256 * mib, 6), 256 * mib, "Zen 2", 0x31, 6);  // EPYC 7742
  ASSERT_TRUE(rome);
  EXPECT_DOUBLE_EQ(rome->size_bytes, 16 * mib);
  EXPECT_EQ(rome->instances, 2);
}

TEST(PackageL3, KnowsStackedCacheByAPackageThatCannotBeWithout) {
  const auto genoa_x = l3_of_complexes(shown(1152 * mib, 8), 1152 * mib, "Zen 4", 0x11, 8);  // EPYC 9684X: 12 of 96 MiB
  ASSERT_TRUE(genoa_x);
  EXPECT_DOUBLE_EQ(genoa_x->size_bytes, 96 * mib);
  EXPECT_FALSE(l3_of_complexes(shown(96 * mib, 1), 96 * mib, "Zen 3", 0x21, 8));  // Ryzen 5800X3D: one complex
}

TEST(PackageL3, OfDenseCoresIsThatOfTheirComplexes) {
  const auto bergamo = l3_of_complexes(shown(256 * mib, 16), 256 * mib, "Zen 4", 0xa0, 16);  // EPYC 9754: 16 of 16 MiB
  ASSERT_TRUE(bergamo);
  EXPECT_DOUBLE_EQ(bergamo->size_bytes, 16 * mib);
  EXPECT_EQ(bergamo->instances, 2);
  const auto turin = l3_of_complexes(shown(384 * mib, 16), 384 * mib, "Zen 5", 0x11, 16);  // EPYC 9965: 12 of 32 MiB
  ASSERT_TRUE(turin);
  EXPECT_DOUBLE_EQ(turin->size_bytes, 32 * mib);
  EXPECT_EQ(turin->instances, 1);
  EXPECT_EQ(turin->shared_by, 16);
}

TEST(PackageL3, LeavesWhatIsBelievable) {
  EXPECT_FALSE(l3_of_complexes(shown(32 * mib, 1), 32 * mib, "Zen 3", 0x21, 8));  // Ryzen 5800X: one complex
  EXPECT_FALSE(l3_of_complexes(shown(260 * mib, 1), 260 * mib, "Emerald Rapids", 0xcf, 2));
}

}  // namespace
}  // namespace gable::openmp
