// `gable explain` as users call it, on what the fake worker measures: 20 GB/s, 100 GFLOP/s fp64.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/result/store.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {
namespace {

class Explain : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(gable({"measure", "--operator", "relu,triad", "--dtype", "fp64", "--output", "r.json"},
                    {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder_.path())
                  .code,
              0);
    result_ = json::parse(read_text(folder_ / "r.json"));
    ASSERT_EQ(result_["points"].size(), 2U);
    set_time(result_["points"][0], 5e-3);   // 64 MiB at 20 GB/s are 3.36 ms
    set_time(result_["points"][1], 20e-3);  // the same bytes
    write_text(folder_ / "r.json", result_.dump());
  }
  static void set_time(json& point, double time_s) {
    for (const char* key : {"time_s", "median_s"}) point[key] = time_s;
    for (const char* key : {"ci_low_s", "median_ci_low_s"}) point[key] = time_s * 0.99;
    for (const char* key : {"ci_high_s", "median_ci_high_s"}) point[key] = time_s * 1.01;
  }
  Outcome explain(const std::vector<std::string>& words) const {
    return gable(with({"explain", "r.json"}, words), {}, folder_.path());
  }
  std::string id(std::size_t i = 0) const { return result_["points"][i]["id"]; }

  Folder folder_;
  json result_;
};

TEST_F(Explain, OnePointInPlainWordsTerseAndJson) {
  const auto plain = explain({id()});
  ASSERT_EQ(plain.code, 0) << plain.err;
  for (const char* title : {"What limits it", "How far it is", "What the ridge says", "How sure that is",
                            "What would make it faster, best first"})
    EXPECT_NE(plain.out.find(title), std::string::npos) << title;
  EXPECT_EQ(plain.out.find("formulas"), std::string::npos);
  const auto terse = explain({id(), "--terse", "--explain"});
  EXPECT_NE(terse.out.find("point: " + id() + "\nregime: "), std::string::npos) << terse.out;
  EXPECT_NE(terse.out.find("formulas"), std::string::npos);
  const auto answer = json::parse(explain({id(), "--json"}).out);
  ASSERT_EQ(answer["points"].size(), 1U);
  const auto& point = answer["points"][0];
  EXPECT_EQ(point["id"], id());
  EXPECT_NEAR(point["bound_s"].get<double>(), 3.355e-3, 1e-6);
  EXPECT_NEAR(point["fraction_of_bound"].get<double>(), 0.671, 1e-3);
  EXPECT_EQ(point["regime"], "memory_bound");
  EXPECT_FALSE(point["levers"].empty());
}

/// The roofs explain a sixth of the time: no memory-bound point, though its intensity is far under the ridge.
TEST_F(Explain, BelowEveryRoofHasItsOwnWords) {
  const auto plain = explain({id(1)});
  EXPECT_NE(plain.out.find("below every roof"), std::string::npos) << plain.out << plain.err;
  EXPECT_NE(plain.out.find("Usual causes"), std::string::npos);
  EXPECT_NE(plain.out.find("but neither decides"), std::string::npos) << "its side of the ridge is no advice";
  EXPECT_EQ(json::parse(explain({id(1), "--json"}).out)["points"][0]["regime"], "below_roof");
}

/// 64 MiB at 20 GB/s take 3.36 ms, not 1 ms.
TEST_F(Explain, FarAboveItsBoundItIsInvalid) {
  set_time(result_["points"][0], 1e-3);
  write_text(folder_ / "r.json", result_.dump());
  const auto plain = explain({id()});
  EXPECT_NE(plain.out.find("Do not use it."), std::string::npos) << plain.out << plain.err;
  EXPECT_NE(plain.out.find("not judged"), std::string::npos) << plain.out;
}

/// 64 MiB at 20 GB/s take 3.36 ms; in 3.2 ms the point is at 105 % of its bound, which is not called impossible.
TEST_F(Explain, FasterThanItsBoundSaysWhatTheRoofsSay) {
  set_time(result_["points"][0], 3.2e-3);
  write_text(folder_ / "r.json", result_.dump());
  const auto plain = explain({id()});
  EXPECT_NE(plain.out.find("By the measured roofs it would take at least 3.36 ms"), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("it runs at 105"), std::string::npos) << plain.out;
  EXPECT_EQ(plain.out.find("No program"), std::string::npos) << plain.out;
  EXPECT_EQ(plain.out.find("no program"), std::string::npos) << plain.out;
}

TEST_F(Explain, WithoutAPointEveryPointMostLostTimeFirst) {
  const auto answer = json::parse(explain({"--json"}).out);
  ASSERT_EQ(answer["points"].size() + answer["without_verdict"].size(), result_["points"].size());
  ASSERT_EQ(answer["points"].size(), 2U);
  double last = 1e30;
  for (const auto& point : answer["points"]) {
    EXPECT_LE(point["lost_s"].get<double>(), last);
    last = point["lost_s"];
  }
  const auto plain = explain({});
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_NE(plain.out.find("its roofs"), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("best lever"), std::string::npos) << plain.out;
}

