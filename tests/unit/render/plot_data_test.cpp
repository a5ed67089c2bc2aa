#include "core/render/plot_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/result/merge.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/report/sample.hpp"
#include "tests/unit/render/plots.hpp"

namespace gable::render {
namespace {

using namespace test;

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
  EXPECT_EQ(roof(data, "B fp32 vector burst").device, "cuda:0");
  ASSERT_EQ(data.devices.size(), 2u);
  EXPECT_EQ(data.devices[1].title, "B Synthetic GPU, 16 multiprocessors");
  EXPECT_TRUE(data.points.back().label.starts_with("B "));
}

TEST(PlotData, OwnTitleKeepsTheKeyToSeveralDevices) {
  const PlotOptions options{.title = "My study"};
  const PlotData data = plot_data(sample_result(Devices::both, 1), options);
  for (const char* text : {"My study", "A Synthetic CPU, 16 threads", "B Synthetic GPU"})
    EXPECT_TRUE(has_text(data, text)) << text;
  EXPECT_FALSE(has_text(plot_data(sample_result(Devices::cpu, 1), options), data.devices[0].name));
}

TEST(PlotData, FiguresNearTheLargestNumberHaveAxesToo) {
  EXPECT_FALSE(ticks({1e290, 1e300}).empty());
  Result result = sample_result(Devices::cpu, 1);
  for (Ceiling& row : result.ceilings) {
    if (row.kind == CeilingKind::compute) row.value.value = 1.7e308;
  }
  EXPECT_LE(plot_data(result, {}).y.high, 1e300);
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
  ASSERT_EQ(data.devices.size(), 10u);
  for (const char* part : {"B ", "file1.json", "host1", "quick run"})
    EXPECT_NE(data.devices[1].title.find(part), std::string::npos) << data.devices[1].title;
  EXPECT_NE(data.devices[2].title.find("full run"), std::string::npos) << data.devices[2].title;
  expect_no_text_covers_another(data);
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

}  // namespace
}  // namespace gable::render
