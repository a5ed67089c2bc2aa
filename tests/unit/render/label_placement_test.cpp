#include "core/render/label_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace gable::render {
namespace {

TEST(LabelPlacement, TakenPlacesAreNeverGivenTwice) {
  const Box area{0, 0, 200, 200};
  const Marker marker{{100, 100}, 3};
  Placement placement(area);
  placement.take(marker);
  std::vector<Box> boxes;
  while (const auto label = placement.place(marker, 30, 10, 400, 6)) boxes.push_back(label->box);
  EXPECT_GT(boxes.size(), 20u);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_TRUE(inside(boxes[i], area));
    EXPECT_FALSE(overlap(boxes[i], marker.box()));
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(overlap(boxes[i], boxes[k]));
  }
}

TEST(LabelPlacement, LeavesLinesFreeWhereItCan) {
  Placement placement({0, 0, 200, 200});
  const Segment line{{0, 100}, {200, 100}};
  placement.avoid(line);
  const auto label = placement.place({{100, 100}, 3}, 40, 10, 100, 6);
  ASSERT_TRUE(label);
  EXPECT_FALSE(crosses(line.from, line.to, label->box));
}

TEST(LabelPlacement, FullAreaIsSaid) {
  Placement placement({0, 0, 20, 20});
  EXPECT_FALSE(placement.place({{10, 10}, 3}, 40, 10, 100, 6));
}

TEST(LabelPlacement, LinesThatMeetCross) {
  EXPECT_TRUE(cross({{0, 0}, {10, 10}}, {{0, 10}, {10, 0}}));
  EXPECT_TRUE(cross({{0, 0}, {10, 0}}, {{5, 0}, {5, 5}})) << "one ends on the other";
  EXPECT_FALSE(cross({{0, 0}, {10, 0}}, {{5, 1}, {5, 5}}));
  EXPECT_FALSE(cross({{0, 0}, {4, 4}}, {{0, 10}, {10, 0}}));
  EXPECT_FALSE(cross({{0, 0}, {4, 0}}, {{5, 0}, {9, 0}})) << "one after the other";
}

/// Two markers, and free room for their texts only far to the right of both: that of the left one has to come back past
/// its neighbour.
TEST(LabelPlacement, ALeaderGoesAroundTheMarkerOfItsNeighbour) {
  const Marker left{{100, 100}, 4}, right{{112, 100}, 4};
  Placement placement({0, 0, 400, 200});
  for (const Box& taken : {Box{0, 0, 150, 96}, Box{0, 104, 150, 200}, Box{0, 96, 95, 104}}) placement.take(taken);
  placement.take(left);
  placement.take(right);
  for (const Marker& own : {left, right}) {
    const Marker& other = own.centre.x == left.centre.x ? right : left;
    const auto label = placement.place(own, 60, 9, 200, 5);
    ASSERT_TRUE(label && label->leader) << "its text is far away";
    EXPECT_FALSE(crosses(label->leader->from, label->leader->to, other.box()));
  }
}

TEST(LabelPlacement, TextNearerToAnotherMarkerHasALeader) {
  const Marker own{{100, 100}, 4}, other{{110, 100}, 4};
  Placement placement({104.5, 0, 300, 200});  // no room to the left
  placement.take(own);
  placement.take(other);
  const auto label = placement.place(own, 60, 9, 100, 30);
  ASSERT_TRUE(label);
  EXPECT_TRUE(label->leader) << "what begins right of the own marker lies above or below the other one";
}

/// Clusters of markers with long texts (few) or numbers (many).
struct Scene {
  unsigned seed;
  int markers;
  double least_width, most_width, reach;
};

class Scenes : public testing::TestWithParam<Scene> {};

TEST_P(Scenes, LeadersCrossMarkersAndLeadersOnlyWhereThereIsNoOtherPlace) {
  const Scene& scene = GetParam();
  std::mt19937 random(scene.seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 0x1p32;
  };
  std::vector<Marker> markers;
  Position cluster;
  for (int i = 0; i < scene.markers; ++i) {
    if (i % 5 == 0) cluster = {uniform(60, 440), uniform(40, 260)};
    markers.push_back({{cluster.x + uniform(-14, 14), cluster.y + uniform(-14, 14)}, 3.4});
  }
  Placement placement({0, 0, 500, 300});
  for (const Marker& marker : markers) placement.take(marker);
  std::vector<Segment> leaders;
  int placed = 0, crossing = 0;
  for (const Marker& own : markers) {
    const auto label = placement.place(own, uniform(scene.least_width, scene.most_width), 8, scene.reach, 4);
    if (!label) continue;
    ++placed;
    for (const Marker& marker : markers) EXPECT_FALSE(overlap(label->box, marker.box()));
    if (!label->leader) continue;
    crossing += label->room == Room::none ? 1 : 0;
    for (const Marker& marker : markers) {
      if (overlap(marker.box(), own.box()) || label->room == Room::none) continue;
      EXPECT_FALSE(crosses(label->leader->from, label->leader->to, marker.box()));
    }
    for (const Segment& other : leaders) EXPECT_TRUE(label->room == Room::none || !cross(other, *label->leader));
    leaders.push_back(*label->leader);
  }
  EXPECT_FALSE(leaders.empty()) << "the scene asks for some";
  EXPECT_LE(crossing, scene.markers / 4);
  const bool numbers = scene.reach > 400;  // they are small: there is always a free place
  EXPECT_GE(placed, numbers ? scene.markers : scene.markers * 9 / 10);
}

