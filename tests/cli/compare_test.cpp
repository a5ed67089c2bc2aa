// Comparing as users do it: files on disk, tables and JSON.
#include <gtest/gtest.h>

#include <sstream>

#include "core/result/store.hpp"
#include "core/text/text_table.hpp"
#include "core/verdict/roofs.hpp"
#include "machines.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {
namespace {

TEST_F(Compare, TwoMachinesSideBySide) {
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  result::save(machine("Fast", 2.5, 2), folder_ / "b.json");
  const auto run = compare({"a.json", "b.json", "--explain"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("B (Fast) is 2.5 (2.45…2.55) times as fast as A (Slow) over 1 of 1 operator, beyond"))
      << run.out;
  for (const char* words :
       {"A: Slow, 4 threads, measured: a.json (full)", "100 GFLOP/s ±1.0 %", "2.5 (2.45…2.55) beyond these runs",
        "relu fp32 n=1000 (cold): 2.5x, beyond these runs: memory-bound on both; bandwidth 2.5x (A",
        "% -> 90 % gives 1x", "B vs A, geometric mean: 2.5 (2.45…2.55) beyond these runs over 1 row of 1 of 1 operator",
        "formulas"})
    EXPECT_TRUE(says(run, words)) << words << ": " << run.out;
  EXPECT_FALSE(says(run, "energy: work per joule")) << "nobody read the power";
  EXPECT_FALSE(says(run, "per unit of the price")) << run.out;
}

/// The file says 50 % of the bound, its rows say 90 %: both commands judge it by the rows.
TEST_F(Compare, GivesTheShareOfTheReport) {
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  Result other = machine("Fast", 2.5, 2);
  other.points[0].fraction_of_limit = 0.5;
  other.points[0].compared_rounds = 4;
  result::save(other, folder_ / "b.json");
  const json answer = compared({"a.json", "b.json"});
  const json relu = answer["operators"][0]["figures"][1];
  EXPECT_DOUBLE_EQ(relu["fraction_of_bound"], 0.9);
  EXPECT_FALSE(relu.contains("compared_by_rounds"));
  const auto report = gable({"report", "b.json"}, {}, folder_.path());
  EXPECT_NE(report.out.find("90.0 %"), std::string::npos) << report.out;
}

/// A run file without ceilings was judged by those that it borrowed: no other command asks for them.
TEST_F(Compare, TakesTheVerdictOfAFileWithoutCeilings) {
  for (const char* name : {"a.json", "b.json"}) {
    Result run = machine(name, 1, name[0] == 'a' ? 1 : 2);
    set_verdicts(run);
    run.ceilings.clear();
    result::save(run, folder_ / name);
  }
  const json answer = compared({"a.json", "b.json"});
  EXPECT_DOUBLE_EQ(answer["operators"][0]["figures"][1]["fraction_of_bound"], 0.9);
  EXPECT_EQ(answer["operators"][0]["figures"][1]["regime"], "memory_bound");
}

TEST_F(Compare, RepeatsOfOneDeviceHaveTheirEnergy) {
  auto first = machine("Slow", 1, 1), second = machine("Slow", 1, 2);
  for (Result* result : {&first, &second}) {
    result->ceilings[0].conditions.power_w = result == &first ? 40 : 60;  // their median is 50
    result->points[0].conditions.power_w = 50;
  }
  result::save(first, folder_ / "1.json");
  result::save(second, folder_ / "2.json");
  const auto text = compare({"1.json", "2.json"});
  EXPECT_TRUE(says(text, "energy: work per joule")) << text.out;
  EXPECT_TRUE(says(text, "2 GFLOP/J")) << "100 Gflop/s / 50 W: " << text.out;
  const json answer = compared({"1.json", "2.json"});
  EXPECT_DOUBLE_EQ(answer["ceilings"][0]["power_w"], 50);
  EXPECT_DOUBLE_EQ(answer["ceilings"][0]["flop_per_joule"], 1e11 / 50);
  EXPECT_FALSE(answer["ceilings"][1].contains("byte_per_joule")) << "nobody read that row's power";
  EXPECT_DOUBLE_EQ(answer["operators"][0]["energy_j"], 0.1 / 0.9 * 50);
  EXPECT_DOUBLE_EQ(answer["operators"][0]["byte_per_joule"], 1e9 / (0.1 / 0.9 * 50));
}

/// 10 cores x 10 flop x 2 GHz = 200 Gflop/s; the file says that the peak was 400 Gflop/s.
TEST_F(Compare, TheTerminalsWidthIsUsedAndNoNameIsCut) {
  Result result = made_up_result("EPYC 9654");
  add_peak(result, DType::fp32, 4e11);
  result::save(result, folder_ / "a.json");
  for (const char* columns : {"40", "100", "300"}) {
    const auto run = gable({"compare", "a.json", "H200 SXM 141GB", "MI300X"}, {{"COLUMNS", columns}}, folder_.path());
    ASSERT_EQ(run.code, 0) << run.err;
    std::string text = run.out;
    std::erase(text, '\n');
    EXPECT_NE(text.find("vector"), std::string::npos) << run.out;
    EXPECT_NE(text.find("TFLOP/s"), std::string::npos) << run.out;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), std::stoi(columns)) << line;
  }
}

