// On which roofs and at which efficiency bounds stand, and what can be told from them. A machine of 10 GB/s ran an
// operator of 1 GB at 90 % of that; a vendor prints 20 GB/s of it. The H200 has 4.8 TB/s by its datasheet.
#include "core/questions/compare/bounds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/questions/compare/comparison_answer.hpp"
#include "core/questions/compare/total_cost.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

constexpr double by_h200_s = 1e9 / 4.8e12;
enum class Has { roofs = 0, operators = 1, datasheet = 2, both = 3 };

Result with_roofs(const std::string& name) {
  Result result = test::made_up_result(name);
  test::add_peak(result, DType::fp32, 1e11);
  test::add_memory(result, 1e10);
  return result;
}

Subject measured(const std::string& name, Has has) {
  const int parts = static_cast<int>(has);
  Result result = with_roofs(name);
  if (parts & 1) test::add_point(result, "relu", 1e8, 1e9, 0.1 / 0.9);
  for (const char* roof : {"DRAM", "vector"}) {
    if (!(parts & 2)) break;
    TheoreticalPeak& peak = result.devices.front().peaks.emplace_back();
    peak.name = roof;
    if (peak.name == "vector") peak.dtype = DType::fp32;
    peak.value = peak.dtype ? 2e11 : 2e10;
    peak.source = "made up";
  }
  return subjects_of(std::vector{NamedResult{name + ".json", result}}).front();
}

std::vector<Point> relu(double flop, double byte) {
  Result work = test::made_up_result();
  return {test::add_point(work, "relu", flop, byte, 1)};
}

/// Subjects after the baseline are compared in the bounds of one operator.
struct Bounded {
  Compared compared;
  Bounded(std::vector<Subject> subjects, std::optional<std::size_t> assumed_of)
      : compared{std::move(subjects), {}, {}} {
    compared.bounds = use_bounds(compared.subjects, "the work", relu(1e8, 1e9), assumed_of);
    compared.answer = compare(compared.subjects, compared.options);
  }
  const Figure& time(std::size_t i) const { return compared.subjects[i].points.at(0).figure; }
  bool like(std::size_t a, std::size_t b) const { return ratio_of(time(a), time(b)).like; }
  std::string conclusion() const { return questions::conclusion(compared, ranking(compared)); }
};

Subject h200() { return subject_of(catalogue::find_device("H200 SXM 141GB")); }

TEST(Efficiency, IsOfMeasuredRoofsOrOfTheDatasheet) {
  const Subject subject = measured("Slow", Has::both);
  const auto part = [&](bool of_datasheet, WorkClass of) {
    return efficiency_of(subject, of_datasheet)->in(of, {.op = "another", .params = {}, .types = {}}).median;
  };
  EXPECT_NEAR(part(false, WorkClass::streams), 0.9, 1e-12);
  EXPECT_NEAR(part(true, WorkClass::streams), 0.45, 1e-12);
  EXPECT_NEAR(part(true, WorkClass::products), 0.45, 1e-12) << "of all, where a class has none";
  EXPECT_FALSE(efficiency_of(measured("Slow", Has::operators), true)) << "no datasheet";
  EXPECT_FALSE(efficiency_of(measured("Slow", Has::datasheet), false)) << "no operator";
  EXPECT_FALSE(efficiency_of(h200(), true));
  Subject above = subject;
  above.points[0].rows[0].time = test::made_up(0.05);
  above.points[0].figure.value = 0.05;
  EXPECT_EQ(efficiency_of(above, false)->all.median, 1) << "above its roof";
}

