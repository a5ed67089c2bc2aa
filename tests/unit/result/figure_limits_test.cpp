#include "core/model/figure_limits.hpp"
#include "core/result/impossible_figures.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/result/json.hpp"
#include "core/result/store.hpp"
#include "core/verdict/validate.hpp"
#include "files.hpp"
#include "sample.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable {
namespace {

using nlohmann::json;
using result::Impossible;
using test::put;

std::vector<Impossible> impossible_figures(const json& document) {
  return result::impossible_figures(result::result_from_json(document));
}

TEST(FigureLimits, ASoundResultHasNone) {
  EXPECT_TRUE(impossible_figures(result::to_json(test::full_result())).empty());
}

/// A rack of today does 1e18 flop/s, its caches give 1e16 byte/s; a thousand times that is no typo.
TEST(FigureLimits, AMachineAThousandTimesTodaysFastestPasses) {
  Result result = test::full_result();
  result.ceilings[0].value = test::full_estimate(1e22);
  result.ceilings[0].datasheet = result.ceilings[0].theory_at_clock = 1.1e21;
  result.ceilings[1].value = test::full_estimate(1e20);
  result.devices[0].memory.back().size_bytes = 1e16;
  result.points[0].stages[0].bytes_read = 1e20;  // in a day; an H200's 4.8 TB/s move 1e18 in 58 hours
  result.points[0].stages[0].work[0].operations = 1e26;
  result.points[0].bound_s = 4e7;
  result.points[0].fraction_of_limit.reset();
  result.points[0].time = test::full_estimate(10);
  result.points[0].time.value = 86400;  // a day
  result.points[0].count = 1e12;
  result.points[0].conditions.power_w = 1e6;
  const auto found = result::impossible_figures(result);
  EXPECT_TRUE(found.empty()) << found.front().where << ": " << found.front().what;
}

struct LimitDamage {
  const char* where;
  const char* what;
  void (*change)(json&);
};

std::vector<LimitDamage> damages() {
  return {
      {"/points/0/time_s", "-1: a time is positive", [](json& j) { j["points"][0]["time_s"] = -1; }},
      {"/points/0/time_s", "0: a time is positive", [](json& j) { j["points"][0]["time_s"] = 0; }},
      {"/points/0/time_s", "null: a row that was measured has a number",
       [](json& j) { j["points"][0]["time_s"] = nullptr; }},
      {"/points/0/stages/0/bytes_read", "null: a row",
       [](json& j) { j["points"][0]["stages"][0]["bytes_read"] = nullptr; }},
      {"/points/0/stages/1/bytes_written", "null: a row",
       [](json& j) { j["points"][0]["stages"][1]["bytes_written"] = nullptr; }},
      {"/points/0/stages/0/work/1/operations", "null: a row",
       [](json& j) { j["points"][0]["stages"][0]["work"][1]["operations"] = nullptr; }},
      {"/ceilings/0/value", "null: a row", [](json& j) { j["ceilings"][0]["value"] = nullptr; }},
      {"/ceilings/2/value", "0: what was measured is above 0", [](json& j) { j["ceilings"][2]["value"] = 0; }},
      {"/points/0/time_s", "1e+09: a time is positive", [](json& j) { j["points"][0]["time_s"] = 1e9; }},
      {"/points/0/samples_s/2", "-0.5: a time", [](json& j) { j["points"][0]["samples_s"][2] = -0.5; }},
      {"/points/0/stages/1/bytes_read", "-1: bytes", [](json& j) { j["points"][0]["stages"][1]["bytes_read"] = -1; }},
      {"/points/0/stages/0/bytes_written", "1e+28: bytes",
       [](json& j) { j["points"][0]["stages"][0]["bytes_written"] = 1e28; }},
      {"/points/0/stages/0/work/0/operations", "1e+32: operations",
       [](json& j) { j["points"][0]["stages"][0]["work"][0]["operations"] = 1e32; }},
      {"/points/0/fraction_of_limit", "2.77018e+09: a fraction",
       [](json& j) { j["points"][0]["fraction_of_limit"] = 2770178020.0; }},
      {"/points/0/bound_s", "1, with time_s 1e-06", [](json& j) { j["points"][0]["bound_s"] = 1; }},
      {"/points/0/time_s", "for 1e+12 byte: a bandwidth",
       [](json& j) {
         j["points"][0]["stages"][0]["bytes_read"] = 1e12;
         j["points"][0]["time_s"] = 1e-9;
         j["points"][0]["bound_s"] = 1e-9;
       }},
      {"/points/0/time_s", "for 3e+23 operations: a rate of arithmetic",
       [](json& j) {
         for (json& unit : j["points"][0]["stages"][0]["work"]) unit["operations"] = 1.5e23;
         for (json& stage : j["points"][0]["stages"]) stage["bytes_read"] = stage["bytes_written"] = 0;
         j["points"][0]["time_s"] = 0.1;
         j["points"][0]["bound_s"] = 1e-3;
       }},
      {"/points/0/seen/sentinel_slowdown", "-1: a slowdown",
       [](json& j) { j["points"][0]["seen"]["sentinel_slowdown"] = -1; }},
      {"/points/0/disturbed_samples/0", "-3: a number of parts",
       [](json& j) { j["points"][0]["disturbed_samples"][0] = -3; }},
      {"/points/0/count", "1e+20: a count", [](json& j) { j["points"][0]["count"] = 1e20; }},
      {"/points/0/threads", "-2: a number of parts", [](json& j) { j["points"][0]["threads"] = -2; }},
      {"/ceilings/2/value", "1e+308: a bandwidth", [](json& j) { j["ceilings"][2]["value"] = 1e308; }},
      {"/ceilings/0/value", "1e+308: a rate of arithmetic", [](json& j) { j["ceilings"][0]["value"] = 1e308; }},
      {"/ceilings/2/value", "1e+09: a time",
       [](json& j) {
         j["ceilings"][2]["unit"] = "s";
         j["ceilings"][2]["value"] = 1e9;
         j["ceilings"][2]["median"] = 1;
         j["ceilings"][2]["samples"] = json::array();
         for (const char* key : {"ci_low", "ci_high", "median_ci_low", "median_ci_high"}) j["ceilings"][2].erase(key);
       }},
      {"/ceilings/1/ci_low", "-3: a bandwidth", [](json& j) { j["ceilings"][1]["ci_low"] = -3; }},
      {"/devices/0/memory/1/size_bytes", "1e+30: a size",
       [](json& j) { j["devices"][0]["memory"][1]["size_bytes"] = 1e30; }},
      {"/devices/0/peaks/0/value", "-1: a rate", [](json& j) { j["devices"][0]["peaks"][0]["value"] = -1; }}};
}

/// Optional side figures; dropping one keeps the row.
std::vector<LimitDamage> damages_beside() {
  return {{"/ceilings/0/datasheet", "1, with value 1", [](json& j) { j["ceilings"][0]["datasheet"] = 1; }},
          {"/ceilings/0/datasheet", "-1: a rate", [](json& j) { j["ceilings"][0]["datasheet"] = -1; }},
          {"/ceilings/0/theory_at_clock", "0.001, with value 1",
           [](json& j) { j["ceilings"][0]["theory_at_clock"] = 0.001; }},
          {"/ceilings/1/conditions/clock_hz", "-1: a clock",
           [](json& j) { j["ceilings"][1]["conditions"]["clock_hz"] = -1; }},
          {"/points/0/conditions/temperature_c", "65535: no chip",
           [](json& j) { j["points"][0]["conditions"]["temperature_c"] = 65535; }},
          {"/points/0/conditions/huge_page_fraction", "1.5: no part is more than the whole",
           [](json& j) { j["points"][0]["conditions"]["huge_page_fraction"] = 1.5; }},
          {"/points/0/seen/stolen_s", "-2: CPU time", [](json& j) { j["points"][0]["seen"]["stolen_s"] = -2; }},
          {"/points/0/conditions/power_w", "1.8e+13: a power",
           [](json& j) { j["points"][0]["conditions"]["power_w"] = 1.8e13; }}};
}

TEST(FigureLimits, EachFigureThatCannotBeIsNamedWithItsKeyAndWhatIsPossible) {
  for (const LimitDamage& damage : damages()) {
    auto document = result::to_json(test::full_result());
    damage.change(document);
    const auto found = impossible_figures(document);
    ASSERT_FALSE(found.empty()) << damage.where;
    EXPECT_EQ(found.front().where, damage.where);
    EXPECT_NE(found.front().what.find(damage.what), std::string::npos) << found.front().what;
  }
}

TEST(FigureLimits, WhatStandsBesideAMeasurementIsNamedButDoesNotRefuseIt) {
  for (const LimitDamage& damage : damages_beside()) {
    auto document = result::to_json(test::full_result());
    damage.change(document);
    const auto found = impossible_figures(document);
    ASSERT_FALSE(found.empty()) << damage.where;
    EXPECT_EQ(found.front().where, damage.where);
    EXPECT_TRUE(found.front().what.starts_with(damage.what)) << found.front().what;
    EXPECT_NO_THROW(result::refuse_impossible(result::result_from_json(document))) << damage.where;
  }
}

/// A slip in a devices file (460.8 for 460.8e9 byte/s) must not cost what was measured.
TEST(FigureLimits, ARowIsKeptWhereItsTheoryCannotBe) {
  Result result = test::full_result();
  const double value = result.ceilings[0].value.value;
  result.ceilings[0].datasheet = value / 1e8;
  result.ceilings[0].theory_at_clock = value / 1e5;
  result.ceilings[1].datasheet = result.ceilings[1].value.value / 2;
  Row row = result.ceilings[0];
  result::fail_impossible(row);
  EXPECT_EQ(std::get<Ceiling>(row).status, result.ceilings[0].status);
  EXPECT_FALSE(std::get<Ceiling>(row).datasheet || std::get<Ceiling>(row).theory_at_clock);
  result::fail_impossible(result);
  EXPECT_EQ(result.ceilings[0].status, test::full_ceiling().status);
  EXPECT_DOUBLE_EQ(result.ceilings[0].value.value, value);
  EXPECT_FALSE(result.ceilings[0].datasheet || result.ceilings[0].theory_at_clock);
  EXPECT_TRUE(result.ceilings[0].datasheet_source.empty());
  EXPECT_TRUE(result.ceilings[1].datasheet) << "twice its datasheet is odd, not impossible";
  EXPECT_NE(std::ranges::find(result.notes, "datasheet left out once: no machine has such a figure"),
            result.notes.end());
}

TEST(FigureLimits, FiguresOfRowsThatWereNotMeasuredMeanNothing) {
  auto document = result::to_json(test::full_result());
  document["points"][0]["time_s"] = -1;
  document["points"][0]["status"] = "error";
  document["points"][0]["stages"][0]["bytes_read"] = nullptr;
  document["ceilings"][0]["status"] = "unsupported";
  document["ceilings"][0]["value"] = nullptr;
  EXPECT_TRUE(impossible_figures(document).empty());
}

TEST(FigureLimits, ARowThatCannotBeBecomesAnErrorThatCanBeReadAgain) {
  Result result = test::full_result();
  result.points[0].time.value = -1;
  result.ceilings[1].value.value = 1e308;
  result::fail_impossible(result);
  EXPECT_EQ(result.points[0].status, Status::error);
  EXPECT_NE(result.points[0].reason.find("/time_s -1: a time is positive"), std::string::npos)
      << result.points[0].reason;
  EXPECT_EQ(result.ceilings[1].status, Status::error);
  EXPECT_EQ(result.ceilings[2].status, Status::ok);
  EXPECT_NO_THROW(result::refuse_impossible(result));
}

TEST(FigureLimits, ASensorThatToldNonsenseTakesNoMeasurementWithIt) {
  Result result = test::full_result();
  result.points[0].conditions.power_w = 1.8e13;
  result.points[0].conditions.temperature_c = 65535;
  result::fail_impossible(result);
  EXPECT_EQ(result.points[0].status, Status::ok);
  EXPECT_FALSE(result.points[0].conditions.power_w || result.points[0].conditions.temperature_c);
  EXPECT_TRUE(result.points[0].conditions.clock_hz);
}

TEST(FigureLimits, EveryNumberOfTheFormatHasALimit) {
  Result result = test::full_result();
  result.curves.at(0).status = Status::ok;  // figures of rows that were not measured mean nothing
  ASSERT_TRUE(result::impossible_figures(result).empty());
  const json sound = result::to_json(result);
  std::set<std::string> keys;
  const json flat = sound.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    std::string key = pointer.substr(pointer.rfind('/') + 1);
    if (!value.is_number() || key.starts_with("percent_")) continue;  // those only people read
    for (const double figure : {-1e300, 1e300}) {
      json damaged = sound;
      json& number = damaged[json::json_pointer(pointer)];
      number = figure;
      if (value.is_number_integer()) number = -1;
      EXPECT_FALSE(impossible_figures(damaged).empty()) << pointer;
    }
    keys.insert(std::move(key));
  }
  EXPECT_GT(keys.size(), 40u);
}

