// Groups of which it is known whether they are slow as a whole.
#include "core/questions/campaign/groups.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/questions/campaign/fleet_builder.hpp"
#include "made_up.hpp"

namespace gable::campaign {
namespace {

using namespace test;

/// `count` nodes in racks of eight with normal figures of 1 % spread; rack `slow` is slower by `loss`.
FleetGroups racks(int count, int slow, double loss) {
  std::vector<std::string> names;
  std::map<std::string, std::string> rack_of;
  for (int i = 0; i < count; ++i) {
    names.push_back(node_number(i));
    rack_of[names.back()] = "rack " + std::to_string(i / 8);
  }
  FleetBuilder builder(test::made_up_plan(names));
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  for (int i = 0; i < count; ++i) {
    const double factor = (1 + noise(random)) * (i / 8 == slow ? 1 - loss : 1);
    builder.add(node_number(i), made_up_node(node_number(i), 3e12 * factor, 2e-6 / factor));
  }
  return group_nodes(builder.finish(), "rack", rack_of);
}

TEST(Groups, ASlowRackIsNamedWhereMostOfItsNodesPass) {
  const FleetGroups groups = racks(160, 3, 0.04);
  ASSERT_EQ(groups.groups.size(), 20u);
  EXPECT_EQ(groups.groups[0].name, "rack 3");
  EXPECT_EQ(groups.groups[0].slow_rows, 2u);    // a rate and a time
  EXPECT_LT(groups.groups[0].not_passing, 4u);  // of eight
  EXPECT_NEAR(groups.groups[0].worst_loss, 0.04, 0.015);
  EXPECT_EQ(groups.groups[0].nodes.size(), 8u);
  for (std::size_t i = 1; i < groups.groups.size(); ++i) EXPECT_EQ(groups.groups[i].slow_rows, 0u) << i;
}

TEST(Groups, HealthyRacksAreNotSlow) {
  for (const FleetGroup& group : racks(160, -1, 0).groups) EXPECT_EQ(group.slow_rows, 0u) << group.name;
}

TEST(Groups, MediansAreThoseOfTheOthers) {
  const std::vector<double> figures{10, 1, 2, 3, 4, 20, 30};
  const std::vector<std::size_t> group_of{0, 1, 1, 1, 1, 0, 0};
  const auto medians = judge_groups(figures, group_of, 3, true);
  ASSERT_EQ(medians.size(), 2u);  // nobody is in the third
  EXPECT_EQ(medians[0].median, 20);
  EXPECT_EQ(medians[0].others.value(), 2.5);
  EXPECT_EQ(medians[1].median, 2.5);
  EXPECT_EQ(medians[1].others.value(), 20);
  EXPECT_NEAR(medians[1].loss.value(), 0.875, 1e-9);
  EXPECT_FALSE(medians[1].slow);  // three others tell too little
}

TEST(Groups, TwoNodesAreNoGroupThatIsSlow) {
  std::vector<double> figures(40, 100.0);
  std::vector<std::size_t> group_of(40, 0);
  for (const std::size_t i : {0, 1, 2}) {
    figures[i] = 50;
    group_of[i] = 1;
  }
  EXPECT_TRUE(judge_groups(figures, group_of, 2, true)[1].slow);
  EXPECT_FALSE(judge_groups(figures, group_of, 2, false)[1].slow);  // of a time, less is better
  figures[2] = 100;
  group_of[2] = 0;
  EXPECT_FALSE(judge_groups(figures, group_of, 2, true)[1].slow);
}

TEST(Groups, NodesWithoutAGroupAreCounted) {
  FleetBuilder builder(test::made_up_plan({"n1", "n2"}));
  builder.add("n1", made_up_node("n1", 3e12, 2e-6));
  const FleetGroups groups = group_nodes(builder.finish(), "rack", {{"n1", "a"}, {"n9", "b"}});
  EXPECT_EQ(groups.in_none, 1u);
  ASSERT_EQ(groups.groups.size(), 2u);
  EXPECT_EQ(groups.medians.size(), 2u);  // both rows of n1
  EXPECT_FALSE(groups.medians[0].others.has_value());
}

TEST(Groups, ASlotIsComparedWithTheOthers) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back(node_number(i));
  FleetBuilder builder(test::made_up_plan(names));
  for (const std::string& name : names) {
    NodeSummary one = made_up_node(name, 3e12, 2e-6);
    one.devices.push_back({"cuda:1", "A GPU"});
    SummaryRow row = made_up_node(name, 2.9e12, 2e-6).rows[0];  // the second slot is hotter on every node
    row.device = 1;
    one.rows.push_back(row);
    builder.add(name, one);
  }
  const FleetGroups groups = group_slots(builder.finish());
  ASSERT_EQ(groups.groups.size(), 2u);
  EXPECT_EQ(groups.groups[0].name, "cuda:1");
  EXPECT_EQ(groups.groups[0].slow_rows, 1u);
  EXPECT_EQ(groups.groups[1].slow_rows, 0u);
}

}  // namespace
}  // namespace gable::campaign