TEST(Efficiency, IsOfTheOperatorsOtherSizesBeforeItIsOfItsClass) {
  Result result = with_roofs("Slow");
  for (const auto& [op, params, of_roof] : {std::tuple{"gemm", "n=1", 0.8}, std::tuple{"gemm", "n=2", 0.6},
                                            std::tuple{"relu", "n=1", 0.2}, std::tuple{"relu", "n=2", 0.3}})
    test::add_point(result, op, 1e8, 1e9, 0.1 / of_roof).params = params;
  const auto efficiency = efficiency_of(subjects_of(std::vector{NamedResult{"slow.json", result}}).front(), false);
  const auto part = [&](const char* op, const char* params) {
    return efficiency->in(WorkClass::streams, {.op = op, .params = params, .types = uniform_types(DType::fp32)}).median;
  };
  EXPECT_NEAR(part("gemm", "n=2"), 0.6, 1e-12);
  EXPECT_NEAR(part("gemm", "n=3"), 0.7, 1e-12);
  EXPECT_NEAR(part("add", "n=3"), 0.45, 1e-12);
}

TEST(Bounds, WithoutAnEfficiencyADatasheetAndMeasuredRoofsAreNotComparable) {
  const Bounded bounds({measured("Slow", Has::both), h200(), h200()}, {});
  EXPECT_NEAR(bounds.time(0).value, 0.1, 1e-12);
  EXPECT_NEAR(bounds.time(1).value, by_h200_s, 1e-15);
  EXPECT_FALSE(bounds.like(0, 1));
  EXPECT_TRUE(bounds.like(1, 2));
  const auto lead = ranking(bounds.compared).leads.at(0);
  EXPECT_NEAR(lead.ratio->value, 0.1 / by_h200_s, 1e-9);
  EXPECT_FALSE(lead.ratio->low);
  EXPECT_FALSE(lead.ratio->difference());
  EXPECT_EQ(lead.state(), LeadState::unlike);
  EXPECT_FALSE(lead.decided());
  EXPECT_NE(bounds.conclusion().find("and it cannot be compared with A without --efficiency (one is a datasheet, the "
                                     "other measured), by"),
            std::string::npos)
      << bounds.conclusion();
  const std::string page = markdown(tender(bounds.compared, ranking(bounds.compared), {"1"}));
  EXPECT_NE(page.find("The two bounds are not comparable: ratio of the figures 480."), std::string::npos) << page;
  EXPECT_EQ(page.find("as fast as A (Slow)"), std::string::npos) << page;
  EXPECT_EQ(ratio_chart(bounds.compared), "");
}

TEST(Bounds, WithoutAnEfficiencyMeasuredRoofsHaveTheirIntervals) {
  const Bounded bounds({measured("Slow", Has::roofs), measured("Other", Has::roofs)}, {});
  EXPECT_EQ(ranking(bounds.compared).leads.at(0).state(), LeadState::within_noise);
  EXPECT_NEAR(bounds.time(0).high.value(), 0.1 / 0.99, 1e-12);
}

TEST(Bounds, ByDatasheetsAMachineAndACandidateAreComparable) {
  const Bounded bounds({measured("Slow", Has::both), h200()}, 0);
  EXPECT_TRUE(bounds.compared.bounds->of_datasheet);
  EXPECT_NEAR(bounds.time(0).value, 0.05 / 0.45, 1e-12);
  EXPECT_NEAR(bounds.time(1).value, by_h200_s / 0.45, 1e-15);
  EXPECT_TRUE(ranking(bounds.compared).leads.at(0).decided());
  EXPECT_NE(bounds_lines(bounds.compared)[1].find("of its own, A and B by datasheets, in each"), std::string::npos);
}