TEST_F(Explain, OtherDevicesAreJudgedOnlyWhereTheyAreNamed) {
  EXPECT_EQ(explain({id()}).out.find("other device"), std::string::npos);
  const auto with = explain({id(), "--on", "H100 SXM5 80GB"});
  EXPECT_NE(with.out.find("other device: H100 SXM5 80GB"), std::string::npos) << with.out << with.err;
}

TEST_F(Explain, WhatIsNotThereIsNamed) {
  const auto point = explain({"gemm"});
  expect_refusal(point, "'gemm'");
  expect_refusal(explain({"point/"}), "2 measured points have 'point/'");
  expect_refusal(gable({"explain", "r.json:cuda:0"}, {}, folder_.path()), "'cuda:0'");
}

/// Ceilings in one file and operators in another, in any order, give the verdicts of both in one.
TEST_F(Explain, SeveralFilesOfOneDeviceAreTakenTogether) {
  json ceilings = result_, points = result_;
  ceilings["points"] = json::array();
  points["ceilings"] = json::array();
  write_text(folder_ / "c.json", ceilings.dump());
  write_text(folder_ / "p.json", points.dump());
  const auto point_of = [&](const std::vector<std::string>& words) {
    const auto all = with(with({"explain"}, words), {id(), "--json"});
    return answer_of(gable(all, {}, folder_.path()))["points"][0]["regime"];
  };
  EXPECT_EQ(point_of({"p.json", "c.json"}), point_of({"r.json"}));
  const auto alone = gable({"explain", "p.json", id(), "--json"}, {}, folder_.path());
  EXPECT_NE(alone.out, gable({"explain", "r.json", id(), "--json"}, {}, folder_.path()).out);
  const auto other = gable({"explain", "r.json:cuda:0", "relu"}, {}, folder_.path());
  expect_refusal(other, "r.json has no device 'cuda:0'; it has: openmp");
  EXPECT_EQ(gable({"explain", "r.json", "r.json"}, {}, folder_.path()).code, 2) << "measured twice";
  json two = ceilings;  // of another device, too, which is not asked for
  two["devices"].push_back(two["devices"][0]);
  two["devices"].back()["id"] = "other:0";
  two["devices"].back()["name"] = "another device";
  write_text(folder_ / "two.json", two.dump());
  EXPECT_EQ(point_of({"two.json:openmp", "p.json"}), point_of({"r.json"}));
}

/// 45 ms in two launches and 30 ms fused, each ±1 %: 1.5 times as fast, from 44.55 / 30.3 to 45.45 / 29.7.
TEST(ExplainFusion, NamesTheFusedOperatorThatTheFileMeasured) {
  Folder folder;
  Result result = made_up_result();
  add_peak(result, DType::fp32, 1e12);
  add_memory(result, 1e11);
  for (const auto& [op, time_s] :
       {std::pair{"residual_layernorm_unfused", 45e-3}, {"residual_layernorm_fused", 30e-3}}) {
    Point& point = add_point(result, op, 1e8, 1e9, time_s);
    point.params = "m=100000,n=1000";
    point.id = op;
  }
  // the sum of two arrays, then what reads it: 5 of 4e8 byte
  result.points[0].stages = {{"add", {{Unit::vector, 1e8}}, 8e8, 4e8, 1.2e9, 1, {}},
                             {"layernorm", {{Unit::vector, 7e8}}, 4e8, 4e8, 8e8, 1, {}}};
  result::save(result, folder / "r.json");
  const std::vector<std::string> words{"explain", "r.json", "residual_layernorm_unfused"};
  const auto plain = gable(words, {}, folder.path());
  ASSERT_EQ(plain.code, 0) << plain.err;
  std::string text = plain.out;  // as one line
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    const auto next = std::min(text.find_first_not_of(" \n", at), text.size());
    text.replace(at, next - at, " ");
  }
  EXPECT_TRUE(
      has(text, "1.5x (1.47x to 1.53x) fuse: its 2 launches in one, measured as residual_layernorm_fused (kokkos)"))
      << text;
  EXPECT_NE(text.find("it was measured in this file on the same sizes and types"), std::string::npos) << text;
  auto as_json = words;
  as_json.emplace_back("--json");
  const auto levers = json::parse(gable(as_json, {}, folder.path()).out)["points"][0]["levers"];
  const auto fuse = std::find_if(levers.begin(), levers.end(), [](const json& one) { return one["name"] == "fuse"; });
  ASSERT_NE(fuse, levers.end());
  EXPECT_NEAR((*fuse)["factor"].get<double>(), 45.0 / 30, 1e-9);
  EXPECT_NEAR((*fuse)["factor_low"].get<double>(), 45 * 0.99 / (30 * 1.01), 1e-9);
  EXPECT_NEAR((*fuse)["factor_high"].get<double>(), 45 * 1.01 / (30 * 0.99), 1e-9);
  EXPECT_EQ((*fuse)["measured"], "residual_layernorm_fused");
}

}  // namespace
}  // namespace gable::test
