#include <gtest/gtest.h>

#include "campaigns.hpp"
#include "program.hpp"

namespace gable::test {
namespace {

TEST_F(Campaign, SlowNodesAreMeasuredAgain) {
  init();
  const json summary = measured_summary("n1");
  const auto write = [&](const std::string& node, const std::string& ending, double factor) {
    json other = summary;
    for (const char* column : {"value", "low", "high"})
      for (auto& figure : other["rows"][column])
        if (figure.is_number()) figure = figure.get<double>() * factor;
    write_summary(std::move(other), node, ending);
  };
  for (int i = 2; i <= 9; ++i) write("n" + std::to_string(i), "", i == 5 ? 2 : 1);
  ASSERT_EQ(run({"retest", "c"}).code, 0);
  const std::string list = read_text(folder_ / "c/retest-1.txt");
  EXPECT_EQ(list.substr(0, 3), "n5\n");
  EXPECT_EQ(lines(list), 2);
  EXPECT_NE(read_text(folder_ / "c/retest-1.sbatch").find("--retest 1"), std::string::npos);
  EXPECT_EQ(run({"retest", "c"}).code, 1);  // there is no second result
  write("n5", ".retest-1", 1);
  EXPECT_EQ(answer_of(run({"retest", "c", "--json"}))["intermittent_nodes"], "n5");
  write("n5", ".retest-1", 2);
  ASSERT_EQ(run({"run", "c", "--node", "n5", "--retest", "1", "--round", "2"}).code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "c/nodes/n5.retest-1.round-2.json"));
  const auto once = run({"retest", "c", "--json"});  // its second round is as fast as the others
  EXPECT_EQ(json::parse(once.out)["intermittent_nodes"], "n5") << once.out;
  fs::remove(folder_ / "c/nodes/n5.retest-1.round-2.summary.json");
  EXPECT_EQ(answer_of(run({"retest", "c", "--json"}), 1)["persistent_nodes"], "n5");
}

/// n5 has only suspect rows where the others have good ones.
TEST_F(Campaign, NodesWithoutGoodFiguresAreMeasuredAgain) {
  init();
  const json summary = measured_summary("n1");
  const auto write = [&](const std::string& node, const std::string& ending, bool suspect) {
    json other = summary;
    other["not_ok"] = json::array();
    for (std::size_t i = 0; suspect && i < other["rows"]["metric"].size(); ++i)
      other["not_ok"].push_back({{"row", i}, {"status", "suspect"}, {"reason", "others kept the core"}});
    write_summary(std::move(other), node, ending);
  };
  for (int i = 2; i <= 9; ++i) write("n" + std::to_string(i), "", i == 5);
  ASSERT_EQ(run({"retest", "c"}).code, 0);
  EXPECT_EQ(read_text(folder_ / "c/retest-1.txt").substr(0, 3), "n5\n");
  EXPECT_EQ(answer_of(run({"retest", "c", "--json"}), 1)["unknown_nodes"], "n5");
  write("n5", ".retest-1", true);
  EXPECT_EQ(answer_of(run({"retest", "c", "--json"}), 1)["persistent_nodes"], "n5");
  write("n5", ".retest-1", false);
  EXPECT_EQ(answer_of(run({"retest", "c", "--json"}))["intermittent_nodes"], "n5");
}

/// Of few healthy nodes one is called slow at times: a retest in which it is not settles that.
TEST_F(Campaign, ASlowNodePassesWhereNoRetestFindsItSlow) {
  init();
  const json good = measured_summary("n1");
  json slow = good;
  for (std::size_t i = 0; i < slow["rows"]["metric"].size(); ++i) {
    const bool time = slow["metrics"][slow["rows"]["metric"][i].get<std::size_t>()]["unit"] == "s";
    for (const char* key : {"value", "low", "high"})
      slow["rows"][key][i] = slow["rows"][key][i].get<double>() * (time ? 2 : 0.5);
  }
  for (int i = 1; i <= 9; ++i) write_summary(i == 3 ? slow : good, "n" + std::to_string(i), "");
  ASSERT_EQ(run({"retest", "c"}).code, 0);
  const auto report_after = [&](const json& first, const json& second) {
    for (int i = 1; i <= 9; ++i) {
      write_summary(i == 3 ? first : good, "n" + std::to_string(i), ".retest-1");
      json later = i == 3 ? second : good;
      later["round"] = 2;
      write_summary(later, "n" + std::to_string(i), ".retest-1.round-2");
    }
    return run({"report", "c"}).code;
  };
  EXPECT_EQ(report_after(good, good), 0);
  EXPECT_EQ(report_after(slow, good), 3);
  EXPECT_EQ(report_after(good, slow), 3);
}

/// Other work has every node: none is judged, all are measured again, and that is what the report judges then.
TEST_F(Campaign, WhatOtherWorkSpoiltIsJudgedByItsRetest) {
  init();
  const json good = measured_summary("n1");
  json busy = good;
  for (std::size_t i = 1; i < busy["rows"]["metric"].size(); ++i)
    busy["not_ok"].push_back({{"row", i}, {"status", "suspect"}, {"reason", "others had the processors"}});
  for (int i = 1; i <= 9; ++i) write_summary(busy, "n" + std::to_string(i), "");
  const auto report = run({"report", "c"});
  EXPECT_EQ(report.code, 3) << report.err;
  EXPECT_TRUE(has(report.out, "0 of 9 nodes pass; 9 not judged: n[1-9]")) << report.out;
  const std::string rows = std::to_string(good["rows"]["metric"].size());
  EXPECT_TRUE(has(report.out, "1 of " + rows + " rows judged: suspect: others had the processors")) << report.out;
  EXPECT_TRUE(has(report.out.substr(report.out.rfind("\n  ")), "Not accepted yet")) << report.out;
  ASSERT_EQ(run({"retest", "c"}).code, 0);
  EXPECT_EQ(lines(read_text(folder_ / "c/retest-1.txt")), 9);
  for (int i = 1; i <= 9; ++i) write_summary(i == 3 ? busy : good, "n" + std::to_string(i), ".retest-1");
  EXPECT_EQ(answer_of(run({"retest", "c", "--json"}), 1)["persistent_nodes"], "n3");
  const json answer = answer_of(run({"report", "c", "--json"}), 3);
  EXPECT_EQ(answer["passing_nodes"], "n[1-2,4-9]");
  EXPECT_FALSE(answer["passed"]);
  write_summary(good, "n3", ".retest-1");
  EXPECT_TRUE(answer_of(run({"report", "c", "--json"}))["passed"]);
}

TEST_F(Campaign, NodesThatAReferenceFlagsAreMeasuredAgain) {
  init();
  for (const char* node : {"n1", "n2", "n3"}) ASSERT_EQ(run({"run", "c", "--node", node}).code, 0);
  const auto slow_down = [&](const std::string& from, const std::string& to, int retest) {
    json other = json::parse(read_text(folder_ / ("c/nodes/" + from + ".summary.json")));
    other["retest"] = retest;
    for (const char* column : {"value", "low", "high"}) {
      for (std::size_t i = 0; i < other["rows"][column].size(); ++i) {
        json& figure = other["rows"][column][i];
        const std::size_t metric = other["rows"]["metric"][i];
        if (figure.is_number())
          figure = figure.get<double>() * (other["metrics"][metric]["unit"] == "s" ? 1.5 : 1 / 1.5);
      }
    }
    write_text(folder_ / ("c/nodes/" + to + ".summary.json"), other.dump());
  };
  const std::string healthy = read_text(folder_ / "c/nodes/n2.summary.json");
  slow_down("n2", "n2", 0);
  EXPECT_NE(run({"retest", "c"}).out.find("no node is flagged"), std::string::npos);  // three nodes tell nothing
  EXPECT_EQ(run({"retest", "c", "--against", "c/nodes/n1.json"}).code, 0);
  EXPECT_EQ(read_text(folder_ / "c/retest-1.txt").substr(0, 3), "n2\n");
  const auto forgotten = run({"retest", "c"});  // no good news where nothing is judged
  expect_refusal(forgotten, "--against");
  slow_down("n3", "n2.retest-1", 1);
  json again = json::parse(read_text(folder_ / "c/nodes/n2.retest-1.summary.json"));
  again["node"] = "n2";
  write_text(folder_ / "c/nodes/n2.retest-1.summary.json", again.dump());
  const auto slow = run({"retest", "c", "--against", "c/nodes/n1.json", "--json"});
  EXPECT_EQ(slow.code, 1) << slow.err;
  EXPECT_EQ(json::parse(slow.out)["persistent_nodes"], "n2");
  EXPECT_EQ(run({"retest", "c", "--against", "c/nodes/n1.json", "--tolerance", "60%"}).code,
            2);  // none is slow by that
  again = json::parse(healthy);
  again["retest"] = 1;
  write_text(folder_ / "c/nodes/n2.retest-1.summary.json", again.dump());
  EXPECT_EQ(answer_of(run({"retest", "c", "--against", "c/nodes/n1.json", "--json"}))["intermittent_nodes"], "n2");
}

}  // namespace
}  // namespace gable::test