/// The fallback is of the one named: B stays with its datasheet, and what rests on that of C is decided.
TEST(Bounds, ANamedSubjectWithoutADatasheetDecidesNothingAboutDatasheets) {
  const Bounded bounds({measured("Slow", Has::operators), measured("Known", Has::both), h200()}, 0);
  EXPECT_FALSE(bounds.compared.bounds->of_datasheet);
  EXPECT_EQ(bounds.compared.bounds->roofs, (std::vector{Basis::measured, Basis::datasheet, Basis::datasheet}));
  EXPECT_NEAR(bounds.time(0).value, 0.1 / 0.9, 1e-12);
  EXPECT_NEAR(bounds.time(1).value, 0.05 / 0.45, 1e-12) << "its own";
  EXPECT_NEAR(bounds.time(2).value, by_h200_s / 0.9, 1e-15) << "90 % of measured roofs, of a datasheet";
  EXPECT_TRUE(bounds.like(0, 1));
  EXPECT_FALSE(bounds.like(0, 2));
  EXPECT_FALSE(bounds.like(1, 2));
  for (const Lead& lead : ranking(bounds.compared).leads) EXPECT_EQ(lead.state(), LeadState::unlike);
  EXPECT_NE(bounds.conclusion().find("cannot be compared with A and B (A's efficiency is of its measured roofs, and "
                                     "is assumed of a datasheet), by"),
            std::string::npos)
      << bounds.conclusion();
  EXPECT_NE(bounds_lines(bounds.compared)[1].find(", B and C by datasheets, in"), std::string::npos);
}

TEST(Bounds, TwoDatasheetsAtOneEfficiencyAreComparable) {
  const Bounded bounds({h200(), subject_of(catalogue::find_device("T4")), measured("Slow", Has::operators)}, 2);
  EXPECT_TRUE(bounds.like(0, 1));
  EXPECT_FALSE(bounds.like(0, 2));
  EXPECT_EQ(ranking(bounds.compared).leads.at(0).state(), LeadState::ahead);
  EXPECT_EQ(ranking(bounds.compared).leads.at(1).state(), LeadState::unlike);
}

/// A machine of 10 GB/s that ran other operators than the work, at these parts of that.
Subject others_ran(const std::vector<double>& parts) {
  Result result = with_roofs("Other");
  for (std::size_t i = 0; i < parts.size(); ++i)
    test::add_point(result, "relu", 1e8, 1e9, 0.1 / parts[i]).params = fmt::format("n={}", i);
  return subjects_of(std::vector{NamedResult{"other.json", result}}).front();
}

/// The same machine: what other operators reached of it is no news of this one.
TEST(Bounds, WhatOtherOperatorsReachIsARange) {
  const Bounded one({measured("Slow", Has::operators), others_ran({0.5})}, 0);
  EXPECT_EQ(ranking(one.compared).leads.at(0).state(), LeadState::no_interval);
  const Bounded some({measured("Slow", Has::operators), others_ran({0.4, 0.5, 0.5, 0.5, 0.5, 1})}, 0);
  const Ratio ratio = ratio_of(some.time(0), some.time(1));
  EXPECT_NEAR(ratio.value, 0.5 / 0.9, 1e-12);
  EXPECT_LE(ratio.low.value(), 0.4 / 0.9);
  EXPECT_GE(ratio.high.value(), 1 / 0.9);
  EXPECT_EQ(ranking(some.compared).leads.at(0).state(), LeadState::within_noise);
}

/// The work itself was measured on both: 90 % and 45 % of one machine.
TEST(Bounds, AnOperatorThatWasMeasuredTakesItsTime) {
  Subject slower = measured("Other", Has::operators);
  slower.points[0].rows[0].time = test::made_up(0.1 / 0.45);
  slower.points[0].figure.value = 0.1 / 0.45;
  const Bounded bounds({measured("Slow", Has::operators), slower}, 0);
  EXPECT_NEAR(bounds.time(1).value, 0.1 / 0.45, 1e-12);
  EXPECT_NEAR(ratio_of(bounds.time(0), bounds.time(1)).value, 0.5, 1e-12);
}

