#include "core/verdict/validate.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/measure/rounds.hpp"
#include "core/result/json.hpp"
#include "tests/unit/result/files.hpp"
#include "tests/unit/result/sample.hpp"

namespace gable {
namespace {

using nlohmann::json;
using test::put;
using verdict::Finding;

class Validate : public test::FolderTest {
 protected:
  std::vector<Finding> findings(const json& document) const {
    put(file("result.json"), document.dump());
    return verdict::validate_file(file("result.json"));
  }
};

std::string listing(const std::vector<Finding>& findings) {
  std::string text;
  for (const auto& finding : findings) text += finding.where + ": " + finding.what + "\n";
  return text;
}

TEST_F(Validate, WhatWeWriteFits) {
  const auto found = findings(result::to_json(test::full_result()));
  EXPECT_TRUE(found.empty()) << listing(found);
  const auto empty = findings(result::to_json([] {
    Result minimal;
    minimal.run.mode = Mode::quick;
    return minimal;
  }()));
  EXPECT_TRUE(empty.empty()) << listing(empty);
}

TEST_F(Validate, EveryNameThatIsWrittenIsInTheSchema) {
  auto result = test::full_result();
  const auto base = test::full_ceiling();
  result.ceilings.clear();
  const auto add = [&](auto change) {
    auto row = base;
    row.id += std::to_string(result.ceilings.size());
    change(row);
    result.ceilings.push_back(row);
  };
  for (const auto dtype : all_dtypes) add([&](Ceiling& row) { row.dtype = row.accumulate = dtype; });
  for (int i = 0; i <= static_cast<int>(CeilingKind::link); ++i) add([&](auto& row) { row.kind = CeilingKind(i); });
  for (int i = 0; i <= static_cast<int>(Scope::core); ++i) add([&](auto& row) { row.scope = Scope(i); });
  for (int i = 0; i <= static_cast<int>(OperatingPoint::library); ++i)
    add([&](auto& row) { row.at = OperatingPoint(i); });
  for (int i = 0; i <= static_cast<int>(Access::triad); ++i) add([&](auto& row) { row.access = Access(i); });
  for (int i = 0; i <= static_cast<int>(Stores::non_temporal); ++i) add([&](auto& row) { row.stores = Stores(i); });
  for (int i = 0; i <= static_cast<int>(Status::error); ++i) add([&](auto& row) { row.status = Status(i); });
  for (int i = 0; i <= static_cast<int>(StopReason::time_limit); ++i)
    add([&](auto& row) { row.value.stop = StopReason(i); });
  for (int i = 0; i <= static_cast<int>(Estimator::faster_speed); ++i)
    add([&](auto& row) { row.value.estimator = Estimator(i); });
  const auto point = result.points.at(0);
  for (int i = 0; i <= static_cast<int>(Regime::below_roof); ++i) {
    result.points.push_back(point);
    result.points.back().id += std::to_string(i);
    result.points.back().regime = Regime(i);
  }
  for (int i = 0; i <= static_cast<int>(Unit::multiply_add); ++i)
    result.points[0].stages[0].work.push_back({Unit(i), 1});
  for (const auto& finding : findings(result::to_json(result))) EXPECT_FALSE(finding.fatal) << listing({finding});
}

struct Mutation {
  const char* name;
  const char* where;  ///< pointer that the finding must name
  void (*damage)(json&);
};

TEST_F(Validate, EachDamageIsFoundWhereItIs) {
  const std::vector<Mutation> mutations{
      {"key missing", "", [](json& j) { j.erase("notes"); }},
      {"key missing in a row", "/ceilings/1", [](json& j) { j["ceilings"][1].erase("unit"); }},
      {"unknown key", "", [](json& j) { j["extra"] = 1; }},
      {"unknown key in a row", "/points/0", [](json& j) { j["points"][0]["gflops"] = 1; }},
      {"unknown key deep down", "/points/0/stages/1", [](json& j) { j["points"][0]["stages"][1]["bytes"] = 1; }},
      {"text for a number", "/ceilings/0/value", [](json& j) { j["ceilings"][0]["value"] = "1"; }},
      {"text among samples", "/points/0/samples_s/2", [](json& j) { j["points"][0]["samples_s"][2] = "x"; }},
      {"unknown unit", "/ceilings/0/unit", [](json& j) { j["ceilings"][0]["unit"] = "GB/s"; }},
      {"unknown dtype", "/points/0/types/a", [](json& j) { j["points"][0]["types"]["a"] = "fp12"; }},
      {"unknown status", "/curves/0/status", [](json& j) { j["curves"][0]["status"] = "fine"; }},
      {"fraction for a count", "/devices/0/cores", [](json& j) { j["devices"][0]["cores"] = 1.5; }},
      {"negative bytes", "/points/0/stages/0/bytes_read",
       [](json& j) { j["points"][0]["stages"][0]["bytes_read"] = -1; }},
      {"null for a text", "/run/hostname", [](json& j) { j["run"]["hostname"] = nullptr; }},
      {"object for an array", "/devices", [](json& j) { j["devices"] = json::object(); }},
      {"empty id", "/devices/0/id", [](json& j) { j["devices"][0]["id"] = ""; }},
      {"wrong mode", "/run/mode", [](json& j) { j["run"]["mode"] = "slow"; }}};
  for (const auto& mutation : mutations) {
    auto document = result::to_json(test::full_result());
    mutation.damage(document);
    const auto found = findings(document);
    ASSERT_FALSE(found.empty()) << mutation.name;
    EXPECT_TRUE(found.front().fatal) << mutation.name;
    EXPECT_EQ(found.front().where, mutation.where) << mutation.name << "\n" << listing(found);
  }
}

TEST_F(Validate, AnotherFormatIsRefused) {
  auto document = result::to_json(test::full_result());
  for (const char* version : {"1.1", "2.0"}) {
    document["schema_version"] = version;
    EXPECT_NE(error_of([&] { findings(document); }).find(fmt::format("format {}, written by gable", version)),
              std::string::npos);
  }
}

TEST_F(Validate, ATornFileIsAFinding) {
  put(file("torn.json"), "{\"schema_version\": \"1.0\",");
  const auto found = verdict::validate_file(file("torn.json"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].fatal);
  EXPECT_NE(found[0].what.find("line 1"), std::string::npos) << found[0].what;
}

struct Oddity {
  const char* what;  ///< part of the finding
  void (*change)(Result&);
};

TEST(Plausibility, AcceptsASoundResult) {
  const auto found = verdict::plausibility(test::full_result());
  EXPECT_TRUE(found.empty()) << listing(found);
}

TEST(Plausibility, NamesEachOddity) {
  const std::vector<Oddity> oddities{
      {"outside its interval", [](Result& r) { r.ceilings[1].value.ci_high = r.ceilings[1].value.value * 0.999; }},
      {"outside its interval", [](Result& r) { r.points[0].time.median_ci_low = r.points[0].time.median * 2; }},
      {"an interval with one end", [](Result& r) { r.ceilings[1].value.ci_low.reset(); }},
      {"this id is there twice", [](Result& r) { r.ceilings.push_back(r.ceilings[1]); }},
      {"this id is there twice", [](Result& r) { r.devices.push_back(r.devices[0]); }},
      {"refers to device 'cuda:7'", [](Result& r) { r.points[0].device = "cuda:7"; }},
      {"102.0 % of what the units",
       [](Result& r) { r.ceilings[2].theory_at_clock = *r.ceilings[2].value.ci_low / 1.02; }},
      {"fraction_of_limit is 0.9, bound_s / time_s is 0.5", [](Result& r) { r.points[0].fraction_of_limit = 0.9; }},
      {"DRAM at 25 GB/s is faster than L1 at 20 GB/s",
       [](Result& r) { r.ceilings[1] = test::bandwidth_ceiling("L1", 2e10); }},
      {"time_s is 0, not positive", [](Result& r) { r.points[0].time.value = 0; }},
      {"value is nan, not positive", [](Result& r) { r.ceilings[1].value.value = std::nan(""); }},
      {"threads is 0", [](Result& r) { r.ceilings[1].threads = 0; }},
      {"launches is negative", [](Result& r) { r.points[0].stages[0].launches = -1; }},
      {"7 samples for 8 blocks", [](Result& r) { r.ceilings[1].value.samples.pop_back(); }},
      {"that of the samples", [](Result& r) { r.ceilings[1].value.median *= 1.5; }},
      {"is none of its samples", [](Result& r) { r.ceilings[1].value.value *= 1.5; }},
      {"is not the median it is said to be",
       [](Result& r) {
         r.points[0].time.estimator = Estimator::median;
         r.points[0].time.value *= 1 + 1e-5;
       }},
      {"3 rounds_ended_s for 4 rounds", [](Result& r) { r.ceilings[1].value.ended_s.pop_back(); }},
      {"used_blocks 9 of 8 blocks", [](Result& r) { r.ceilings[1].value.used_blocks = 9; }},
      {"error without a reason", [](Result& r) { r.points[0].status = Status::error; }},
      {"L1: instances is 0", [](Result& r) { r.devices[0].memory[0].instances = 0; }},
      {"cores is 0", [](Result& r) { r.devices[0].cores = 0; }},
      {"3 x for 2 y", [](Result& r) { r.curves[0].y.pop_back(); }}};
  for (const auto& oddity : oddities) {
    auto result = test::full_result();
    oddity.change(result);
    const auto found = listing(verdict::plausibility(result));
    EXPECT_NE(found.find(oddity.what), std::string::npos) << "want: " << oddity.what << "\ngot: " << found;
  }
}

TEST(Plausibility, TheFasterOfTwoSpeedsFollowsFromItsRounds) {
  auto result = test::full_result();
  Estimate& value = result.ceilings[1].value;
  std::vector<Block> blocks;
  for (int round = 0; round < 8; ++round) {
    const double figure = value.value * (round % 2 == 0 ? 1 : 0.5);
    blocks.insert(blocks.end(), 4, Block{.figure = figure, .batches = 1, .round = round});
  }
  // Half of round 0 was disturbed, and the rest is at the faster speed.
  for (const std::size_t i : {0, 1}) blocks[i] = {.figure = 0.1 * value.value, .batches = 1, .stolen_s = 0.01};
  blocks.push_back({.figure = 2 * value.value, .batches = 1, .round = 8});  // one alone shows no speed
  value = measure::estimate(blocks, {.ceiling = true, .fastest_speed = true});
  value.taken.clear();
  ASSERT_EQ(value.used_rounds, (std::vector<int>{0, 2, 4, 6}));
  const auto said = [&](auto&& forge) {
    auto forged = result;
    forge(forged.ceilings[1].value);
    return listing(verdict::plausibility(forged));
  };
  const auto sound = said([](Estimate&) {});
  EXPECT_EQ(sound.find("used_"), std::string::npos) << sound;
  EXPECT_EQ(sound.find("samples"), std::string::npos) << sound;
  const auto names = [&](const char* what, auto&& forge) {
    const auto found = said(forge);
    EXPECT_NE(found.find(what), std::string::npos) << "want: " << what << "\ngot: " << found;
  };
  names("needs used_rounds", [](Estimate& e) { e.used_rounds.clear(); });
  names("needs used_rounds", [](Estimate& e) { e.used_rounds = {0, 2}; });
  names("needs used_rounds", [](Estimate& e) { e.used_rounds = {0, 2, 4, 99}; });
  names("its used_rounds have 14", [](Estimate& e) { e.used_blocks = 13; });
  names("not the fastest of its rounds", [](Estimate& e) { e.used_rounds = {0, 1, 2, 4}; });
  names("its estimator uses all rounds", [](Estimate& e) { e.estimator = Estimator::undisturbed; });
  names("33 samples", [](Estimate& e) { e.rounds = {0}; });
  names("of its samples", [](Estimate& e) { e.value *= 0.99; });
}

/// A point that reads 1 GB from memory at `rate` under a roof of 100 GB/s, each with an interval of ± so many percent.
Result read_under_roof(double rate, double point_percent, double roof_percent) {
  auto result = test::full_result();
  auto roof = test::bandwidth_ceiling("DRAM", 1e11);
  roof.access = Access::read;
  roof.stores = Stores::none;
  roof.with_write_allocate.reset();
  roof.value.ci_low = 1e11 * (1 - roof_percent / 100);
  roof.value.ci_high = 1e11 * (1 + roof_percent / 100);
  result.ceilings = {roof};
  Point& point = result.points.at(0);
  point.scope = roof.scope;
  point.stages = {{"run", {}, 1e9, 0, 1e9, 1, {}}};
  point.cold = false;
  const double time_s = 1e9 / rate;
  point.time = test::full_estimate(time_s * 10);
  point.time.ci_low = time_s / (1 + point_percent / 100);
  point.time.ci_high = time_s / (1 - point_percent / 100);
  point.bound_s = 1e-2;
  point.fraction_of_limit = 1e-2 / time_s;
  return result;
}

TEST(Plausibility, ACeilingIsTooHighOnlyBeyondItsInterval) {
  auto result = test::full_result();
  result.ceilings[2].value.ci_low = result.ceilings[2].value.value / 1.02;
  result.ceilings[2].theory_at_clock = result.ceilings[2].value.value / 1.02;
  const auto found = verdict::plausibility(result);
  EXPECT_TRUE(found.empty()) << listing(found);
}

TEST(Plausibility, APointIsTooFastOnlyBeyondBothIntervals) {
  const auto sound = [](const Result& result) { return verdict::plausibility(result).empty(); };
  EXPECT_TRUE(sound(read_under_roof(1.005e11, 0.1, 0.1))) << "within 101 %";
  EXPECT_TRUE(sound(read_under_roof(1.02e11, 1.0, 0.5))) << "100.98 of 100.5";
  EXPECT_TRUE(sound(read_under_roof(1.02e11, 0.1, 1.0))) << "101.9 of 101";
  const auto found = listing(verdict::plausibility(read_under_roof(1.02e11, 0.1, 0.1)));
  EXPECT_NE(found.find("beyond both intervals"), std::string::npos) << "101.898 of 100.1; got: " << found;
}

TEST(Plausibility, WithoutARoofThePointsOwnBoundCounts) {
  auto result = read_under_roof(1.1e11, 0.1, 0.1);
  result.ceilings.clear();
  EXPECT_NE(listing(verdict::plausibility(result)).find("beyond both intervals"), std::string::npos);
}

/// n elements: one flop each, 8 byte read.
std::vector<Stage> sum_work(const Params& params, const Types&) {
  const auto n = static_cast<double>(params.at("n"));
  return {{"sum", {{Unit::vector, n}}, 8 * n, 0, 8 * n, 1, {}}};
}

TEST(Plausibility, WorkIsThatOfTheOperator) {
  OperatorSpec spec;
  spec.name = "sum";
  spec.work = sum_work;
  const OperatorSpec* const known[] = {&spec};
  auto result = test::full_result();
  Point& point = result.points.at(0);
  point.op = "sum";
  point.params = "n=1000";
  point.launches = 1;
  point.stages = sum_work(Params::parse(point.params), point.types);
  const auto found = [&] { return listing(verdict::plausibility(result, known)); };
  EXPECT_EQ(found(), "");
  point.stages[0].bytes_read *= 10;
  EXPECT_NE(found().find("80000 byte, sum moves 8000"), std::string::npos) << found();
  point.stages[0].bytes_read /= 10;
  point.stages[0].work[0].operations = 7;
  EXPECT_NE(found().find("7 flop, sum does 1000"), std::string::npos) << found();
  point.params = "n=banana";
  EXPECT_NE(found().find("n=banana"), std::string::npos) << found();
  point.op = "unheard_of";
  EXPECT_EQ(found(), "") << "an operator of another program";
}

TEST(Plausibility, DoesNotAskForFiguresOfRowsThatWereNotMeasured) {
  auto result = test::full_result();
  Point point;
  point.id = "gemv/vendor";
  point.device = "openmp";
  point.status = Status::unsupported;
  point.reason = "no library";
  result.points.push_back(point);
  EXPECT_TRUE(verdict::plausibility(result).empty()) << listing(verdict::plausibility(result));
}

}  // namespace
}  // namespace gable
