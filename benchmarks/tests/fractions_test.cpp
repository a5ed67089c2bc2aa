#include "benchmarks/fractions.hpp"

#include <gtest/gtest.h>

#include "benchmarks/noisy_table.hpp"
#include "benchmarks/outcome.hpp"
#include "core/error.hpp"

namespace gable::bench {
namespace {

DeviceInfo machine() {
  DeviceInfo device;
  device.id = device.backend = "openmp";
  device.cores = device.threads = 1;
  device.memory.resize(2);
  device.memory[0].name = "L1";
  device.memory[0].size_bytes = 32e3;
  device.memory[1].name = "DRAM";
  return device;
}

/// Reads 4 MB and writes 2 MB of fp32 with an exponential for every element written.
Stage reading_twice() {
  Stage stage;
  stage.bytes_read = 4e6;
  stage.bytes_written = 2e6;
  stage.working_set = 6e6;
  stage.work = {{Unit::vector, 1e6}, {Unit::exp, 5e5}};
  return stage;
}

Ceiling* find(std::vector<Ceiling>& rows, std::string_view name, Access access = Access::none,
              Stores stores = Stores::none) {
  for (Ceiling& row : rows) {
    if (row.name == name && row.access == access && row.stores == stores) return &row;
  }
  return nullptr;
}

/// triad 10 GB/s (15 past the caches), exp 1e9 op/s, vector 1e12 flop/s, launches for nothing: 0.6 ms, or 0.5 by
/// exponentials alone.
std::vector<Ceiling> measured(const DeviceInfo& device) {
  auto rows = needed_roofs(std::vector{reading_twice()}, uniform_types(DType::fp32), device, 1);
  find(rows, "DRAM", Access::triad, Stores::ordinary)->value.value = 10e9;
  find(rows, "DRAM", Access::triad, Stores::non_temporal)->value.value = 15e9;
  find(rows, "vector")->value.value = 1e12;
  find(rows, "exp")->value.value = 1e9;
  find(rows, "kokkos_launch")->value.value = 0;
  return rows;
}

TEST(NeededRoofs, AreTheMixesThatEncloseTheOperators) {
  const DeviceInfo device = machine();
  auto rows = measured(device);
  EXPECT_EQ(rows.size(), 5U) << "two thirds are read: a triad, and nothing else";
  Stage stage = reading_twice();
  stage.bytes_read = 5e6;
  rows = needed_roofs(std::vector{stage}, uniform_types(DType::fp32), device, 1);
  EXPECT_NE(find(rows, "DRAM", Access::triad, Stores::ordinary), nullptr);
  EXPECT_NE(find(rows, "DRAM", Access::read), nullptr);
  EXPECT_EQ(find(rows, "DRAM", Access::copy, Stores::ordinary), nullptr);
  EXPECT_EQ(find(rows, "L1", Access::read), nullptr) << "6 MB do not lie in 32 kB";
}

TEST(NeededRoofs, ProductsMeetEveryUnitThatMultiplies) {
  Stage stage;
  stage.work = {{Unit::multiply_add, 1e6}};
  Types types = uniform_types(DType::fp16);
  auto rows = needed_roofs(std::vector{stage}, types, machine(), 1);
  EXPECT_EQ(rows.size(), 5U) << "vector and matrix, in fp32 and fp16, and the launch";
  types.b = DType::int8;
  rows = needed_roofs(std::vector{stage}, types, machine(), 1);
  EXPECT_EQ(rows.size(), 3U) << "no unit multiplies two storage types";
}

TEST(Fractions, AreByTheRoofsOfTheSameRound) {
  const DeviceInfo device = machine();
  const Placed work{{reading_twice()}, uniform_types(DType::fp32), &device};
  auto slow = measured(device);
  find(slow, "DRAM", Access::triad, Stores::ordinary)->value.value = 5e9;
  const std::vector<std::vector<Ceiling>> rounds{measured(device), slow};
  const auto values = fractions(work, rounds, std::vector{1e-3, 1.5e-3}, Roofs::all);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_NEAR(values[0], 0.6, 1e-12);
  EXPECT_NEAR(values[1], 0.8, 1e-12);
  EXPECT_THROW(fractions(work, rounds, std::vector{1e-3}, Roofs::all), Error);
}

TEST(Fractions, OfNonTemporalRoofsAndOfStreamsAlone) {
  const DeviceInfo device = machine();
  const Placed work{{reading_twice()}, uniform_types(DType::fp32), &device};
  auto rows = measured(device);
  find(rows, "kokkos_launch")->value.value = 1e-4;
  const std::vector<std::vector<Ceiling>> rounds{rows};
  EXPECT_NEAR(fractions(work, rounds, std::vector{1e-3}, Roofs::all)[0], 0.7, 1e-12) << "0.6 ms and the launch";
  EXPECT_NEAR(fractions(work, rounds, std::vector{1e-3}, Roofs::streams)[0], 0.6, 1e-12);
  EXPECT_NEAR(fractions(work, rounds, std::vector{1e-3}, Roofs::non_temporal)[0], 0.6, 1e-12)
      << "0.4 ms of traffic, 0.5 ms of exponentials and the launch";
}

TEST(Fractions, ADisturbedLaunchDoesNotRaiseTheBound) {
  const DeviceInfo device = machine();
  const Placed work{{reading_twice()}, uniform_types(DType::fp32), &device};
  std::vector<std::vector<Ceiling>> rounds{measured(device), measured(device)};
  find(rounds[0], "kokkos_launch")->value.value = 5e-3;
  find(rounds[1], "kokkos_launch")->value.value = 1e-4;
  const auto values = fractions(work, rounds, std::vector{1e-3, 1e-3}, Roofs::all);
  EXPECT_NEAR(values[0], 0.7, 1e-12);
  EXPECT_NEAR(values[1], 0.7, 1e-12);
  EXPECT_EQ(limit_of(work, rounds).limit.label, "DRAM triad (ordinary)");
}

TEST(Fractions, SayWhatLimitsAndWhatIsMissing) {
  const DeviceInfo device = machine();
  const Placed work{{reading_twice()}, uniform_types(DType::fp32), &device};
  std::vector<std::vector<Ceiling>> rounds{measured(device), measured(device), measured(device)};
  find(rounds[0], "DRAM", Access::triad, Stores::ordinary)->value.value = 100e9;  // a median of three knows better
  EXPECT_EQ(limit_of(work, rounds).limit.label, "DRAM triad (ordinary)");
  EXPECT_EQ(limit_of(work, rounds).missing, "");
  for (auto& rows : rounds) std::erase_if(rows, [](const Ceiling& row) { return row.name == "exp"; });
  EXPECT_EQ(limit_of(work, rounds).missing, "exp fp32");
}

TEST(Outcomes, AreJudgedByTheMedian) {
  Outcome outcome;
  outcome.op = "silu";
  outcome.times_s = {1e-3, 1e-3, 1e-3};
  outcome.ratios = {0.99, 0.93, 0.5};
  EXPECT_EQ(verdict(outcome), "no goal");
  outcome.goal = 0.92;
  EXPECT_EQ(verdict(outcome), "met");
  outcome.goal = 0.95;
  EXPECT_EQ(verdict(outcome), "missed");
  outcome.missing = "convert int8";
  EXPECT_EQ(verdict(outcome), "no roof for convert int8") << "a bound that is too low decides nothing below the goal";
  outcome.goal = 0.92;
  EXPECT_EQ(verdict(outcome), "met") << "above the goal it does";
  EXPECT_NE(table({outcome}).find("0.930"), std::string::npos);
  EXPECT_NE(table({outcome}).find("0.50 .. 0.99"), std::string::npos);
}

}  // namespace
}  // namespace gable::bench
