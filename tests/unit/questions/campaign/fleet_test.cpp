// What a report says of fleets in which it is known what is wrong with which node.
#include "core/questions/campaign/fleet_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/questions/campaign/fleet_answer.hpp"
#include "core/questions/campaign/retest.hpp"
#include "made_up.hpp"

namespace gable::campaign {
namespace {

using namespace test;

/// Nodes n000 … of 3 TB/s, half of them 0.1 % above and half below, and 2 us; `change` makes them others.
template <class Change>
Fleet fleet_of(int count, Change&& change, FleetOptions options = {}) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(node_number(i));
  FleetBuilder builder(made_up_plan(names), std::move(options));
  for (int i = 0; i < count; ++i) {
    NodeSummary node = made_up_node(node_number(i), 3e12 * (i % 2 == 0 ? 1.001 : 0.999), 2e-6);
    if (change(i, node)) builder.add(names[static_cast<std::size_t>(i)], std::move(node));
  }
  return builder.finish();
}

const FleetNode& node(const Fleet& fleet, const std::string& name) {
  const auto found = std::ranges::find(fleet.nodes, name, &FleetNode::name);
  if (found == fleet.nodes.end()) throw std::out_of_range(name);
  return *found;
}

TEST(Fleet, HealthyOnePasses) {
  const Fleet fleet = fleet_of(40, [](int, NodeSummary&) { return true; });
  EXPECT_TRUE(fleet.passed());
  EXPECT_EQ(conclusion(fleet), "40 of 40 nodes pass.");
  EXPECT_EQ(fleet.count(NodeVerdict::pass), 40u);
  EXPECT_TRUE(fleet.findings.empty());
  ASSERT_EQ(fleet.metrics.size(), 2u);
  EXPECT_DOUBLE_EQ(fleet.metrics[0].spread.median, 3e12);
  EXPECT_EQ(fleet.metrics[0].spread.nodes, 40u);
}

TEST(Fleet, SlowAndAbsentNodesAreNamed) {
  const Fleet fleet = fleet_of(40, [](int i, NodeSummary& one) {
    if (i == 7) {
      one.rows[0].value = 2.4e12;  // 20 % less
      one.rows[0].low = 2.39e12;
      one.rows[0].high = 2.41e12;
      one.rows[0].clock_hz = 1.6e9;  // of 2 GHz
      one.rows[0].clock_limits = "thermal";
    }
    return i != 9;
  });
  EXPECT_FALSE(fleet.passed());
  EXPECT_EQ(node(fleet, "n007").verdict, NodeVerdict::flagged);
  EXPECT_EQ(node(fleet, "n009").verdict, NodeVerdict::absent);
  EXPECT_EQ(fleet.count(NodeVerdict::pass), 38u);
  ASSERT_EQ(fleet.findings.size(), 1u);
  const Finding& finding = fleet.findings[0];
  EXPECT_EQ(fleet.nodes[finding.node].name, "n007");
  EXPECT_NEAR(finding.loss.value(), 0.2, 0.001);
  for (const char* words : {"thermal", "clock 20.0 % lower", "most of the loss"})
    EXPECT_NE(finding.cause.find(words), std::string::npos) << words << ": " << finding.cause;
  const std::string words = conclusion(fleet);
  EXPECT_EQ(words.find("38 of 40 nodes pass; 1 flagged: n007; 1 absent: n009. The largest loss is 20.1 % of "), 0u)
      << words;
  EXPECT_NE(words.find(" on n007 (" + finding.cause + ")."), std::string::npos) << words;
  const auto drains = suggested_drains(fleet);
  ASSERT_EQ(drains.size(), 1u);  // an absent node is no reason to drain it
  EXPECT_EQ(drains[0].substr(0, 42), "scontrol update NodeName=n007 State=DRAIN ");
}

/// A finding without a loss stands first, then the flagged one, then the one to measure again, which lost most.
TEST(Fleet, TheLargestLossIsThatOfAnyVerdict) {
  Fleet fleet{.nodes = {{.name = "n0"}, {.name = "n1"}},
              .metrics = {{.name = "row", .slot = "cuda:0", .device = "A GPU", .unit = "s"}},
              .findings = {{.verdict = NodeVerdict::failed}}};
  EXPECT_EQ(conclusion(fleet).find("largest loss"), std::string::npos);
  fleet.findings.push_back({.verdict = NodeVerdict::flagged, .loss = 0.1});
  fleet.findings.push_back({.node = 1, .verdict = NodeVerdict::retest, .loss = 0.3});
  EXPECT_NE(conclusion(fleet).find("The largest loss is 30.0 % of row on n1."), std::string::npos) << conclusion(fleet);
}

TEST(Fleet, AFewNodesAreMeasuredAgain) {
  const auto slow = [](int i, NodeSummary& one) {
    if (i == 3) one = made_up_node(node_number(3), 3e12, 3e-6);
    return true;
  };
  const Fleet some = fleet_of(16, slow);
  EXPECT_EQ(node(some, "n003").verdict, NodeVerdict::retest);
  EXPECT_FALSE(some.passed());
  EXPECT_FALSE(some.failed());
  EXPECT_EQ(fleet_of(4, slow).count(NodeVerdict::unjudged), 4u);
}

TEST(Fleet, AReferenceTellsOfFewNodesToo) {
  const FleetOptions reference{.reference = made_up_node("reference", 3e12, 2e-6), .tolerance = 0.1};
  const Fleet fleet = fleet_of(
      2,
      [](int i, NodeSummary& one) {
        if (i == 1) one = made_up_node(node_number(1), 2.6e12, 2e-6);
        return true;
      },
      reference);
  EXPECT_EQ(node(fleet, "n000").verdict, NodeVerdict::pass);
  EXPECT_EQ(node(fleet, "n001").verdict, NodeVerdict::flagged);
  ASSERT_EQ(fleet.findings.size(), 1u);
  EXPECT_EQ(fleet.findings[0].basis, FindingBasis::reference);
  EXPECT_NEAR(fleet.findings[0].loss.value(), 0.4 / 3, 1e-6);
}

TEST(Fleet, WhatMostNodesHaveIsMissed) {
  const Fleet fleet = fleet_of(10, [](int i, NodeSummary& one) {
    one.devices.push_back({"cuda:1", "A GPU"});
    for (std::size_t row = 0; row < 2; ++row) {
      one.rows.push_back(one.rows[row]);
      one.rows.back().device = 1;
    }
    if (i == 2) {  // a device is gone
      one.devices.pop_back();
      one.rows.resize(2);
    }
    if (i == 4) {
      one.rows[0].status = Status::error;
      one.rows[0].value.reset();
      one.rows[0].reason = "the worker died";
    }
    if (i == 6) one.rows[0].status = Status::suspect;
    return true;
  });
  EXPECT_EQ(node(fleet, "n002").verdict, NodeVerdict::failed);
  EXPECT_NE(node(fleet, "n002").reason.find("cuda:1"), std::string::npos);
  EXPECT_EQ(node(fleet, "n004").verdict, NodeVerdict::failed);
  EXPECT_NE(node(fleet, "n004").reason.find("the worker died"), std::string::npos);
  EXPECT_EQ(node(fleet, "n006").verdict, NodeVerdict::pass);  // nothing can be said of that row
  EXPECT_EQ(node(fleet, "n006").unjudged, 1u);
}

/// Rows beside the two that a made-up node has.
void add_rows(NodeSummary& one, int count) {
  for (int i = 0; i < count; ++i) {
    one.rows.push_back(one.rows[0]);
    one.rows.back().name = "ceiling/bandwidth/HBM/row " + std::to_string(i);
  }
}

TEST(Fleet, ANodeWithoutGoodFiguresIsNotWell) {
  const Fleet fleet = fleet_of(40, [](int i, NodeSummary& one) {
    add_rows(one, 8);
    const std::size_t suspect = i == 5 ? 9 : 1;  // one row is suspect on every node: that is usual here
    for (std::size_t row = 0; row < suspect; ++row) {
      if (i != 5 && i >= 15) break;
      one.rows[row].status = Status::suspect;
      one.rows[row].reason = "the core was shared";
      one.rows[row].value = 1.5e12;
    }
    return true;
  });
  const FleetNode sick = node(fleet, "n005");
  EXPECT_EQ(sick.verdict, NodeVerdict::retest);
  EXPECT_EQ(sick.without_figure, 9u);
  EXPECT_NE(sick.reason.find("the core was shared"), std::string::npos) << sick.reason;
  EXPECT_EQ(fleet.count(NodeVerdict::pass), 39u);
  EXPECT_EQ(retest_nodes(fleet).front(), "n005");
}

/// Of ten rows a node passes by five, and not by four; what is slow on a busy one drains no node.
TEST(Fleet, HalfOfItsRowsMustBeJudged) {
  const auto busy = [](int i, NodeSummary& one) {
    add_rows(one, 8);
    for (std::size_t row = i == 0 ? 5 : 4; row < 10; ++row) one.rows[row].status = Status::suspect;
    if (i == 1) one.rows[0] = made_up_node(one.node, 2e12, 2e-6).rows[0];  // a third less
    return true;
  };
  const Fleet fleet = fleet_of(40, busy);
  EXPECT_EQ(fleet.names({NodeVerdict::pass}), std::vector<std::string>{}) << "n000: only it has the fifth";
  EXPECT_EQ(node(fleet, "n002").reason.find("4 of 10 rows judged: suspect"), 0u) << node(fleet, "n002").reason;
  EXPECT_EQ(node(fleet, "n001").verdict, NodeVerdict::retest);
  EXPECT_TRUE(suggested_drains(fleet).empty());
  FleetOptions with{.reference = made_up_node("reference", 3e12, 2e-6)};
  add_rows(*with.reference, 8);
  EXPECT_EQ(fleet_of(40, busy, with).names({NodeVerdict::pass}), std::vector<std::string>{"n000"});
}

TEST(Fleet, RowsThatDidNotFitIntoASummaryAreNoFailure) {
  const Fleet fleet = fleet_of(40, [](int i, NodeSummary& one) {
    add_rows(one, 8);
    if (i == 5 || i == 6) one.rows.resize(6);
    if (i == 5) one.left_out = 4;
    return true;
  });
  EXPECT_EQ(node(fleet, "n005").verdict, NodeVerdict::pass);
  EXPECT_EQ(node(fleet, "n005").unjudged, 4u);
  EXPECT_EQ(node(fleet, "n006").verdict, NodeVerdict::failed);
  EXPECT_EQ(node(fleet, "n006").failed, 4u);
}

TEST(Fleet, WithoutNodesNothingPassed) {
  EXPECT_FALSE(fleet_of(0, [](int, NodeSummary&) { return true; }).passed());
}

TEST(Fleet, DrainLinesSayAllThatIsWrong) {
  const Fleet fleet = fleet_of(40, [](int i, NodeSummary& one) {
    add_rows(one, 2);
    if (i == 3) {
      one.rows[0] = made_up_node(one.node, 2.4e12, 2e-6).rows[0];  // 20 % less
      one.rows[1].status = Status::error;
      one.rows[1].value.reset();
    }
    return true;
  });
  EXPECT_EQ(suggested_drains(fleet),
            (std::vector<std::string>{
                "scontrol update NodeName=n003 State=DRAIN Reason='gable: 1 rows slow, up to 20.0 %, 1 rows fail'"}));
  EXPECT_NEAR(node(fleet, "n003").worst_loss, 0.2, 0.002);
  EXPECT_EQ(node(fleet, "n000").worst_loss, 0);
  EXPECT_EQ(retest_nodes(fleet).front(), "n003");  // it is slow, whatever else fails
}

TEST(Fleet, ARetestIsNotTheCampaignsOwnMeasurement) {
  const Fleet fleet = fleet_of(2, [](int i, NodeSummary& one) {
    one.retest = i;
    return true;
  });
  EXPECT_EQ(node(fleet, "n001").verdict, NodeVerdict::damaged);
}

TEST(Fleet, OtherHardwareIsComparedWithItsOwnKind) {
  const Fleet fleet = fleet_of(80, [](int i, NodeSummary& one) {
    if (i < 40) {
      one = made_up_node(node_number(i), 2e12, 2e-6);
      one.devices[0].name = "An older GPU";
    }
    return true;
  });
  EXPECT_TRUE(fleet.passed());
  EXPECT_EQ(fleet.metrics.size(), 4u);
}

TEST(Fleet, AnotherPlanAnotherNodeAndDamageAreRows) {
  FleetBuilder builder(made_up_plan({"n1", "n2", "n3", "n4"}));
  NodeSummary other = made_up_node("n1", 3e12, 2e-6);
  other.plan = "another";
  builder.add("n1", other);
  builder.add("n2", made_up_node("n3", 3e12, 2e-6));  // somebody copied a file
  builder.add_damaged("n3", "its summary cannot be read: not valid JSON");
  NodeSummary broken{.plan = test::plan_of_fleet, .node = "n4"};
  broken.failure = "no worker starts";
  builder.add("n4", broken);
  builder.add("n5", made_up_node("n5", 3e12, 2e-6));  // not in the plan
  const Fleet fleet = builder.finish();
  ASSERT_EQ(fleet.nodes.size(), 5u);
  for (const char* name : {"n1", "n2", "n3"}) EXPECT_EQ(node(fleet, name).verdict, NodeVerdict::damaged) << name;
  EXPECT_NE(node(fleet, "n2").reason.find("'n3'"), std::string::npos);
  EXPECT_EQ(node(fleet, "n4").verdict, NodeVerdict::failed);
  EXPECT_NE(node(fleet, "n4").reason.find("no worker starts"), std::string::npos);
  EXPECT_FALSE(node(fleet, "n5").expected);
  EXPECT_FALSE(fleet.passed());
}

TEST(Fleet, FactsThatDifferNameTheirNodes) {
  const Fleet fleet = fleet_of(40, [](int i, NodeSummary& one) {
    if (i == 5 || i == 6) one.facts[0].value = "550.9";
    if (i == 6) {
      one.rows[0].value = 2e12;
      one.rows[0].low = one.rows[0].high = 2e12;
    }
    one.facts.push_back({"serial", node_number(i)});                     // another on every node: no majority
    if (i < 3) one.facts.push_back({"site's own", i == 0 ? "a" : "b"});  // two of three, but not of all nodes
    return true;
  });
  ASSERT_EQ(fleet.drifts.size(), 1u);
  EXPECT_EQ(fleet.drifts[0].name, "driver (cuda)");
  EXPECT_EQ(fleet.drifts[0].most, "570.1");
  EXPECT_EQ(fleet.drifts[0].other, "550.9");
  ASSERT_EQ(fleet.drifts[0].nodes.size(), 2u);
  EXPECT_EQ(fleet.nodes[fleet.drifts[0].nodes[0]].name, "n005");
  EXPECT_EQ(fleet.drifts[0].suspicious, 1u);
}

TEST(Fleet, AFactThatANodeTellsTwiceIsOneNodes) {
  const auto compiled_by = [](int i, const char* compiler) {
    NodeSummary one = made_up_node(node_number(i), 3e12, 2e-6);
    for (int device = 0; device < 3; ++device) one.facts.push_back({"compiler (gable-worker-cuda)", compiler});
    return one;
  };
  const auto drifts_of = [&](const std::vector<const char*>& compilers) {
    FleetBuilder builder(made_up_plan({}));
    for (std::size_t i = 0; i < compilers.size(); ++i)
      builder.add(node_number(static_cast<int>(i)), compiled_by(static_cast<int>(i), compilers[i]));
    return builder.finish().drifts;
  };
  EXPECT_TRUE(drifts_of({"A", "B", "C"}).empty());  // another on each node: no majority
  const auto drifts = drifts_of({"A", "A", "B"});
  ASSERT_EQ(drifts.size(), 1u);
  EXPECT_EQ(drifts[0].most, "A");
  EXPECT_EQ(drifts[0].nodes.size(), 1u);
}

/// Forty nodes that measured before what `before` says, and now what `now` says, as parts of 3 TB/s. Each node is as
/// fast as it is: one twentieth between the fastest and the slowest.
template <class Before, class Now>
Fleet fleet_since(Before&& before, Now&& now) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(node_number(i));
  FleetBuilder builder(made_up_plan(names));
  const auto own = [](int i) { return 3e12 * (1 + 0.05 * i / 40); };
  for (int i = 0; i < 40; ++i) builder.add(node_number(i), made_up_node(node_number(i), own(i) * now(i), 2e-6));
  for (int i = 0; i < 40; ++i)
    builder.add_earlier(node_number(i), made_up_node(node_number(i), own(i) * before(i), 2e-6));
  return builder.finish();
}

