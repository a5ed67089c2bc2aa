#include "core/result/json.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json/archive.hpp"
#include "core/result/row_fields.hpp"
#include "files.hpp"
#include "sample.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

using nlohmann::json;
using test::full_result;

json through_text(const json& value) { return json::parse(value.dump()); }

TEST(Json, EveryFieldOfItsRowsComesBack) {
  auto before = full_result();
  before.points.at(0).compared_rounds = 3;  // which its rounds do not say: validate has its own test
  const auto after = result::result_from_json(through_text(result::to_json(before)));
  // aggregates without operator==: what is written of both must be the same text, digit for digit
  EXPECT_EQ(result::to_json(after).dump(), result::to_json(before).dump());
  // … and no field may be missing from what is written: each is compared with its own source
  const auto& ceiling = after.ceilings.at(0);
  EXPECT_EQ(ceiling.device, "openmp");
  EXPECT_EQ(ceiling.scope, Scope::socket);
  EXPECT_EQ(ceiling.dtype, DType::fp16);
  EXPECT_EQ(ceiling.accumulate, DType::fp32);
  EXPECT_EQ(ceiling.at, OperatingPoint::burst);
  EXPECT_EQ(ceiling.variant, "no_fma");
  EXPECT_EQ(ceiling.algorithm, "66, tile 20, stages 36");
  EXPECT_EQ(ceiling.data_pattern, "random_normal");
  EXPECT_EQ(ceiling.working_set_bytes, 4096);
  EXPECT_EQ(ceiling.conditions.temperature_c, 55.5);
  EXPECT_EQ(ceiling.conditions.huge_page_fraction, 0.75);
  EXPECT_EQ(ceiling.datasheet, 1.2e11);
  EXPECT_EQ(ceiling.theory_at_clock, 1.01e11);
  EXPECT_EQ(ceiling.value.samples, before.ceilings[0].value.samples);
  EXPECT_EQ(ceiling.value.ended_s, before.ceilings[0].value.ended_s);
  EXPECT_EQ(after.points.at(0).compared_rounds, 3);
  EXPECT_EQ(ceiling.value.estimator, Estimator::undisturbed);
  EXPECT_EQ(ceiling.value.stop, StopReason::precise);
  EXPECT_EQ(ceiling.value.seen, before.ceilings[0].value.seen);
  EXPECT_EQ(ceiling.status, Status::suspect);
  EXPECT_EQ(ceiling.reason, before.ceilings[0].reason);
  EXPECT_EQ(after.ceilings[1].with_write_allocate, before.ceilings[1].with_write_allocate);
  EXPECT_EQ(after.ceilings[1].access, Access::triad);
  EXPECT_EQ(after.ceilings[1].stores, Stores::ordinary);
  EXPECT_FALSE(after.ceilings[1].dtype);
  const auto& point = after.points.at(0);
  EXPECT_EQ(point.types, before.points[0].types);
  EXPECT_EQ(point.params, "m=64,n=32");
  ASSERT_EQ(point.stages.size(), 2U);
  EXPECT_EQ(point.stages[0].launches, 3);
  EXPECT_EQ(point.stages[0].working_set, 2240);
  EXPECT_EQ(point.stages[0].work.at(1).unit, Unit::exp);
  EXPECT_EQ(point.stages[0].inner.at(0).level, "L2");
  EXPECT_TRUE(point.cold);
  EXPECT_EQ(point.regime, Regime::overhead_bound);
  EXPECT_EQ(point.bound_s, 5e-7);
  EXPECT_EQ(point.fraction_of_limit, 0.5);
  EXPECT_EQ(after.curves.at(0).x, before.curves[0].x);
  EXPECT_EQ(after.curves[0].y_unit, "byte/s");
}

TEST(Json, EveryFieldOfDevicesAndOfTheRunComesBack) {
  const auto before = full_result();
  const auto after = result::result_from_json(through_text(result::to_json(before)));
  const auto& device = after.devices.at(0);
  EXPECT_EQ(device.cpus, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(device.memory.at(2).shared_by, 3);
  EXPECT_EQ(device.numa.at(1).cpus, std::vector<int>{4});
  EXPECT_EQ(device.peaks.at(0).per_core_and_cycle, 16.0);
  EXPECT_EQ(device.facts.at(1).value, "again");
  EXPECT_EQ(after.build.libraries, before.build.libraries);
  EXPECT_EQ(after.workers.at(0).second.libraries.back().first, "Kokkos");
  EXPECT_EQ(after.run.resumed, 2);
  EXPECT_EQ(after.request->mode, Mode::full);
  EXPECT_EQ(after.request->cases.at(0).params, before.request->cases[0].params);
  EXPECT_TRUE(after.run.complete);
  EXPECT_EQ(after.notes, before.notes);
}

TEST(Json, AThroughputSlowdownOfOneHasNoKeyAsInFilesFromBeforeTheKey) {
  auto before = full_result();
  auto& seen = before.ceilings.at(0).value.seen;
  const auto key = json::json_pointer("/ceilings/0/seen/throughput_slowdown");
  EXPECT_EQ(result::to_json(before).at(key), 1.75);
  seen.throughput_slowdown = 1.0;
  const auto written = through_text(result::to_json(before));
  EXPECT_FALSE(written.contains(key));
  EXPECT_EQ(result::result_from_json(written).ceilings.at(0).value.seen, seen);
}

TEST(Json, WhatBlocksWereJudgedByComesBack) {
  const auto before = full_result();
  const auto written = through_text(result::to_json(before));
  const auto after = result::result_from_json(written);
  for (const auto& [was, is] : {std::pair{&before.ceilings.at(0).value, &after.ceilings.at(0).value},
                                std::pair{&before.points.at(0).time, &after.points.at(0).time}}) {
    EXPECT_EQ(is->sentinel_s, was->sentinel_s);
    EXPECT_EQ(is->throughput_s, was->throughput_s);
    EXPECT_EQ(is->preemption, was->preemption);
    EXPECT_EQ(is->interrupted_samples, was->interrupted_samples);
    EXPECT_EQ(is->seen, was->seen);
  }
}

TEST(Json, DoublesKeepEveryBit) {
  Curve curve = test::full_curve();
  curve.x = {0.1, 1.0 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -0.0, 4096, 123456789012345680.0};
  std::uint64_t state = 88172645463325252U;
  while (curve.x.size() < 2000) {  // xorshift: any bit pattern that is a number
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const auto value = std::bit_cast<double>(state);
    if (std::isfinite(value)) curve.x.push_back(value);
  }
  const auto back = std::get<Curve>(read_json_root<Row>(through_text(result::to_json(Row(curve)))));
  ASSERT_EQ(back.x.size(), curve.x.size());
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.x[i]), std::bit_cast<std::uint64_t>(curve.x[i])) << curve.x[i];
  }
}

