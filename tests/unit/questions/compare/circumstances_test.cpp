#include "core/questions/compare/subject.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/device/catalogue.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

using Texts = std::vector<std::string>;

/// A machine whose vector unit was seen at `clock_hz`.
Result machine(const std::string& name, double clock_hz, int minute = 0) {
  Result result = test::made_up_result(name);
  result.run.started_at = "2026-01-01T00:0" + std::to_string(minute) + ":00Z";
  result.run.os = "Debian";
  result.build = {"0.1.0", "abc", false, "GNU 12", "-O3", "Release", {}};
  Build worker = result.build;
  worker.target = "x86-64-v3";
  worker.libraries = {{"openblas", "0.3.21"}};
  result.workers = {{"gable-worker-openmp-x86-64-v3", worker}};
  test::add_peak(result, DType::fp32, 1e11).conditions.clock_hz = clock_hz;
  return result;
}

Circumstances of(const std::vector<Result>& results, bool apart = false) {
  std::vector<NamedResult> sources;
  for (std::size_t i = 0; i < results.size(); ++i) sources.push_back({std::to_string(i) + ".json", results[i]});
  return circumstances_of(subjects_of(sources, apart));
}

Texts names(const std::vector<Circumstance>& all) {
  Texts found;
  for (const Circumstance& one : all) found.push_back(one.name);
  return found;
}

TEST(Circumstances, TwoMachinesAlikeDifferInNothing) {
  const auto answer = of({machine("A", 2e9), machine("B", 2.01e9)});  // half a percent apart
  EXPECT_EQ(names(answer.differing), Texts{});
  EXPECT_EQ(names(answer.told_by_some), Texts{});
}

TEST(Circumstances, ClockPowerThreadsBuildAndSystemAreNamedWithWhatEachSideTells) {
  Result a = machine("A", 2e9), b = machine("B", 3e9);
  a.devices[0].facts = {{"power cap", "300 W", ""}, {"governor", "performance", ""}};
  b.devices[0].facts = {{"power cap", "250 W", ""}, {"governor", "unknown", "no file"}};
  b.devices[0].max_clock_hz = 3.5e9;
  b.ceilings[0].threads = 2;
  b.workers[0].second.compiler = "Clang 16";
  b.workers[0].second.libraries = {{"openblas", "0.3.29"}};
  b.run.kernel = "Linux 6.18";
  b.run.mode = Mode::quick;
  b.build.commit = b.workers[0].second.commit = "def";
  const auto answer = of({a, b});
  EXPECT_EQ(names(answer.differing), (Texts{"measured clock (median of 1 compute ceiling)", "power cap",
                                            "threads of a node", "mode", "gable", "compiler", "library openblas"}));
  EXPECT_EQ(answer.differing[0].told, (std::vector<Texts>{{"2 GHz"}, {"3 GHz"}}));
  EXPECT_EQ(answer.differing[1].told, (std::vector<Texts>{{"300 W"}, {"250 W"}}));
  EXPECT_EQ(answer.differing[2].told, (std::vector<Texts>{{"4"}, {"2"}}));
  EXPECT_EQ(answer.differing[4].told, (std::vector<Texts>{{"0.1.0 (abc)"}, {"0.1.0 (def)"}}));
  EXPECT_EQ(names(answer.told_by_some), (Texts{"maximum clock", "kernel", "governor"}));
  EXPECT_EQ(answer.told_by_some[2].told, (std::vector<Texts>{{"performance"}, {}})) << "unknown tells nothing";
}

TEST(Circumstances, WhatIsTheDevicesOwnOrScattersIsNoDifference) {
  Result a = machine("A", 2e9), b = machine("B", 2e9);
  a.devices[0].facts = {{"UUID", "GPU-1", ""}, {"registers", "65536", ""}, {"ECC", "on", ""}};
  b.devices[0].facts = {{"UUID", "GPU-2", ""}, {"registers", "131072", ""}, {"ecc", "on", ""}};
  a.run.facts = {{"load_average_at_start", "0.71", ""}};
  b.run.facts = {{"load_average_at_start", "1.2", ""}};  // both round to 1
  EXPECT_EQ(names(of({a, b}).differing), Texts{});
  b.run.facts[0].value = "9.4";
  EXPECT_EQ(names(of({a, b}).differing), Texts{"load_average_at_start"});
}

TEST(Circumstances, ClockLimitsAreCountedOverTheRowsThatTellOfThem) {
  Result a = machine("A", 2e9), b = machine("B", 2e9);
  a.ceilings[0].conditions.clock_limits = "";
  b.ceilings[0].conditions.clock_limits = "power cap";
  test::add_peak(b, DType::fp64, 5e10).conditions.clock_limits = "";
  const auto answer = of({a, b});
  ASSERT_EQ(names(answer.differing), Texts{"clock held back by"});
  EXPECT_EQ(answer.differing[0].told, (std::vector<Texts>{{"nothing in all of 1 row"}, {"power cap in 1 of 2 rows"}}));
}

TEST(Circumstances, AClockThatNothingHeldBackIsTheSameOverAnyNumberOfRows) {
  Result a = machine("A", 2e9), b = machine("B", 2e9);
  a.ceilings[0].conditions.clock_limits = b.ceilings[0].conditions.clock_limits = "";
  test::add_peak(b, DType::fp64, 5e10).conditions.clock_limits = "";
  EXPECT_EQ(names(of({a, b}).differing), Texts{});
}

TEST(Circumstances, OnlyCeilingsThatAllSidesHaveTellOfTheClock) {
  Result a = machine("A", 2e9), b = machine("B", 2e9);
  test::add_peak(b, DType::fp64, 5e10).conditions.clock_hz = 1e9;  // wide code, on one subject only
  EXPECT_EQ(names(of({a, b}).differing), Texts{});
}

TEST(Circumstances, RunsOfOneDeviceAreComparedWithEachOther) {
  Result first = machine("A", 2e9, 1), second = machine("A", 2e9, 2);
  second.run.os = "Fedora";
  const auto repeats = of({first, second});
  ASSERT_EQ(names(repeats.differing), Texts{"operating system"});
  EXPECT_EQ(repeats.differing[0].told, (std::vector<Texts>{{"Debian", "Fedora"}}));
  EXPECT_EQ(of({first, second}, true).differing[0].told, (std::vector<Texts>{{"Debian"}, {"Fedora"}}));
}

TEST(Circumstances, ADatasheetTellsNothingAndAsksForNothing) {
  const std::vector<NamedResult> sources{{"a.json", machine("A", 2e9)}};
  std::vector<Subject> subjects = subjects_of(sources);
  subjects.push_back(subject_of(catalogue::find_device("H200 SXM 141GB")));
  const auto answer = circumstances_of(subjects);
  EXPECT_EQ(names(answer.differing), Texts{});
  EXPECT_EQ(names(answer.told_by_some), Texts{});
}

}  // namespace
}  // namespace gable::questions
