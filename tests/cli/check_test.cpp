// `gable check` as harnesses call it, on what the fake worker measures.
#include <gtest/gtest.h>

#include <sstream>

#include "program.hpp"

namespace gable::test {
namespace {

class Check : public testing::Test {
 protected:
  /// 12 MB in 1 ms under 20 GB/s: at 60 % of the roof.
  void SetUp() override {
    ASSERT_EQ(
        gable({"measure", "--operator", "triad", "--params", "n=1000000", "--dtype", "fp32", "--output", "ref.json"},
              {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder_.path())
            .code,
        0);
    reference_ = json::parse(read_text(folder_ / "ref.json"));
    write("now.json", 1);
  }
  /// The same with every operator `slower`.
  void write(const std::string& name, double slower) const {
    json result = reference_;
    result["run"]["started_at"] = "2026-01-01T00:00:00Z";
    for (auto& point : result["points"]) {
      for (const char* key : {"time_s", "ci_low_s", "ci_high_s", "median_s", "median_ci_low_s", "median_ci_high_s"})
        if (point.contains(key)) point[key] = point[key].get<double>() * slower;
    }
    write_text(folder_ / name, result.dump());
  }
  Outcome check(const std::vector<std::string>& words) const {
    return gable(with({"check"}, words), {{"LC_ALL", "C.UTF-8"}}, folder_.path());
  }

  Folder folder_;
  json reference_;
};

TEST_F(Check, TheSamePassesAndSlowerFails) {
  const auto same = check({"now.json", "--against", "ref.json"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find(" 0 low, 0 inconclusive, 0 suspicious, 0 missing"), std::string::npos) << same.out;
  write("slow.json", 1.5);
  const json answer = answer_of(check({"slow.json", "--against", "ref.json", "--json"}), 1);
  EXPECT_FALSE(answer["passed"].get<bool>());
  std::size_t low = 0;
  for (const auto& row : answer["rows"]) {
    if (row["verdict"] != "low") continue;
    ++low;
    EXPECT_NEAR(row["speed"].get<double>(), 1 / 1.5, 1e-9);
    EXPECT_EQ(row["unit"], "s");
  }
  EXPECT_EQ(low, reference_["points"].size());
  EXPECT_EQ(check({"slow.json", "--against", "ref.json", "--tolerance", "40%"}).code, 0);
  write("fast.json", 0.5);
  EXPECT_EQ(check({"fast.json", "--against", "ref.json"}).code, 1) << "too good to be true";
}

TEST_F(Check, FiguresOfMeritAreStableLines) {
  const auto run = check({"now.json", "--against", "ref.json", "--fom"});
  ASSERT_EQ(run.code, 0) << run.err;
  std::istringstream text(run.out);
  int found = 0;
  for (std::string line; std::getline(text, line); ++found) {
    std::istringstream words(line);
    std::string fom, name, unit, more;
    double value = 0;
    words >> fom >> name >> value >> unit;
    EXPECT_EQ(fom, "FOM") << line;
    EXPECT_GT(value, 0) << line;
    EXPECT_FALSE(unit.empty()) << line;
    EXPECT_FALSE(words >> more) << line;
  }
  EXPECT_GT(found, 2);
}

TEST_F(Check, JunitIsWrittenOnceAndSaysWhatFailed) {
  write("slow.json", 1.5);
  EXPECT_EQ(check({"slow.json", "--against", "ref.json", "--junit", "j.xml"}).code, 1);
  const std::string xml = read_text(folder_ / "j.xml");
  EXPECT_TRUE(xml.starts_with("<?xml version=\"1.0\"")) << xml;
  EXPECT_NE(xml.find("<failure type=\"low\""), std::string::npos) << xml;
  expect_refusal(check({"now.json", "--against", "ref.json", "--junit", "j.xml"}), "--force");
  EXPECT_EQ(read_text(folder_ / "j.xml"), xml) << "nothing is replaced unasked";
  EXPECT_EQ(check({"now.json", "--against", "ref.json", "--junit", "j.xml", "--force"}).code, 0);
  EXPECT_EQ(read_text(folder_ / "j.xml").find("<failure"), std::string::npos);
}

TEST_F(Check, LimitsNameTheirFigures) {
  const auto foms = check({"now.json", "--against", "ref.json", "--fom"}).out;
  const std::string name = foms.substr(4, foms.find(' ', 4) - 4);
  write_text(folder_ / "l.csv", "name,lower,unit\n" + name + ",1,flop/s\nno/such,1,s\n");
  const auto run = check({"now.json", "--limits", "l.csv"});
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_NE(run.out.find("1 pass, 0 low, 0 inconclusive, 0 suspicious, 1 missing"), std::string::npos) << run.out;
  write_text(folder_ / "l.csv", "name,lower,unit\n" + name + ",much,flop/s\n");
  expect_refusal(check({"now.json", "--limits", "l.csv"}), "l.csv: line 2, column lower");
}

TEST_F(Check, ADeviceOfTheReferenceThatWasNotMeasuredIsMissing) {
  json two = reference_;
  two["devices"].push_back(two["devices"][0]);
  two["devices"].back()["id"] = "openmp:1";
  for (const char* rows : {"ceilings", "points"}) {
    for (auto row : reference_[rows]) {
      row["device"] = "openmp:1";
      row["id"] = row["id"].get<std::string>() + " again";
      two[rows].push_back(row);
    }
  }
  write_text(folder_ / "two.json", two.dump());
  const auto run = check({"now.json", "--against", "two.json", "--json"});
  EXPECT_EQ(run.code, 1) << run.err;
  std::size_t missing = 0;
  const auto answer = json::parse(run.out);
  for (const auto& row : answer["rows"]) {
    if (row["verdict"] != "missing") continue;
    ++missing;
    EXPECT_TRUE(row["name"].get<std::string>().starts_with("openmp:1/")) << row;
  }
  EXPECT_EQ(missing, answer["rows"].size() / 2);
  EXPECT_EQ(check({"now.json", "--against", "two.json:openmp"}).code, 0) << "it is named";
  EXPECT_EQ(check({"two.json:openmp:1", "--against", "two.json"}).code, 0) << "it is named";
}

TEST_F(Check, AReferenceOfAnotherDeviceIsBadInputAndNoBadNode) {
  json other = reference_;
  other["devices"][0]["name"] = "Another device";
  write_text(folder_ / "other.json", other.dump());
  expect_refusal(check({"now.json", "--against", "other.json"}), "other.json: it has no device of the checked files");
}

/// A weekly job must not stay green for ever.
TEST_F(Check, ATrendWithoutARowInTwoStepsIsNotJudged) {
  EXPECT_EQ(gable({"trend", "ref.json", "now.json"}, {}, folder_.path()).code, 0);
  json other = reference_;
  other["run"]["started_at"] = "2026-01-02T00:00:00Z";
  other["ceilings"] = other["points"] = json::array();
  write_text(folder_ / "nothing.json", other.dump());
  const auto run = gable({"trend", "ref.json", "nothing.json"}, {}, folder_.path());
  EXPECT_EQ(run.code, 3) << run.out << run.err;
}

TEST_F(Check, Percentages) {
  expect_refusal(check({"now.json", "--against", "ref.json", "--tolerance", "0.05"}), "write 5% or 0.05%");
  EXPECT_EQ(check({"now.json", "--against", "ref.json", "--tolerance", "0.05%"}).code, 0);
}

TEST_F(Check, OtherThreadsOrAnotherPowerCapAreRemarksAndNoFailure) {
  json other = reference_;
  const int threads = reference_["points"][0]["threads"];
  for (const char* rows : {"ceilings", "points"}) {
    for (auto& row : other[rows])
      if (row["scope"] == "node") row["threads"] = threads + 1;
  }
  const auto fact = [](const char* watts) { return json{{"name", "power cap"}, {"value", watts}, {"source", "test"}}; };
  other["devices"][0]["facts"].push_back(fact("300 W"));
  write_text(folder_ / "other.json", other.dump());
  json now = json::parse(read_text(folder_ / "now.json"));
  now["devices"][0]["facts"].push_back(fact("250 W"));
  write_text(folder_ / "capped.json", now.dump());
  const auto run = check({"capped.json", "--against", "other.json"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("another power cap than its reference: 250 W, not 300 W"), std::string::npos) << run.out;
  EXPECT_TRUE(has(run.out, "another number of threads of a node than its reference: " + std::to_string(threads) +
                               ", not " + std::to_string(threads + 1)))
      << run.out;
  const auto remarks = json::parse(check({"capped.json", "--against", "other.json", "--json"}).out)["remarks"];
  EXPECT_EQ(remarks.size(), 2U) << remarks;
  EXPECT_TRUE(json::parse(check({"now.json", "--against", "ref.json", "--json"}).out)["remarks"].empty());
}

TEST_F(Check, WhatJudgesNothingDoesNotPass) {
  json none = reference_;
  none["ceilings"] = none["points"] = json::array();
  write_text(folder_ / "none.json", none.dump());
  expect_refusal(check({"now.json", "--against", "none.json"}), "nothing was judged");
}

}  // namespace
}  // namespace gable::test
