#include "backends/gpu/random_cycle.hpp"

#include <gtest/gtest.h>

namespace gable::gpu::test {
namespace {

TEST(RandomCycle, VisitsEveryNumberOnceBeforeItComesBack) {
  for (const std::size_t count : {2U, 3U, 1000U}) {
    const auto next = random_cycle(count, 7);
    std::size_t at = 0;
    for (std::size_t step = 1; step < count; ++step) {
      at = next[at];
      EXPECT_NE(at, 0U) << "back after " << step << " of " << count;
    }
    EXPECT_EQ(next[at], 0U);
  }
}

TEST(RandomCycle, HasNoStrideAndDependsOnTheSeedOnly) {
  const auto next = random_cycle(1000, 7);
  std::size_t same_stride = 0;
  for (std::size_t i = 1; i < next.size(); ++i) same_stride += (next[i] - i == next[i - 1] - (i - 1)) ? 1U : 0U;
  EXPECT_LT(same_stride, 20U);
  EXPECT_EQ(random_cycle(1000, 7), next);
  EXPECT_NE(random_cycle(1000, 8), next);
}

}  // namespace
}  // namespace gable::gpu::test
