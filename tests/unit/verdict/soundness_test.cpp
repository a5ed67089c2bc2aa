#include "core/verdict/soundness.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "core/result/for_each_row.hpp"
#include "core/text/posix_file.hpp"
#include "core/verdict/validate.hpp"
#include "tests/unit/result/sample.hpp"

namespace gable {
namespace {

/// The triads of L1, L2 and DRAM in byte/s, each with an interval of ± 1/30 %.
Result triads(double l1, double l2, double dram) {
  auto result = test::full_result();
  result.ceilings = {test::bandwidth_ceiling("L1", l1), test::bandwidth_ceiling("L2", l2),
                     test::bandwidth_ceiling("DRAM", dram)};
  return result;
}

std::vector<std::string> suspects(Result result) {
  verdict::mark_suspects(result);
  std::vector<std::string> names;
  for (const Ceiling& row : result.ceilings) {
    EXPECT_EQ(row.status == Status::ok, row.reason.empty()) << row.id;
    if (row.status == Status::suspect) names.push_back(row.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Suspicion, AnOuterLevelMustNotBeatTheInnerOne) {
  EXPECT_EQ(suspects(triads(3e11, 2e11, 2e10)), Names{});
  EXPECT_EQ(suspects(triads(3e11, 2e11, 2.01e11)), Names{}) << "half a percent is noise";
  EXPECT_EQ(suspects(triads(3e11, 2e11, 2.1e11)), Names{"DRAM"});
  EXPECT_EQ(suspects(triads(3e11, 4e11, 3.5e11)), (Names{"L2", "DRAM"})) << "L1 is the last level to trust";
}

TEST(Suspicion, TheIntervalsCount) {
  auto result = triads(3e11, 2e11, 2.1e11);
  result.ceilings[2].value.ci_low = 1.9e11;
  EXPECT_EQ(suspects(result), Names{});
  result.ceilings[2].value.ci_low.reset();
  EXPECT_EQ(suspects(result), Names{"DRAM"});
  result.ceilings[1].value.ci_high = 2.2e11;
  EXPECT_EQ(suspects(result), Names{});
}

TEST(Suspicion, OnlyLikeBandwidthsAreCompared) {
  const auto with = [](auto change) {
    auto result = triads(3e11, 2e11, 2.1e11);
    change(result.ceilings[2]);
    return suspects(result);
  };
  EXPECT_EQ(with([](Ceiling& row) { row.access = Access::read; }), Names{});
  EXPECT_EQ(with([](Ceiling& row) { row.stores = Stores::non_temporal; }), Names{});
  EXPECT_EQ(with([](Ceiling& row) { row.scope = Scope::core; }), Names{});
  EXPECT_EQ(with([](Ceiling& row) { row.variant = "kokkos"; }), Names{});
  EXPECT_EQ(with([](Ceiling& row) { row.at = OperatingPoint::library; }), Names{});
}

TEST(Suspicion, MemoryMustNotBeatItsDatasheet) {
  auto result = triads(3e11, 2e11, 5.2e10);
  result.ceilings[2].datasheet = 5.12e10;
  EXPECT_EQ(suspects(result), Names{"DRAM"});
  result.ceilings[2].datasheet = 5.2e10;
  EXPECT_EQ(suspects(result), Names{});
}

TEST(Suspicion, AWideIntervalIsNoRoof) {
  auto result = triads(3e11, 2e11, 2e10);
  result.ceilings[1].value.ci_low = 1.5e11;
  result.ceilings[1].value.ci_high = 2.5e11;
  EXPECT_EQ(suspects(result), Names{}) << "a quarter is still taken";
  result.ceilings[1].value.ci_high = 3.3e11;
  EXPECT_EQ(suspects(result), Names{"L2"});
  verdict::mark_suspects(result);
  EXPECT_EQ(result.ceilings[1].reason, "interval of ±45 %: disturbed");
  // DRAM is then judged by L1, not by the row that says nothing.
  result.ceilings[2] = test::bandwidth_ceiling("DRAM", 2.9e11);
  EXPECT_EQ(suspects(result), Names{"L2"});
}

/// Latencies of L1, L2 and DRAM in s, each with an interval of ± 1/30 %.
Result latencies(double l1, double l2, double dram) {
  auto result = triads(l1, l2, dram);
  for (Ceiling& row : result.ceilings) {
    row.kind = CeilingKind::latency;
    row.access = Access::none;
    row.stores = Stores::none;
    row.at = OperatingPoint::none;
    row.unit = "s";
  }
  return result;
}

TEST(Suspicion, AnInnerLevelMustNotBeSlowerThanAnOuterOne) {
  EXPECT_EQ(suspects(latencies(1e-9, 4e-9, 1.46e-7)), Names{});
  EXPECT_EQ(suspects(latencies(1e-9, 2.41e-7, 1.46e-7)), Names{"L2"});
  EXPECT_EQ(suspects(latencies(2e-7, 4e-9, 1.46e-7)), Names{"L1"});
  auto result = latencies(1e-9, 1.465e-7, 1.46e-7);
  result.devices.front().backend = "cuda";
  EXPECT_EQ(suspects(result), Names{}) << "a third of a percent is noise";
  result = latencies(1e-9, 2.41e-7, 1.46e-7);
  result.devices.front().backend = "cuda";
  result.ceilings[2].value.ci_high = 1.8e-7;
  result.ceilings[1].value.ci_low = 1.79e-7;
  EXPECT_EQ(suspects(result), Names{}) << "the intervals meet";
  result = latencies(1e-9, 2.41e-7, 1.46e-7);
  result.ceilings[2].scope = Scope::core;
  EXPECT_EQ(suspects(result), Names{});
}

/// Half of a chase over 6 MB of an L3 of 32 went to memory: others have the rest of it.
TEST(Suspicion, ACacheThatCannotBeToldFromWhatLiesBehind) {
  EXPECT_EQ(suspects(latencies(1e-9, 17e-9, 1.45e-7)), Names{});
  EXPECT_EQ(suspects(latencies(1e-9, 7e-8, 1.15e-7)), Names{}) << "a slow cache";
  EXPECT_EQ(suspects(latencies(1e-9, 9.5e-8, 1.45e-7)), Names{"L2"});
  auto result = latencies(1e-9, 1.465e-7, 1.46e-7);
  verdict::mark_suspects(result);
  EXPECT_EQ(result.ceilings[1].reason,
            "L2 at 146 ns cannot be told from DRAM at 146 ns: most accesses went there, as others have that part of "
            "the cache");
}

/// 80 ns of 115: more than 5/8, but the run's own chase shows the cache at that time and three times as large.
TEST(Suspicion, ACacheThatTheChaseOverWorkingSetsShows) {
  auto result = latencies(1e-9, 8e-8, 1.15e-7);
  EXPECT_EQ(suspects(result), Names{"L2"});
  DeviceInfo& device = result.devices.front();
  device.memory = {{"L1", 32e3, 1, 1, 64, ""}, {"L2", 4e6, 1, 1, 64, ""}, {"DRAM", 1e10, 1, 1, 64, ""}};
  Curve chase{.device = device.id,
              .scope = result.ceilings[1].scope,
              .name = std::string(latency_sweep),
              .series = std::string(chase_series),
              .y_unit = "s"};
  for (double size = 4e3; size < 40e6; size *= 2) {
    chase.x.push_back(size);
    chase.y.push_back(size <= 32e3 ? 1e-9 : size <= 3e6 ? 8e-8 : 1.15e-7);
  }
  result.curves = {chase};
  result.ceilings[1].working_set_bytes = 1e6;
  EXPECT_EQ(suspects(result), Names{});
  result.ceilings[1].working_set_bytes = 4e6;
  EXPECT_EQ(suspects(result), Names{"L2"}) << "beyond what is whole";
  result.ceilings[1].working_set_bytes = 1e6;
  for (double& time : result.curves[0].y) time = std::min(time, 6e-8);
  EXPECT_EQ(suspects(result), Names{"L2"}) << "the chase was faster there, and shows no such step";
}

/// The burst and the sustained row of one unit, flop/s.
Result compute_rows(double burst, double sustained) {
  auto result = triads(burst, sustained, 1.0);
  result.ceilings.pop_back();
  for (Ceiling& row : result.ceilings) {
    row.kind = CeilingKind::compute;
    row.dtype = row.accumulate = DType::fp32;
    row.name = "vector";
    row.access = Access::none;
    row.stores = Stores::none;
    row.unit = "flop/s";
  }
  result.ceilings[0].at = OperatingPoint::burst;
  return result;
}

TEST(Suspicion, ABurstMustNotBeBelowWhatWasSustained) {
  EXPECT_EQ(suspects(compute_rows(1.02e11, 8.88e10)), Names{});
  EXPECT_EQ(suspects(compute_rows(1.015e11, 1.02e11)), Names{}) << "half a percent is noise";
  auto result = compute_rows(8.88e10, 1.02e11);
  EXPECT_EQ(suspects(result), Names{"vector"});
  verdict::mark_suspects(result);
  EXPECT_EQ(result.ceilings[0].status, Status::suspect);
  EXPECT_EQ(result.ceilings[1].status, Status::ok);
  const auto with = [](auto change) {
    auto other = compute_rows(8.88e10, 1.02e11);
    change(other.ceilings[1]);
    return suspects(other);
  };
  EXPECT_EQ(with([](Ceiling& row) { row.implementation = "avx512"; }), Names{});
  EXPECT_EQ(with([](Ceiling& row) { row.dtype = DType::fp16; }), Names{});
  EXPECT_EQ(with([](Ceiling& row) { row.name = "matrix"; }), Names{});
  EXPECT_EQ(with([](Ceiling& row) { row.value.ci_low = 8e10; }), Names{});
}

TEST(Suspicion, ABurstMustNotBeBelowALibrary) {
  const auto with_library = [](double burst, double sustained, double library) {
    auto result = compute_rows(burst, sustained);
    result.ceilings.push_back(result.ceilings[1]);
    result.ceilings[0].name = result.ceilings[1].name = result.ceilings[2].name = "vector";
    result.ceilings[2].at = OperatingPoint::library;
    result.ceilings[2].implementation = "openblas";
    result.ceilings[2].value = test::bandwidth_ceiling("L1", library).value;
    verdict::mark_suspects(result);
    std::string marks;
    for (const Ceiling& row : result.ceilings) marks += row.status == Status::suspect ? 's' : '-';
    return marks;
  };
  EXPECT_EQ(with_library(2.03e11, 2.02e11, 1.46e11), "---");
  EXPECT_EQ(with_library(1.02e11, 1.02e11, 1.46e11), "ss-") << "both were disturbed";
  EXPECT_EQ(with_library(1.40e11, 1.38e11, 1.46e11), "---") << "a kernel short of the best one";
  EXPECT_EQ(with_library(2.03e11, 1.10e11, 1.46e11), "---") << "a short run of the library beside a throttled unit";
  EXPECT_EQ(with_library(1.02e11, 2.02e11, 1.46e11), "s--");
  EXPECT_EQ(with_library(1.02e11, 1.20e11, 1.46e11), "ss-");
}

/// The ceiling of a library at 22 Gflop/s, where its product did 200 Gflop in a second.
TEST(Suspicion, ALibraryMustNotBeBelowWhatItDidAsAnOperator) {
  const auto marked = [](double library, const char* operators_library) {
    auto result = compute_rows(2.03e11, 2.02e11);
    Ceiling& row = result.ceilings.emplace_back(result.ceilings[1]);
    row.at = OperatingPoint::library;
    row.implementation = "openblas";
    row.dtype = DType::fp32;
    row.value = test::bandwidth_ceiling("L1", library).value;
    Point& point = result.points.emplace_back();
    point.device = row.device;
    point.scope = row.scope;
    point.threads = row.threads;
    point.implementation = operators_library;
    point.types = uniform_types(DType::fp32);
    point.stages.emplace_back().work = {{Unit::multiply_add, 2e11}};
    point.time.value = 1;
    verdict::mark_suspects(result);
    return result.ceilings[2].status == Status::suspect;
  };
  EXPECT_TRUE(marked(2.2e10, "openblas"));
  EXPECT_FALSE(marked(2.2e10, "mkl"));
  EXPECT_FALSE(marked(1.9e11, "openblas"));
}

/// A unit that does 100 Gflop/s in fp32 and 200 in fp16 at its clock: half of that in one type only is not the unit's.
class UnevenTypes : public ::testing::Test {
 protected:
  UnevenTypes() {
    result_.devices[0].backend = "openmp";
    for (const DType dtype : {DType::fp32, DType::fp16})
      result_.devices[0].peaks.push_back(
          {"vector", dtype, dtype, 1e11, "flop/s", 16.0, "made up", Confidence::confirmed});
  }
  /// Which of two burst rows, fp32 and fp16, are suspect ("s") at these rates.
  std::string marks(double fp32, double fp16) {
    auto result = result_;
    result.ceilings = compute_rows(fp32, fp16).ceilings;
    result.ceilings[0].theory_at_clock = 1e11;
    result.ceilings[1].theory_at_clock = 2e11;
    result.ceilings[1].dtype = result.ceilings[1].accumulate = DType::fp16;
    for (Ceiling& row : result.ceilings) row.at = at_;
    change_(result.ceilings[1]);
    verdict::mark_suspects(result);
    std::string marks;
    for (const Ceiling& row : result.ceilings) marks += row.status == Status::suspect ? 's' : '-';
    return marks;
  }
  Result result_ = test::full_result();
  OperatingPoint at_{OperatingPoint::burst};
  std::function<void(Ceiling&)> change_ = [](Ceiling&) {};
};

TEST_F(UnevenTypes, AUnitDoesNoTypeFarWorseThanAnother) {
  EXPECT_EQ(marks(0.98e11, 1.95e11), "--");
  EXPECT_EQ(marks(0.98e11, 1.5e11), "--") << "a kernel may fill three quarters of its unit";
  EXPECT_EQ(marks(0.98e11, 0.98e11), "-s");
  EXPECT_EQ(marks(0.49e11, 1.95e11), "s-");
  EXPECT_EQ(marks(0.49e11, 0.98e11), "--") << "both alike: nothing says which unit it is";
  at_ = OperatingPoint::sustained;
  EXPECT_EQ(marks(0.98e11, 0.98e11), "-s") << "a sustained row would be the roof in the burst's place";
}

TEST_F(UnevenTypes, TheIntervalsDecide) {
  change_ = [](Ceiling& row) { row.value.ci_high = 1.42e11; };
  EXPECT_EQ(marks(0.98e11, 0.98e11), "--");
}

TEST_F(UnevenTypes, OnlyLikeRowsWithKnownRatesAreCompared) {
  const auto with = [&](std::function<void(Ceiling&)> change) {
    change_ = std::move(change);
    return marks(0.98e11, 0.98e11);
  };
  EXPECT_EQ(with([](Ceiling& row) { row.theory_at_clock.reset(); }), "--");
  EXPECT_EQ(with([](Ceiling& row) { row.name = "matrix"; }), "--");
  EXPECT_EQ(with([](Ceiling& row) { row.variant = "isa:avx2"; }), "--");
  EXPECT_EQ(with([](Ceiling& row) { row.dtype.reset(); }), "--");
  EXPECT_EQ(with([](Ceiling& row) { row.threads += 1; }), "--");
  result_.devices[0].peaks.back().confidence = Confidence::unconfirmed;
  EXPECT_EQ(with([](Ceiling&) {}), "--");
  result_.devices[0].peaks.back().confidence = Confidence::confirmed;
  EXPECT_EQ(with([](Ceiling&) {}), "-s");
  result_.devices[0].backend = "cuda";
  EXPECT_EQ(with([](Ceiling&) {}), "--");
}

TEST(Suspicion, ValidateFindsWhateverMeasureWouldHaveMarked) {
  const auto findings = [](Result result) { return verdict::plausibility(result).size(); };
  EXPECT_EQ(findings(latencies(1e-9, 4e-9, 1.46e-7)), 0U);
  EXPECT_EQ(findings(latencies(1e-9, 2.41e-7, 1.46e-7)), 1U);
  EXPECT_EQ(findings(compute_rows(1e11, 1e11)), 0U);
  EXPECT_EQ(findings(compute_rows(9e10, 1e11)), 1U);
  auto wide = triads(3e11, 2e11, 2e10);
  wide.ceilings[1].value.ci_low = 1.1e11;
  wide.ceilings[1].value.ci_high = 2.9e11;
  EXPECT_EQ(findings(wide), 1U);
}

TEST(Suspicion, NothingOfAnEmulatedDeviceIsAFigure) {
  auto result = triads(3e11, 2e11, 2e10);
  result.devices[0].emulator = "an interpreter";
  const auto ok = [&] {
    int count = 0;
    for_each_row(result,
                 [&](const auto& row) { count += row.device == result.devices[0].id && row.status == Status::ok; });
    return count;
  };
  const auto rows = static_cast<std::size_t>(ok());
  ASSERT_GE(rows, 3U);
  EXPECT_GE(verdict::plausibility(result).size(), rows);
  verdict::mark_suspects(result);
  EXPECT_EQ(ok(), 0);
  EXPECT_EQ(result.ceilings[1].reason, "executed under emulation (an interpreter): its time is that of the emulation");
}

TEST(Suspicion, ASuspectRowSaysWhyAndIsNotReportedAgain) {
  auto result = triads(3e11, 2e11, 2.1e11);
  EXPECT_EQ(verdict::plausibility(result).size(), 1U);
  verdict::mark_suspects(result);
  EXPECT_EQ(result.ceilings[2].reason.find("DRAM at 210 GB/s is faster than L2 at 200 GB/s: "), 0U)
      << result.ceilings[2].reason;
  EXPECT_NE(result.ceilings[2].reason.find("cache"), std::string::npos);
  EXPECT_TRUE(verdict::plausibility(result).empty());
}

/// The table of the docs is the one that is gone through.
TEST(Soundness, TheRulesAreThoseOfTheDocs) {
  std::string table = "| of | broken where | then it is | likely cause, or why |\n|---|---|---|---|\n";
  for (const verdict::Rule& rule : verdict::rules())
    table += fmt::format("| {} | {} | {} | {} |\n", rule.of, rule.broken, to_string(rule.consequence), rule.why);
  EXPECT_NE(read_text(GABLE_DOCS "/method.md").find("\n\n" + table + "\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace gable
