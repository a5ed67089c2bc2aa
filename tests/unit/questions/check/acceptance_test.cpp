#include "core/questions/check/acceptance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "core/device/datasheet.hpp"
#include "core/error.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

Subject subject_of(const Result& result) {
  const std::vector<NamedResult> sources{{"file.json", result}};
  return subjects_of(sources).front();
}

/// A peak of 1e12 flop/s, 1e11 byte/s and an operator of 10 ms, all times `speed`, each ±1 %.
Result machine(double speed = 1) {
  Result result = test::made_up_result();
  test::add_peak(result, DType::fp32, 1e12 * speed);
  test::add_memory(result, 1e11 * speed);
  test::add_point(result, "relu", 1e8, 1e9, 10e-3 / speed);
  return result;
}

std::vector<AcceptanceRow> check(const Result& result, const Result& reference = machine(), double tolerance = 0.1) {
  return against_reference(subject_of(result), subject_of(reference), tolerance);
}

TEST(Acceptance, NamesHaveNoBlanksAndSayWhatTheyAre) {
  const auto rows = check(machine());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "openmp/compute/node/vector/fp32/burst");
  EXPECT_EQ(rows[1].name, "openmp/bandwidth/node/memory/triad/ordinary/sustained");
  EXPECT_EQ(rows[2].name, "openmp/operator/node/relu/fp32/n=1000/cold");
}

/// Five times the operators take about five times as long; work that grows with their square, 25 times.
TEST(Acceptance, TimeGrowsWithTheRows) {
  const auto seconds = [](int operators) {
    Result result = machine();
    for (int i = 0; i < operators; ++i) test::add_point(result, "kernel_" + std::to_string(i), 1e8, 1e9, 10e-3);
    const std::clock_t start = std::clock();
    EXPECT_EQ(check(result, result).size(), result.points.size() + 2);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds(10'000), 12 * seconds(2'000));
}

TEST(Acceptance, TheSamePasses) {
  for (const auto& row : check(machine())) {
    EXPECT_EQ(row.verdict, AcceptanceVerdict::pass) << row.name;
    EXPECT_NEAR(row.speed.value(), 1, 1e-12);
    EXPECT_FALSE(fails(row.verdict));
  }
}

/// 85 % of the speed, its interval up to 86 %: below 90 %. Rates fall, times grow.
TEST(Acceptance, SlowerThanToleratedIsLow) {
  for (const auto& row : check(machine(0.85))) {
    EXPECT_EQ(row.verdict, AcceptanceVerdict::low) << row.name;
    EXPECT_NEAR(row.speed.value(), 0.85, 1e-9);
    EXPECT_FALSE(row.reason.empty());
    EXPECT_TRUE(fails(row.verdict));
  }
  for (const auto& row : check(machine(0.85), machine(), 0.2))
    EXPECT_EQ(row.verdict, AcceptanceVerdict::pass) << row.name;
}

/// 89.5 % ±1 % reaches 90 %: a wide interval is no pass.
TEST(Acceptance, AnIntervalThatReachesTheToleranceIsInconclusive) {
  for (const auto& row : check(machine(0.895))) {
    EXPECT_EQ(row.verdict, AcceptanceVerdict::inconclusive) << row.name;
    EXPECT_TRUE(fails(row.verdict));
    EXPECT_EQ(row.reason, "89.5 % of the reference's speed, but its interval reaches 90.4 %");
  }
}

TEST(Acceptance, FasterThanToleratedIsSuspicious) {
  for (const auto& row : check(machine(1.2))) {
    EXPECT_EQ(row.verdict, AcceptanceVerdict::suspicious) << row.name;
    EXPECT_TRUE(fails(row.verdict));
  }
}

TEST(Acceptance, WhatTheReferenceHasMustBeThere) {
  Result less = machine();
  less.points.front().status = Status::error;
  less.points.front().reason = "it crashed";
  less.ceilings.erase(less.ceilings.begin());
  const auto rows = check(less);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].verdict, AcceptanceVerdict::missing);
  EXPECT_EQ(rows[0].reason, "not measured");
  EXPECT_EQ(rows[1].verdict, AcceptanceVerdict::pass);
  EXPECT_EQ(rows[2].verdict, AcceptanceVerdict::missing);
  EXPECT_EQ(rows[2].reason, "error: it crashed");
}

