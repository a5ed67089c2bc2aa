#include "core/render/plot_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/result/merge.hpp"
#include "core/result/store.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/report/sample.hpp"

namespace gable::render {
namespace {

using test::Devices;
using test::sample_result;

std::ptrdiff_t count(const PlotData& data, bool flat) { return std::ranges::count(data.roofs, flat, &PlotRoof::flat); }

const PlotRoof& roof(const PlotData& data, const std::string& label) {
  const auto found = std::ranges::find(data.roofs, label, &PlotRoof::label);
  if (found == data.roofs.end()) throw std::runtime_error("no roof " + label);
  return *found;
}

PlotOptions sized(double width_in, double height_in) {
  PlotOptions options;
  options.width_in = width_in;
  options.height_in = height_in;
  return options;
}

PlotOptions of_type(DType dtype) {
  PlotOptions options;
  options.dtypes = {dtype};
  return options;
}

PlotOptions at_scope(Scope scope) {
  PlotOptions options;
  options.scope = scope;
  return options;
}

/// A device with one matrix roof and one memory.
Result one_roof(DType dtype, double flop_per_s, double byte_per_s) {
  Result result;
  DeviceInfo device;
  device.id = "gpu";
  device.memory = {{"HBM", 8e10, 1, 1, 64, "test"}};
  result.devices = {device};
  result.ceilings = {test::sample_compute("gpu", Unit::matrix, dtype, OperatingPoint::burst, flop_per_s),
                     test::sample_bandwidth("gpu", "HBM", Access::triad, Stores::ordinary, byte_per_s)};
  return result;
}

TEST(PlotData, RidgesOfKnownMachines) {
  EXPECT_NEAR(plot_data(one_roof(DType::fp16, 312e12, 2.0e12), {}).ridges.at(0).intensity, 156, 1e-9);
  EXPECT_NEAR(plot_data(one_roof(DType::bf16, 989e12, 3.35e12), {}).ridges.at(0).intensity, 295.2, 0.05);
  EXPECT_NEAR(plot_data(one_roof(DType::bf16, 989e12, 4.8e12), {}).ridges.at(0).intensity, 206.0, 0.05);
}

/// 9 PFLOP/s beside 8 TB/s, as of a B200.
TEST(PlotData, RoofsOfBlockScaledTypesAreDrawnUnderTheirName) {
  const PlotData data = plot_data(one_roof(DType::mxfp4, 9000e12, 8e12), {});
  EXPECT_NEAR(data.ridges.at(0).intensity, 1125, 1e-9);
  EXPECT_EQ(count(data, true), 1);
  EXPECT_TRUE(std::ranges::any_of(data.roofs, [](const PlotRoof& one) {
    return one.label.find("mxfp4") != std::string::npos && one.rate == 9000e12;
  }));
}

TEST(PlotData, RidgeCarriesBothIntervals) {
  const PlotRidge ridge = plot_data(one_roof(DType::fp16, 300e12, 2e12), {}).ridges.at(0);
  EXPECT_NEAR(ridge.low, 150 * 0.99 / 1.01, 1e-9);
  EXPECT_NEAR(ridge.high, 150 * 1.01 / 0.99, 1e-9);
}

TEST(PlotData, NoRidgeAndNoShadingWhereMainMemoryHasNoRoof) {
  Result result = one_roof(DType::fp16, 300e12, 2e12);
  result.devices[0].memory.insert(result.devices[0].memory.begin(), {"L2", 5e7, 1, 1, 64, "test"});
  result.ceilings.push_back(test::sample_bandwidth("gpu", "L2", Access::triad, Stores::ordinary, 5e12));
  ASSERT_EQ(plot_data(result, {}).ridges.size(), 1u);
  EXPECT_TRUE(plot_data(result, {}).memory_bound_until);
  result.ceilings[1].status = Status::suspect;
  const PlotData data = plot_data(result, {});
  EXPECT_EQ(count(data, false), 1) << "L2 is still drawn";
  EXPECT_TRUE(data.ridges.empty());
  EXPECT_FALSE(data.memory_bound_until);
  EXPECT_FALSE(data.compute_bound_from);
}

TEST(PlotData, NoShadingWhereOneOfTheDevicesHasNoRoofOfItsMainMemory) {
  Result result = sample_result(Devices::both, 0);
  EXPECT_TRUE(plot_data(result, {}).memory_bound_until);
  for (Ceiling& row : result.ceilings) {
    if (row.name == "HBM") row.status = Status::suspect;
  }
  const PlotData data = plot_data(result, {});
  EXPECT_FALSE(data.ridges.empty());
  EXPECT_FALSE(data.memory_bound_until);
}

TEST(PlotData, ALibraryIsDrawnButHasNoRidge) {
  Result result = one_roof(DType::fp16, 300e12, 2e12);
  result.ceilings[0].at = OperatingPoint::library;
  const PlotData data = plot_data(result, {});
  EXPECT_EQ(count(data, true), 1);
  EXPECT_TRUE(data.ridges.empty());
}

TEST(PlotData, OneSlopePerLevelAndOneFlatPerTypeAndPoint) {
  const PlotData data = plot_data(sample_result(Devices::cpu, 0), {});
  EXPECT_EQ(count(data, false), 5) << "L1, L2, L3, DRAM and its non-temporal one";
  EXPECT_EQ(count(data, true), 6) << "two types at three operating points";
  EXPECT_DOUBLE_EQ(roof(data, "DRAM triad").rate, 8e10);
  EXPECT_DOUBLE_EQ(roof(data, "DRAM triad").low, 8e10 * 0.99);
  EXPECT_DOUBLE_EQ(roof(data, "DRAM triad non-temporal").rate, 1.05e11);
  EXPECT_EQ(roof(data, "fp32 vector sustained").style, LineStyle::dashed);
  EXPECT_EQ(roof(data, "fp32 vector library").style, LineStyle::dotted);
}

TEST(PlotData, SlopesEndAtThePeakAndFlatsStartAtTheSteepest) {
  const PlotData data = plot_data(sample_result(Devices::cpu, 0), {});
  const PlotRoof dram = roof(data, "DRAM triad");
  EXPECT_NEAR(dram.at_intensity(dram.to), 1.2e12, 1);
  EXPECT_NEAR(roof(data, "fp64 vector burst").from, 6e11 / 6e12, 1e-12);
}

TEST(PlotData, RowsThatAreNotOkAndVariantsAreLeftOut) {
  Result result = sample_result(Devices::cpu, 4);
  const PlotData before = plot_data(result, {});
  result.ceilings[0].status = Status::suspect;
  result.ceilings[1].variant = "no_fma";
  result.points[0].status = Status::error;
  const PlotData after = plot_data(result, {});
  EXPECT_EQ(before.roofs.size() - after.roofs.size(), 2u);
  EXPECT_EQ(before.points.size() - after.points.size(), 1u);
}

TEST(PlotData, SpecialFunctionRoofsAreLeftOut) {
  Result result = sample_result(Devices::cpu, 0);
  const std::size_t before = plot_data(result, {}).roofs.size();
  result.ceilings.push_back(test::sample_compute("openmp", Unit::exp, DType::fp32, OperatingPoint::burst, 1e10));
  EXPECT_EQ(plot_data(result, {}).roofs.size(), before);
}

TEST(PlotData, PointsStandWhereTheirFiguresSay) {
  const Result result = sample_result(Devices::cpu, 3);
  const PlotData data = plot_data(result, {});
  ASSERT_EQ(data.points.size(), 3u);
  EXPECT_NEAR(data.points[1].intensity, 10, 1e-9);
  const Point& point = result.points[1];
  EXPECT_NEAR(data.points[1].flop_per_s, 1e10 / point.time.value, 1);
  ASSERT_TRUE(data.points[1].limit && point.bound_s);
  EXPECT_NEAR(*data.points[1].limit, 1e10 / *point.bound_s, 1e3);
  for (const PlotPoint& one : data.points) {
    const Position at = data.position(one.intensity, one.flop_per_s);
    EXPECT_TRUE(inside({at.x, at.y, at.x, at.y}, data.area));
  }
}

TEST(PlotData, ColdPointsSaySo) {
  Result result = sample_result(Devices::cpu, 2);
  result.points[1].cold = true;
  const PlotData data = plot_data(result, {});
  EXPECT_EQ(data.points.at(0).label.find("cold"), std::string::npos);
  EXPECT_NE(data.points.at(1).label.find(" cold"), std::string::npos);
}

TEST(PlotData, TypesOnRequest) {
  const PlotData data = plot_data(sample_result(Devices::cpu, 0), of_type(DType::fp64));
  EXPECT_EQ(count(data, true), 3);
  EXPECT_EQ(count(data, false), 5) << "bandwidth has no type";
}

TEST(PlotData, ScopeOnRequestElseTheWidest) {
  Result result = sample_result(Devices::cpu, 0);
  auto row = test::sample_compute("openmp", Unit::vector, DType::fp64, OperatingPoint::burst, 4e10);
  row.scope = Scope::core;
  result.ceilings.push_back(row);
  EXPECT_DOUBLE_EQ(roof(plot_data(result, {}), "fp64 vector burst").rate, 6e11);
  EXPECT_DOUBLE_EQ(roof(plot_data(result, at_scope(Scope::core)), "fp64 vector burst").rate, 4e10);
}

TEST(PlotData, DevicesAreToldApartByLetterAndColour) {
  const PlotData data = plot_data(sample_result(Devices::both, 3), {});
  EXPECT_NE(roof(data, "A DRAM triad").colour, roof(data, "B HBM triad").colour);
  EXPECT_EQ(roof(data, "B int8 matrix burst").device, "cuda:0");
  ASSERT_EQ(data.titles.size(), 2u);
  EXPECT_EQ(data.titles[1].text, "B Synthetic GPU, node, 16 threads");
  EXPECT_TRUE(data.points.back().label.starts_with("B "));
}

TEST(PlotData, OwnTitleKeepsTheKeyToSeveralDevices) {
  PlotOptions options;
  options.title = "My study";
  const auto titles = plot_data(sample_result(Devices::cpu, 1), options).titles;
  ASSERT_EQ(titles.size(), 1u);
  EXPECT_EQ(titles[0].text, "My study");
  EXPECT_EQ(titles[0].device, "") << "it has no device's colour";
  EXPECT_EQ(plot_data(sample_result(Devices::both, 1), options).titles.size(), 3u);
}

/// 2 TB/s, 20 TFLOP/s of vectors and 312 TFLOP/s of matrix units: ridges at 10 and 156 flop/byte.
catalogue::Device printed_device() {
  catalogue::Device device;
  device.name = "Printed GPU";
  device.memory_type = "HBM2e";
  device.memory_byte = 80e9;
  device.memory_byte_per_s = 2e12;
  device.source = "made up";
  device.confidence = Confidence::derived;
  device.peaks = {{"vector", DType::fp32, DType::fp32, 20e12, "flop/s", {}, "made up", Confidence::derived},
                  {"matrix", DType::fp16, DType::fp32, 312e12, "flop/s", {}, "made up", Confidence::derived}};
  return device;
}

PlotOptions with_datasheet() {
  PlotOptions options;
  options.datasheets = {printed_device()};
  return options;
}

bool has_text(const PlotData& data, const std::string& text) {
  return std::ranges::count(data.texts, text, &PlotText::text) > 0;
}

TEST(PlotData, DatasheetsAreDrawnBesideWhatWasMeasured) {
  const Result measured = sample_result(Devices::cpu, 3);
  const PlotData alone = plot_data(measured, {}), both = plot_data(measured, with_datasheet());
  EXPECT_EQ(both.roofs.size(), alone.roofs.size() + 3) << "one bandwidth and two peaks";
  EXPECT_EQ(both.points.size(), alone.points.size());
  ASSERT_EQ(both.titles.size(), 2u);
  EXPECT_EQ(both.titles[1].text, "B Printed GPU (datasheet)");
  EXPECT_DOUBLE_EQ(roof(both, "B HBM2e datasheet").rate, 2e12);
  EXPECT_DOUBLE_EQ(roof(both, "B fp32 vector datasheet").rate, 20e12);
  EXPECT_DOUBLE_EQ(roof(both, "B fp16 matrix datasheet").rate, 312e12);
  EXPECT_NEAR(roof(both, "B fp16 matrix datasheet").from, 156, 1e-9);
  for (const PlotRoof& line : both.roofs) {
    EXPECT_EQ(line.style == LineStyle::dash_dot, line.device == "Printed GPU (datasheet)") << line.label;
  }
  const auto ridge = std::ranges::find(both.ridges, "B fp16 matrix", &PlotRidge::label);
  ASSERT_NE(ridge, both.ridges.end());
  EXPECT_NEAR(ridge->intensity, 312.0 / 2, 1e-9);
  EXPECT_TRUE(has_text(both, "datasheet")) << "in the legend";
  EXPECT_EQ(std::ranges::count(both.leaders, LineStyle::dash_dot, &PlotStroke::style), 1) << "its sample there";
  EXPECT_FALSE(has_text(alone, "datasheet"));
}

TEST(PlotData, DatasheetsNeedNoMeasurementAndKnowNoScope) {
  PlotOptions options = with_datasheet();
  options.scope = Scope::core;
  options.dtypes = {DType::fp16};
  const PlotData data = plot_data({}, options);
  ASSERT_EQ(data.titles.size(), 1u);
  EXPECT_EQ(data.titles[0].text, "Printed GPU (datasheet)");
  EXPECT_EQ(count(data, true), 1);
  EXPECT_DOUBLE_EQ(roof(data, "fp16 matrix datasheet").rate, 312e12);
  EXPECT_EQ(data.subtitle, "vendors' figures, not measured");
}

/// fp16 summed up in fp16 is twice as fast as in fp32: as one line it would stand beside bf16 at twice its height.
TEST(PlotData, DatasheetsOfOneTypeAreToldApartByWhatTheyAccumulateIn) {
  PlotOptions options;
  options.datasheets = {printed_device()};
  options.datasheets[0].peaks = {
      {"matrix", DType::fp16, DType::fp16, 330e12, "flop/s", {}, "made up", Confidence::derived},
      {"matrix", DType::fp16, DType::fp32, 165e12, "flop/s", {}, "made up", Confidence::derived},
      {"matrix", DType::bf16, DType::fp32, 165e12, "flop/s", {}, "made up", Confidence::derived}};
  const PlotData data = plot_data({}, options);
  EXPECT_EQ(count(data, true), 3);
  EXPECT_DOUBLE_EQ(roof(data, "fp16->fp16 matrix datasheet").rate, 330e12);
  EXPECT_DOUBLE_EQ(roof(data, "fp16 matrix datasheet").rate, 165e12);
  EXPECT_DOUBLE_EQ(roof(data, "bf16 matrix datasheet").rate, 165e12);
}

/// Vendors' pages: 330.3 and 165.2 TFLOP/s of an RTX 4090's tensor cores; 47.9 and, with packed instructions, 95.7
/// TFLOP/s of an MI250X in fp32.
TEST(PlotData, PrintedPeaksOfOneTypeAreAllDrawn) {
  PlotOptions options;
  options.datasheets = {catalogue::find_device("GeForce RTX 4090")};
  const PlotData ada = plot_data({}, options);
  EXPECT_NEAR(roof(ada, "fp16->fp16 matrix datasheet").rate, 330.3e12, 0.1e12);
  EXPECT_NEAR(roof(ada, "fp16 matrix datasheet").rate, 165.2e12, 0.1e12);
  options.datasheets = {catalogue::find_device("Instinct MI250X (whole OAM, 2 GCDs)")};
  const PlotData cdna = plot_data({}, options);
  EXPECT_NEAR(roof(cdna, "fp32 vector datasheet").rate, 47.9e12, 0.1e12);
  EXPECT_NEAR(roof(cdna, "fp32 vector packed datasheet").rate, 95.7e12, 0.1e12);
}

/// Four large datasheets have more peaks than lines of text fit beside the axes; many of them are equal.
TEST(PlotData, LabelsOfManyDatasheetsStayOnThePicture) {
  PlotOptions options;
  for (const char* name : {"H200 SXM 141GB", "H100 SXM5 80GB", "Instinct MI300X", "A100 SXM4 80GB"})
    options.datasheets.push_back(catalogue::find_device(name));
  const PlotData data = plot_data({}, options);
  for (const PlotText& text : data.texts) {
    for (const Box& box : text.boxes) EXPECT_TRUE(inside(box, {0, 0, data.width_pt, data.height_pt})) << text.text;
  }
}

/// 989.4 TFLOP/s in bf16 and in fp16: one line with both names, where there is no room for two.
TEST(PlotData, EqualPeaksShareALabel) {
  const std::vector<RoofGroup> groups{{{"A ", "bf16", "matrix"}, {{OperatingPoint::none, 989.4e12}}, 989.4e12, 1},
                                      {{"A ", "fp16", "matrix"}, {{OperatingPoint::none, 989.4e12}}, 989.4e12, 1},
                                      {{"A ", "fp16", "vector"}, {{OperatingPoint::none, 133.8e12}}, 133.8e12, 1},
                                      {{"B ", "fp16", "matrix"}, {{OperatingPoint::none, 989.4e12}}, 989.4e12, 2}};
  const auto list = merged(groups);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].name.text(), "A bf16/fp16 matrix");
  EXPECT_EQ(list[1].name.text(), "A fp16 vector");
  EXPECT_EQ(list[2].name.text(), "B fp16 matrix");
}

