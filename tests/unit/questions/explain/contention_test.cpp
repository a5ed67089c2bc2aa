#include "core/questions/explain/contention.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace gable::questions {
namespace {

/// Two cores, each with one row alone and together; figures have intervals of 1 % to either side.
struct Pair {
  double alone{}, together{};
  double clock_alone{3e9}, clock_together{3e9};
};

Ceiling row(const std::string& device, double figure, double clock, const std::string& variant) {
  Ceiling made{.id = "row/" + variant,
               .device = device,
               .kind = CeilingKind::bandwidth,
               .name = "DRAM",
               .access = Access::read,
               .at = OperatingPoint::sustained,
               .variant = variant,
               .unit = "byte/s"};
  made.value.value = figure;
  made.value.ci_low = 0.99 * figure;
  made.value.ci_high = 1.01 * figure;
  if (clock > 0) made.conditions.clock_hz = clock;
  return made;
}

Result two_cores(const Pair& each) {
  Result result;
  for (const std::string id : {"openmp:core0", "openmp:core1"}) {
    DeviceInfo device;
    device.id = id;
    device.backend = "openmp";
    device.memory = {{"DRAM", 64e9, 1, 2, 64, ""}};
    result.devices.push_back(device);
    result.ceilings.push_back(row(id, each.alone, each.clock_alone, ""));
    result.ceilings.push_back(row(id, each.together, each.clock_together, "with_cores"));
  }
  return result;
}

void make_compute(Result& result) {
  for (Ceiling& one : result.ceilings) {
    one.kind = CeilingKind::compute;
    one.name = "vector";
    one.dtype = DType::fp64;
    one.access = Access::none;
    one.unit = "flop/s";
  }
}

Contention first_of(const Result& result) { return contentions(result).at(0).members.at(0); }

TEST(Contention, OfASharedMemoryIsItsBandwidth) {
  const auto found = contentions(two_cores({.alone = 24e9, .together = 15.5e9}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].resource, "main memory read");
  ASSERT_EQ(found[0].members.size(), 2U);
  const Contention& one = found[0].members[1];
  EXPECT_EQ(one.device, "openmp:core1");
  EXPECT_TRUE(one.shows);
  EXPECT_NEAR(one.loss, 8.5 / 24, 1e-12);
  EXPECT_NEAR(*one.loss_low, 1 - 15.5 * 1.01 / (24 * 0.99), 1e-12);
  EXPECT_NEAR(*one.loss_high, 1 - 15.5 * 0.99 / (24 * 1.01), 1e-12);
  EXPECT_EQ(one.cause, ContentionCause::bandwidth);
  EXPECT_DOUBLE_EQ(*found[0].sum_together, 31e9);
  EXPECT_DOUBLE_EQ(*found[0].most_alone, 24e9);
}

TEST(Contention, OfHardwareThreadsOfACoreIsItsUnits) {
  Result result = two_cores({.alone = 50e9, .together = 25e9});
  make_compute(result);
  EXPECT_EQ(contentions(result).at(0).resource, "vector fp64");
  EXPECT_EQ(first_of(result).cause, ContentionCause::units);
}

TEST(Contention, IsTheClockWhereThatExplainsHalfOfTheLossAtLeast) {
  Result result = two_cores({.alone = 50e9, .together = 45e9, .clock_alone = 3.0e9, .clock_together = 2.8e9});
  make_compute(result);
  EXPECT_EQ(first_of(result).cause, ContentionCause::clock) << "10 % lost, 6.7 % of the clock";
  Result less = two_cores({.alone = 50e9, .together = 35e9, .clock_alone = 3.0e9, .clock_together = 2.8e9});
  make_compute(less);
  EXPECT_EQ(first_of(less).cause, ContentionCause::units) << "30 % lost, 6.7 % of the clock";
}

TEST(Contention, IsThePowerWhereTheDeviceSaysSoOrStandsAtItsLimit) {
  const Pair slower{.alone = 50e9, .together = 45e9, .clock_alone = 3.0e9, .clock_together = 2.8e9};
  Result told = two_cores(slower);
  for (Ceiling& one : told.ceilings) one.conditions.clock_limits = one.variant.empty() ? "" : "power cap";
  EXPECT_EQ(first_of(told).cause, ContentionCause::power);
  Result at_the_cap = two_cores(slower);
  for (DeviceInfo& one : at_the_cap.devices) one.facts.push_back({"power cap", "package-0 200 W, package-1 200 W", ""});
  for (Ceiling& one : at_the_cap.ceilings) one.conditions.power_w = 390;
  EXPECT_EQ(first_of(at_the_cap).cause, ContentionCause::power) << "390 of 400 W";
  for (Ceiling& one : at_the_cap.ceilings) one.conditions.power_w = 300;
  EXPECT_EQ(first_of(at_the_cap).cause, ContentionCause::clock) << "300 of 400 W";
  for (DeviceInfo& one : at_the_cap.devices) one.facts.front().value = "unknown (no package)";
  EXPECT_EQ(first_of(at_the_cap).cause, ContentionCause::clock);
}

TEST(Contention, APowerLimitThatTookNoClockIsNotTheCause) {
  Result result = two_cores({.alone = 24e9, .together = 15.5e9});
  for (Ceiling& one : result.ceilings) one.conditions.clock_limits = "power cap";
  EXPECT_EQ(first_of(result).cause, ContentionCause::bandwidth);
}

TEST(Contention, WithoutAClockTheCauseIsNotKnown) {
  EXPECT_EQ(first_of(two_cores({.alone = 24e9, .together = 15e9, .clock_alone = 0, .clock_together = 0})).cause,
            ContentionCause::unknown);
}

TEST(Contention, ThatIsSmallerThanTheIntervalsDoesNotShow) {
  for (const double together : {24e9, 23.6e9, 25e9}) {
    const auto one = first_of(two_cores({.alone = 24e9, .together = together, .clock_together = 2e9}));
    EXPECT_FALSE(one.shows) << together;
    EXPECT_EQ(one.cause, ContentionCause::none);
  }
  Result wide = two_cores({.alone = 24e9, .together = 20e9});
  for (Ceiling& one : wide.ceilings) one.value.ci_low = 0.8 * one.value.value;
  EXPECT_FALSE(first_of(wide).shows) << "17 %, but the intervals overlap";
  Result none = two_cores({.alone = 24e9, .together = 12e9});
  for (Ceiling& one : none.ceilings) one.value.ci_low = one.value.ci_high = {};
  EXPECT_FALSE(first_of(none).shows) << "no intervals";
}

TEST(Contention, RowsWithoutAFigureAreLeftOut) {
  Result result = two_cores({.alone = 24e9, .together = 15e9});
  result.ceilings[1].status = Status::skipped;
  const auto found = contentions(result);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].members.size(), 1U);
  EXPECT_EQ(found[0].members[0].device, "openmp:core1");
  EXPECT_FALSE(found[0].sum_together) << "one of two is no sum";
  result.ceilings[2].status = Status::suspect;
  EXPECT_TRUE(contentions(result).empty());
}

TEST(Contention, OfACpuThatReadsWhileAGpuCopiesHasNoSum) {
  Result result = two_cores({.alone = 24e9, .together = 20e9});
  result.devices[1].id = "cuda:0";
  result.devices[1].backend = "cuda";
  result.ceilings[1].variant = "with_host_to_device";
  for (std::size_t i = 2; i < 4; ++i) {
    Ceiling& one = result.ceilings[i];
    one.device = "cuda:0";
    one.kind = CeilingKind::link;
    one.name = "host_to_device";
    one.access = Access::none;
    one.at = OperatingPoint::none;
    one.conditions.clock_hz.reset();
    if (!one.variant.empty()) one.variant = "with_all";
  }
  const auto found = contentions(result);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].resource, "host_to_device");
  ASSERT_EQ(found[0].members.size(), 2U);
  EXPECT_FALSE(found[0].sum_together);
  EXPECT_EQ(found[0].members[1].cause, ContentionCause::bandwidth) << "copies have no clock that could fall";
}

}  // namespace
}  // namespace gable::questions