TEST_F(Compare, PercentOfTheDatasheetIsThatOfTheUsersCatalogue) {
  auto a = machine("Tender T9", 1, 1);
  a.devices[0].cores = 10;
  a.devices[0].max_clock_hz = 2e9;
  a.ceilings[0].threads = 10;
  a.ceilings[0].datasheet = 4e11;
  a.devices[0].peaks = {{"vector", DType::fp32, {}, 4e11, "flop/s", 20.0, "an old catalogue", Confidence::stated}};
  result::save(a, folder_ / "a.json");
  result::save(machine("Fast", 2, 2), folder_ / "b.json");
  write_text(folder_ / "mine.json", R"({"cpus": [{"name": "Tender core", "rates": [
    {"dtype": "fp32", "unit": "vector", "flop_per_cycle": 10, "isa": "SVE", "source": "our tender"}],
    "processors": [{"name": "Tender T9", "clock_hz": 2e9, "memory_type": "DDR9", "memory_byte_per_s": 2e10, "source": "our tender"}]}]})");
  const auto percent = [&](const std::vector<std::string>& words) {
    return compared(with(words, {"a.json", "b.json"}))["ceilings"][0]["figures"][0]["percent_of_datasheet"];
  };
  EXPECT_DOUBLE_EQ(percent({}), 25) << "the catalogue has no such processor: what the file has stays";
  EXPECT_DOUBLE_EQ(percent({"--devices-file", "mine.json"}), 50);
}

TEST_F(Compare, SaysWhatElseDiffers) {
  auto a = machine("Slow", 1, 1), b = machine("Fast", 2.5, 2), again = machine("Slow", 1.1, 3);
  a.run.kernel = b.run.kernel = "Linux 6.1";
  again.run.kernel = "Linux 6.18";
  a.devices[0].facts = {{"power cap", "300 W", "test"}, {"governor", "performance", "test"}};
  b.devices[0].facts = {{"power cap", "250 W", "test"}, {"turbo", "on", "test"}};
  again.devices[0].facts = a.devices[0].facts;
  result::save(a, folder_ / "a.json");
  result::save(b, folder_ / "b.json");
  result::save(again, folder_ / "again.json");
  const auto run = compare({"a.json", "b.json"});
  EXPECT_TRUE(says(run, "what else differs\n  power cap: A 300 W, B 250 W\n")) << run.out;
  EXPECT_TRUE(says(run, "told by some subjects only: governor (A performance), turbo (B on)")) << run.out;
  EXPECT_FALSE(says(run, "Linux 6.1")) << "the same on both: " << run.out;
  const json told = compared({"a.json", "b.json"})["what_else_differs"];
  ASSERT_EQ(told.size(), 3U) << told;
  EXPECT_EQ(told[0]["name"], "power cap");
  EXPECT_EQ(told[0]["differs"], true);
  EXPECT_EQ(told[0]["told"][1]["subject"], 1);
  EXPECT_EQ(told[0]["told"][1]["values"][0], "250 W");
  EXPECT_EQ(told[2]["differs"], false);
  EXPECT_EQ(told[2]["told"].size(), 1U);
  const auto repeats = compare({"a.json", "again.json"});
  EXPECT_TRUE(says(repeats, "what else differs\n  kernel: Linux 6.1; Linux 6.18\n")) << repeats.out;
  EXPECT_FALSE(says(repeats, "power cap")) << repeats.out;
}