TEST(FigureLimits, ACurveHasTheLimitsOfItsUnits) {
  for (const auto& [key, unit, figure] :
       {std::tuple("y", "byte/s", -1.0), std::tuple("y", "byte/s", 1e21), std::tuple("y", "s", 1e8),
        std::tuple("x", "byte", -1.0), std::tuple("y", "flop/s", 2e24)}) {
    auto document = result::to_json(test::full_result());
    json& curve = document["curves"][0];
    curve["status"] = "ok";
    curve[std::string(key) + "_unit"] = unit;
    curve["x"] = curve["y"] = json::array({1, 2, 3});
    curve.erase("y_of_rounds");
    EXPECT_TRUE(impossible_figures(document).empty()) << impossible_figures(document).front().where;
    curve[key][1] = figure;
    const auto found = impossible_figures(document);
    ASSERT_EQ(found.size(), 1u) << key << ' ' << unit << ' ' << figure;
    EXPECT_EQ(found.front().where, std::string("/curves/0/") + key + "/1");
  }
}

TEST(FigureLimits, WhatTheFormatDoesNotKnowIsPassedOver) {
  json document = result::to_json(test::full_result());
  json deep = 1;
  for (int i = 0; i < 1000; ++i) deep = i % 2 == 0 ? json::array({deep}) : json{{"samples", deep}};
  document["invented_later"] = deep;
  EXPECT_TRUE(impossible_figures(document).empty());
}