/// The test of a quick run against a full reference that has more.
TEST(Acceptance, WhatAQuickRunDoesNotMeasureIsNotJudged) {
  Result quick = machine();
  quick.run.mode = Mode::quick;
  quick.ceilings.erase(quick.ceilings.begin());
  quick.points.front().status = Status::skipped;
  const auto rows = check(quick);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].verdict, AcceptanceVerdict::unjudged) << rows[0].name;
  EXPECT_FALSE(fails(rows[0].verdict));
  EXPECT_EQ(rows[1].verdict, AcceptanceVerdict::pass);
  EXPECT_EQ(rows[2].verdict, AcceptanceVerdict::missing) << "planned, and without a figure";
}

TEST(Acceptance, OnlyRowsThatAPatternFits) {
  const AcceptanceTest test{
      .files = {{"a.json", machine(), ""}}, .references = {{"b.json", machine(), ""}}, .only = {"*/bandwidth/*"}};
  const auto checked = check(test);
  ASSERT_EQ(checked.rows.size(), 1U);
  EXPECT_NE(checked.rows[0].name.find("/bandwidth/"), std::string::npos);
  AcceptanceTest wrong = test;
  wrong.only = {"*/bandwith/*"};
  EXPECT_THROW(check(wrong), Error);
}

TEST(Acceptance, WhatOnlyTheFileHasIsListed) {
  Result more = machine();
  test::add_peak(more, DType::fp64, 5e11);
  const auto rows = check(more);
  ASSERT_EQ(rows.size(), 4U);
  const auto extra = std::ranges::find(rows, "openmp/compute/node/vector/fp64/burst", &AcceptanceRow::name);
  ASSERT_NE(extra, rows.end());
  EXPECT_EQ(extra->verdict, AcceptanceVerdict::extra);
  EXPECT_FALSE(fails(extra->verdict));
}

TEST(Acceptance, SuspectRowsAreSuspiciousWhetherOrNotTheReferenceHasThem) {
  Result odd = machine();
  odd.ceilings.front().status = Status::suspect;
  odd.ceilings.front().reason = "104 % of its theory";
  auto rows = check(odd);
  EXPECT_EQ(rows[0].verdict, AcceptanceVerdict::suspicious);
  EXPECT_NE(rows[0].reason.find("104 %"), std::string::npos);
  test::add_peak(odd, DType::fp64, 1e12).status = Status::suspect;
  rows = check(odd);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.back().verdict, AcceptanceVerdict::suspicious);
}

TEST(Acceptance, AResultAgainstItselfPassesThoughSomeRowsAreSuspect) {
  Result odd = machine();
  test::add_peak(odd, DType::fp64, 1e12).status = Status::suspect;
  const auto rows = check(odd, odd);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.back().verdict, AcceptanceVerdict::unjudged);
  EXPECT_TRUE(std::ranges::none_of(rows, [](const AcceptanceRow& row) { return fails(row.verdict); }));
}

/// As fast as the reference, and both faster than the hardware can be.
TEST(Acceptance, AboveItsTheoryIsSuspicious) {
  Result odd = machine();
  odd.ceilings.front().theory_at_clock = 9e11;
  EXPECT_EQ(check(odd)[0].verdict, AcceptanceVerdict::suspicious);
  odd.ceilings.front().theory_at_clock.reset();
  odd.ceilings.front().datasheet = 9e11;
  EXPECT_EQ(check(odd)[0].verdict, AcceptanceVerdict::suspicious) << "no clock above the documented one is usual";
  odd.ceilings.back().datasheet = 9e10;
  EXPECT_EQ(check(odd)[1].verdict, AcceptanceVerdict::suspicious) << "no memory is faster than its channels";
}

/// A bound of 10 ms and a run of 7.5 ms ±1 % (1.32x) or 7.8 ms (1.27x).
TEST(Acceptance, AnOperatorFarAboveItsBoundIsSuspicious) {
  const auto verdict = [](double time_s) {
    Result odd = machine();
    odd.points.front().time = test::made_up(time_s);
    odd.points.front().bound_s = 10e-3;
    return check(odd, odd)[2].verdict;
  };
  EXPECT_EQ(verdict(7.5e-3), AcceptanceVerdict::suspicious);
  EXPECT_EQ(verdict(7.8e-3), AcceptanceVerdict::pass) << "roofs are measured, too";
}