TEST_F(Compare, FactorsOfUnlikeRoofsAndPointsAboveTheirRoofSaySo) {
  auto a = machine("Slow", 1, 1), b = machine("Fast", 2.5, 2);
  b.ceilings[0].at = OperatingPoint::sustained;
  for (Result* result : {&a, &b}) add_point(*result, "gemm", 1e11, 1e9, result == &a ? 0.8 : 0.5);
  result::save(a, folder_ / "a.json");
  result::save(b, folder_ / "b.json");
  const auto run = compare({"a.json", "b.json"});
  EXPECT_TRUE(says(run, "(A vector fp32 (burst) 100 GFLOP/s, B vector fp32")) << run.out;
  EXPECT_TRUE(says(run, "above 100 %:")) << run.out;
  const json gemm = compared({"a.json", "b.json"})["operators"][1]["figures"];
  EXPECT_EQ(gemm[0]["above_the_bound"], true);
  EXPECT_EQ(gemm[1]["above_the_bound"], false);
  EXPECT_EQ(gemm[1]["factors"]["like"], false);
  EXPECT_EQ(gemm[1]["factors"]["roof"]["label"], "vector fp32 (sustained)");
}

TEST_F(Compare, JsonHasFullDigitsAndUnits) {
  auto a = machine("Slow", 1, 1), b = machine("Fast", 2.5, 2);
  b.ceilings[0].conditions.power_w = 100;
  b.points[0].conditions.power_w = 100;
  result::save(a, folder_ / "a.json");
  result::save(b, folder_ / "b.json");
  const json answer = compared({"a.json", "b.json", "--price", "B=3.6", "--price", "slow=1.8/h"});
  const auto& peak = answer["ceilings"][0];
  EXPECT_EQ(peak["figures"][0]["unit"], "flop/s");
  EXPECT_DOUBLE_EQ(peak["figures"][1]["ratio"]["value"], 2.5);
  EXPECT_EQ(peak["figures"][1]["ratio"]["difference"], "beyond_these_runs");
  EXPECT_DOUBLE_EQ(peak["figures"][1]["flop_per_joule"], 2.5e9);
  EXPECT_FALSE(peak["figures"][0].contains("flop_per_joule"));
  EXPECT_DOUBLE_EQ(peak["figures"][0]["flop_per_price_unit"], 2e14);  // 1e11 x 3600 / 1.8
  const auto& relu = answer["operators"][0]["figures"][1];
  EXPECT_NEAR(relu["cost_in_price_units"], 0.1 / 0.9 / 2.5 * 1e-3, 1e-12);
  EXPECT_NEAR(relu["energy_j"], 100 * 0.1 / 0.9 / 2.5, 1e-12);
  EXPECT_EQ(relu["regime"], "memory_bound");
  EXPECT_NEAR(relu["factors"]["of_roof"], 2.5, 1e-12);
  EXPECT_EQ(answer["means"][0]["operators"], 1);
  const auto text = compare({"a.json", "b.json", "--price", "1.8,3.6"});
  for (const char* words : {"energy: work per joule", "2.5 GFLOP/J",
                            "A: Slow, 4 threads, measured: a.json (full); 1.8 an hour", "cost of one run"})
    EXPECT_TRUE(says(text, words)) << words << ": " << text.out;
}