/// As a profile of a kernel has it: 2e9 flop and 1.2 GB in 4 ms.
Point imported_point() {
  Point point;
  point.op = "axpy";
  point.device = "cuda:0";
  point.time = test::full_estimate(4e-2);
  Stage stage;
  stage.bytes_read = 8e8;
  stage.bytes_written = 4e8;
  stage.work = {{Unit::vector, 2e9}};
  point.stages = {stage};
  point.imported.emplace();
  point.imported->operations = {{DType::fp64, {}, Unit::vector, 2e9}};
  point.bound_s = 1e-3;
  point.fraction_of_limit = 0.25;
  return point;
}

TEST(FigureLimits, WhatMakesAnImportedPointImpossible) {
  EXPECT_FALSE(result::impossible_figure(imported_point()));
  const std::vector<void (*)(Point&)> impossible{
      [](Point& point) { point.time.value = 0; },
      [](Point& point) { point.time.value = -1; },
      [](Point& point) { point.time.value = std::nan(""); },
      [](Point& point) { point.time.samples.front() = 1e9; },
      [](Point& point) { point.count = 1e20; },
      [](Point& point) { point.bound_s = 1e3; },
      [](Point& point) { point.fraction_of_limit = 1e6; },
      [](Point& point) { point.stages.front().bytes_written = 1e18; },            // 2.5e20 byte/s
      [](Point& point) { point.stages.front().work.front().operations = 1e22; },  // 2.5e24 flop/s
      [](Point& point) { point.imported->operations.front().operations = -1; }};
  for (std::size_t i = 0; i < impossible.size(); ++i) {
    Point point = imported_point();
    impossible[i](point);
    EXPECT_TRUE(result::impossible_figure(point)) << i;
  }
}

