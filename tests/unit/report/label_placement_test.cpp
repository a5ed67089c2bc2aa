#include "core/report/label_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gable::report {
namespace {

TEST(LabelPlacement, TakenPlacesAreNeverGivenTwice) {
  const Box area{0, 0, 200, 200};
  Placement placement(area);
  std::vector<Box> boxes;
  Box box;
  while (placement.place({100, 100}, 3, 30, 10, 400, box)) boxes.push_back(box);
  EXPECT_GT(boxes.size(), 20u);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_TRUE(inside(boxes[i], area));
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(overlap(boxes[i], boxes[k]));
  }
}

TEST(LabelPlacement, LeavesLinesFreeWhereItCan) {
  Placement placement({0, 0, 200, 200});
  const Segment line{{0, 100}, {200, 100}};
  placement.avoid(line);
  Box box;
  ASSERT_TRUE(placement.place({100, 100}, 3, 40, 10, 100, box));
  EXPECT_FALSE(crosses(line.from, line.to, box));
}

TEST(LabelPlacement, FullAreaIsSaid) {
  Placement placement({0, 0, 20, 20});
  Box box;
  EXPECT_FALSE(placement.place({10, 10}, 3, 40, 10, 100, box));
}

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
  spread(centres, heights, 0, 100);
  EXPECT_DOUBLE_EQ(centres[3], 10);
  EXPECT_DOUBLE_EQ(centres[4], 94);
  EXPECT_NEAR(centres[1], 51, 1e-9);
  EXPECT_NEAR(centres[1] - centres[0], 12, 1e-9);
  EXPECT_NEAR(centres[2] - centres[1], 12, 1e-9);
}

}  // namespace
}  // namespace gable::report