/// 1e12 of 1.25e12 is 80 %, up to 80.8 % with its interval.
TEST(AgainstDatasheet, TakesTheBestRowOfEachUnit) {
  Result result = machine();
  result.ceilings.front().datasheet = 1.25e12;
  test::add_peak(result, DType::fp32, 5e11, OperatingPoint::sustained).datasheet = 1.25e12;
  const Subject subject = subject_of(result);
  const auto rows = against_datasheet(subject, 0.8);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].verdict, AcceptanceVerdict::pass);
  EXPECT_NEAR(rows[0].speed.value(), 0.8, 1e-12);
  EXPECT_EQ(rows[1].name, "openmp/bandwidth/node/memory/triad/ordinary/sustained");
  EXPECT_EQ(rows[1].verdict, AcceptanceVerdict::unjudged) << "it has no datasheet figure";
  EXPECT_FALSE(rows[1].beside);
  EXPECT_EQ(rows[2].name, "openmp/bandwidth/memory");
  EXPECT_EQ(rows[2].verdict, AcceptanceVerdict::missing) << "nobody looked at the memory";
  EXPECT_EQ(rows[3].verdict, AcceptanceVerdict::unjudged) << "nor has the operator a bound";
  EXPECT_EQ(against_datasheet(subject, 0.9).front().verdict, AcceptanceVerdict::low);
}

/// 2 cores x 32 flop a cycle x 3 GHz documented for both are 192 Gflop/s, memory 50 GB/s. Of a machine at 95 %, at 60 %
/// and at 105 %, by 80 %.
TEST(AgainstDatasheet, AMachineAtSixtyPercentFails) {
  const auto verdicts = [](double part, const std::string& clock) {
    Result result = machine();
    result.points.clear();
    DeviceInfo& device = result.devices.front();
    device.cores = 2;
    device.peaks = {
        {"vector", DType::fp32, {}, 192e9, "flop/s", 32.0, "2 cores x 32/cycle x 3.000 GHz (" + clock + ")"},
        {"DRAM", {}, {}, 50e9, "byte/s", {}, "test"}};
    for (Ceiling& row : result.ceilings) {
      row.threads = 2;
      const double figure = row.kind == CeilingKind::compute ? 192e9 : 50e9;
      row.value = test::made_up(part * figure);
      add_datasheet(device, row);
    }
    std::vector<AcceptanceVerdict> list;
    for (const auto& row : against_datasheet(subject_of(result), 0.8)) list.push_back(row.verdict);
    return list;
  };
  using enum AcceptanceVerdict;
  using Verdicts = std::vector<AcceptanceVerdict>;
  EXPECT_EQ(verdicts(0.95, "page 7"), (Verdicts{pass, pass}));
  EXPECT_EQ(verdicts(0.6, "page 7"), (Verdicts{low, low}));
  EXPECT_EQ(verdicts(1.05, "page 7"), (Verdicts{suspicious, suspicious}));
  EXPECT_EQ(verdicts(0.6, "nominal clock, from TSC"), (Verdicts{unjudged, low, missing}));
  EXPECT_EQ(verdicts(0.95, "nominal clock, from TSC"), (Verdicts{unjudged, pass, missing}))
      << "the nominal clock is no datasheet, and the memory alone accepts nothing";
  EXPECT_EQ(verdicts(0.95, "maximum clock, cpufreq"), (Verdicts{unjudged, pass, missing}));
}

/// An operator of 1e9 byte at 2e11 byte/s has a bound of 5 ms: 10 ms is half of it.
TEST(AgainstDatasheet, OperatorsStandBesideTheirBound) {
  Result result = machine();
  result.devices.front().peaks = {
      {"DRAM", {}, {}, 2e11, "byte/s", {}, "test", Confidence::confirmed},
      {"vector", DType::fp32, DType::fp32, 2e12, "flop/s", {}, "test", Confidence::confirmed}};
  const auto rows = against_datasheet(subject_of(result), 0.5);
  EXPECT_EQ(rows.back().name, "openmp/operator/node/relu/fp32/n=1000/cold");
  EXPECT_NEAR(rows.back().speed.value(), 0.5, 1e-9);
  EXPECT_EQ(rows.back().verdict, AcceptanceVerdict::pass);
  result.points.front().time = test::made_up(2e-3);  // 2.5x faster than it
  EXPECT_EQ(against_datasheet(subject_of(result), 0.5).back().verdict, AcceptanceVerdict::suspicious);
}