/// What looks at the rows of a result by themselves finds what is found in the whole.
TEST(FigureLimits, ARowIsRefusedAsItsResultIs) {
  EXPECT_FALSE(result::impossible_figure(test::full_result().points.at(0)));
  int points = 0, ceilings = 0;
  for (const LimitDamage& damage : damages()) {
    auto document = result::to_json(test::full_result());
    damage.change(document);
    const Result result = result::result_from_json(document);
    const std::string expected = error_of([&] { result::refuse_impossible(result); });
    const auto told = [&](const std::string& row, const auto& entry) {
      const auto figure = result::impossible_figure(entry);
      return figure ? row + figure->where + ": " + figure->what : std::string();
    };
    const std::string_view where = damage.where;
    const auto row = std::string(where.substr(0, where.find('/', where.find('/', 1) + 1)));
    const auto index = static_cast<std::size_t>(row.back() - '0');
    if (row.starts_with("/points/")) {
      EXPECT_EQ(told(row, result.points.at(index)), expected) << where;
      ++points;
    } else if (row.starts_with("/ceilings/")) {
      EXPECT_EQ(told(row, result.ceilings.at(index)), expected) << where;
      ++ceilings;
    }
  }
  EXPECT_GT(points, 10);
  EXPECT_GT(ceilings, 5);
  for (const LimitDamage& damage : damages_beside()) {
    auto document = result::to_json(test::full_result());
    damage.change(document);
    const Result result = result::result_from_json(document);
    for (const Point& point : result.points) EXPECT_FALSE(result::impossible_figure(point)) << damage.where;
    for (const Ceiling& row : result.ceilings) EXPECT_FALSE(result::impossible_figure(row)) << damage.where;
  }
}

