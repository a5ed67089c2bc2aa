// Coverage of the policies that run on a CPU, when neighbouring blocks resemble each other. The figures of these runs
// are in docs/statistics.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/openmp/ceilings/policies.hpp"
#include "core/worker/points.hpp"
#include "tests/unit/measure/coverage.hpp"

namespace gable::openmp {
namespace {

using measure::testing::correlated_blocks;
using measure::testing::sampled_as;
using measure::testing::simulate;

struct Case {
  std::string name;
  measure::Policy policy;
};

/// Curves keep the value only, so their policy has no part in it.
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Mode mode : {Mode::quick, Mode::full}) {
    const Policies p = policies_for(mode);
    const std::string name(to_string(mode));
    list.push_back({name + "_burst", p.burst});
    list.push_back({name + "_sustained", p.sustained});
    list.push_back({name + "_stream", p.stream});
    list.push_back({name + "_latency", p.latency});
    list.push_back({name + "_overhead", p.overhead});
    list.push_back({name + "_library", p.library});
    list.push_back({name + "_points", worker::point_policy(mode)});
  }
  return list;
}

class Correlated : public ::testing::TestWithParam<Case> {
 protected:
  /// The least over noise far below the half-width at which sampling stops, as wide as it, and wider.
  static double covered(double rho) {
    double least = 1;
    for (const double noise : {0.002, 0.01, 0.02}) {
      const auto make = [&] { return correlated_blocks(rho, noise); };
      least = std::min(least, simulate(2000, sampled_as(GetParam().policy), make).covered);
    }
    RecordProperty("least", std::to_string(least));
    return least;
  }
};

TEST_P(Correlated, IndependentBlocksAreCovered) { EXPECT_GE(covered(0.0), 0.95); }
TEST_P(Correlated, BlocksOfModerateCorrelationAreCovered) { EXPECT_GE(covered(0.3), 0.94); }
TEST_P(Correlated, BlocksOfStrongCorrelationAreCovered) { EXPECT_GE(covered(0.5), 0.93); }
/// Few blocks cannot tell such a series from a steady one: better than the 73 % of an interval that takes them for
/// independent, and what the page states.
TEST_P(Correlated, BlocksOfVeryStrongCorrelationAreCoveredLess) { EXPECT_GE(covered(0.7), 0.87); }

INSTANTIATE_TEST_SUITE_P(Policies, Correlated, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace gable::openmp