TEST(PlotData, TheMainMemorysSlopeHasALabelBesideALargeDatasheet) {
  PlotOptions options;
  options.datasheets = {catalogue::find_device("H200 SXM 141GB")};
  const PlotData data = plot_data(sample_result(Devices::cpu, 3), options);
  for (const std::string name : {"A DRAM", "B HBM3e"})
    EXPECT_TRUE(std::ranges::any_of(data.texts, [&](const PlotText& text) { return text.text.starts_with(name); }))
        << name;
}

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
  EXPECT_TRUE(std::ranges::any_of(data.texts, [](const PlotText& text) {
    return text.text.find("40 of 601 points labelled") != std::string::npos;
  }));
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

/// Forty points on two by two inches: there cannot be room for all their numbers.
TEST(PlotData, LabelsThatAreLeftOutAreCounted) {
  const Result result = sample_result(Devices::cpu, 1);
  Result crowd = result;
  for (int i = 0; i < 40; ++i)
    crowd.points.push_back(close_point(result.points.front(), "op" + std::to_string(i), 1 + i * 1e-6, 0.5));
  set_verdicts(crowd);
  const PlotData data = plot_data(crowd, sized(2, 2));
  const auto labelled = static_cast<std::size_t>(std::ranges::count(data.points, true, &PlotPoint::labelled));
  EXPECT_LT(labelled, data.points.size());
  EXPECT_GT(labelled, 0u);
  const std::string told = std::to_string(labelled) + " of " + std::to_string(data.points.size()) + " points labelled";
  EXPECT_TRUE(std::ranges::any_of(data.texts, [&](const PlotText& text) {
    return text.text.find(told) != text.text.npos;
  })) << told;
}