TEST_F(Compare, FilesOfOneDeviceAreRepeatsUnlessTheyAreTakenApart) {
  result::save(machine("Slow", 1, 1), folder_ / "a1.json");
  result::save(machine("Slow", 1.1, 2), folder_ / "a2.json");
  result::save(machine("Fast", 1.05, 3), folder_ / "b.json");
  const auto one = compare({"a1.json", "a2.json"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(says(one, "Slow, 2 runs of one device")) << one.out;
  EXPECT_TRUE(says(one, "9.52 %")) << "(110 - 100) / 105: " << one.out;
  const auto spread = compared({"a1.json", "a2.json"});
  EXPECT_DOUBLE_EQ(spread["ceilings"][0]["smallest"], 1e11);
  EXPECT_DOUBLE_EQ(spread["ceilings"][0]["low"], 0.99e11);
  EXPECT_EQ(spread["ceilings"][0]["spread"], "between_runs");
  const auto two = compare({"a1.json", "b.json", "a2.json"});
  EXPECT_TRUE(says(two, "Only 2 runs of A. B was not repeated.")) << two.out;
  EXPECT_TRUE(says(two, "A: Slow, 4 threads, measured, 2 runs: a1.json (full), a2.json (full)")) << two.out;
  EXPECT_TRUE(says(two, "1 (0.936…1.07) within noise")) << "1.05 against 1.05: " << two.out;
  const auto apart = compare({"a1.json", "a2.json", "--apart", "--report", "t.md"});
  EXPECT_TRUE(read_text(folder_ / "t.md").starts_with("# Comparison of Slow (a1.json), Slow (a2.json)"));
  EXPECT_TRUE(says(apart, "A: Slow on here (a1.json)")) << apart.out;
  EXPECT_TRUE(says(apart, "1.1 (1.08…1.12)")) << apart.out;
}

TEST_F(Compare, ADatasheetIsASideAndItsPlaceIsKept) {
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  const auto second = compare({"a.json", "A100 SXM4 80GB"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_TRUE(says(second, "B: A100 SXM4 80GB, datasheet, confirmed")) << second.out;
  EXPECT_TRUE(second.out.starts_with("No operator was measured on both A and B")) << second.out;
  EXPECT_TRUE(says(second, "B: the datasheet's figures, which nobody measured")) << second.out;
  const auto subjects = compared({"A100 SXM4 80GB", "a.json", "H100 SXM5 80GB"})["subjects"];
  ASSERT_EQ(subjects.size(), 3U);
  EXPECT_EQ(subjects[0]["name"], "A100 SXM4 80GB");
  EXPECT_EQ(subjects[1]["name"], "Slow");
}

/// 20 TB/s against the H200's 4.8; 4 Pflop/s against 989 Tflop/s.
TEST_F(Compare, UsersOwnDevicesAreSidesToo) {
  write_text(folder_ / "mine.json", R"({"devices": [{"name": "Tender X1", "memory_type": "HBM9", "memory_byte": 1e12,
    "memory_byte_per_s": 2e13, "source": "our tender",
    "peaks": [{"dtype": "bf16", "unit": "matrix", "accumulate": "fp32", "peak_flop_per_s": 4e15}]}]})");
  const json answer = compared({"H200 SXM 141GB", "Tender X1", "--devices-file", "mine.json"});
  ASSERT_EQ(answer["ceilings"].size(), 2U);
  EXPECT_NEAR(answer["ceilings"][0]["figures"][1]["ratio"]["value"], 4000 / 989.0, 0.01);
  EXPECT_NEAR(answer["ceilings"][1]["figures"][1]["ratio"]["value"], 20 / 4.8, 1e-9);
  EXPECT_EQ(answer["subjects"][1]["basis"], "datasheet, stated");
}

TEST_F(Compare, WrongUseIsOneLine) {
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  result::save(machine("Fast", 2, 2), folder_ / "b.json");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& culprit) {
    const auto run = compare(words);
    expect_refusal(run, culprit);
    EXPECT_EQ(run.out, "");
  };
  refused({"a.json"}, "two devices, or several runs of one");
  refused({"a.json", "a.json"}, "holds the same run");
  refused({"a.json:cuda:7", "b.json"}, "device 'cuda:7'");
  refused({"a.json", "b.json", "--price", "1,2,3"}, "--price: more values than the 2");
  refused({"a.json", "b.json", "--price", "1,cheap"}, "'cheap'");
  refused({"a.json", "b.json", "--price", "-1"}, "'-1'");
  refused({"a.json", "b.json", "--price", "A=1,A=2"}, "a second price of A");
  refused({"a.json", "b.json", "--price", "1e300"}, "'1e300'");
  EXPECT_EQ(compare({"a.json", "b.json", "--price", "A=1,B=2"}).code, 0);
  const auto alike = compared({"a.json", "b.json", "--price", "2,2"})["subjects"];
  EXPECT_EQ(alike[1]["price_per_hour"], 2) << "two subjects may cost the same";
  result::save(machine("Slow", 1.1, 3), folder_ / "a2.json");
  refused({"a.json", "a2.json", "--price", "1"}, "runs of one");
  refused({"a.json", "a2.json", "--weights", "time"}, "runs of one");
  refused({"a.json", "a2.json", "--report", "t.md"}, "runs of one");
  EXPECT_TRUE(says(compare({"a.json", "a2.json", "--explain"}), "formulas"));
  refused({"a.json", "b.json", "--price", "C=1"}, "'C' is none of A (Slow), B (Fast)");
  auto newer = json::parse(read_text(folder_ / "b.json"));
  newer["schema_version"] = "9.0";
  write_text(folder_ / "newer.json", newer.dump());
  refused({"a.json", "newer.json"}, "newer.json");
}

