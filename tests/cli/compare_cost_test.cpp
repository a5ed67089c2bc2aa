#include <gtest/gtest.h>

#include <filesystem>

#include "core/result/store.hpp"
#include "machines.hpp"
#include "program.hpp"

namespace gable::test {
namespace {

/// Two machines of which B takes half of the time, A at 400 W and B at 500 W.
class CompareTwo : public Compare {
 protected:
  CompareTwo() {
    auto a = machine("Slow", 1, 1), b = machine("Fast <b>", 2, 2);
    a.points[0].conditions.power_w = 400;
    b.points[0].conditions.power_w = 500;
    result::save(a, folder_ / "a.json");
    result::save(b, folder_ / "b.json");
  }
  void refused(std::vector<std::string> words, const std::string& culprit) const {
    words.insert(words.begin(), {"a.json", "b.json"});
    expect_refusal(compare(words), culprit);
  }
};

/// 2 years x 8766 h x 0.25 a kWh are 4.383 for a watt: 1000 + 1753.2 against 3000 + 2191.5, twice as fast.
TEST_F(CompareTwo, TotalCostAndWhatWouldTurnIt) {
  write_text(folder_ / "w.json", R"({"relu": 2})");
  const std::vector<std::string> question{"a.json", "b.json",   "--capital", "1000,3000", "--years",
                                          "2",      "--tariff", "0.25",      "--weights", "w.json"};
  const json cost = compared(question)["total_cost"];
  EXPECT_DOUBLE_EQ(cost["devices"][0]["total"], 1000 + 4.383 * 400);
  EXPECT_DOUBLE_EQ(cost["devices"][1]["energy_kwh"], 2 * 8766 * 0.5);
  EXPECT_EQ(cost["devices"][1]["power_is"], "measured");
  EXPECT_NEAR(cost["devices"][1]["performance_vs_baseline"]["value"], 2, 1e-12);
  EXPECT_NEAR(cost["devices"][1]["performance_per_watt_vs_baseline"]["value"], 1.6, 1e-12);
  EXPECT_EQ(cost["decision"]["by"], "performance_per_total_cost");
  EXPECT_EQ(cost["decision"]["best"], 1);
  EXPECT_EQ(cost["break_evens"][1]["assumption"], "price");
  EXPECT_EQ(cost["break_evens"][1]["subject"], 1);
  EXPECT_NEAR(cost["break_evens"][1]["turns_at"], 2 * (1000 + 4.383 * 400) - 4.383 * 500, 1e-9);
  const auto text =
      compare({"a.json", "b.json", "--capital", "A=1000,B=3000", "--years", "2", "--tariff", "0.25", "--pue", "1.2",
               "--utilisation", "70%", "--idle-power", "60W,60W", "--power-budget", "12kW"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(says(text,
                   "total = capital + 2 years x 8766 h x (0.7 x power under load + 0.3 x idle power) x PUE 1.2 x "
                   "0.25 per kWh"))
      << text.out;
  EXPECT_TRUE(says(
      text,
      "B (Fast <b>) has the most performance within a power budget of 12 kW, 1.6 times that of A, by the measured"))
      << text.out;
  EXPECT_TRUE(says(text, "B vs A: 1.6 ")) << "20 of B at 600 W, 25 of A at 480 W: " << text.out;
  EXPECT_TRUE(says(text, "measured in 1 of 1 row")) << text.out;
}

/// 20 of A, and 10 of B, each twice as fast: level, though both are far from the work of one A.
TEST_F(CompareTwo, AllDevicesOfABudgetAreComparedWithAllOfTheBaselines) {
  const json devices = compared({"a.json", "b.json", "--capital", "1,1", "--years", "1", "--tariff", "0.1", "--power",
                                 "500,1000", "--power-budget", "10kW"})["total_cost"]["devices"];
  const json whole = devices[1]["performance_of_all_in_baseline_devices"];
  EXPECT_NEAR(whole["value"], 20, 1e-9);
  EXPECT_EQ(whole["difference"], "within_noise");
  EXPECT_FALSE(devices[0]["performance_of_all_in_baseline_devices"].contains("difference"));
}

TEST_F(CompareTwo, WrongTotalCostIsOneLine) {
  refused({"--years", "5"}, "--years goes with --capital");
  refused({"--capital", "1,2"}, "--capital needs --years");
  refused({"--capital", "1", "--years", "5", "--tariff", "0.2"}, "no price of B (Fast <b>)");
  refused({"--capital", "1,2,3", "--years", "5", "--tariff", "0.2"}, "--capital: more values than the 2");
  refused({"--capital", "1,2", "--years", "0", "--tariff", "0.2"}, "--years: '0'");
  refused({"--capital", "1,2", "--years", "5", "--tariff", "0.2", "--pue", "0.9"}, "--pue: '0.9'");
  refused({"--capital", "1,2", "--years", "5", "--tariff", "0.2", "--utilisation", "70"}, "--utilisation: '70'");
  refused({"--capital", "1,2", "--years", "5", "--tariff", "0.2", "--power", "hot"}, "--power: ");
  refused({"--capital", "1,2", "--years", "5", "--tariff", "0.2", "--money-budget", "1", "--power-budget", "1kW"},
          "exclude each other");
  refused({"--capital", "1,2", "--years", "5", "--tariff", "0.2", "--money-budget", "1"}, "no device of any subject");
  const auto costs = [&](std::vector<std::string> words, const std::string& culprit) {
    words.insert(words.begin(), {"--years", "5", "--tariff", "0.2"});
    refused(words, culprit);
  };
  costs({"--capital", "0,0"}, "--capital: '0' is no price of a device");
  costs({"--capital", "12,000"}, "--capital: '000' is no price of a device");
  costs({"--capital", "1,2", "--idle-power", "9W,9W"}, "--idle-power counts in hours without work");
  costs({"--capital", "1,2", "--idle-power", "9W", "--utilisation", "0.5"}, "--idle-power: none of B (Fast <b>)");
  costs({"--capital", "1,2", "--idle-power", "9W,501W", "--utilisation", "0.5"},
        "is above its power under load, 500 W");
  costs({"--capital", "1,2", "--power-budget", "1e300W"}, "--power-budget: 1e+300: a power");
  costs({"--capital", "1,2", "--money-budget", "1e300"}, "--money-budget: '1e300'");
  costs({"--capital", "1,2", "--power", "1e9W,1W"}, "--power: ");
  refused({"--weights", "most"}, "unknown 'most'");
  refused({"--weights", "none.json"}, "none.json");
  const auto weights = [&](const std::string& text, const std::string& culprit) {
    write_text(folder_ / "w.json", text);
    refused({"--weights", "w.json"}, culprit);
  };
  weights(R"({"gemmm": 1})", "'gemmm' is no operator or case");
  weights(R"({"relu": -1})", "w.json: the weight of 'relu'");
  weights(R"({"relu": 1, "relu": 2})", "w.json: key 'relu' is there twice");
  weights("[1]", "w.json: not {");
  weights("{}", "w.json: not {");
  expect_refusal(compare({"a.json", "A100 SXM4 80GB", "--weights", "time"}), "--weights weighs operators");
}

TEST_F(CompareTwo, ReportIsWrittenBesideTheTables) {
  const auto run = compare({"a.json", "b.json", "--report", "t.html"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(says(run, "geometric mean")) << "the tables stay: " << run.out;
  const std::string html = read_text(folder_ / "t.html");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>")) << html;
  EXPECT_NE(html.find("B (Fast &lt;b&gt;): 2 (1.96…2.04) times as fast as A (Slow)"), std::string::npos) << html;
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  ASSERT_EQ(compare({"a.json", "b.json", "--report", "t.md"}).code, 0);
  EXPECT_TRUE(read_text(folder_ / "t.md").starts_with("# Comparison of Slow, Fast \\<b\\>"))
      << read_text(folder_ / "t.md");
}

TEST_F(CompareTwo, AReportHasTheUsersNamesTitleAndCurrency) {
  const auto run =
      compare({"a.json", "b.json", "--name", "A=Node Alpha", "--name", "fast=Node Beta", "--capital", "12000,34000",
               "--years", "5", "--tariff", "0.22", "--currency", "EUR", "--title", "Tender 7", "--report", "t.html"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(says(run, "A (Node Alpha)")) << run.out;
  EXPECT_TRUE(says(run, "34 000 EUR")) << run.out;
  const std::string html = read_text(folder_ / "t.html");
  for (const char* text : {"<h1>Tender 7</h1>", "<th>A Node Alpha</th><th>B Node Beta</th>", "<td>12 000 EUR</td>"})
    EXPECT_NE(html.find(text), std::string::npos) << text;
  refused({"--title", "T"}, "--title goes with --report");
  refused({"--currency", "EUR"}, "--currency goes with --capital");
  refused({"--name", "Alpha"}, "--name: 'Alpha' is no A=TEXT");
  refused({"--name", "A="}, "is no A=TEXT");
  refused({"--name", "C=x"}, "--name: 'C' is none of A (Slow)");
  refused({"--name", "A=x", "--name", "B=x"}, "two devices are called 'x'");
  refused({"--name", "A=x", "--name", "A=y"}, "is x already");
}

TEST_F(CompareTwo, AReportReplacesNothingUnaskedAndIsWholeOrNotThere) {
  write_text(folder_ / "t.html", "mine");
  write_text(folder_ / "w.json", R"({"gemmm": 1})");
  const auto kept = [&](const std::vector<std::string>& words, const std::string& culprit) {
    refused(words, culprit);
    EXPECT_EQ(read_text(folder_ / "t.html"), "mine");
  };
  kept({"--report", "t.html"}, "'t.html' exists; name another --report or add --force");
  kept({"--report", "t.html", "--force", "--weights", "w.json"}, "'gemmm'");
  kept({"--report", "t.pdf"}, "ends neither in .html nor in .md");
  kept({"--report", "none/t.html"}, "there is no folder none");
  kept({"--force"}, "--force goes with --report");
  std::filesystem::create_symlink("nowhere.html", folder_ / "link.html");
  kept({"--report", "link.html"}, "'link.html' exists");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.html"));
  std::filesystem::copy_file(folder_ / "b.json", folder_ / "b.html");
  expect_refusal(compare({"a.json", "b.html", "--report", "b.html", "--force"}), "'b.html' is read by this command");
  EXPECT_EQ(read_text(folder_ / "b.html"), read_text(folder_ / "b.json"));
  ASSERT_EQ(compare({"a.json", "b.json", "--report", "t.html", "--force"}).code, 0);
  EXPECT_TRUE(read_text(folder_ / "t.html").starts_with("<!DOCTYPE html>"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

TEST_F(Compare, OtherSizesAreComparedByRateAndAreNoCost) {
  auto b = machine("Fast", 2.5, 2);
  b.points[0].params = "n=4000";
  b.points[0].stages[0].work[0].operations *= 4;
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  result::save(b, folder_ / "b.json");
  const auto run = compare({"a.json", "b.json", "--price", "1,1"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(says(run, "[n=4000]")) << run.out;
  EXPECT_TRUE(says(run, "10 (9.8…10.2) beyond these runs unlike"))
      << "4 x the flop in 1 / 2.5 of the time: " << run.out;
  EXPECT_TRUE(says(run, "relu fp32 n=1000 (cold) against n=4000, rates: 10x, beyond these runs")) << run.out;
  EXPECT_FALSE(says(run, "geometric mean")) << run.out;
}

/// Twice as fast for five times the rent: A, until B costs no more than 2.
TEST_F(CompareTwo, RentsAloneDecideByPerformanceForThePrice) {
  const std::vector<std::string> question{"a.json", "b.json", "--price", "1,5", "--currency", "EUR"};
  const auto run = compare(question);
  EXPECT_TRUE(
      run.out.starts_with("A (Slow) has the most performance for the price of an hour, 2.5 times that of B, by "
                          "the measured times of 1 of 1 operator alone."))
      << run.out << run.err;
  EXPECT_TRUE(says(run, "A: Slow, 4 threads, measured: a.json (full); 1 EUR an hour")) << run.out;
  auto words = question;
  words.insert(words.end(), {"--json", "--report", "r.md"});
  const json ranking = json::parse(compare(words).out)["ranking"];
  EXPECT_EQ(ranking["decision"]["by"], "performance_per_price_of_an_hour");
  EXPECT_EQ(ranking["break_evens"][1]["assumption"], "price");
  EXPECT_NEAR(ranking["break_evens"][1]["turns_at"], 2, 1e-9);
  const std::string report = read_text(folder_ / "r.md");
  EXPECT_NE(report.find("an hour costs"), std::string::npos) << report;
  EXPECT_NE(report.find("5 EUR"), std::string::npos) << report;
}

}  // namespace
}  // namespace gable::test
