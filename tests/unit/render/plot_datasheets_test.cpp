#include "core/render/plot_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/device/catalogue.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/report/sample.hpp"
#include "tests/unit/render/plots.hpp"

namespace gable::render {
namespace {

using namespace test;

TEST(PlotData, DatasheetsAreDrawnBesideWhatWasMeasured) {
  const Result measured = sample_result(Devices::cpu, 3);
  PlotOptions all = with_datasheet();
  all.all_roofs = true;
  const PlotData alone = plot_data(measured, {}), both = plot_data(measured, all);
  EXPECT_EQ(both.roofs.size(), alone.roofs.size() + 3) << "one bandwidth and two peaks";
  EXPECT_EQ(both.points.size(), alone.points.size());
  ASSERT_EQ(both.devices.size(), 2u);
  EXPECT_EQ(both.devices[1].title, "B Printed GPU (datasheet)");
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
  EXPECT_EQ(data.title, "Printed GPU (datasheet)");
  EXPECT_EQ(count(data, true), 1);
  EXPECT_DOUBLE_EQ(roof(data, "fp16 matrix datasheet").rate, 312e12);
  EXPECT_EQ(data.subtitle, "vendors' figures, not measured");
}

/// fp16 summed up in fp16 is twice as fast as in fp32: as one line it would stand beside bf16 at twice its height.
TEST(PlotData, DatasheetsOfOneTypeAreToldApartByWhatTheyAccumulateIn) {
  PlotOptions options = with_datasheet();
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
  PlotOptions options{.datasheets = {catalogue::find_device("GeForce RTX 4090")}};
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
  expect_texts_on_the_picture(data);
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
  const PlotOptions options{.datasheets = {catalogue::find_device("H200 SXM 141GB")}};
  const PlotData data = plot_data(sample_result(Devices::cpu, 3), options);
  for (const char* name : {"A DRAM", "B HBM3e"}) EXPECT_TRUE(has_text(data, name, "")) << name;
}

}  // namespace
}  // namespace gable::render