TEST_F(Compare, AnEqualsSignMayStandInAFileAndInAName) {
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  result::save(machine("Fast", 2, 1), folder_ / "b=b.json");
  const auto equals = compared({"a.json", "b=b.json", "--price", "b=b.json=2,A=1", "--name", "B=x=y"});
  EXPECT_EQ(equals["subjects"][1]["price_per_hour"], 2);
  EXPECT_EQ(equals["subjects"][1]["name"], "x=y");
}

TEST_F(Compare, AFilesNameIsThatFileAndNoPartOfAnother) {
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  result::save(machine("Slow", 2, 2), folder_ / "aa.json");
  const json subjects = compared({"a.json", "aa.json", "--apart", "--price", "a.json=1,aa.json=2"})["subjects"];
  EXPECT_EQ(subjects[0]["price_per_hour"], 1);
  EXPECT_EQ(subjects[1]["price_per_hour"], 2);
}

/// 2.5 times in relu, 5 times in gelu; softmax only A has, add is of other sizes.
TEST_F(Compare, TheConclusionSaysOnHowManyOperatorsItRestsAndNamesTheFarEnds) {
  Result a = machine("Slow", 1, 1), b = machine("Fast", 2.5, 2);
  add_point(a, "gelu", 1e8, 1e9, 0.5);
  add_point(b, "gelu", 1e8, 1e9, 0.1);
  add_point(a, "softmax", 1e8, 1e9, 0.5);
  add_point(a, "add", 1e8, 1e9, 0.5);
  add_point(b, "add", 2e8, 2e9, 0.5).params = "n=2000";
  result::save(a, folder_ / "a.json");
  result::save(b, folder_ / "b.json");
  const auto run = compare({"a.json", "b.json", "--name", "A=Node Alpha"});
  EXPECT_TRUE(
      says(run, "over 2 of 4 operators, from 2.5 (relu fp32 n=1000 (cold)) to 5 (gelu fp32 n=1000 (cold)), 1 in"))
      << run.out;
  EXPECT_TRUE(says(run, "A: Node Alpha (Slow), 4 threads")) << run.out;
  const json mean = compared({"a.json", "b.json"})["means"][0];
  EXPECT_EQ(mean["of_operators"], 4);
  EXPECT_EQ(mean["in_other_sizes"], 1);
  EXPECT_NEAR(mean["best_ratio"], 5, 1e-9);
}

/// 989.4 against 65 Tflop/s of fp16; the fp32 unit that stands in for bf16 on a T4 is no peak of that type.
TEST_F(Compare, PeaksByTypeAreOfTypesThatBothHave) {
  const auto run = compare({"T4", "H200 SXM 141GB", "--dtype", "fp16,bf16"});
  EXPECT_TRUE(says(run, "B has 15 times the memory bandwidth of A and 15.2 times its peaks by type")) << run.out;
}

}  // namespace
}  // namespace gable::test
