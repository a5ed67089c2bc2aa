#include <gtest/gtest.h>

#include <vector>

#include "benchmarks/sentinel_score.hpp"
#include "core/error.hpp"

namespace gable::bench {
namespace {

TEST(SentinelScore, CountsSlowOnesThatAreSeenAndGoodOnesThatAreDoubted) {
  const std::vector<double> times{1.00, 1.01, 1.02, 1.05, 1.11, 1.20, 2.00};
  const std::vector<bool> disturbed{false, true, false, true, false, true, true};
  const auto result = score(times, disturbed, 1.0, 0.025, 0.10);
  EXPECT_EQ(result.good, 3);  // 1.00, 1.01, 1.02
  EXPECT_EQ(result.doubted, 1);
  EXPECT_EQ(result.slow, 3);  // 1.11, 1.20, 2.00; 1.05 is neither
  EXPECT_EQ(result.seen, 2);
}

TEST(SentinelScore, TakesTheDensestOfTheFastestQuarterForUndisturbed) {
  EXPECT_NEAR(undisturbed_time(std::vector<double>{2.0, 2.0, 2.0, 1.0, 2.0, 1.0, 2.0, 0.5, 2.0, 2.0}), 1.0, 1e-12);
  EXPECT_THROW(undisturbed_time({}), Error);
}

}  // namespace
}  // namespace gable::bench
