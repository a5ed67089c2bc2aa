#include "core/measure/clock.hpp"

#include <gtest/gtest.h>

namespace gable::measure {
namespace {

TEST(steady_clock, runs_forward_and_knows_its_step) {
  Clock& clock = steady_clock();
  const double before = clock.now();
  EXPECT_GE(clock.now(), before);
  EXPECT_GT(clock.resolution(), 0);
  EXPECT_LT(clock.resolution(), 1);
  EXPECT_EQ(&clock, &steady_clock());
}

TEST(steady_clock, sleeps_no_less_than_asked) {
  Clock& clock = steady_clock();
  const double before = clock.now();
  clock.sleep(0.005);
  EXPECT_GE(clock.now() - before, 0.005);
  clock.sleep(-1);  // nothing to wait for
}

}  // namespace
}  // namespace gable::measure
