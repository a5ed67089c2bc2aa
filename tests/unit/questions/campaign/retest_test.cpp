// Which nodes are measured again, and what their second figures say.
#include "core/questions/campaign/retest.hpp"

#include <gtest/gtest.h>

#include "core/questions/campaign/fleet_builder.hpp"
#include "made_up.hpp"

namespace gable::campaign {
namespace {

using namespace test;

constexpr double healthy = 3e12, launch = 2e-6;

/// Forty nodes, of which n004 and n005 move 2.4 TB/s in place of 3.
Fleet fleet_with_two_slow() {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(node_number(i));
  FleetBuilder builder(test::made_up_plan(names));
  for (int i = 0; i < 40; ++i)
    builder.add(node_number(i), made_up_node(node_number(i), i == 4 || i == 5 ? 2.4e12 : healthy, launch));
  return builder.finish();
}

TEST(Retest, SlowNodesAndControlsTakeTurns) {
  const auto list = retest_nodes(fleet_with_two_slow());
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0], "n004");
  EXPECT_EQ(list[2], "n005");
  for (const std::size_t i : {1, 3}) EXPECT_TRUE(list[i] != "n004" && list[i] != "n005") << list[i];
  EXPECT_NE(list[1], list[3]);
}

TEST(Retest, AHealthyFleetHasNone) {
  FleetBuilder builder(test::made_up_plan({"n1"}));
  builder.add("n1", made_up_node("n1", healthy, launch));
  EXPECT_TRUE(retest_nodes(builder.finish()).empty());
}

TEST(Retest, SlowAgainIsPersistent) {
  const Fleet fleet = fleet_with_two_slow();
  const auto retest = judge_retest(
      fleet, {{{"n004", made_up_node("n004", 2.4e12, launch)}, {"n005", made_up_node("n005", 2.99e12, launch)}}});
  const auto& rows = retest.rows;
  EXPECT_FALSE(retest.mended());
  ASSERT_EQ(rows.size(), 2u);
  for (const RetestRow& row : rows) {
    const bool again = fleet.nodes[fleet.findings[row.finding].node].name == "n004";
    EXPECT_EQ(row.persistence, again ? Persistence::persistent : Persistence::intermittent);
    EXPECT_EQ(row.controls, 0u);  // beside the fleet's first median
    EXPECT_DOUBLE_EQ(row.against.value(), healthy);
  }
}

TEST(Retest, WhatSlowsControlsTooIsNotTheNode) {
  const Fleet fleet = fleet_with_two_slow();
  RetestRound summaries;
  for (const int i : {4, 10, 20, 30})  // all are 20 % slower in the retest
    summaries.emplace(node_number(i), made_up_node(node_number(i), 2.4e12, launch));
  for (const RetestRow& row : judge_retest(fleet, {summaries}).rows) {
    const bool measured = fleet.nodes[fleet.findings[row.finding].node].name == "n004";
    EXPECT_EQ(row.persistence, measured ? Persistence::intermittent : Persistence::unknown);
    EXPECT_EQ(row.controls, measured ? 3u : 0u);
  }
}

/// Three nodes beside a reference of 3 TB/s with a tolerance of 10 %: n001 moves 2.4 TB/s.
Fleet fleet_beside_reference() {
  FleetBuilder builder(test::made_up_plan({"n000", "n001", "n002"}),
                       {.reference = made_up_node("reference", healthy, launch), .tolerance = 0.1});
  for (int i = 0; i < 3; ++i)
    builder.add(node_number(i), made_up_node(node_number(i), i == 1 ? 2.4e12 : healthy, launch));
  return builder.finish();
}

TEST(Retest, WhatIsSlowBesideAReferenceIsJudgedBesideItAgain) {
  const Fleet fleet = fleet_beside_reference();
  EXPECT_EQ(retest_nodes(fleet).front(), "n001");
  const auto again = [&](double byte_per_s) {
    const auto rows = judge_retest(fleet, {{{"n001", made_up_node("n001", byte_per_s, launch)},
                                            {"n000", made_up_node("n000", 2.7e12, launch)},
                                            {"n002", made_up_node("n002", 2.7e12, launch)}}})
                          .rows;
    EXPECT_EQ(rows.size(), 1u);
    return rows.at(0);
  };
  const RetestRow slow = again(2.4e12);
  EXPECT_EQ(slow.persistence, Persistence::persistent);
  EXPECT_DOUBLE_EQ(slow.against.value(), healthy);  // not the controls
  EXPECT_EQ(slow.controls, 2u);
  EXPECT_NEAR(slow.controls_loss.value(), 0.1, 1e-9);
  // 6 % less is within the tolerance, and would be slow by the rule among nodes
  EXPECT_EQ(again(2.82e12).persistence, Persistence::intermittent);
}

TEST(Retest, WhatANodeLostSinceEarlierIsJudgedByTheRuleThatFoundIt) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(node_number(i));
  FleetBuilder builder(test::made_up_plan(names));
  const auto own = [](int i) { return healthy * (1 + 0.05 * i / 40); };  // nodes differ by as much as n030 loses
  for (int i = 0; i < 40; ++i)
    builder.add(node_number(i), made_up_node(node_number(i), own(i) * (i == 30 ? 0.95 : 1), launch));
  for (int i = 0; i < 40; ++i) builder.add_earlier(node_number(i), made_up_node(node_number(i), own(i), launch));
  const Fleet fleet = builder.finish();
  ASSERT_EQ(fleet.findings.size(), 1u);
  const auto again = [&](double part) {
    return judge_retest(fleet, {{{"n030", made_up_node("n030", own(30) * part, launch)}}}).rows.at(0).persistence;
  };
  EXPECT_EQ(again(0.95), Persistence::persistent);  // 5 % are within the tolerance of 10 %, not within the rule
  EXPECT_EQ(again(0.99), Persistence::intermittent);
}

