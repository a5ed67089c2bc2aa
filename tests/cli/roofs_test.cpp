// `gable run --roofs`, as users call it. The fake worker measures 100 GFLOP/s and 20 GB/s, and takes 1 ms for every
// operator: 16 MB of relu, 0.8 ms at best, are memory-bound at 80 %.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "program.hpp"

namespace gable::test {
namespace {

Environment fake(Environment more = {}) {
  more["GABLE_WORKER_PATH"] = GABLE_FAKE_WORKER_FOLDER;
  more.emplace("GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp32/burst ceiling/bandwidth/DRAM/triad/ordinary/sustained");
  return more;
}

class Roofs : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(gable({"calibrate", "--output", "c.json"}, fake(), folder_.path()).code, 0); }
  Outcome run(std::vector<std::string> more, const Environment& environment = fake()) const {
    std::vector<std::string> words{"run", "--operator", "relu", "--params", "n=2000000", "--dtype", "fp32"};
    words.insert(words.end(), more.begin(), more.end());
    return gable(words, environment, folder_.path());
  }
  json load(const std::string& name) const { return json::parse(read_text(folder_ / name)); }
  /// Changes a file that was measured.
  template <class Change>
  void edit(const std::string& name, Change change) const {
    json told = load(name);
    change(told);
    write_text(folder_ / name, told.dump());
  }

  Folder folder_;
};

TEST_F(Roofs, PlaceThePointsOfARunAndAreNamedInItsResult) {
  const auto placed = run({"--output", "r.json", "--roofs", "c.json"});
  ASSERT_EQ(placed.code, 0) << placed.err;
  const json result = load("r.json");
  EXPECT_TRUE(result["ceilings"].empty());
  const json& point = result["points"][0];
  EXPECT_EQ(point["regime"], "memory_bound");
  EXPECT_NEAR(point["fraction_of_limit"].get<double>(), 0.8, 1e-6);
  EXPECT_NE(placed.out.find("80.0 %"), std::string::npos) << placed.out;
  EXPECT_NE(placed.out.find("were placed by the ceilings of c.json"), std::string::npos) << placed.out;
  EXPECT_EQ(placed.out.find("--roofs"), std::string::npos) << placed.out;
  const auto& facts = result["run"]["facts"];
  EXPECT_NE(
      std::find(facts.begin(), facts.end(), json{{"name", "roofs"}, {"value", "c.json"}, {"source", "command line"}}),
      facts.end());
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder_.path()).code, 0);
  const auto again = gable({"report", "r.json"}, {}, folder_.path());
  EXPECT_NE(again.out.find("memory_bound"), std::string::npos) << "a report keeps what has no ceilings here";
}

TEST_F(Roofs, WithoutThemOneLineSaysHow) {
  const auto bare = run({"--output", "r.json"});
  ASSERT_EQ(bare.code, 0) << bare.err;
  EXPECT_EQ(bare.out.find("no verdict"), std::string::npos) << bare.out;
  EXPECT_NE(bare.out.find("gable run --roofs ceilings.json"), std::string::npos) << bare.out;
  EXPECT_NE(bare.out.find("gable report ceilings.json run.json"), std::string::npos) << bare.out;
}

TEST_F(Roofs, WhatDoesNotFitIsOneLineAndNothingIsWritten) {
  edit("c.json", [](json& told) { told["devices"][0]["memory"][0]["size_bytes"] = 49152; });
  for (const auto& [roofs, culprit] :
       {std::pair{"c.json", "'c.json' is of other devices"}, std::pair{"none.json", "none.json"}}) {
    expect_refusal(run({"--output", "r.json", "--roofs", roofs}), culprit);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "r.json"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "r.json.journal"));
  }
}

TEST_F(Roofs, AreNotWrittenOver) {
  const auto before = read_text(folder_ / "c.json");
  expect_refusal(run({"--output", "c.json", "--force", "--roofs", "c.json"}), "is read by this command");
  EXPECT_EQ(read_text(folder_ / "c.json"), before);
}

TEST_F(Roofs, AreForRunsOnly) {
  for (const char* command : {"measure", "calibrate"}) {
    expect_refusal(gable({command, "--roofs", "c.json", "--output", "r.json"}, fake(), folder_.path()), "roofs");
  }
}

TEST_F(Roofs, AResumedRunTakesThoseItBeganWith) {
  Running running({GABLE_PROGRAM, "run", "--operator", "relu,triad", "--params", "n=2000000", "--output", "r.json",
                   "--roofs", "c.json"},
                  fake(), folder_.path());
  EXPECT_EQ(running.wait().code, 2) << "--params is for one operator";
  Running begun({GABLE_PROGRAM, "run", "--suite", "all", "--dtype", "fp32", "--output", "r.json", "--roofs", "c.json"},
                fake(), folder_.path());
  for (int i = 0; i < 500 && lines(read_text(folder_ / "r.json.journal")) < 3; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  begun.signal(SIGKILL);
  begun.wait();
  ASSERT_TRUE(std::filesystem::exists(folder_ / "r.json.journal"));
  std::filesystem::rename(folder_ / "c.json", folder_ / "moved.json");
  expect_refusal(gable({"run", "--resume", "r.json"}, fake(), folder_.path()), "c.json");
  const auto moved = gable({"run", "--resume", "r.json", "--roofs", "moved.json"}, fake(), folder_.path());
  EXPECT_NE(moved.code, 2) << moved.err;
  const json result = load("r.json");
  EXPECT_NE(moved.out.find("were placed by the ceilings of moved.json"), std::string::npos) << moved.out;
  for (const json& point : result["points"]) {
    if (point["op"] == "relu") {
      EXPECT_TRUE(point.contains("bound_s")) << point;
    }
  }
}

TEST_F(Roofs, AnAnonymousCopyDoesNotNameTheirFile) {
  std::filesystem::rename(folder_ / "c.json", folder_ / "bert17-roofs.json");
  ASSERT_EQ(run({"--output", "r.json", "--roofs", "bert17-roofs.json"}).code, 0);
  ASSERT_EQ(gable({"report", "r.json", "--anonymous", "--output", "a.json"}, {}, folder_.path()).code, 0);
  EXPECT_EQ(read_text(folder_ / "a.json").find("bert17"), std::string::npos);
}

/// 64 MB in 1 ms under 20 GB/s: three times what the roof allows.
TEST_F(Roofs, APointAboveItsRoofIsSuspectInTableAndFile) {
  const auto fast = gable({"run", "--operator", "relu", "--params", "n=8000000", "--dtype", "fp32", "--output",
                           "r.json", "--roofs", "c.json"},
                          fake(), folder_.path());
  EXPECT_EQ(fast.code, 1) << "no row is left that is right";
  const json point = load("r.json")["points"][0];
  EXPECT_EQ(point["status"], "suspect");
  EXPECT_NEAR(point["fraction_of_limit"].get<double>(), 3.2, 1e-6);
  EXPECT_EQ(fast.out.find("320"), std::string::npos) << fast.out;
  EXPECT_NE(fast.out.find("suspect operators"), std::string::npos) << fast.out;
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder_.path()).code, 0) << "the row says so itself";
}

}  // namespace
}  // namespace gable::test