TEST(Fleet, ANodeIsJudgedBesideItself) {
  const auto same = [](int) { return 1.0; };
  const auto one_slower = [](int i) { return i == 30 ? 0.95 : 1.0; };
  const Fleet alone = fleet_of(40, [](int, NodeSummary&) { return true; });
  EXPECT_FALSE(alone.metrics[0].change.has_value());
  // 5 % less is within what nodes differ by, and is far beyond what one changes by
  const Fleet fleet = fleet_since(same, one_slower);
  EXPECT_EQ(node(fleet, "n030").verdict, NodeVerdict::flagged);
  EXPECT_EQ(fleet.count(NodeVerdict::pass), 39u);
  ASSERT_EQ(fleet.findings.size(), 1u);
  EXPECT_EQ(fleet.findings[0].basis, FindingBasis::earlier);
  EXPECT_NEAR(fleet.findings[0].loss.value(), 0.05, 1e-6);
  EXPECT_NE(node(fleet, "n030").reason.find("than it was earlier"), std::string::npos) << node(fleet, "n030").reason;
  // it has been like that before
  EXPECT_TRUE(fleet_since(one_slower, one_slower).passed());
}

TEST(Fleet, WhatChangedOnAllNodesIsNoLossOfOne) {
  const Fleet fleet = fleet_since([](int) { return 1.0; }, [](int) { return 0.95; });
  EXPECT_TRUE(fleet.passed());
  EXPECT_NEAR(fleet.metrics[0].change.value(), -0.05, 1e-9);
  // more than the tolerance is told of each
  const Fleet slower = fleet_since([](int) { return 1.0; }, [](int) { return 0.8; });
  EXPECT_EQ(slower.count(NodeVerdict::flagged), 40u);
}

TEST(Cause, SaysWhatIsReadAndNoMore) {
  const Sensors fleet{2e9, 500.0, 60.0, ""};
  EXPECT_EQ(cause_of({}, {}, 0.1), "no clock, power or temperature was read");
  EXPECT_EQ(cause_of(fleet, fleet, 0.1), "clock, power and temperature are the fleet's");
  const std::string part = cause_of({1.96e9, 500.0, 60.0, ""}, fleet, 0.1);
  EXPECT_NE(part.find("a part of the loss"), std::string::npos) << part;
  const std::string hot = cause_of({2e9, 400.0, 85.0, ""}, fleet, 0.1);
  EXPECT_NE(hot.find("85 degrees, fleet 60"), std::string::npos) << hot;
  EXPECT_NE(hot.find("400 W, fleet 500 W"), std::string::npos) << hot;
}

}  // namespace
}  // namespace gable::campaign
