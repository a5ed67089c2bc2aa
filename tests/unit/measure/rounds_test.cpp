#include "core/measure/rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/error.hpp"

namespace gable::measure {
namespace {

/// Blocks of these figures, `per_round` in each round.
std::vector<Block> blocks_of(const std::vector<double>& figures, std::size_t per_round) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < figures.size(); ++i)
    blocks.push_back({.figure = figures[i], .batches = 1, .round = static_cast<int>(i / per_round)});
  return blocks;
}

TEST(BetweenRounds, IsStudentsIntervalOfTheLogarithmsOfTheirMedians) {
  // Medians 1, e, e^2: logarithms 0, 1, 2 with mean 1 and standard deviation 1; t of two degrees of freedom is 4.3027.
  const double e = std::exp(1.0);
  const std::vector<double> figures{0.9, 1, 1.1, e, e, e, 7, e * e, 8};
  const std::vector<int> rounds{0, 0, 0, 1, 1, 1, 2, 2, 2};
  const auto interval = between_rounds(figures, rounds);
  ASSERT_TRUE(interval);
  const double half = 4.30265273 / std::sqrt(3.0);
  EXPECT_NEAR(std::log(interval->low), 1 - half, 1e-6);
  EXPECT_NEAR(std::log(interval->high), 1 + half, 1e-6);
}

TEST(BetweenRounds, TwoRoundsSayNothing) {
  EXPECT_FALSE(between_rounds(std::vector<double>{1, 1, 1, 2, 2, 2}, std::vector<int>{0, 0, 0, 1, 1, 1}));
}