TEST(Retest, SlowInOneOfTwoRoundsIsIntermittent) {
  const Fleet fleet = fleet_with_two_slow();
  const RetestRound slow{{"n004", made_up_node("n004", 2.4e12, launch)},
                         {"n005", made_up_node("n005", 2.4e12, launch)}};
  RetestRound later = slow;
  later["n005"] = made_up_node("n005", healthy, launch);
  for (const RetestRow& row : judge_retest(fleet, {slow, later}).rows) {
    const bool always = fleet.nodes[fleet.findings[row.finding].node].name == "n004";
    EXPECT_EQ(row.persistence, always ? Persistence::persistent : Persistence::intermittent);
    EXPECT_EQ(row.rounds, 2u);
    EXPECT_EQ(row.slow_rounds, always ? 2u : 1u);
    EXPECT_NEAR(row.loss.value(), 0.2, 1e-6);  // of the worse round
  }
}

/// Ten rows, of which so many are only suspect.
NodeSummary ten_rows(int number, std::size_t suspect) {
  NodeSummary one = made_up_node(node_number(number), healthy, launch);
  for (int i = 0; i < 8; ++i) {
    one.rows.push_back(one.rows[0]);
    one.rows.back().name = "ceiling/bandwidth/HBM/row " + std::to_string(i);
  }
  for (std::size_t i = 0; i < suspect; ++i) one.rows[i].status = Status::suspect;
  return one;
}

/// Forty nodes, of which n004 has six rows without a good figure and n005 four: one is accepted.
Fleet fleet_with_two_that_lack_figures() {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(node_number(i));
  FleetBuilder builder(test::made_up_plan(names));
  for (int i = 0; i < 40; ++i) builder.add(node_number(i), ten_rows(i, i == 4 ? 6 : i == 5 ? 4 : 0));
  return builder.finish();
}

TEST(Retest, NodesWithoutGoodFiguresAreJudgedByHowManyTheyLack) {
  const Fleet fleet = fleet_with_two_that_lack_figures();
  ASSERT_TRUE(fleet.findings.empty());
  const auto persistence = [&](const std::vector<RetestRound>& rounds) {
    const Retest retest = judge_retest(fleet, rounds);
    EXPECT_EQ(retest.lacking.size(), 2u);
    for (const RetestNode& one : retest.lacking) {
      if (fleet.nodes[one.node].name == "n004") return one;
    }
    return RetestNode{};
  };
  EXPECT_EQ(persistence({}).persistence, Persistence::unknown);
  EXPECT_EQ(persistence({{{"n004", ten_rows(4, 2)}}}).persistence, Persistence::persistent);
  EXPECT_EQ(persistence({{{"n004", ten_rows(4, 1)}}}).persistence, Persistence::intermittent) << "one is accepted";
  const RetestNode once = persistence({{{"n004", ten_rows(4, 3)}}, {{"n004", ten_rows(4, 0)}}});
  EXPECT_EQ(once.persistence, Persistence::intermittent);
  EXPECT_EQ(once.rounds, 2u);
  EXPECT_EQ(once.lacking_rounds, 1u);
  EXPECT_EQ(once.most_without_figure.value(), 3u);
  NodeSummary failed = ten_rows(4, 0);
  failed.rows.clear();
  failed.failure = "the worker crashed";
  EXPECT_EQ(persistence({{{"n004", failed}}}).persistence, Persistence::unknown) << "it has no result";
  NodeSummary gone = ten_rows(4, 0);
  gone.rows.resize(4);
  EXPECT_EQ(persistence({{{"n004", gone}}}).persistence, Persistence::persistent) << "rows are not there at all";
}

TEST(Retest, IsMendedWhenEachNodeWasWellOnce) {
  const Fleet fleet = fleet_with_two_that_lack_figures();
  EXPECT_FALSE(judge_retest(fleet, {}).mended());
  EXPECT_FALSE(judge_retest(fleet, {{{"n004", ten_rows(4, 0)}}}).mended()) << "n005 has no second result";
  EXPECT_FALSE(judge_retest(fleet, {{{"n004", ten_rows(4, 0)}, {"n005", ten_rows(5, 4)}}}).mended());
  EXPECT_TRUE(judge_retest(fleet, {{{"n004", ten_rows(4, 0)}, {"n005", ten_rows(5, 0)}}}).mended());
}

TEST(Retest, RoundsAlternateWhoIsFirst) {
  const auto steps = retest_steps(fleet_with_two_slow(), 1, 2);
  ASSERT_EQ(steps.size(), 4u);
  const std::vector<std::string> slow{"n004", "n005"};
  EXPECT_EQ(steps[0].nodes, slow);
  EXPECT_EQ(steps[3].nodes, slow);
  EXPECT_EQ(steps[1].nodes, steps[2].nodes);
  EXPECT_EQ(steps[1].nodes.size(), 2u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(steps[i].round, i < 2 ? 1 : 2);
}

}  // namespace
}  // namespace gable::campaign
