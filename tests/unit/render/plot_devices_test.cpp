// Pictures of several devices: what is drawn of them, and that every text has a place of its own and is whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/anonymous.hpp"
#include "core/result/merge.hpp"
#include "core/result/store.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/report/sample.hpp"
#include "tests/unit/render/plots.hpp"

namespace gable::render {
namespace {

using namespace test;

Result measured(const std::vector<std::string>& names) {
  std::vector<Result> results;
  std::vector<std::string> files;
  for (const std::string& name : names) {
    files.push_back(name + ".json");
    results.push_back(result::load(GABLE_MEASURED "/" + files.back()));
  }
  Result merged = results.size() == 1 ? results.front() : result::merge(results, files);
  set_verdicts(merged);
  return merged;
}

/// Zen 5 and H200; with Zen 4 and Emerald Rapids four; with four datasheets eight. Of 12 points in fp32 each, or with
/// 50 to 89 in six types of all but the last; 0 devices: datasheets alone.
struct Shown {
  int devices;
  double width, height;
  bool all_roofs{}, many_points{};
};

PlotData drawn(const Shown& shown) {
  static const Result two = measured({"amd-zen-5-quick", "nvidia-h200-quick"});
  static const Result four =
      measured({"amd-zen-4-quick", "amd-zen-5-quick", "intel-emerald-rapids-16-quick", "nvidia-h200-quick"});
  static const Result many = measured(
      {"amd-zen-4-operators", "amd-zen-5-operators", "intel-emerald-rapids-16-quick", "nvidia-h200-operators"});
  static const Result two_of_many = measured({"amd-zen-5-operators", "nvidia-h200-operators"});
  PlotOptions options = sized(shown.width, shown.height);
  options.all_roofs = shown.all_roofs;
  if (shown.devices == 0 || shown.devices == 8) {
    for (const char* name : {"H200 SXM 141GB", "MI300X", "T4", "RTX 4090"})
      options.datasheets.push_back(catalogue::find_device(name));
  }
  if (shown.devices == 0) return plot_data({}, options);
  if (shown.devices == 2) return plot_data(shown.many_points ? two_of_many : two, options);
  return plot_data(shown.many_points ? many : four, options);
}

class SeveralDevices : public testing::TestWithParam<Shown> {};

TEST_P(SeveralDevices, NoTextCoversAnother) { expect_no_text_covers_another(drawn(GetParam())); }

TEST_P(SeveralDevices, EveryTextIsWholeAndOnThePicture) {
  const PlotData data = drawn(GetParam());
  expect_texts_on_the_picture(data);
  for (const PlotText& text : data.texts) {
    // the key of many points cuts sizes that are longer than half of the picture
    const bool may_be_cut = GetParam().many_points && std::isdigit(static_cast<unsigned char>(text.text.front())) != 0;
    if (!may_be_cut) {
      EXPECT_EQ(text.text.find("…"), std::string::npos) << text.text;
    }
  }
}

TEST_P(SeveralDevices, MostOfThePictureIsThePlot) {
  const PlotData data = drawn(GetParam());
  EXPECT_GE(data.area.height(), (data.width_pt < 5 * 72 || GetParam().many_points ? 0.4 : 0.5) * data.height_pt);
  EXPECT_GE(data.area.width(), (GetParam().devices == 0 ? 0.55 : 0.6) * data.width_pt);
}

/// The devices and their roofs have names even where points have none.
TEST_P(SeveralDevices, DevicesAndTheirRoofsAreNamed) {
  const PlotData data = drawn(GetParam());
  for (const PlotDevice& device : data.devices) EXPECT_TRUE(has_text(data, device.key)) << device.key;
  if (GetParam().all_roofs) return;
  for (const PlotRoof& roof : data.roofs) {
    const std::string what = roof.flat ? roof.group.text() : roof.level;
    // types of datasheets often share a line: "B fp64/fp32 matrix"
    const bool shares = GetParam().devices == 0 && roof.flat && has_text(data, roof.letter, " " + roof.group.unit);
    EXPECT_TRUE(has_text(data, what, "") || shares) << what;
  }
}

TEST_P(SeveralDevices, OneTitleLineAtMost) {
  const PlotData data = drawn(GetParam());
  std::set<double> lines;
  for (const PlotText& text : data.texts)
    if (text.bold) lines.insert(text.at.y);
  EXPECT_LE(lines.size(), 1u);
}

/// The few measured points are all of fp32.
TEST_P(SeveralDevices, OneRoofATypeAndDevice) {
  if (GetParam().all_roofs || GetParam().many_points || GetParam().devices == 0) return;
  const PlotData data = drawn(GetParam());
  for (const PlotDevice& device : data.devices) {
    const auto is_flat = [&](const PlotRoof& roof) { return roof.flat && roof.device == device.id; };
    EXPECT_EQ(std::ranges::count_if(data.roofs, is_flat), 1) << device.key;
    const auto is_slope = [&](const PlotRoof& roof) { return !roof.flat && roof.device == device.id; };
    EXPECT_EQ(std::ranges::count_if(data.roofs, is_slope), 1) << device.key << ": nothing but its main memory limits";
  }
  for (const PlotRoof& roof : data.roofs) {
    if (roof.flat) {
      EXPECT_EQ(roof.compute->dtype, DType::fp32) << roof.label;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SeveralDevices,
                         testing::Values(Shown{2, 8, 5.5}, Shown{2, 4, 3}, Shown{2, 13.3, 7.5}, Shown{4, 8, 5.5},
                                         Shown{4, 4, 3}, Shown{4, 13.3, 7.5}, Shown{8, 8, 5.5}, Shown{8, 4, 3},
                                         Shown{8, 13.3, 7.5}, Shown{4, 13.3, 7.5, true}, Shown{2, 8, 5.5, false, true},
                                         Shown{2, 4, 3, false, true}, Shown{4, 8, 5.5, false, true},
                                         Shown{4, 13.3, 7.5, false, true}, Shown{8, 8, 5.5, false, true},
                                         Shown{8, 13.3, 7.5, false, true}, Shown{0, 8, 5.5}, Shown{0, 4, 3}));

/// 2.5 and 2.52 PFLOP/s are two figures, and what there was no room for is said.
TEST(PlotDevices, DatasheetsAreNotRoundedAndSayWhatIsLeftOut) {
  PlotOptions options = sized(8, 5.5);
  for (const char* name : {"MI355X", "GB200"}) options.datasheets.push_back(catalogue::find_device(name));
  options.dtypes = {DType::bf16};
  const PlotData data = plot_data({}, options);
  EXPECT_TRUE(has_text(data, "A bf16 matrix 2.52 P"));
  EXPECT_TRUE(has_text(data, "B bf16 matrix 2.5 P"));
  EXPECT_EQ(data.subtitle.find("without"), std::string::npos) << "what was asked for is there";
  EXPECT_NE(drawn({0, 4, 3}).subtitle.find(" (--dtype)"), std::string::npos);
}

/// The same operator has the same number on every device, and its share of each in one line of the key.
TEST(PlotDevices, TheSameWorkHasOneNumber) {
  const PlotData data = drawn({4, 8, 5.5});
  std::set<int> softmax;
  for (const PlotPoint& point : data.points)
    if (point.name == "softmax") softmax.insert(point.number);
  EXPECT_EQ(softmax.size(), 1u);
  EXPECT_GT(*softmax.begin(), 0);
}

Result copies(double second_bandwidth) {
  std::vector<Result> results;
  for (const double bandwidth : {8e10, second_bandwidth}) {
    Result one;
    DeviceInfo device;
    device.id = "cpu";
    device.name = "Some CPU";
    device.memory = {{"DRAM", 8e10, 1, 1, 64, "test"}};
    one.devices = {device};
    one.ceilings = {sample_compute("cpu", Unit::vector, DType::fp32, OperatingPoint::burst, 1e12),
                    sample_bandwidth("cpu", "DRAM", Access::triad, Stores::ordinary, bandwidth)};
    one.run.hostname = bandwidth == 8e10 ? "before" : "after";
    results.push_back(one);
  }
  return result::merge(results, std::vector<std::string>{"before.json", "after.json"});
}

TEST(PlotDevices, AnUnchangedRoofIsDrawnOnce) {
  const PlotData data = plot_data(copies(1e11), {});
  EXPECT_EQ(count(data, true), 1);
  EXPECT_EQ(roof(data, "A,B fp32 vector burst").rate, 1e12);
  EXPECT_EQ(count(data, false), 2) << "the memory is faster";
  for (const char* text : {"A,B fp32 vector 1 T", "A DRAM 80 GB/s", "B DRAM 100 GB/s"})
    EXPECT_TRUE(has_text(data, text)) << text;
  const PlotData same = plot_data(copies(8e10), {});
  EXPECT_EQ(same.roofs.size(), 2u);
  EXPECT_TRUE(has_text(same, "A,B DRAM 80 GB/s"));
  for (const char* file : {"before.json", "after.json"})
    EXPECT_TRUE(std::ranges::any_of(data.devices, [&](const PlotDevice& device) {
      return device.key.find(file) != std::string::npos;
    })) << "devices of one name are told apart by their files";
}

/// B's L2, which limits a point of its, is steeper than the memory that A and B have in common.
TEST(PlotDevices, ACacheIsNotTheMainMemoryWhoseLineIsJoined) {
  Result result = copies(8e10);
  const std::string second = result.devices[1].id;
  result.ceilings.push_back(sample_bandwidth(second, "L2", Access::triad, Stores::ordinary, 8e11));
  Point point = test::sample_result(test::Devices::cpu, 1).points.front();
  point.device = second;
  point.types = uniform_types(DType::fp32);
  point.limit_kind = LimitKind::bandwidth;
  point.limit_level = "L2";
  result.points = {point};
  const PlotData data = plot_data(result, {});
  EXPECT_TRUE(roof(data, "A,B DRAM triad").main);
  EXPECT_FALSE(roof(data, "B L2 triad").main);
  for (const RoofGroup& group : roof_groups(data))
    EXPECT_EQ(group.memories, std::vector<std::string>{"A,B DRAM 80 GB/s"}) << group.name.text();
}

TEST(PlotDevices, TheMarksOfAnonymousResultsAreNoNames) {
  const Result anonymous = result::anonymous(copies(1e11));
  EXPECT_EQ(std::ranges::count(anonymous.devices[0].facts, "FILE", &Fact::value), 1);
  for (const PlotDevice& device : plot_data(anonymous, {}).devices) {
    for (const std::string& text : {device.key, device.title})
      EXPECT_TRUE(text.find("FILE") == text.npos && text.find("anonymous") == text.npos) << text;
  }
}

/// Two types on each device: without points both are shared, fp16 is on one alone.
TEST(PlotDevices, WithoutPointsTheTypesThatAllHave) {
  Result result = copies(1e11);
  result.ceilings.push_back(
      sample_compute(result.devices[1].id, Unit::matrix, DType::fp16, OperatingPoint::burst, 9e12));
  EXPECT_EQ(count(plot_data(result, {}), true), 1);
  EXPECT_EQ(count(plot_data(result, of_type(DType::fp16)), true), 1);
  EXPECT_EQ(count(plot_data(result, {.all_roofs = true}), true), 3);
  const PlotData whole = collect_any(result, {});
  EXPECT_EQ(count(whole, true), 3) << "programs have all";
  EXPECT_EQ(std::ranges::count(whole.roofs, false, &PlotRoof::drawn), 1);
}

TEST(PlotDevices, TheBestUnitUnlessOthersAreAskedFor) {
  Result result = copies(1e11);
  for (std::size_t i = 0; i < 2; ++i)
    result.ceilings.push_back(
        sample_compute(result.devices[i].id, Unit::scalar, DType::fp32, OperatingPoint::burst, i == 0 ? 2e10 : 3e10));
  EXPECT_EQ(count(plot_data(result, {}), true), 1) << "the vector units, which are equal";
  const PlotData data = plot_data(result, {.units = {Unit::scalar}});
  for (const PlotRoof& one : data.roofs) {
    if (one.flat) {
      EXPECT_EQ(one.compute->unit, Unit::scalar);
    }
  }
  EXPECT_EQ(count(data, true), 2);
}

/// A point under 2e10 divisions a second, and one that waits for lines at random at 5 GB/s.
TEST(PlotDevices, DividersAndRandomLinesAreDrawnWhereTheyLimit) {
  Result result = test::sample_result(test::Devices::cpu, 1);
  result.ceilings.push_back(sample_compute("openmp", Unit::divide, DType::fp32, OperatingPoint::burst, 2e10));
  result.ceilings.push_back(sample_bandwidth("openmp", "DRAM", Access::random, Stores::none, 5e9));
  set_verdicts(result);
  const std::size_t without = plot_data(result, {}).roofs.size();
  Point divided = result.points.front();
  divided.op = divided.id = "divided";
  divided.types = uniform_types(DType::fp32);
  divided.stages = {{"divided", {{Unit::vector, 1e10}, {Unit::divide, 1e10}}, 1e8, 1e8, 1e12, 1, {}}};
  divided.time.value = 1;
  divided.time.ci_low = divided.time.ci_high = 1;
  Point random = divided;
  random.op = random.id = "random";
  random.stages = {{"random", {{Unit::vector, 1e8}}, 64e8, 0, 1e12, 1, {}}};
  random.stages.front().random_lines = 1e8;
  random.stages.front().random_span = 1e12;
  random.time.value = 2;
  random.time.ci_low = random.time.ci_high = 2;
  result.points = {divided, random};
  set_verdicts(result);
  const PlotData data = plot_data(result, {});
  EXPECT_EQ(data.roofs.size(), without + 2);
  EXPECT_EQ(roof(data, "fp32 divide burst").rate, 2e10);
  EXPECT_EQ(roof(data, "DRAM random").rate, 5e9);
  for (const PlotRidge& ridge : data.ridges) EXPECT_EQ(ridge.label.find("divide"), std::string::npos);
  result.points.clear();
  EXPECT_EQ(plot_data(result, {.all_roofs = true}).roofs.size(), without + 2);
}

/// fp32 of the sample's CPU: 1.2 TFLOP/s over 80 GB/s.
TEST(PlotDevices, RegimesAreThoseOfTheRoofsThatPointsHave) {
  Result result = test::sample_result(test::Devices::cpu, 1);
  result.ceilings.push_back(sample_compute("openmp", Unit::vector, DType::int8, OperatingPoint::burst, 8e12));
  result.points.front().types = uniform_types(DType::fp32);
  set_verdicts(result);
  const PlotData data = plot_data(result, {});
  EXPECT_NEAR(data.memory_bound_until.value(), 15, 1e-9);
  EXPECT_NEAR(data.compute_bound_from.value(), 15, 1e-9);
  result.points.clear();
  EXPECT_NEAR(plot_data(result, {}).compute_bound_from.value(), 100, 1e-9) << "int8: 8 Top/s over 80 GB/s";
}

TEST(PlotDevices, PointsOfOneNameHaveTheirSizes) {
  Result result = test::sample_result(test::Devices::cpu, 1);
  result.points.push_back(result.points.front());
  result.points[0].params = "n=1000";
  result.points[1].params = "n=2000";
  result.points[1].id += "/larger";
  set_verdicts(result);
  const PlotData data = plot_data(result, {});
  EXPECT_NE(data.points[0].label.find("n=1000"), std::string::npos) << data.points[0].label;
  EXPECT_NE(data.points[1].label.find("n=2000"), std::string::npos) << data.points[1].label;
}

TEST(PlotData, ALongWordAsTitleLeavesRoomForThePicture) {
  PlotOptions options = sized(8, 5.5);
  options.title = std::string(100'000, 'x');
  EXPECT_GT(plot_data(test::sample_result(test::Devices::cpu, 1), options).area.height(), 200);
}

TEST(PlotData, ALongTitleIsBrokenAndNotCut) {
  PlotOptions options = sized(4, 3);
  options.title = "Roofline of all that was measured in the autumn before the new compiler came, second attempt";
  const PlotData data = plot_data(test::sample_result(test::Devices::cpu, 1), options);
  std::string whole;
  for (const PlotText& text : data.texts) {
    if (!text.bold) continue;
    whole += (whole.empty() ? "" : " ") + text.text;
    EXPECT_LE(text.boxes.front().right, data.width_pt);
  }
  EXPECT_EQ(whole, options.title);
}

}  // namespace
}  // namespace gable::render
