#include "core/model/ceiling.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

using namespace gable;

namespace {
Ceiling measured(double value, std::optional<double> low, double theory) {
  Ceiling ceiling{.kind = CeilingKind::compute, .unit = "flop/s"};
  ceiling.value.value = value;
  ceiling.value.ci_low = low;
  ceiling.theory_at_clock = theory;
  return ceiling;
}
}  // namespace

TEST(Ceiling, PercentagesAreSeparateAndAbsentWithoutTheoryOrFigure) {
  Ceiling ceiling = measured(90e9, {}, 100e9);
  ceiling.datasheet = 120e9;
  EXPECT_DOUBLE_EQ(percent_at_clock(ceiling).value(), 90);
  EXPECT_DOUBLE_EQ(percent_of_datasheet(ceiling).value(), 75);
  ceiling.value.value = 0;  // an item that was lost
  EXPECT_FALSE(percent_of_datasheet(ceiling));
  EXPECT_FALSE(percent_at_clock(ceiling));
  ceiling = measured(90e9, {}, 100e9);
  EXPECT_FALSE(percent_of_datasheet(ceiling));
}

TEST(Ceiling, ImplausibleOnlyWhenTheLowerEndExceeds101Percent) {
  EXPECT_EQ(implausible(measured(100.9e9, {}, 100e9)), "");
  EXPECT_EQ(implausible(measured(105e9, 100.5e9, 100e9)), "");
  const std::string reason = implausible(measured(105e9, 102e9, 100e9));
  EXPECT_NE(reason.find("102.0 %"), std::string::npos) << reason;
  EXPECT_NE(implausible(measured(101.2e9, {}, 100e9)), "");
}

TEST(Ceiling, BeatingTheDatasheetAloneIsPlausible) {
  Ceiling ceiling = measured(130e9, 129e9, 131e9);
  ceiling.datasheet = 100e9;
  EXPECT_EQ(implausible(ceiling), "");
}

TEST(Ceiling, ReadFractionCountsStreamBytes) {
  EXPECT_EQ(read_fraction(Access::read), 1);
  EXPECT_EQ(read_fraction(Access::random), 1);
  EXPECT_EQ(read_fraction(Access::write), 0);
  EXPECT_EQ(read_fraction(Access::copy), 0.5);
  EXPECT_EQ(read_fraction(Access::update), 0.5);
  EXPECT_DOUBLE_EQ(read_fraction(Access::triad), 2.0 / 3);
  EXPECT_THROW(read_fraction(Access::none), Error);
}
