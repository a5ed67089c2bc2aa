// How a clock follows from what was timed, which chain it is taken with, and whether rows stand up to it.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/ceilings/clock_probe.hpp"
#include "backends/openmp/isa/isa.hpp"
#include "core/model/ceiling.hpp"
#include "tests/unit/device/cpu_rate.hpp"
#include "tests/unit/openmp_ceilings/synthetic_setup.hpp"

namespace gable::openmp::test {
namespace {

/// A chain of so many cycles a step on a core at this clock, and the additions beside it.
ChainReading at(double hz, double cycles, double chain_slower = 1, double additions_slower = 1) {
  return {cycles / hz * chain_slower, 1 / hz * additions_slower};
}

TEST(ChainClock, LatencyIsMeasured) {
  for (const double cycles : {4, 5, 6, 9}) {
    const auto clock = chain_clock(std::vector{at(3e9, cycles), at(3e9, cycles)});
    ASSERT_TRUE(clock);
    EXPECT_DOUBLE_EQ(clock->step_cycles, cycles);
    EXPECT_DOUBLE_EQ(clock->hz, 3e9);
  }
}

TEST(ChainClock, CostOfReadingTheTimeIsNoFractionOfACycle) {
  const auto clock = chain_clock(std::vector{at(3e9, 4, 1.01, 1.003)});
  ASSERT_TRUE(clock);
  EXPECT_DOUBLE_EQ(clock->step_cycles, 4);
  EXPECT_DOUBLE_EQ(clock->hz, 3e9 / 1.01);
}

/// A neighbour on the same core slows the additions in all readings but one, the chain in some.
TEST(ChainClock, OneUndisturbedReadingTellsTheLatency) {
  std::vector<ChainReading> readings(6, at(2.5e9, 4, 1, 1.2));
  for (const double slower : {1.3, 2.0, 40.0}) readings.push_back(at(2.5e9, 4, slower, 1.3));
  readings.push_back(at(2.5e9, 4));
  const auto clock = chain_clock(readings);
  ASSERT_TRUE(clock);
  EXPECT_DOUBLE_EQ(clock->step_cycles, 4);
  EXPECT_DOUBLE_EQ(clock->hz, 2.5e9);
}

TEST(ChainClock, FollowsAClockThatMoves) {
  const auto clock = chain_clock(std::vector{at(3e9, 4), at(2.9e9, 4), at(2e9, 4), at(2e9, 4), at(2e9, 4)});
  ASSERT_TRUE(clock);
  EXPECT_DOUBLE_EQ(clock->step_cycles, 4);
  EXPECT_DOUBLE_EQ(clock->hz, 2e9);
}

TEST(ChainClock, NothingWithoutAReading) {
  EXPECT_FALSE(chain_clock({}));
  EXPECT_FALSE(chain_clock(std::vector{ChainReading{0, 1e-9}, ChainReading{1e-9, 0}}));
}

/// Rows of an Emerald Rapids, two cores, and the clock that was reported by a version which timed each kernel's own
/// chain and took 4 cycles for every vfmadd and 5 for vpdpbusd.
struct EmeraldRapids {
  DType dtype;
  double lower_end;  ///< of the interval, flop/s or op/s
  double reported_hz;
  double assumed_cycles;
  double cycles;  ///< measured beside a chain of known length
};
constexpr EmeraldRapids emerald_rapids[] = {{DType::fp16, 749690712436, 2251331098.8, 4, 5.4},    // burst
                                            {DType::fp16, 731133649475, 2282071963.7, 4, 5.4},    // sustained
                                            {DType::int8, 1530776361594, 2582133357.6, 5, 5.95},  // sustained
                                            {DType::fp64, 167069736178, 2865425298.0, 4, 4},
                                            {DType::fp32, 345495516586, 2859444027.1, 4, 4}};

Ceiling row_of(const EmeraldRapids& measured, double clock_hz) {
  Ceiling row{.kind = CeilingKind::compute,
              .name = "vector",
              .dtype = measured.dtype,
              .unit = is_integer(measured.dtype) ? "op/s" : "flop/s"};
  row.value.value = row.value.ci_low.emplace(measured.lower_end);
  const auto rate = catalogue::cpu_rate("Emerald Rapids", measured.dtype, Unit::vector);
  row.theory_at_clock = theory_at_clock(2, rate ? std::optional(rate->per_cycle) : std::nullopt, clock_hz);
  return row;
}

TEST(ChainClock, RowsOfEmeraldRapidsArePlausible) {
  for (const auto& measured : emerald_rapids) {
    const double hz = measured.reported_hz / measured.assumed_cycles * measured.cycles;
    const auto clock = chain_clock(std::vector{at(hz, 4)});  // of vfmadd213pd, as wide
    ASSERT_TRUE(clock);
    const auto row = row_of(measured, clock->hz);
    ASSERT_TRUE(row.theory_at_clock) << to_string(measured.dtype);
    EXPECT_EQ(implausible(row), "");
    EXPECT_GT(percent_at_clock(row).value(), 85.0) << to_string(measured.dtype);
  }
}

TEST(ChainClock, AnAssumedLatencyLostGoodRowsOfEmeraldRapids) {
  for (const auto& measured : emerald_rapids) {
    EXPECT_EQ(implausible(row_of(measured, measured.reported_hz)).empty(), measured.assumed_cycles == measured.cycles);
  }
}

void five_cycles(std::uint64_t iterations, const void*, void*) { isa::dependent_additions(iterations); }

const isa::ComputeKernel chained[] = {{"vector", "fp64", "fp64", "", "plain", 2, 1, nullptr, five_cycles, 20},
                                      {"vector", "fp16", "fp16", "", "half", 2, 1, nullptr, five_cycles, 20},
                                      {"convert", "fp16", "fp32", "", "turn", 2, 1, nullptr, nullptr, 0}};
const isa::ComputeKernel unchained[] = {{"matrix", "bf16", "fp32", "", "tile", 2, 1, nullptr, nullptr, 0}};
const isa::IsaTable with_chains{"with", 256, chained, {}};
const isa::IsaTable without_chains{"without", 512, unchained, {}};

/// What the row says of its clock, of a machine with these tables.
Conditions taken_with(const isa::IsaTable& table, const isa::ComputeKernel* kernel,
                      std::vector<const isa::IsaTable*> tables) {
  Instructions instructions;
  instructions.tables = std::move(tables);
  ClockProbe probe({&table, kernel}, instructions);
  probe.take(*small_setup(1)->pinned);
  Conditions conditions;
  probe.report(conditions);
  EXPECT_EQ(conditions.clock_hz.has_value(), !conditions.clock_source.empty());
  return conditions;
}

TEST(ClockProbe, TakesTheKernelsOwnChain) {
  const auto source = taken_with(with_chains, &chained[1], {&with_chains}).clock_source;
  EXPECT_TRUE(source.starts_with("dependent half chain")) << source;
}

TEST(ClockProbe, TakesTheFirstChainOfTheTableForStreamsAndKernelsWithoutOne) {
  for (const auto* kernel : {&chained[2], static_cast<const isa::ComputeKernel*>(nullptr)}) {
    const auto source = taken_with(with_chains, kernel, {&with_chains}).clock_source;
    EXPECT_TRUE(source.starts_with("dependent plain chain")) << source;
  }
}

TEST(ClockProbe, TakesTheVectorChainOfTheMachineForTablesWithoutOne) {
  const auto source = taken_with(without_chains, &unchained[0], {&with_chains, &without_chains}).clock_source;
  EXPECT_TRUE(source.starts_with("dependent plain chain")) << source;
}

TEST(ClockProbe, NoChainNoClock) {
  EXPECT_FALSE(taken_with(without_chains, &unchained[0], {&without_chains}).clock_hz);
}

}  // namespace
}  // namespace gable::openmp::test
