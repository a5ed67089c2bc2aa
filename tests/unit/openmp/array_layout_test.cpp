#include "backends/openmp/ceilings/array_layout.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace gable::openmp {
namespace {

constexpr std::size_t ample = std::size_t{1} << 40;

// By hand: the second array of copy begins 512 bytes into a page, and halves of 1024 doubles begin one page apart, so a
// load at offset 512 + x follows the store to it that is a page less 512 bytes ahead. The halves of 2048 doubles begin
// at the same offset: each load of update's second half follows a store of its first half at once.
TEST(ArrayLayout, StoresAreAheadOfLoadsByWhatTheOffsetsSay) {
  EXPECT_EQ(store_lead_bytes(Access::copy, {1024, 1088}), 3584u);
  EXPECT_EQ(store_lead_bytes(Access::triad, {1024, 1088}), 3072u);
  EXPECT_EQ(store_lead_bytes(Access::update, {2048, 2112}), 0u);
  EXPECT_EQ(store_lead_bytes(Access::update, {1536, 1600}), 2048u);
}

TEST(ArrayLayout, LoopsWithoutLoadsOrStoresWaitForNothing) {
  EXPECT_EQ(store_lead_bytes(Access::read, {2048, 2112}), 4096u);
  EXPECT_EQ(array_layout(Access::read, 2048, ample).doubles, 2048u);
  EXPECT_EQ(array_layout(Access::write, 2050, ample).doubles, 2048u);
}

class EveryLength : public testing::TestWithParam<Access> {};

TEST_P(EveryLength, KeepsLoadsFromStoresAndMostOfTheLength) {
  for (std::size_t doubles = 64; doubles < 70'000; doubles += 64) {
    const auto layout = array_layout(GetParam(), doubles, ample);
    EXPECT_GE(store_lead_bytes(GetParam(), layout), 1024u) << doubles;
    EXPECT_EQ(layout.doubles % 64, 0u) << doubles;
    EXPECT_LE(layout.doubles, doubles);
    EXPECT_GE(2 * layout.doubles, doubles);
    EXPECT_GE(layout.distance, layout.doubles) << doubles << ": arrays overlap";
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, EveryLength, testing::Values(Access::copy, Access::update, Access::triad),
                         [](const auto& loop) { return std::string(to_string(loop.param)); });

TEST(ArrayLayout, AllArraysStayWithinTheRoom) {
  for (const std::size_t room : {1000u, 5000u, 100'000u}) {
    const auto layout = array_layout(Access::triad, room / 3, room);
    EXPECT_LE(2 * layout.distance + layout.doubles, room);
  }
}

}  // namespace
}  // namespace gable::openmp
