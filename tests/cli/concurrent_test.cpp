// Devices that are measured alone and together, with a worker whose devices are made up.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace gable::test {
namespace {

constexpr const char* read = "ceiling/bandwidth/DRAM/read/sustained/fake";
constexpr const char* vector = "ceiling/compute/vector/fp64/sustained/fake";
constexpr int rounds = 3;  // of a quick run

Environment fake(Environment more = {}) {
  more["GABLE_WORKER_PATH"] = GABLE_FAKE_WORKER_FOLDER;
  if (!more.contains("GABLE_FAKE_ITEMS"))
    more["GABLE_FAKE_ITEMS"] =
        std::string(read) + " " + vector + " ceiling/compute/scalar/fp64/burst ceiling/bandwidth/L1/read/sustained";
  return more;
}

const std::vector<std::string> concurrently{"calibrate", "--concurrent", "--output", "r.json"};

json load(const Folder& folder) { return json::parse(read_text(folder / "r.json")); }

json row_of(const json& result, const std::string& device, const std::string& id) {
  for (const auto& row : result["ceilings"]) {
    if (row["device"] == device && row["id"] == id) return row;
  }
  return {};
}

std::string together(const std::string& id) { return id + "/with_cores"; }

TEST(Concurrent, MeasuresEachCoreAloneAndAllTogether) {
  Folder folder;
  const auto run = gable(concurrently, fake(), folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = load(folder);
  ASSERT_EQ(result["devices"].size(), 2U);
  EXPECT_EQ(result["devices"][0]["id"], "openmp:core0");
  EXPECT_EQ(result["devices"][1]["cores"], 1);
  EXPECT_NE(result["devices"][0]["facts"].dump().find("openmp:core1"), std::string::npos) << "who was beside it";
  EXPECT_EQ(result["ceilings"].size(), 8U) << "what does not meet is not measured";
  for (const std::string device : {"openmp:core0", "openmp:core1"}) {
    for (const std::string id : {read, vector}) {
      EXPECT_EQ(row_of(result, device, id)["status"], "ok") << device << " " << id;
      EXPECT_EQ(row_of(result, device, together(id))["variant"], "with_cores") << device << " " << id;
    }
  }
  const auto check = gable({"validate", "r.json"}, {}, folder.path());
  EXPECT_EQ(check.code, 0) << check.out << check.err;
}

TEST(Concurrent, EveryBlockIsTakenWhileAllAreAtWork) {
  Folder folder;
  const auto log = (folder / "windows").string();
  ASSERT_EQ(gable(concurrently, fake({{"GABLE_FAKE_ITEMS", read}, {"GABLE_FAKE_WINDOWS", log}}), folder.path()).code,
            0);
  std::istringstream text(read_text(log));
  std::map<std::string, std::vector<long long>> moments;  // of each kind of event, in the order of the rounds
  std::string device, event;
  for (long long when = 0; text >> device >> event >> when;) moments[event].push_back(when);
  ASSERT_EQ(moments["first"].size(), 2U * rounds);
  for (std::size_t i = 0; i < moments["first"].size(); i += 2) {
    const auto latest = [&](const char* what) { return std::max(moments[what][i], moments[what][i + 1]); };
    const auto earliest = [&](const char* what) { return std::min(moments[what][i], moments[what][i + 1]); };
    EXPECT_LE(latest("load"), earliest("first")) << "nobody begins before all are at work";
    EXPECT_LE(latest("last"), earliest("done")) << "nobody rests before all have their blocks";
  }
}

TEST(Concurrent, NamesWhatIsLostAndWhy) {
  Folder folder;
  const auto run = gable(concurrently, fake({{"GABLE_FAKE_SHARE", "0.5"}}), folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("alone and together"), std::string::npos) << run.out;
  EXPECT_TRUE(has(run.out, "main memory read: 2 devices move 20 GB/s together, one alone at most 20 GB/s")) << run.out;
  const json contention =
      answer_of(gable({"explain", "r.json:openmp:core1", "--format", "json"}, {}, folder.path()))["contention"];
  ASSERT_EQ(contention.size(), 2U);
  for (const auto& one : contention) {
    EXPECT_NEAR(one["loss"].get<double>(), 0.5, 1e-9);
    EXPECT_EQ(one["cause"], one["occasion"] == "main memory read" ? "bandwidth" : "units");
  }
}

TEST(Concurrent, ATogetherRowIsNoRoof) {
  Folder folder;
  ASSERT_EQ(gable(concurrently, fake({{"GABLE_FAKE_SHARE", "0.5"}}), folder.path()).code, 0);
  const auto explained = gable({"explain", "r.json:openmp:core0"}, {}, folder.path());
  ASSERT_EQ(explained.code, 0) << explained.err;
  EXPECT_NE(explained.out.find("100 GFLOP/s"), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("What it loses beside the others"), std::string::npos) << explained.out;
}

TEST(Concurrent, WhoDiesOrHangsIsARowAndTheOthersGoOn) {
  for (const std::string way : {"abort", "hang"}) {
    Folder folder;
    const auto run = gable(concurrently, fake({{"GABLE_FAKE_TOGETHER", "openmp:core1=" + way}}), folder.path());
    EXPECT_EQ(run.code, 1) << run.err;
    const json result = load(folder);
    for (const std::string id : {read, vector}) {
      EXPECT_EQ(row_of(result, "openmp:core1", together(id))["status"], "error") << way << " " << id;
      const json other = row_of(result, "openmp:core0", together(id));
      EXPECT_EQ(other["status"], "skipped") << way << " " << id;
      EXPECT_NE(other["reason"].get<std::string>().find("openmp:core1"), std::string::npos) << other["reason"];
      EXPECT_EQ(row_of(result, "openmp:core0", id)["status"], "ok") << "what it does alone is known";
      EXPECT_EQ(row_of(result, "openmp:core1", id)["status"], "ok");
    }
    EXPECT_EQ(gable({"validate", "r.json"}, {}, folder.path()).code, 0);
  }
}

TEST(Concurrent, WhoHasNoTimeKeepsNobodyWaiting) {
  Folder folder;
  const auto run = gable(concurrently, fake({{"GABLE_FAKE_TOGETHER", "openmp:core0=skip"}}), folder.path());
  EXPECT_EQ(run.code, 0) << run.err;
  const json result = load(folder);
  EXPECT_EQ(row_of(result, "openmp:core0", together(read))["reason"], "the machine is too busy");
  EXPECT_EQ(row_of(result, "openmp:core1", together(read))["status"], "skipped");
  EXPECT_EQ(row_of(result, "openmp:core1", read)["status"], "ok");
}

TEST(Concurrent, AGpuIsMeasuredBesideTheWholeProcessor) {
  Folder folder;
  const auto run = gable(concurrently,
                         fake({{"GABLE_FAKE_DEVICES", "openmp cuda:0"},
                               {"GABLE_FAKE_ITEMS", std::string(read) + " ceiling/link/host_to_device/fake"}}),
                         folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = load(folder);
  ASSERT_EQ(result["devices"].size(), 2U);
  EXPECT_EQ(result["devices"][0]["id"], "openmp");
  EXPECT_EQ(row_of(result, "openmp", std::string(read) + "/with_all")["status"], "ok");
  EXPECT_EQ(row_of(result, "cuda:0", std::string(read) + "/with_all")["status"], "ok");
  EXPECT_EQ(row_of(result, "openmp", std::string(read) + "/with_host_to_device")["status"], "ok");
  EXPECT_EQ(row_of(result, "openmp", std::string(read) + "/with_device_to_host"), json()) << "nothing copies that way";
}

TEST(Concurrent, AnInterruptedRunGoesOn) {
  Folder folder;
  const auto environment = fake({{"GABLE_FAKE_SLOW", "0.05"}, {"GABLE_FAKE_LOG", (folder / "log").string()}});
  Running running({GABLE_PROGRAM, "calibrate", "--concurrent", "--output", "r.json"}, environment, folder.path());
  for (int i = 0; i < 500 && lines(read_text(folder / "log")) < 6; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  running.signal(SIGINT);
  ASSERT_EQ(running.wait().code, 130);
  EXPECT_FALSE(std::filesystem::exists(folder / "r.json"));
  const auto rest = gable({"calibrate", "--resume", "r.json"}, environment, folder.path());
  ASSERT_EQ(rest.code, 0) << rest.err;
  const json result = load(folder);
  EXPECT_EQ(result["ceilings"].size(), 8U);
  for (const auto& row : result["ceilings"]) EXPECT_EQ(row["status"], "ok") << row["id"];
  EXPECT_EQ(result["run"]["resumed"], 1);
}

TEST(Concurrent, BadInputIsOneLine) {
  Folder folder;
  ASSERT_EQ(gable(concurrently, fake(), folder.path()).code, 0);
  const auto expect = [&](std::vector<std::string> arguments, const Environment& environment, const std::string& part) {
    expect_refusal(gable(arguments, environment, folder.path()), part);
  };
  expect({"calibrate", "--concurrent", "--output", "x.json"}, fake({{"GABLE_FAKE_DEVICES", "cuda:0"}}),
         "needs two devices or more");
  expect({"calibrate", "--concurrent", "--device", "openmp:core0", "--output", "x.json"}, fake(),
         "needs two devices or more");
  expect({"calibrate", "--concurrent", "--device", "openmp:core7", "--output", "x.json"}, fake(), "openmp:core1");
  expect({"calibrate", "--concurrent", "--threads", "1", "--output", "x.json"}, fake(), "--threads");
  expect({"calibrate", "--concurrent", "--output", "x.json"},
         fake({{"GABLE_FAKE_ITEMS", "ceiling/bandwidth/L1/read/sustained"}}), "no row that two of the devices");
  expect({"calibrate", "--remeasure", "r.json"}, fake(), "--concurrent");
  expect({"calibrate", "--resume", "r.json", "--concurrent"}, fake(), "--concurrent");
}

}  // namespace
}  // namespace gable::test
