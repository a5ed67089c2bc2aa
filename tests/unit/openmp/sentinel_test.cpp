#include "backends/openmp/sentinel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/error_of.hpp"

namespace gable::openmp {
namespace {

TEST(Sentinel, TakesTime) {
  const Sentinel sentinel = run_sentinel();
  EXPECT_GT(sentinel.chain_s, 0.0);
  EXPECT_GT(sentinel.throughput_s, 0.0);
}

TEST(Sentinel, OfOneThreadGivesTheMeanOfItsRatios) {
  const SentinelPair pair{{8.0, 6.0}, {4.0, 5.0}};  // 0.75 before, 1.25 after, at another clock
  measure::TimedBatch batch;
  describe({&pair, 1}, batch);
  EXPECT_DOUBLE_EQ(batch.sentinel_s, 12.0);
  EXPECT_DOUBLE_EQ(batch.throughput_s, 1.0 * 12.0);
}

TEST(Sentinel, OfSeveralGivesTheSlowestChainAndTheWorstRatioOfAny) {
  const std::vector<SentinelPair> threads{{{8.0, 6.0}, {8.0, 6.0}},  // slow clock, a core of its own
                                          {{4.0, 3.0}, {4.0, 6.0}},  // fast clock, shared after the batch: 1.125
                                          {{4.0, 3.0}, {4.0, 3.0}}};
  measure::TimedBatch batch;
  describe(threads, batch);
  EXPECT_DOUBLE_EQ(batch.sentinel_s, 16.0);
  EXPECT_DOUBLE_EQ(batch.throughput_s / batch.sentinel_s, 1.125);
}

TEST(Sentinel, OfNoThreadIsNone) {
  measure::TimedBatch batch;
  describe({}, batch);
  EXPECT_EQ(batch.sentinel_s, 0.0);
  EXPECT_EQ(batch.throughput_s, 0.0);
}

TEST(SentinelThreads, NameACpuThatMayNotBeUsed) {
  EXPECT_NE(error_of([&] { SentinelThreads threads({0, 4095}); }).find("4095"), std::string::npos);
}

}  // namespace
}  // namespace gable::openmp