TEST(PlotData, FiguresNearTheLargestNumberHaveAxesToo) {
  EXPECT_FALSE(ticks({1e290, 1e300}).empty());
  Result result = sample_result(Devices::cpu, 1);
  for (Ceiling& row : result.ceilings) {
    if (row.kind == CeilingKind::compute) row.value.value = 1.7e308;
  }
  const PlotData data = plot_data(result, {});
  EXPECT_LE(data.y.high, 1e300);
}

TEST(PlotData, TenDevicesHaveAxesAndMoreAreRefused) {
  const Result one = sample_result(Devices::cpu, 12);
  std::vector<Result> results;
  std::vector<std::string> files;
  for (int i = 0; i < 10; ++i) {
    results.push_back(one);
    results.back().run.hostname = "host" + std::to_string(i);
    results.back().run.mode = i % 2 == 0 ? Mode::full : Mode::quick;
    files.push_back("file" + std::to_string(i) + ".json");
  }
  const PlotData data = plot_data(result::merge(results, files), {});
  EXPECT_GE(data.area.height(), 0.35 * data.height_pt);
  ASSERT_EQ(data.titles.size(), 10u);
  for (const char* part : {"B ", "file1.json", "host1", "quick run"})
    EXPECT_NE(data.titles[1].text.find(part), std::string::npos) << data.titles[1].text;
  EXPECT_NE(data.titles[2].text.find("full run"), std::string::npos) << data.titles[2].text;
  EXPECT_EQ(data.subtitle.find("run"), std::string::npos) << data.subtitle;
  for (std::size_t i = 0; i < data.texts.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (const Box& a : data.texts[i].boxes) {
        for (const Box& b : data.texts[k].boxes)
          EXPECT_FALSE(overlap(a, b)) << data.texts[i].text << " and " << data.texts[k].text;
      }
    }
  }
  results.push_back(one);
  results.back().run.hostname = "one more";
  EXPECT_THROW(plot_data(result::merge(results), {}), Error);
}