class FigureLimitsOfFiles : public test::FolderTest {};

TEST_F(FigureLimitsOfFiles, LoadingNamesFileAndKey) {
  for (const LimitDamage& damage : damages()) {
    auto document = result::to_json(test::full_result());
    damage.change(document);
    put(file("result.json"), document.dump());
    const auto message = error_of([&] { result::load(file("result.json")); });
    EXPECT_TRUE(message.starts_with(file("result.json").string() + ": " + damage.where + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST_F(FigureLimitsOfFiles, ValidateFindsWhatEveryOtherReaderRefuses) {
  for (const LimitDamage& damage : damages()) {
    auto document = result::to_json(test::full_result());
    damage.change(document);
    put(file("result.json"), document.dump());
    EXPECT_FALSE(verdict::validate_file(file("result.json")).empty()) << damage.where;
  }
}

TEST_F(FigureLimitsOfFiles, LoadingLeavesOutWhatStandsBesideAMeasurementAndSaysSo) {
  for (const LimitDamage& damage : damages_beside()) {
    auto document = result::to_json(test::full_result());
    damage.change(document);
    put(file("result.json"), document.dump());
    const Result result = result::load(file("result.json"));
    const std::string key(std::string_view(damage.where).substr(std::string_view(damage.where).rfind('/') + 1));
    ASSERT_FALSE(result.notes.empty()) << damage.where;
    EXPECT_EQ(result.notes.back(), key + " left out once: no machine has such a figure");
    EXPECT_EQ(result.points.size(), test::full_result().points.size());
    EXPECT_TRUE(result::impossible_figures(result).empty()) << damage.where;
    const auto findings = verdict::validate_file(file("result.json"));
    EXPECT_TRUE(std::ranges::any_of(findings, [&](const auto& one) { return one.where == damage.where; }))
        << damage.where;
  }
}

/// 179 MB of a memory of 10 GB/s take 17.9 ms; nothing says so but the roofs.
TEST_F(FigureLimitsOfFiles, APointIsJudgedByTheRoofsOfItsFileWhereItStoresNoBound) {
  Result result = test::made_up_result();
  test::add_memory(result, 1e10);
  test::add_peak(result, DType::fp32, 1e11);
  test::add_point(result, "relu", 1e6, 1.79e8, 1.79e-2 / 9000);
  result::save(result, file("result.json"));
  EXPECT_NO_THROW(result::load(file("result.json"))) << "9000 times is only odd";
  result.points[0].time = test::made_up(1e-10);
  result::save(result, file("result.json"));
  const auto message = error_of([&] { result::load(file("result.json")); });
  EXPECT_NE(message.find("result.json: /points/0/time_s: 1e-10, with a least time of 0.0179 s by the roofs"),
            std::string::npos)
      << message;
  const auto findings = verdict::validate_file(file("result.json"));
  EXPECT_TRUE(std::ranges::any_of(findings, [](const auto& one) { return one.where == "/points/0/time_s"; }));
}

}  // namespace
}  // namespace gable