/// At 90 % of measured roofs stands what has measured roofs, also where its datasheet is known.
TEST(Bounds, RoofsAreOfTheKindOfTheEfficiencyWhereASubjectHasThem) {
  const Bounded measured_roofs({measured("Slow", Has::operators), measured("Idle", Has::datasheet), h200()}, 0);
  EXPECT_NEAR(measured_roofs.time(1).value, 0.1 / 0.9, 1e-12);
  EXPECT_TRUE(measured_roofs.like(0, 1));
  const Bounded datasheets({measured("Slow", Has::both), measured("Idle", Has::datasheet), h200()}, 0);
  EXPECT_NEAR(datasheets.time(1).value, 0.05 / 0.45, 1e-12);
  EXPECT_TRUE(datasheets.like(0, 1));
  const Bounded neither({measured("Slow", Has::both), measured("Idle", Has::roofs), h200()}, 0);
  EXPECT_FALSE(neither.like(0, 1)) << "45 % of a datasheet, of measured roofs";
  EXPECT_NE(neither.conclusion().find("A's efficiency is of its datasheet, and is assumed of measured roofs"),
            std::string::npos)
      << neither.conclusion();
  EXPECT_TRUE(neither.like(0, 2));
}

TEST(Bounds, AnEfficiencyThatNobodyMeasuredIsRefused) {
  EXPECT_NE(error_of([] {
              Bounded({measured("Slow", Has::both), h200()}, 1);
            }).find("no operator of H200 SXM 141GB"),
            std::string::npos);
}

/// Both are the same card: no value of anything would turn what is level.
TEST(Bounds, WhatIsLevelHasNothingThatTurnsIt) {
  const Bounded bounds({h200(), h200()}, {});
  const TotalCost cost = ranking(bounds.compared);
  EXPECT_EQ(cost.leads.at(0).state(), LeadState::level);
  EXPECT_TRUE(cost.break_evens.empty());
}

/// Its memory is known to be too small: no mean, no rank.
TEST(Bounds, WhatDoesNotHoldTheWorkHasNoMean) {
  std::vector<Subject> subjects{h200(), h200(), h200()};
  use_bounds(subjects, "the work", relu(1e8, 1e9), {}, [&](const Subject& one) {
    return &one == &subjects[1] ? std::optional(Misfit{2e11, 1e11, 2}) : std::nullopt;
  });
  const Comparison answer = compare(subjects);
  EXPECT_FALSE(answer.means[1]);
  EXPECT_TRUE(answer.means[2]);
  EXPECT_EQ(misfit_text(subjects[1]),
            "One H200 SXM 141GB does not hold the model (needs 200 GB, has 100 GB); 2 would.");
  subjects[1].misfit = Misfit{2e11, 1e11, {}, "heads are few"};
  EXPECT_EQ(misfit_text(subjects[1]),
            "One H200 SXM 141GB does not hold the model (needs 200 GB, has 100 GB), and no number of them does: heads "
            "are few.");
}

/// A launch of 4 us, measured within 1 %, decides: its interval is that of the launch.
TEST(Bounds, ALaunchThatDecidesHasItsInterval) {
  Result result = with_roofs("Slow");
  test::add_row(result, CeilingKind::overhead, std::string(awaited_launch), "s", 4e-6);
  std::vector<Subject> subjects = subjects_of(std::vector{NamedResult{"a.json", result}});
  use_bounds(subjects, "the work", relu(1, 1), {});
  const Figure& time = subjects[0].points.at(0).figure;
  EXPECT_EQ(subjects[0].points[0].rows[0].limit_kind, LimitKind::overhead);
  EXPECT_NEAR(time.low.value(), 0.99 * time.value, 1e-9);
  EXPECT_NEAR(time.high.value(), 1.01 * time.value, 1e-9);
}

/// What nobody measured launches as fast as the machine whose efficiency it is assumed to have.
TEST(Bounds, DatasheetsTakeTheLaunchOfTheOneNamed) {
  Subject machine = measured("Slow", Has::both);
  Result launch = test::made_up_result();
  test::add_row(launch, CeilingKind::overhead, std::string(awaited_launch), "s", 4);
  machine.ceilings.push_back(subjects_of(std::vector{NamedResult{"b.json", launch}}).front().ceilings.front());
  const Bounded bounds({machine, h200()}, 0);
  EXPECT_GT(bounds.time(1).value, 4);
  EXPECT_NEAR(bounds.time(0).value / bounds.time(1).value, 4.05 / (4 + by_h200_s), 1e-6);
}

}  // namespace
}  // namespace gable::questions