TEST(Json, NonFiniteIsNullAndComesBackAsNoFigure) {
  auto row = test::full_ceiling();
  row.value.value = std::numeric_limits<double>::infinity();
  row.datasheet = std::nan("");
  const auto document = through_text(result::to_json(Row(row)));
  EXPECT_TRUE(document.at("value").is_null());
  EXPECT_TRUE(document.at("datasheet").is_null());
  const auto back = std::get<Ceiling>(read_json_root<Row>(document));
  EXPECT_TRUE(std::isnan(back.value.value));
  EXPECT_FALSE(back.datasheet);
}

TEST(Json, PercentagesAreWrittenForOthersAndIgnoredWhenRead) {
  auto row = test::full_ceiling();
  row.value.value = 6e10;
  auto document = result::to_json(Row(row));
  EXPECT_DOUBLE_EQ(document.at("percent_of_datasheet"), 50.0);  // 6e10 of 1.2e11
  document["percent_of_datasheet"] = "nonsense";
  EXPECT_NO_THROW(read_json_root<Row>(document));
}

TEST(Json, EveryKindOfRowSaysWhatItIs) {
  EXPECT_EQ(result::to_json(Row(test::full_ceiling())).at("row"), "ceiling");
  EXPECT_EQ(result::to_json(Row(test::full_curve())).at("row"), "curve");
  EXPECT_EQ(result::to_json(Row(test::full_point())).at("row"), "point");
  EXPECT_EQ(error_of([] { read_json_root<Row>({{"row", "triangle"}}); }), "/row: 'triangle' is not known here");
}

struct Damage {
  const char* pointer;
  json value;
  const char* message;
};

TEST(Json, AHandEditedDocumentIsRefusedWithThePlaceAndTheProblem) {
  const std::vector<Damage> damages{
      {"/ceilings/0/value", "fast", "/ceilings/0/value: expected a number, got string"},
      {"/ceilings/0/kind", "speed", "/ceilings/0/kind: 'speed' is not known here"},
      {"/ceilings/0/dtype", 16, "/ceilings/0/dtype: expected a string, got number"},
      {"/points/0/stages/1/launches", 1.5, "/points/0/stages/1/launches: expected a whole number, got number"},
      {"/points/0/stages/1/launches", 1e10, "/points/0/stages/1/launches: expected a whole number, got number"},
      {"/points/0/threads", 4294967296, "/points/0/threads: the number is out of range"},
      {"/points/0/threads", 18446744073709551615U, "/points/0/threads: the number is out of range"},
      {"/points/0/cold", 0, "/points/0/cold: expected true or false, got number"},
      {"/devices", json::object(), "/devices: expected an array, got object"},
      {"/devices/0", 7, "/devices/0: expected an object, got number"},
      {"/run/command_line/1", nullptr, "/run/command_line/1: expected a string, got null"},
      {"/schema_version", 1,
       "result of format of an unknown version, written by gable 0.1.0: this gable reads format 1.0 only"},
      {"/schema_version", "1.0.", "result of format 1.0., written by gable 0.1.0: this gable reads format 1.0 only"}};
  const auto good = result::to_json(full_result());
  for (const auto& damage : damages) {
    auto bad = good;
    bad.at(json::json_pointer(damage.pointer)) = damage.value;
    EXPECT_EQ(error_of([&] { result::result_from_json(bad); }), damage.message);
  }
}

TEST(Json, AMissingKeyIsNamed) {
  auto bad = result::to_json(full_result());
  bad["points"][0]["stages"][1].erase("bytes_read");
  EXPECT_EQ(error_of([&] { result::result_from_json(bad); }), "/points/0/stages/1: key 'bytes_read' is missing");
}

TEST(Json, AnotherFormatIsRefusedAndSaysWhoWroteIt) {
  auto document = result::to_json(full_result());
  EXPECT_EQ(document.at("schema_version"), "1.0");
  document["ceilings"] = "laid out in another way";
  document["build"]["version"] = "0.7.0";
  for (const char* version : {"0.9", "1.1", "2.0"}) {
    document["schema_version"] = version;
    EXPECT_EQ(error_of([&] { result::result_from_json(document); }),
              fmt::format("result of format {}, written by gable 0.7.0: this gable reads format 1.0 only", version));
  }
  document["build"] = 7;
  EXPECT_NE(error_of([&] { result::result_from_json(document); }).find("gable of an unknown version"),
            std::string::npos);
  EXPECT_EQ(error_of([] { result::result_from_json(json::array()); }), "not a gable result: it has no schema_version");
}

}  // namespace
}  // namespace gable
