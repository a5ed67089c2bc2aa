#include "core/analysis/message_roofline.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "made_up.hpp"

namespace gable::analysis {
namespace {

void add_curve(Result& result, std::string name, std::string series, std::vector<double> x, std::vector<double> y) {
  Curve curve;
  curve.device = "openmp";
  curve.name = std::move(name);
  curve.series = std::move(series);
  curve.x = std::move(x);
  curve.y = std::move(y);
  result.curves.push_back(std::move(curve));
}

/// Between nodes 2 us and 10 GB/s: 20 kB must be under way.
Result network() {
  Result result = test::made_up_result("4 ranks on 2 nodes");
  test::add_row(result, CeilingKind::link, "between_nodes", "s", 2e-6).variant = "8_bytes";
  test::add_row(result, CeilingKind::link, "between_nodes", "byte/s", 10e9).variant = "one_direction_4194304_bytes";
  test::add_row(result, CeilingKind::link, "between_nodes", "byte/s", 18e9).variant = "two_directions_4194304_bytes";
  add_curve(result, "message_latency", "between_nodes", {1, 8000}, {2e-6, 4e-6});
  add_curve(result, "message_sizes", "between_nodes, one_direction", {1, 8000}, {30e6, 9e9});
  add_curve(result, "messages_per_synchronisation", "between_nodes, 8 bytes", {1, 4, 64}, {1e6, 6e6, 90e6});
  return result;
}

TEST(MessageRoofline, IsLatencyTimesMessagesUpToThePeakOfOneDirection) {
  const auto all = message_rooflines(network());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].way, "between_nodes");
  EXPECT_DOUBLE_EQ(*all[0].bytes_under_way(), 20000);
  EXPECT_DOUBLE_EQ(*all[0].attainable(2000, 1), 1e9) << "2 kB in 2 us";
  EXPECT_DOUBLE_EQ(*all[0].attainable(2000, 4), 4e9);
  EXPECT_DOUBLE_EQ(*all[0].attainable(2000, 64), 10e9) << "not the rate of both directions";
}

/// One message is half a round trip; with an answer to each, as the curve over messages has it, it would be a whole.
TEST(MessageRoofline, WhatWasReachedStandsByMessagesAndSize) {
  const auto reached = message_rooflines(network()).at(0).reached;
  ASSERT_EQ(reached.size(), 3U);
  EXPECT_EQ(reached[0].messages, 1);
  EXPECT_EQ(reached[0].bytes, (std::vector<double>{1, 8000}));
  EXPECT_DOUBLE_EQ(reached[0].byte_per_s[1], 2e9) << "8 kB in 4 us";
  EXPECT_EQ(reached[1].messages, 4);
  EXPECT_EQ(reached[1].byte_per_s, std::vector<double>{6e6});
  EXPECT_EQ(reached[2].messages, 64);
  EXPECT_EQ(reached[2].bytes, (std::vector<double>{1, 8, 8000}));
}

TEST(MessageRoofline, SuspectRowsAreNoRoofs) {
  Result result = network();
  for (Ceiling& row : result.ceilings) row.status = Status::suspect;
  const auto all = message_rooflines(result);
  ASSERT_EQ(all.size(), 1U) << "what was reached is there all the same";
  EXPECT_FALSE(all[0].attainable(8, 1));
}

TEST(MessageRoofline, FiguresThatAreNoneAreLeftOut) {
  Result result = network();
  for (Curve& curve : result.curves) curve.y.assign(curve.y.size(), 0.0);
  EXPECT_TRUE(message_rooflines(result).at(0).reached.empty());
}

TEST(MessageRoofline, OtherResultsHaveNone) { EXPECT_TRUE(message_rooflines(test::made_up_result("CPU")).empty()); }

}  // namespace
}  // namespace gable::analysis
