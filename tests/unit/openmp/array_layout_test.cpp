#include "backends/openmp/ceilings/array_layout.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace gable::openmp {
namespace {

constexpr std::size_t ample = std::size_t{1} << 40;

// By hand: b of copy begins 512 bytes into a page, and halves of 1024 doubles begin one page apart, so a load at offset
// 512 + x follows the store to it that is a page less 512 bytes ahead. The halves of 2048 doubles begin at the same
// offset: each load of update's second half follows a store of its first half at once.
TEST(ArrayLayout, StoresAreAheadOfLoadsByWhatTheOffsetsSay) {
  EXPECT_EQ(store_lead_bytes(Access::copy, {1024, 1088}), 3584u);
  EXPECT_EQ(store_lead_bytes(Access::triad, {1024, 1088, 2176}), 3072u);
  EXPECT_EQ(store_lead_bytes(Access::update, {2048}), 0u);
  EXPECT_EQ(store_lead_bytes(Access::update, {1536}), 2048u);
}

TEST(ArrayLayout, LoopsWithoutLoadsOrStoresWaitForNothing) {
  EXPECT_EQ(store_lead_bytes(Access::read, {2048}), 4096u);
  EXPECT_EQ(array_layout(Access::read, 2048, ample).doubles, 2048u);
  EXPECT_EQ(array_layout(Access::write, 2050, ample).doubles, 2048u);
}

TEST(ArrayLayout, KeepsLoadsFromStoresAtEveryLength) {
  for (std::size_t doubles = 64; doubles < 70'000; doubles += 64) {
    for (const Access access : {Access::copy, Access::triad}) {
      const auto layout = array_layout(access, doubles, ample);
      EXPECT_GE(store_lead_bytes(access, layout), 1024u) << doubles;
      EXPECT_EQ(layout.doubles, doubles);
      EXPECT_GE(layout.b, doubles);
      EXPECT_TRUE(layout.c == 0 || layout.c >= layout.b + doubles) << doubles;
    }
    const auto update = array_layout(Access::update, doubles, ample);
    const std::size_t possible = doubles < 256 ? 0 : 1024;  // bytes that the halves are apart at all
    EXPECT_GE(store_lead_bytes(Access::update, update), possible) << doubles;
    EXPECT_EQ(update.doubles % 64, 0u);
    EXPECT_LE(update.doubles, doubles);
    EXPECT_GE(2 * update.doubles, doubles);
  }
}

TEST(ArrayLayout, AllArraysStayWithinTheRoom) {
  for (const std::size_t room : {2000u, 5000u, 100'000u}) {
    EXPECT_LE(array_layout(Access::triad, room / 3, room).extent(), room);
  }
}

}  // namespace
}  // namespace gable::openmp
