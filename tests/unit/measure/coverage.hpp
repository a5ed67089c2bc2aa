#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/measure/rounds.hpp"
#include "core/measure/sampler.hpp"
#include "simulated_device.hpp"

namespace gable::measure::testing {

struct Tally {
  int runs{};
  double covered{};      ///< share of runs whose interval holds the truth
  double above{};        ///< share whose interval lies above it: the bias of best-of-N
  double bias{};         ///< mean of value / truth - 1
  double median_bias{};  ///< the same of the plain median
  double best_bias{};    ///< the same of the best block
  double blocks{};       ///< mean
};

/// Draws calls of one run. Called afresh for every run, then once a call with the block's number.
using Draw = std::function<Call(int block, std::mt19937_64& random)>;

/// Measures a rate whose true value is 1 (a batch of 1 s) `runs` times, each in so many rounds; the policy must have
/// neither gap nor warm-up. Every round draws anew: rounds are seconds apart.
inline Tally simulate(int runs, const Policy& policy, const std::function<Draw()>& make, int rounds = 3) {
  std::mt19937_64 random(2024);
  Tally tally{.runs = runs};
  for (int run = 0; run < runs; ++run) {
    std::vector<Block> blocks;
    for (int round = 0; round < rounds; ++round) {
      const Draw draw = make();
      FakeClock clock(1e-6);
      SimulatedBenchmark benchmark(clock, [&](int call, std::uint64_t) {
        if (call < long_sizing_calls) return Call{.duration_s = 1};
        return draw((call - long_sizing_calls) / policy.batches_per_block, random);
      });
      for (Block block : measure(benchmark, {}, policy, clock).taken) {
        block.round = round;
        blocks.push_back(block);
      }
    }
    const Estimate estimate = measure::estimate(blocks, {.ceiling = policy.ceiling, .fastest_speed = policy.ceiling});
    if (!estimate.ci_low) continue;
    tally.covered += *estimate.ci_low <= 1 && 1 <= *estimate.ci_high ? 1.0 / runs : 0;
    tally.above += *estimate.ci_low > 1 ? 1.0 / runs : 0;
    tally.bias += (estimate.value - 1) / runs;
    tally.median_bias += (estimate.median - 1) / runs;
    tally.best_bias += (*std::max_element(estimate.samples.begin(), estimate.samples.end()) - 1) / runs;
    tally.blocks += static_cast<double>(estimate.blocks) / runs;
  }
  ::testing::Test::RecordProperty("covered", std::to_string(tally.covered));
  ::testing::Test::RecordProperty("above", std::to_string(tally.above));
  ::testing::Test::RecordProperty("bias", std::to_string(tally.bias));
  ::testing::Test::RecordProperty("median_bias", std::to_string(tally.median_bias));
  ::testing::Test::RecordProperty("best_bias", std::to_string(tally.best_bias));
  ::testing::Test::RecordProperty("blocks", std::to_string(tally.blocks));
  return tally;
}

/// Normal noise whose blocks are an AR(1) series with lag-1 correlation rho; batches of a block share its figure.
inline Draw correlated_blocks(double rho, double noise) {
  return [rho, noise, state = 0.0, current = -1](int block, std::mt19937_64& random) mutable {
    std::normal_distribution<double> normal;
    if (current < 0)
      state = normal(random);
    else if (block != current)
      state = rho * state + std::sqrt(1 - rho * rho) * normal(random);
    current = block;
    return Call{.duration_s = 1 + noise * state};
  };
}

/// The same, and what is the same within a round and differs from one to the next: normal too, of `between`.
inline Draw correlated_blocks_of_rounds(double rho, double noise, double between) {
  return [blocks = correlated_blocks(rho, noise), between, offset = 0.0, begun = false](
             int block, std::mt19937_64& random) mutable {
    if (!std::exchange(begun, true)) offset = between * std::normal_distribution<double>()(random);
    Call call = blocks(block, random);
    call.duration_s *= 1 + offset;
    return call;
  };
}

/// The policy as it samples, without what takes time only: the blocks of a simulation are 1 s long.
inline Policy sampled_as(Policy policy) {
  policy.gap_s = policy.warmup_s = 0;
  policy.batch_s = 0.5;
  policy.time_limit_s = 1e6;
  return policy;
}

}  // namespace gable::measure::testing
