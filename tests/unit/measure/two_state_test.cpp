// A machine that runs at half its speed for 5 to 30 s at a time, simulated whole: rows, rounds, further rounds. The
// figures of these runs are in docs/statistics.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/measure/disturbance.hpp"
#include "core/measure/rounds.hpp"

namespace gable::measure {
namespace {

constexpr int rows = 60, blocks_of_a_round = 8, most_further_rounds = 12;
/// A quick run: 60 rows in three rounds take 25 s, and as long again is there for further rounds.
constexpr double round_s = 25.0 / 3 / rows, budget_s = 25.0;
constexpr double wide = 0.1;

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// Slow for 5 to 30 s, in between fast for so long that it is slow for `share` of the time.
class Machine {
 public:
  Machine(double share, std::mt19937_64& random) : share_(share), random_(random) {
    slow_ = uniform(random_, 0, 1) < share_;
    until_s_ = uniform(random_, 0, 1) * length();
  }
  bool slow_at(double time_s) {
    while (time_s >= until_s_) {
      slow_ = !slow_;
      until_s_ += length();
    }
    return slow_;
  }

 private:
  double length() {
    const double slow_s = uniform(random_, 5, 30);
    return slow_ ? slow_s : slow_s * (1 - share_) / share_;
  }
  double share_;
  std::mt19937_64& random_;
  bool slow_{};
  double until_s_{};
};

struct Tally {
  double covered{}, suspect{}, wrong{};  ///< shares of all rows of all runs
};

/// One run on such a machine. `sees`: share of the slow blocks that the throughput sentinel shows; one block in fifty
/// that is fast looks slow to it.
class Run {
 public:
  Run(double share, double sees, std::mt19937_64& random, std::normal_distribution<double>& normal)
      : random_(random), normal_(normal), machine_(share, random), sees_(sees) {}

  /// The rows' estimates at its end.
  std::vector<Estimate> estimates() {
    std::vector<int> order;
    for (int row = 0; row < rows; ++row) order.push_back(row);
    for (int round = 0; round < 3; ++round) {
      if (round > 0) std::shuffle(order.begin(), order.end(), random_);
      for (const int row : order) measure_round(row, round);
    }
    const double end_s = now_s_ + budget_s;
    for (int round = 3; round < 3 + most_further_rounds && now_s_ < end_s; ++round) {
      std::vector<int> doubtful;
      const auto seen = seen_so_far();
      for (int row = 0; row < rows; ++row) {
        if (wants_another_round(seen[static_cast<std::size_t>(row)], wide)) doubtful.push_back(row);
      }
      std::shuffle(doubtful.begin(), doubtful.end(), random_);
      for (const int row : doubtful) {
        if (now_s_ < end_s) measure_round(row, round);
      }
    }
    return seen_so_far();
  }

 private:
  void measure_round(int row, int round) {
    auto& taken = taken_[static_cast<std::size_t>(row)];
    for (int i = 0; i < blocks_of_a_round; ++i) {
      now_s_ += round_s / blocks_of_a_round;
      const bool slow = machine_.slow_at(now_s_);
      const bool shown = slow ? uniform(random_, 0, 1) < sees_ : uniform(random_, 0, 1) < 0.02;
      taken.push_back({.figure = (slow ? 0.5 : 1.0) * (1 + 0.01 * normal_(random_)),
                       .batches = 1,
                       .sentinel_s = 1e-5 * (1 + 0.003 * normal_(random_)),
                       .throughput_s = (shown ? 1.8e-5 : 1e-5) * (1 + 0.003 * normal_(random_)),
                       .round = round});
    }
    for (Block& block : taken) {
      if (block.round == round) block.at_s = now_s_;
    }
  }

  std::vector<Estimate> seen_so_far() const {
    std::vector<Block> all;
    std::vector<Moment> others;
    for (const auto& blocks : taken_) {
      all.insert(all.end(), blocks.begin(), blocks.end());
      const auto moments = moments_of(blocks, false);
      others.insert(others.end(), moments.begin(), moments.end());
    }
    const auto throughput = throughput_baseline(all);
    std::vector<Estimate> seen;
    for (const auto& blocks : taken_)
      seen.push_back(estimate(
          blocks, {.ceiling = true, .fastest_speed = true, .throughput_baseline = throughput, .others = others}));
    return seen;
  }

  std::mt19937_64& random_;
  std::normal_distribution<double>& normal_;
  Machine machine_;
  double sees_;
  std::vector<std::vector<Block>> taken_ = std::vector<std::vector<Block>>(rows);
  double now_s_{};
};

Tally simulate(double share, double sees, int runs) {
  std::mt19937_64 random(2026);
  std::normal_distribution<double> normal;
  Tally tally;
  for (int run = 0; run < runs; ++run) {
    for (const Estimate& seen : Run(share, sees, random, normal).estimates()) {
      const double part = 1.0 / rows / runs;
      const bool suspect = !seen.ci_low || shared_its_core(seen) || *half_interval_percent(seen) > 25;
      const bool covered = seen.ci_low && *seen.ci_low <= 1 && 1 <= *seen.ci_high;
      (suspect ? tally.suspect : covered ? tally.covered : tally.wrong) += part;
    }
  }
  for (const auto& [name, value] :
       {std::pair{"covered", tally.covered}, {"suspect", tally.suspect}, {"wrong", tally.wrong}})
    ::testing::Test::RecordProperty(name, std::to_string(value));
  return tally;
}

class TwoStates : public ::testing::TestWithParam<double> {};

TEST_P(TwoStates, AFigureHoldsTheTruthOrIsSuspect) {
  const Tally tally = simulate(GetParam(), 0.95, 80);
  EXPECT_LE(tally.wrong, 0.07) << tally.covered << " covered, " << tally.suspect << " suspect";
  EXPECT_GE(tally.covered, 0.85) << tally.suspect << " suspect: a noisy machine gets its figures";
}

TEST_P(TwoStates, SoItDoesWhereTheSentinelFeelsNothing) {
  const Tally tally = simulate(GetParam(), 0.02, 80);
  EXPECT_LE(tally.wrong, 0.05) << tally.covered << " covered, " << tally.suspect << " suspect";
  EXPECT_GE(tally.covered, 0.85) << tally.suspect << " suspect: a noisy machine gets its figures";
}

INSTANTIATE_TEST_SUITE_P(Shares, TwoStates, ::testing::Values(0.1, 0.2, 0.3, 0.4),
                         [](const auto& test) { return std::to_string(static_cast<int>(100 * test.param + 0.5)); });

}  // namespace
}  // namespace gable::measure