TEST(AgainstLimits, LowerAndUpper) {
  const std::vector subjects{subject_of(machine())};
  const auto judged = [&](const AcceptedRange& range) { return against_limits(subjects, std::vector{range}).front(); };
  const auto verdict = [&](const AcceptedRange& range) { return judged(range).verdict; };
  const std::string peak = "openmp/compute/node/vector/fp32/burst", op = "openmp/operator/node/relu/fp32/n=1000/cold";
  EXPECT_EQ(verdict({peak, 9e11, {}, "flop/s"}), AcceptanceVerdict::pass);
  EXPECT_EQ(verdict({peak, 1.1e12, {}, "flop/s"}), AcceptanceVerdict::low);
  EXPECT_EQ(verdict({peak, 8e11, 9e11, "flop/s"}), AcceptanceVerdict::suspicious);
  EXPECT_EQ(verdict({op, {}, 11e-3, "s"}), AcceptanceVerdict::pass);
  EXPECT_EQ(verdict({op, {}, 9e-3, "s"}), AcceptanceVerdict::low) << "too long";
  EXPECT_EQ(verdict({op, 11e-3, {}, "s"}), AcceptanceVerdict::suspicious) << "too short";
  EXPECT_EQ(verdict({"openmp/nothing", 1, {}, "s"}), AcceptanceVerdict::missing);
  EXPECT_EQ(judged({peak, 9e11, 5e12, "flop/s"}).beside, 9e11) << "the nearer one";
  EXPECT_EQ(judged({peak, 1e11, 1.1e12, "flop/s"}).beside, 1.1e12);
  EXPECT_TRUE(error_of([&] { verdict({peak, 1, {}, "s", "limits.csv: line 2"}); }).starts_with("limits.csv: line 2: "));
}

/// Each range is looked up once, under the name that stands in front of its figure.
TEST(AgainstLimits, OfSeveralDevicesAndHosts) {
  std::vector subjects{subject_of(machine()), subject_of(machine())};
  const std::string peak = "compute/node/vector/fp32/burst";
  const auto verdicts = [&](const std::string& a, const std::string& b) {
    const std::vector<AcceptedRange> ranges{{a + peak, 9e11, {}, "flop/s"}, {b + peak, 9e11, {}, "flop/s"}};
    std::vector<AcceptanceVerdict> found;
    for (const auto& row : against_limits(subjects, ranges)) found.push_back(row.verdict);
    return found;
  };
  const std::vector both(2, AcceptanceVerdict::pass);
  subjects[1].device.id = "openmp:1";
  EXPECT_EQ(verdicts("openmp/", "openmp:1/"), both);
  subjects[1].device.id = "openmp";
  subjects[1].host = "there";
  EXPECT_EQ(verdicts("here/openmp/", "there/openmp/"), both);
}

/// 80 % of 1e12 flop/s and of a bound of 10 ms; memory by its triad, although reads are faster.
TEST(Acceptance, ADatasheetsShareIsWhatIsAcceptedAndMemoryIsItsTriad) {
  Result result = machine();
  result.ceilings.front().datasheet = 1e12;
  Ceiling read = result.ceilings.back();
  read.id += "/read";
  read.access = Access::read;
  read.value.value *= 1.2;
  result.ceilings.insert(result.ceilings.begin(), read);
  for (Ceiling& row : result.ceilings) {
    if (row.kind == CeilingKind::bandwidth) row.datasheet = 1.25e11;
  }
  const auto rows = against_datasheet(subject_of(result), 0.8);
  const auto row = [&](std::string_view part) {
    return *std::ranges::find_if(rows, [&](const auto& one) { return one.name.find(part) != std::string::npos; });
  };
  EXPECT_DOUBLE_EQ(row("vector").from.value(), 8e11);
  EXPECT_FALSE(row("vector").to);
  EXPECT_DOUBLE_EQ(row("memory").from.value(), 1e11);
  EXPECT_NE(row("memory").name.find("triad"), std::string::npos) << row("memory").name;
  const auto of_times = check(machine());
  EXPECT_NEAR(of_times[2].from.value(), 10e-3 / 1.1, 1e-12);
  EXPECT_NEAR(of_times[2].to.value(), 10e-3 / 0.9, 1e-12);
}

/// Reads at 1.3 times what the vendor prints: the triad below it does not hide them.
TEST(Acceptance, AReadThatCannotBeTrueIsToldThoughMemoryIsItsTriad) {
  Result result = machine();
  Ceiling& triad = result.ceilings.back();
  triad.datasheet = 1.25 * triad.value.value;
  Ceiling read = triad;
  read.id += "/read";
  read.access = Access::read;
  for (double* figure : {&read.value.value, &read.value.median}) *figure = 1.3 * *read.datasheet;
  read.value.ci_low = read.value.ci_high = read.value.value;
  result.ceilings.push_back(read);
  const auto rows = against_datasheet(subject_of(result), 0.5);
  const auto memory =
      std::ranges::find_if(rows, [](const auto& one) { return one.name.find("memory/read") != std::string::npos; });
  ASSERT_NE(memory, rows.end());
  EXPECT_EQ(memory->verdict, AcceptanceVerdict::suspicious);
}

}  // namespace
}  // namespace gable::questions
