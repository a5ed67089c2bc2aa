#include "core/render/plot_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/device/catalogue.hpp"
#include "core/result/store.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/report/sample.hpp"
#include "tests/unit/render/plots.hpp"

namespace gable::render {
namespace {

using namespace test;

/// fp32 at an intensity and a share of its bound, under the roofs of the sample's CPU.
Point close_point(Point point, const std::string& op, double intensity, double share) {
  const double bytes = 1e9;
  point.op = point.id = op;
  point.types = uniform_types(DType::fp32);
  point.stages = {{op, {{Unit::vector, intensity * bytes}}, bytes / 2, bytes / 2, bytes, 1, {}}};
  point.time.value = std::max(bytes / 8e10, intensity * bytes / 1.2e12) / share;
  point.time.ci_low = point.time.value * 0.99;
  point.time.ci_high = point.time.value * 1.01;
  return point;
}

/// The most markers that one line between a marker and its label touches; its own is one of them.
int most_touched(const PlotData& data) {
  const auto in_area = [&](Position p) { return inside({p.x, p.y, p.x, p.y}, data.area); };
  int most = 0;
  for (const PlotStroke& leader : data.leaders) {
    if (!in_area(leader.path.from) || !in_area(leader.path.to)) continue;  // of the legend or the margin
    int touched = 0;
    for (const PlotPoint& point : data.points) {
      // a little larger than it is drawn: its own line begins at the edge
      const Marker marker{data.position(point.intensity, point.flop_per_s), 0.38 * data.font_pt + 0.01};
      if (crosses(leader.path.from, leader.path.to, marker.box())) ++touched;
    }
    most = std::max(most, touched);
  }
  return most;
}

/// The label of gelu stood behind the marker of layernorm, and its leader ran through it: the two read as swapped.
TEST(PlotData, LeadersOfCloseOperatorsCrossNoOtherMarker) {
  const Point some = sample_result(Devices::cpu, 1).points.front();
  for (const double apart : {1.1, 1.15, 1.2}) {
    for (const double share : {0.68, 0.72, 0.76}) {
      Result result = sample_result(Devices::cpu, 0);
      result.points = {close_point(some, "gelu", 1, 0.8), close_point(some, "layernorm", apart, share),
                       close_point(some, "softmax", 0.9, 0.7), close_point(some, "bias_gelu", 1.15, 0.6)};
      set_verdicts(result);
      const PlotData data = plot_data(result, {});
      EXPECT_LE(most_touched(data), 1) << "apart " << apart << ", share " << share;
      for (const PlotPoint& point : data.points) EXPECT_TRUE(has_text(data, point.label)) << point.label;
    }
  }
}

/// 47 operators, numbered because they do not all fit: each number of the key stands in the picture, too.
TEST(PlotData, EveryMeasuredOperatorOfZen4HasItsNumber) {
  Result result = result::load(GABLE_MEASURED "/amd-zen-4-operators.json");
  set_verdicts(result);
  for (const auto& [width, height] : {std::pair{8.0, 5.5}, std::pair{6.0, 4.0}, std::pair{12.0, 8.0}}) {
    const PlotData data = plot_data(result, sized(width, height));
    ASSERT_GT(data.points.size(), 30u);
    for (const PlotPoint& point : data.points) {
      EXPECT_TRUE(has_text(data, std::to_string(point.number))) << width << ": " << point.detail;
    }
  }
}

/// Six hundred operators of growing time: those that lose most are the last ones.
TEST(PlotData, OfManyPointsThoseThatLoseMostAreLabelled) {
  const Result result = sample_result(Devices::cpu, 1);
  Result crowd = result;
  for (int i = 0; i < 600; ++i) {
    crowd.points.push_back(close_point(result.points.front(), "op" + std::to_string(i), 1 + i * 1e-6, 0.5));
    crowd.points.back().count = i + 1;
  }
  set_verdicts(crowd);
  const PlotData data = plot_data(crowd, sized(8, 5.5));
  EXPECT_EQ(std::ranges::count(data.points, true, &PlotPoint::labelled), 40);
  for (const PlotPoint& point : data.points) {
    EXPECT_EQ(point.labelled, point.number > 0) << point.detail;
    if (point.labelled) {
      EXPECT_GT(point.lost_s, 0.9 * data.points.back().lost_s) << point.detail;
    }
  }
  EXPECT_TRUE(has_text(data, "", "40 of 601 points labelled"));
}

/// Four devices with more roofs than the right margin has lines, and a key of many entries under the axes: labels of
/// the margin stood on the key.
TEST(PlotData, MarginLabelsKeepOffTheKey) {
  Result result = result::load(GABLE_MEASURED "/amd-zen-4-operators.json");
  set_verdicts(result);
  for (const auto& [width, height] : {std::pair{8.0, 5.5}, std::pair{6.0, 4.0}, std::pair{5.0, 4.0}}) {
    PlotOptions options = sized(width, height);
    for (const char* name : {"H200 SXM 141GB", "MI300X", "T4"})
      options.datasheets.push_back(catalogue::find_device(name));
    const PlotData data = plot_data(result, options);
    std::size_t beside = 0;
    for (const PlotText& label : data.texts) {
      if (label.at.x < data.area.right + 10) continue;
      ++beside;
      for (const PlotText& other : data.texts) {
        if (&other == &label) continue;
        for (const Box& a : label.boxes)
          for (const Box& b : other.boxes)
            EXPECT_FALSE(overlap(a, b)) << width << ": '" << label.text << "' over '" << other.text << "'";
      }
    }
    EXPECT_GT(beside, 8u) << width;
  }
}

/// Forty points on three by two inches: there cannot be room for all their numbers.
TEST(PlotData, LabelsThatAreLeftOutAreCounted) {
  const Result result = sample_result(Devices::cpu, 1);
  Result crowd = result;
  for (int i = 0; i < 40; ++i)
    crowd.points.push_back(close_point(result.points.front(), "op" + std::to_string(i), 1 + i * 1e-6, 0.5));
  set_verdicts(crowd);
  const PlotData data = plot_data(crowd, sized(3, 2));
  const auto labelled = static_cast<std::size_t>(std::ranges::count(data.points, true, &PlotPoint::labelled));
  EXPECT_LT(labelled, data.points.size());
  EXPECT_GT(labelled, 0u);
  const std::string told = std::to_string(labelled) + " of " + std::to_string(data.points.size()) + " points labelled";
  EXPECT_TRUE(has_text(data, "", told)) << told;
}

struct Case {
  Devices devices;
  int points;
  double width, height;
};

class Crowded : public testing::TestWithParam<Case> {};

TEST_P(Crowded, NoTextCoversAnother) {
  const auto& [devices, points, width, height] = GetParam();
  expect_no_text_covers_another(plot_data(sample_result(devices, points), sized(width, height)));
}

TEST_P(Crowded, EveryTextIsOnThePicture) {
  const auto& [devices, points, width, height] = GetParam();
  expect_texts_on_the_picture(plot_data(sample_result(devices, points), sized(width, height)));
}

TEST_P(Crowded, EveryPointIsNamedOrNumbered) {
  const auto& [devices, points, width, height] = GetParam();
  const PlotData data = plot_data(sample_result(devices, points), sized(width, height));
  for (const PlotPoint& point : data.points) {
    const std::string text = point.number > 0 ? std::to_string(point.number) : point.label;
    EXPECT_EQ(std::ranges::count(data.texts, text, &PlotText::text), 1) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Crowded,
                         testing::Values(Case{Devices::cpu, 10, 8, 5.5}, Case{Devices::cpu, 40, 8, 5.5},
                                         Case{Devices::cpu, 8, 3.5, 3}, Case{Devices::cpu, 40, 4, 3},
                                         Case{Devices::both, 7, 8, 5.5}, Case{Devices::both, 20, 12, 8},
                                         Case{Devices::both, 6, 4, 3}));

}  // namespace
}  // namespace gable::render