TEST(PlotData, NothingToDrawIsAnError) {
  EXPECT_THROW(plot_data({}, {}), Error);
  EXPECT_THROW(plot_data(sample_result(Devices::cpu, 3), at_scope(Scope::numa)), Error);
  PlotOptions beside = with_datasheet();
  beside.scope = Scope::numa;
  EXPECT_THROW(plot_data(sample_result(Devices::cpu, 3), beside), Error) << "a datasheet alone is not what was asked";
}

struct Case {
  Devices devices;
  int points;
  double width, height;
};

class Crowded : public testing::TestWithParam<Case> {};

TEST_P(Crowded, NoTextCoversAnother) {
  const auto& [devices, points, width, height] = GetParam();
  const PlotData data = plot_data(sample_result(devices, points), sized(width, height));
  for (std::size_t i = 0; i < data.texts.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (const Box& a : data.texts[i].boxes) {
        for (const Box& b : data.texts[k].boxes) {
          EXPECT_FALSE(overlap(a, b)) << data.texts[i].text << " and " << data.texts[k].text;
        }
      }
    }
  }
}

TEST_P(Crowded, EveryTextIsOnThePicture) {
  const auto& [devices, points, width, height] = GetParam();
  const PlotData data = plot_data(sample_result(devices, points), sized(width, height));
  for (const PlotText& text : data.texts) {
    for (const Box& box : text.boxes) {
      EXPECT_TRUE(inside(box, {0, 0, data.width_pt, data.height_pt})) << text.text;
    }
  }
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
