// Coverage of the policies that run on a CPU, when neighbouring blocks resemble each other. The figures of these runs
// are in docs/statistics.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"
#include "core/worker/points.hpp"
#include "core/worker/run_driver.hpp"
#include "tests/unit/measure/coverage.hpp"

namespace gable::openmp {
namespace {

using measure::testing::correlated_blocks_of_rounds;
using measure::testing::sampled_as;
using measure::testing::simulate;

struct Case {
  std::string name;
  measure::Policy policy;
  int rounds{};
};

/// Those of sustained, stream, latency and overhead rows take as many blocks as burst; curves keep the value only.
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Mode mode : {Mode::quick, Mode::full}) {
    const Policies p = policies_for(mode);
    const std::string name(to_string(mode));
    const auto planned = worker::rounds_of(mode);
    const int rounds = planned.count;
    list.push_back({name + "_burst", p.burst, rounds});
    list.push_back({name + "_library", p.library, planned.of_a_long_item});
    list.push_back({name + "_points", worker::point_policy(mode), rounds});
  }
  return list;
}

class Correlated : public ::testing::TestWithParam<Case> {
 protected:
  /// The least over noise of 0.2, 1 and 2 %.
  static double covered(double rho, double between = 0) {
    double least = 1;
    for (const double noise : {0.002, 0.01, 0.02}) {
      const auto make = [&] { return correlated_blocks_of_rounds(rho, noise, between); };
      least = std::min(least, simulate(1500, sampled_as(GetParam().policy), make, GetParam().rounds).covered);
    }
    RecordProperty("least", std::to_string(least));
    return least;
  }
};

TEST_P(Correlated, IndependentBlocksAreCovered) { EXPECT_GE(covered(0.0), 0.95); }
TEST_P(Correlated, BlocksOfModerateCorrelationAreCovered) { EXPECT_GE(covered(0.3), 0.94); }
TEST_P(Correlated, BlocksOfStrongCorrelationAreCovered) { EXPECT_GE(covered(0.5), 0.93); }
TEST_P(Correlated, BlocksOfVeryStrongCorrelationAreCovered) { EXPECT_GE(covered(0.7), 0.93); }
TEST_P(Correlated, WhatDiffersBetweenRoundsIsCovered) { EXPECT_GE(covered(0.3, 0.03), 0.92); }
TEST_P(Correlated, WhatDiffersMuchBetweenRoundsIsCoveredToo) { EXPECT_GE(covered(0.3, 0.1), 0.90); }

INSTANTIATE_TEST_SUITE_P(Policies, Correlated, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace gable::openmp