TEST(Estimate, HoldsWhatDiffersBetweenRounds) {
  // Within a round the figures agree to 0.1 %, from one to the next they differ by 4 %.
  const auto blocks = blocks_of({1.0, 1.001, 0.999, 1.04, 1.041, 1.039, 0.96, 0.961, 0.959}, 3);
  const auto seen = estimate(blocks, {});
  EXPECT_DOUBLE_EQ(seen.value, 1.0);
  ASSERT_TRUE(seen.ci_low);
  EXPECT_LT(*seen.ci_low, 0.96);
  EXPECT_GT(*seen.ci_high, 1.04);
  EXPECT_EQ(seen.rounds, (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(seen.taken, blocks);
}

TEST(Estimate, OfAFewBlocksInThreeRoundsKeepsItsWideInterval) {
  const auto seen = estimate(blocks_of({1.0, 1.1, 0.9}, 1), {});
  ASSERT_TRUE(seen.ci_low && seen.ci_high);
  EXPECT_LT(*seen.ci_low, 0.9);
  EXPECT_GT(*seen.ci_high, 1.1);
  EXPECT_FALSE(estimate(blocks_of({1.0, 1.1, 0.9}, 3), {}).ci_low) << "one round of three blocks tells nothing";
}

TEST(Estimate, SaysWhichSamplesWereDisturbedSoThatItsValueCanBeRecomputed) {
  auto blocks = blocks_of({1, 5, 1.01, 5, 0.99, 5, 1, 1.01, 0.99}, 3);
  for (const std::size_t i : {1, 3, 5}) blocks[i].involuntary_switches = 1;
  for (const bool ceiling : {false, true}) {
    const auto seen = estimate(blocks, {.larger_is_slower = true, .ceiling = ceiling});
    EXPECT_EQ(seen.estimator, Estimator::undisturbed);
    EXPECT_EQ(seen.disturbed_samples, (std::vector<int>{1, 3, 5}));
    EXPECT_EQ(seen.used_blocks, 6);
    EXPECT_DOUBLE_EQ(seen.value, 1.0);
  }
}

TEST(Estimate, RestsOnAllBlocksWhereTooFewAreUndisturbed) {
  auto blocks = blocks_of({5, 5, 5, 5, 5, 1, 1, 1, 1, 1}, 5);
  for (std::size_t i = 0; i < 6; ++i) blocks[i].stolen_s = 0.01;
  const auto seen = estimate(blocks, {.larger_is_slower = true});
  EXPECT_EQ(seen.estimator, Estimator::median);
  EXPECT_DOUBLE_EQ(seen.value, 3.0);
  EXPECT_TRUE(rests_on_disturbed_blocks(seen));
  EXPECT_FALSE(wants_another_round(seen, 10.0)) << "its interval holds both states";
}

TEST(Estimate, ThatRestsOnASharedCoreHoldsWhatItWouldBeWithoutTheNeighbour) {
  auto blocks = blocks_of({100, 100, 100, 100, 100, 100, 100, 100, 100}, 3);
  for (Block& block : blocks) {
    block.sentinel_s = 1e-5;
    block.throughput_s = 1.2e-5;
  }
  const auto rate = estimate(blocks, {.throughput_baseline = 1.0});
  EXPECT_DOUBLE_EQ(rate.value, 100);
  EXPECT_DOUBLE_EQ(*rate.ci_low, 100);
  EXPECT_NEAR(*rate.ci_high, 120, 1e-9);
  EXPECT_FALSE(shared_its_core(rate)) << "20 % lost: the interval holds it";
  const auto time = estimate(blocks, {.larger_is_slower = true, .throughput_baseline = 1.0});
  EXPECT_NEAR(*time.ci_low, 100 / 1.2, 1e-9);
  EXPECT_DOUBLE_EQ(*time.ci_high, 100);
  const auto lost = estimate(blocks, {.throughput_baseline = 0.9});
  EXPECT_TRUE(shared_its_core(lost)) << "33 % lost";
  EXPECT_TRUE(wants_another_round(lost, 10.0));
  const auto memory = estimate(blocks, {.throughput_baseline = 0.9, .core_bound = false});
  EXPECT_FALSE(shared_its_core(memory)) << "what waits for memory does not feel it";
  EXPECT_EQ(memory.seen.disturbed_blocks, 0);
  EXPECT_DOUBLE_EQ(*memory.ci_high, 100);
}

TEST(Estimate, OfThreadsThatOthersKeptFromRunningIsThatOfASharedCore) {
  // Two programs beside it on each core, all the time: blocks agree with each other, and say nothing of the machine.
  auto blocks = blocks_of({33, 33, 33, 33, 33, 33, 33, 33, 33}, 3);
  for (Block& block : blocks) block.preemption = 3;
  const auto rate = estimate(blocks, {.ceiling = true, .core_bound = false});
  EXPECT_TRUE(shared_its_core(rate));
  EXPECT_NEAR(*rate.ci_high, 99, 1e-9);
  for (Block& block : blocks) {
    block.sentinel_s = 1e-5;
    block.throughput_s = 1.5e-5;
  }
  EXPECT_NEAR(*estimate(blocks, {.ceiling = true, .throughput_baseline = 1.0}).ci_high, 33 * 3 * 1.5, 1e-9)
      << "a part of the core while it ran, and a part of the time";
  for (Block& block : blocks) {
    block.preemption = 1.001;
    block.throughput_s = 1e-5;
  }
  EXPECT_FALSE(rests_on_disturbed_blocks(estimate(blocks, {.ceiling = true})));
}

/// Nine blocks of three rounds that agree with each other, all of them held back so much.
std::vector<Block> held_back(double preemption) {
  auto blocks = blocks_of(std::vector<double>(9, 0.1), 3);
  for (Block& block : blocks) block.preemption = preemption;
  return blocks;
}

TEST(WasHeldBack, WhereNoBlockRanAllTheTimeWhateverTheSpread) {
  auto blocks = held_back(5);
  const auto held = estimate(blocks, {.larger_is_slower = true});
  EXPECT_TRUE(was_held_back(held));
  EXPECT_TRUE(wants_another_round(held, 10.0));
  EXPECT_NE(held_back_words(held).find("80 % of its time"), std::string::npos) << held_back_words(held);
  EXPECT_FALSE(was_held_back(estimate(held_back(1.2), {.larger_is_slower = true})));
  EXPECT_NEAR(*estimate(held_back(1.2), {.larger_is_slower = true}).ci_low, 0.1 / 1.2, 1e-9)
      << "less than that its interval holds";
  EXPECT_FALSE(was_held_back(estimate(held_back(1), {.larger_is_slower = true})));
  for (std::size_t i = 0; i < 6; ++i) blocks[i] = Block{.figure = 0.02, .batches = 1, .round = blocks[i].round};
  const auto between = estimate(blocks, {.larger_is_slower = true});
  EXPECT_FALSE(was_held_back(between)) << "six blocks ran all the time";
  EXPECT_DOUBLE_EQ(between.value, 0.02);
}

TEST(WasHeldBack, IsDecidedByTheThreadThatWaitedLongestAndTheIntervalHoldsTheSum) {
  auto blocks = held_back(1.2);
  for (Block& block : blocks) block.most_preemption = 1.6;
  const auto held = estimate(blocks, {.larger_is_slower = true});
  EXPECT_FALSE(was_held_back(held));
  EXPECT_NEAR(*held.ci_low, 0.1 / 1.6, 1e-9);
  for (Block& block : blocks) block.preemption = 1;
  EXPECT_EQ(estimate(blocks, {}).seen.disturbed_blocks, 0) << "no thread waited for long";
}

TEST(WasHeldBack, SaysWhatHeldIt) {
  auto blocks = held_back(2);
  EXPECT_NE(held_back_words(estimate(blocks, {})).find("others had the processors"), std::string::npos);
  for (Block& block : blocks) block.throttled_s = 0.5;
  EXPECT_NE(held_back_words(estimate(blocks, {})).find("a processor quota stopped them for 4.5 s"), std::string::npos);
  for (Block& block : blocks) block.stolen_s = 0.01;
  EXPECT_NE(held_back_words(estimate(blocks, {})).find("a hypervisor took 0.09 s"), std::string::npos);
}

TEST(WasHeldBack, WhereThreadsWereMovedInMostBlocks) {
  auto blocks = held_back(1);
  for (Block& block : blocks) block.moved = 1;
  const auto moved = estimate(blocks, {});
  EXPECT_EQ(moved.disturbed_samples.size(), 9U);
  EXPECT_TRUE(was_held_back(moved));
  EXPECT_NE(held_back_words(moved).find("changed the cpus"), std::string::npos) << held_back_words(moved);
  for (std::size_t i = 1; i < 9; ++i) blocks[i].moved = 0;
  EXPECT_FALSE(was_held_back(estimate(blocks, {})));
}

TEST(Estimate, AModeHasTheIntervalOfItsRounds) {
  // One round of three is slow and nothing saw it: the mode is that of the others, and the interval says that it hangs
  // on which rounds there were.
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.005);
  std::vector<double> figures;
  for (int i = 0; i < 24; ++i) figures.push_back((i < 16 ? 1.0 : 0.5) * noise(random));
  const auto seen = estimate(blocks_of(figures, 8), {.ceiling = true});
  EXPECT_EQ(seen.estimator, Estimator::mode);
  EXPECT_NEAR(seen.value, 1, 0.02);
  EXPECT_LT(*seen.ci_low, 0.52);
}

TEST(Estimate, AModeHasTheClockOfItsSpeed) {
  // Ten blocks at one clock, and ten, whose figures follow their clocks, below it.
  std::vector<double> figures(10, 100.0);
  for (int i = 0; i < 10; ++i) figures.push_back(80.0 + 1.5 * i);
  auto blocks = blocks_of(figures, 5);
  for (Block& block : blocks) block.clock_hz = 1.9e7 * block.figure;
  const auto seen = estimate(blocks, {.ceiling = true});
  EXPECT_EQ(seen.estimator, Estimator::mode);
  EXPECT_DOUBLE_EQ(seen.value, 100);
  EXPECT_DOUBLE_EQ(*seen.clock_hz, 1.9e9) << "the median of all is 1.8 GHz";
}

TEST(Estimate, OfNoBlocksIsRefused) { EXPECT_THROW(estimate({}, {}), Error); }

TEST(WantsAnotherRound, WhereOneMomentAloneWasUndisturbed) {
  auto blocks = blocks_of(std::vector<double>(24, 100.0), 8);
  for (std::size_t i = 0; i < 16; ++i) blocks[i].involuntary_switches = 1;
  const auto one_round = estimate(blocks, {});
  EXPECT_EQ(one_round.used_blocks, 8);
  EXPECT_TRUE(wants_another_round(one_round, 0.1));
  blocks[0].involuntary_switches = 0;
  EXPECT_FALSE(wants_another_round(estimate(blocks, {}), 0.1));
}

TEST(WantsAnotherRound, WhereTheIntervalIsWideOrMissing) {
  Estimate seen;
  seen.value = 100;
  seen.blocks = seen.used_blocks = 8;
  EXPECT_TRUE(wants_another_round(seen, 0.1)) << "no interval";
  seen.ci_low = 85;
  seen.ci_high = 107;
  EXPECT_TRUE(wants_another_round(seen, 0.1));
  EXPECT_FALSE(wants_another_round(seen, 0.12));
}

}  // namespace
}  // namespace gable::measure
