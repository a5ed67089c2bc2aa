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
      fleet, {{"n004", made_up_node("n004", 2.4e12, launch)}, {"n005", made_up_node("n005", 2.99e12, launch)}});
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
  std::map<std::string, NodeSummary> summaries;
  for (const int i : {4, 10, 20, 30})  // all are 20 % slower in the retest
    summaries.emplace(node_number(i), made_up_node(node_number(i), 2.4e12, launch));
  for (const RetestRow& row : judge_retest(fleet, summaries)) {
    const bool measured = fleet.nodes[fleet.findings[row.finding].node].name == "n004";
    EXPECT_EQ(row.persistence, measured ? Persistence::intermittent : Persistence::unknown);
    EXPECT_EQ(row.controls, measured ? 3u : 0u);
  }
}

}  // namespace
}  // namespace gable::campaign
