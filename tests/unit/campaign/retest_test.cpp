// Which nodes are measured again, and what their second figures say.
#include "core/campaign/retest.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "made_up.hpp"

namespace gable::campaign {
namespace {

using test::made_up_node;
using test::node_number;

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
  const auto rows = judge_retest(
      fleet, {{{"n004", made_up_node("n004", 2.4e12, launch)}, {"n005", made_up_node("n005", 2.99e12, launch)}}});
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
  for (const RetestRow& row : judge_retest(fleet, {summaries})) {
    const bool measured = fleet.nodes[fleet.findings[row.finding].node].name == "n004";
    EXPECT_EQ(row.persistence, measured ? Persistence::intermittent : Persistence::unknown);
    EXPECT_EQ(row.controls, measured ? 3u : 0u);
  }
}

TEST(Retest, SlowInOneOfTwoRoundsIsIntermittent) {
  const Fleet fleet = fleet_with_two_slow();
  const RetestRound slow{{"n004", made_up_node("n004", 2.4e12, launch)},
                         {"n005", made_up_node("n005", 2.4e12, launch)}};
  RetestRound later = slow;
  later["n005"] = made_up_node("n005", healthy, launch);
  for (const RetestRow& row : judge_retest(fleet, {slow, later})) {
    const bool always = fleet.nodes[fleet.findings[row.finding].node].name == "n004";
    EXPECT_EQ(row.persistence, always ? Persistence::persistent : Persistence::intermittent);
    EXPECT_EQ(row.rounds, 2u);
    EXPECT_EQ(row.slow_rounds, always ? 2u : 1u);
    EXPECT_NEAR(row.loss.value(), 0.2, 1e-6);  // of the worse round
  }
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
