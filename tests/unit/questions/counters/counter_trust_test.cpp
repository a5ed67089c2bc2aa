// What counted / true says of a profiler's metric, and which operators are run to find out.
#include "core/questions/counters/counter_trust.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gable::questions {
namespace {

constexpr double mib = 1024.0 * 1024.0;
const CounterMetric flop{CountedKind::operations, DType::fp64, {}};

CounterReading reading(double ratio, const CounterMetric& metric = flop) {
  return {metric, "axpy fp64", 1e9, ratio * 1e9};
}

CounterVerdict verdict(const std::vector<double>& ratios) {
  std::vector<CounterReading> readings;
  for (const double ratio : ratios) readings.push_back(reading(ratio));
  const auto judged = judge(readings);
  EXPECT_EQ(judged.size(), 1U);
  return judged.front().verdict;
}

TEST(CounterVerdicts, FollowTheRatiosOfAllOperators) {
  EXPECT_EQ(verdict({0.951, 1.0, 1.049}), CounterVerdict::agrees);
  EXPECT_EQ(verdict({1.0, 1.06}), CounterVerdict::constant_factor) << "6 % apart";
  EXPECT_EQ(verdict({1.0, 1.15}), CounterVerdict::wrong);
  EXPECT_EQ(verdict({2.0, 2.1}), CounterVerdict::constant_factor);
  EXPECT_EQ(verdict({0.25, 0.26, 0.25}), CounterVerdict::constant_factor);
  EXPECT_EQ(verdict({2.0}), CounterVerdict::wrong) << "one operator does not tell whether the factor is constant";
  EXPECT_EQ(verdict({1.0, 0.0}), CounterVerdict::wrong);
  EXPECT_EQ(verdict({0.0, 0.009, -0.002}), CounterVerdict::not_counted);
}

TEST(CounterVerdicts, OfEachMetricByItself) {
  const CounterMetric read{CountedKind::bytes_read, {}, "DRAM"};
  const auto judged = judge({reading(2.0), reading(1.0, read), reading(2.0), reading(1.01, read)});
  ASSERT_EQ(judged.size(), 2U);
  EXPECT_EQ(judged[0].metric.title(), "fp64 flop");
  ASSERT_TRUE(judged[0].factor);
  EXPECT_DOUBLE_EQ(*judged[0].factor, 2.0);
  EXPECT_EQ(judged[1].metric.title(), "DRAM read");
  EXPECT_EQ(judged[1].verdict, CounterVerdict::agrees);
  EXPECT_EQ(judged[1].cases, 2);
}

TEST(CounterVerdicts, TheDifferenceOfTwoProfilesHasNoSetUp) {
  interchange::KernelWork before, after;
  before.bytes_read = 1e9 + 5 * 300;
  after.bytes_read = 1e9 + 15 * 300;
  before.inner = {{"L2", 50.0 + 5 * 7}};
  after.inner = {{"L2", 50.0 + 15 * 7}, {"L3", 20}};
  add_operations(before, DType::fp64, Unit::vector, 1000 + 5 * 80);
  add_operations(after, DType::fp64, Unit::vector, 1000 + 15 * 80);
  add_operations(after, DType::fp64, Unit::matrix, 10 * 4);  // none in the shorter profile
  const auto one = work_of_one_run(before, 5, after, 15);
  EXPECT_DOUBLE_EQ(one.bytes_read, 300);
  ASSERT_EQ(one.inner.size(), 2U);
  EXPECT_DOUBLE_EQ(one.inner[0].bytes, 7);
  EXPECT_DOUBLE_EQ(one.inner[1].bytes, 2);
  ASSERT_EQ(one.operations.size(), 2U);
  EXPECT_DOUBLE_EQ(one.operations[0].operations, 80);
  EXPECT_DOUBLE_EQ(one.operations[1].operations, 4);
}

/// Two cores with 1 MiB of L2 each under 16 MiB of L3.
DeviceInfo cpu(double free_bytes) {
  DeviceInfo device;
  device.id = device.backend = "openmp";
  device.memory = {{"L2", 1 * mib, 2, 1, 64, ""}, {"L3", 16 * mib, 1, 2, 64, ""}, {"DRAM", 64e9, 1, 2, 64, ""}};
  device.free_memory_bytes = free_bytes;
  return device;
}

const CounterCase* named(const std::vector<CounterCase>& cases, const std::string& name) {
  const auto found = std::ranges::find(cases, name, &CounterCase::name);
  return found == cases.end() ? nullptr : &*found;
}

TEST(CounterCases, ArraysAreTwentyTimesTheCaches) {
  const auto cases = counter_cases(cpu(32e9), operator_specs());
  const auto* axpy = named(cases, "axpy fp64");
  ASSERT_NE(axpy, nullptr);
  EXPECT_EQ(axpy->params.at("n"), 20 * 18 * 1024 * 1024 / 16) << "two arrays of 8 bytes an element";
  EXPECT_TRUE(axpy->bytes);
  EXPECT_DOUBLE_EQ(bytes(axpy->truth), 1.5 * 20 * 18 * mib);
  const auto* gemm = named(cases, "gemm fp32");
  ASSERT_NE(gemm, nullptr);
  EXPECT_DOUBLE_EQ(flops(gemm->truth), 2147483648.0);
  EXPECT_FALSE(gemm->bytes);
  EXPECT_EQ(named(cases, "triad fp64"), nullptr) << "a CPU may fetch what it overwrites";
  EXPECT_EQ(named(cases, "gemm bf16"), nullptr);
}

TEST(CounterCases, WithoutTheMemoryBytesAreNotJudged) {
  const auto cases = counter_cases(cpu(1e9), operator_specs());
  ASSERT_FALSE(cases.empty());
  for (const CounterCase& one : cases) {
    EXPECT_FALSE(one.bytes) << one.name();
    EXPECT_LE(one.truth.working_set, 0.25e9) << one.name();
  }
}

TEST(CounterReadings, BytesWithoutADirectionAreOneMetric) {
  CounterCase one{.op = "axpy", .params = {}, .dtype = DType::fp64, .truth = {}, .bytes = true};
  one.truth.work = {{Unit::vector, 200}};
  one.truth.bytes_read = 1600;
  one.truth.bytes_written = 800;
  interchange::KernelWork counted;
  counted.bytes_read = 2400;
  counted.no_direction = true;
  const auto readings = readings_of(one, counted, "HBM");
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[1].metric.title(), "HBM read and written");
  EXPECT_DOUBLE_EQ(readings[1].ratio(), 1);
  counted.no_direction = false;
  EXPECT_EQ(readings_of(one, counted, "HBM").size(), 4U);
}

}  // namespace
}  // namespace gable::questions