/// The square of the neighbour covers half of the own marker and with it where every leader to the right begins; there
/// is room for the text to the right only, beyond both.
TEST(LabelPlacement, AMarkerThatOverlapsAnotherHasALabel) {
  const Marker own{{100, 100}, 4}, other{{103, 100}, 4};
  Placement placement({0, 0, 400, 200});
  for (const Box& taken : {Box{0, 0, 150, 95}, Box{0, 105, 150, 200}, Box{0, 95, 95, 105}}) placement.take(taken);
  placement.take(own);
  placement.take(other);
  const auto label = placement.place(own, 60, 9, 200, 5);
  ASSERT_TRUE(label);
  EXPECT_NE(label->room, Room::none);
}

/// A wall of markers around the own one: every leader crosses some of them.
TEST(LabelPlacement, ALabelThatMustCrossSomethingIsThereAllTheSame) {
  const Marker own{{100, 100}, 4};
  Placement placement({0, 0, 200, 200});
  placement.take(own);
  for (int i = -4; i <= 4; ++i) {
    for (const double side : {-40.0, 40.0}) {
      placement.take(Marker{{100.0 + 10 * i, 100 + side}, 5});
      placement.take(Marker{{100 + side, 100.0 + 10 * i}, 5});
    }
  }
  placement.take(Box{62, 62, 95, 138});
  placement.take(Box{105, 62, 138, 138});
  placement.take(Box{62, 62, 138, 95});
  placement.take(Box{62, 105, 138, 138});
  const auto label = placement.place(own, 9, 8, 200, 4);
  ASSERT_TRUE(label && label->leader);
  EXPECT_EQ(label->room, Room::none);
}

std::vector<Scene> scenes() {
  std::vector<Scene> all;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    all.push_back({seed, 12, 60, 110, 60});
    all.push_back({seed, 40, 4, 9, 500});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Scenes, testing::ValuesIn(scenes()), [](const auto& instance) {
  return "seed_" + std::to_string(instance.param.seed) + "_markers_" + std::to_string(instance.param.markers);
});

TEST(LabelPlacement, TextAlongALineKeepsOffItsNeighbour) {
  Placement placement({0, 0, 300, 300});
  const Segment line{{0, 0}, {300, 300}}, neighbour{{0, 6}, {294, 300}};
  placement.avoid(neighbour);
  placement.avoid(line);
  Position at;
  ASSERT_TRUE(placement.place_along(line, 80, 10, 0, at));
  EXPECT_LT(at.y, at.x) << "above the line the neighbour would run through the text";
}

TEST(LabelPlacement, TurnedTextIsCovered) {
  const auto boxes = turned_text({10, 10}, 50, 8, std::numbers::pi / 4);
  const double c = std::sqrt(0.5);
  for (const double along : {0.1, 20.0, 49.9}) {
    for (const double up : {0.1, 7.9}) {
      const Position p{10 + along * c - up * c, 10 + along * c + up * c};
      EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
        return p.x >= box.left && p.x <= box.right && p.y >= box.bottom && p.y <= box.top;
      }));
    }
  }
}

TEST(Spread, StackedTextsDoNotTouchAndKeepTheirOrder) {
  std::vector<double> centres{50, 51, 52, 10, 99};
  const std::vector<double> heights(5, 12);
  move_apart(centres, heights, 0, 100);
  EXPECT_DOUBLE_EQ(centres[3], 10);
  EXPECT_DOUBLE_EQ(centres[4], 94);
  EXPECT_NEAR(centres[1], 51, 1e-9);
  EXPECT_NEAR(centres[1] - centres[0], 12, 1e-9);
  EXPECT_NEAR(centres[2] - centres[1], 12, 1e-9);
}

}  // namespace
}  // namespace gable::render
