// What the parent does when workers crash, hang or are killed, tested with a worker that does so on demand.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "program.hpp"
#include "runs.hpp"

namespace gable::test {
namespace {

using Open = Runs;

TEST_F(Runs, WritesAResultThatValidates) {
  const auto run = calibrate();
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = told();
  EXPECT_EQ(result["ceilings"].size(), 2u);
  EXPECT_TRUE(result["run"]["complete"].get<bool>());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r.json.journal"));
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder_.path()).code, 0);
}

TEST_F(Runs, CrashIsARowAndTheRunGoesOn) {
  const auto run =
      calibrate({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/illegal ceiling/compute/vector/fp32/after"}});
  EXPECT_EQ(run.code, 1);
  const json result = told();
  const json* lost = find_row(result, "ceiling/compute/vector/fp64/illegal");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ((*lost)["status"], "error");
  EXPECT_NE((*lost)["reason"].get<std::string>().find("signal 4"), std::string::npos);
  const json* after = find_row(result, "ceiling/compute/vector/fp32/after");
  ASSERT_NE(after, nullptr);
  EXPECT_EQ((*after)["status"], "ok");
  const auto check = gable({"validate", "r.json"}, {}, folder_.path());
  EXPECT_EQ(check.code, 0) << check.out;
}

TEST_F(Runs, ALostItemIsTheRowThatWasPlanned) {
  for (const std::string way : {"illegal", "throw"}) {
    Folder folder;
    const std::string id = "ceiling/compute/matrix/fp16/in_fp16/burst/wgmma/" + way;
    EXPECT_EQ(gable({"calibrate", "--output", "r.json"}, fake({{"GABLE_FAKE_ITEMS", id}}), folder.path()).code, 1);
    const json result = load(folder / "r.json");
    const json* lost = find_row(result, id);
    ASSERT_NE(lost, nullptr) << way;
    EXPECT_EQ((*lost)["status"], "error");
    EXPECT_EQ((*lost)["dtype"], "fp16");
    EXPECT_EQ((*lost)["accumulate"], "fp16");
    EXPECT_EQ((*lost)["implementation"], "wgmma");
    EXPECT_EQ((*lost)["variant"], way);
    EXPECT_EQ((*lost)["threads"], 2);
  }
}

TEST_F(Runs, SaysHowManyRowsHaveWhichOutcome) {
  const auto some = gable({"calibrate", "--output", "some.json"},
                          fake({{"GABLE_FAKE_ITEMS",
                                 "ceiling/compute/vector/fp64/burst ceiling/compute/vector/fp32/skip "
                                 "ceiling/bandwidth/DRAM/triad/skip"}}),
                          folder_.path());
  EXPECT_EQ(some.code, 0);
  EXPECT_NE(some.out.find("rows: 1 ok, 2 skipped\n"), std::string::npos) << some.out;
  const auto none = gable({"calibrate", "--output", "none.json"},
                          fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp32/skip"}}), folder_.path());
  EXPECT_EQ(none.code, 1) << "a run that measured nothing is no success";
  EXPECT_NE(none.out.find("rows: 1 skipped\n"), std::string::npos) << none.out;
}

TEST_F(Runs, HangIsARowAndTheRunGoesOn) {
  const auto run =
      calibrate({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/hang ceiling/compute/vector/fp32/after"}});
  EXPECT_EQ(run.code, 1);
  const json result = told();
  const json* lost = find_row(result, "ceiling/compute/vector/fp64/hang");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ((*lost)["status"], "error");
  EXPECT_NE((*lost)["reason"].get<std::string>().find("no answer"), std::string::npos);
  EXPECT_EQ((*find_row(result, "ceiling/compute/vector/fp32/after"))["status"], "ok");
}

TEST_F(Runs, ExceptionIsARowWithItsReason) {
  EXPECT_EQ(calibrate({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/throw"}}).code, 1);
  EXPECT_EQ(told()["ceilings"][0]["reason"], "the kernel gave up");
}

TEST_F(Runs, LibraryOutputDoesNotBreakTheProtocol) {
  const auto run = calibrate({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/noise"}});
  EXPECT_EQ(run.code, 0) << run.err;
}

/// Kills the parent or the worker by `kill` once two items are done, resumes if asked, and checks that every item has
/// exactly one row and that no finished round of an item was run again.
void kill_and_resume(const std::function<void(const Running&)>& kill, bool resume) {
  Folder folder;
  const auto log = folder / "log";
  const auto output = (folder / "r.json").string();
  const auto environment =
      fake({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_SLOW", "0.3"}, {"GABLE_FAKE_LOG", log.string()}});
  Running running({GABLE_PROGRAM, "calibrate", "--output", output}, environment, folder.path());
  ASSERT_TRUE(wait_for_lines(log, 3));  // two items are done, the third is under way
  ASSERT_TRUE(wait_for_text(output + ".journal", "ceiling/compute/vector/fp64/b"));
  kill(running);
  const auto first = running.wait();
  if (resume) {
    EXPECT_FALSE(std::filesystem::exists(output));
    ASSERT_TRUE(std::filesystem::exists(output + ".journal"));
    const auto second = gable({"calibrate", "--resume", output}, environment);
    ASSERT_EQ(second.code, 0) << second.err;
  } else {
    EXPECT_EQ(first.code, 1) << first.err;
  }
  const json result = load(output);
  EXPECT_EQ(result["ceilings"].size(), 5u);
  std::map<std::string, int> runs;
  for (const auto& id : logged(log)) ++runs[id];
  EXPECT_EQ(runs["ceiling/compute/vector/fp64/a"], rounds);
  EXPECT_EQ(runs["ceiling/compute/vector/fp64/b"], rounds);
  EXPECT_EQ(runs["ceiling/compute/vector/fp64/e"], rounds);
  EXPECT_EQ(runs["ceiling/compute/vector/fp64/c"], resume ? rounds + 1 : 1);
}

TEST_F(Runs, KilledParentLosesAndDoublesNothing) {
  kill_and_resume([](const Running& running) { running.signal(SIGKILL); }, true);
}

TEST_F(Runs, InterruptKeepsTheJournal) {
  kill_and_resume([](const Running& running) { running.signal(SIGINT); }, true);
}

TEST_F(Runs, KilledWorkerIsOneErrorRow) {
  kill_and_resume(
      [](const Running& running) {
        const auto children =
            "/proc/" + std::to_string(running.pid()) + "/task/" + std::to_string(running.pid()) + "/children";
        ::kill(std::stoi(read_text(children)), SIGKILL);
      },
      false);
}

TEST_F(Runs, TwoAtATimeOnAMachineSayIt) {
  Running first({GABLE_PROGRAM, "calibrate", "--output", "first.json"}, fake({{"GABLE_FAKE_SLOW", "0.3"}}),
                folder_.path());
  ASSERT_TRUE(wait_for_text(folder_ / "first.json.journal", "vector/fp64/burst"));
  ASSERT_EQ(gable({"calibrate", "--output", "second.json"}, fake(), folder_.path()).code, 0);
  ASSERT_EQ(first.wait().code, 0);
  for (const char* name : {"first.json", "second.json"}) {
    const json result = load(folder_ / name);
    EXPECT_EQ(notes_with(result, "another gable measured"), 1) << name << result["notes"];
  }
}

TEST_F(Runs, ValidateGoesOnBehindAFileThatCannotBeRead) {
  ASSERT_EQ(calibrate().code, 0);
  const auto run = gable({"validate", "none.json", "r.json"}, {}, folder_.path());
  expect_refusal(run, "none.json");
  EXPECT_NE(run.out.find("r.json  valid"), std::string::npos) << run.out;
}

struct Opening {
  const char* how;
  const char* reason;
};

TEST_F(Open, AWorkerThatDiesThereIsOneLine) {
  for (const auto& [how, reason] :
       {Opening{"abort", "signal 6"}, Opening{"exit", "exit code 7"}, Opening{"throw", "the runtime does not start"}}) {
    Folder folder;
    const auto run = gable({"calibrate"}, fake({{"GABLE_FAKE_OPEN", std::string("openmp=") + how}}), folder.path());
    EXPECT_EQ(run.code, 2) << how;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_EQ(run.err.find("gable: openmp: worker ended with "), 0u) << run.err;
    EXPECT_NE(run.err.find(reason), std::string::npos) << run.err;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

TEST_F(Open, TheOtherDevicesAreMeasured) {
  const auto run = calibrate({{"GABLE_FAKE_DEVICES", "bad openmp"}, {"GABLE_FAKE_OPEN", "bad=throw"}});
  EXPECT_EQ(run.code, 1) << run.err;
  const json result = told();
  ASSERT_EQ(result["ceilings"].size(), 3u);
  EXPECT_EQ(result["ceilings"][0]["device"], "bad");
  EXPECT_EQ(result["ceilings"][0]["status"], "error");
  EXPECT_NE(result["ceilings"][0]["reason"].get<std::string>().find("the runtime does not start"), std::string::npos);
  EXPECT_EQ(result["ceilings"][1]["status"], "ok");
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder_.path()).code, 0);
}

TEST_F(Runs, AFullRunMeasuresCurvesButLaddersInThreeOfItsFiveRounds) {
  const std::string ceiling = "ceiling/compute/vector/fp64/a", curve = "curve/working_set_sweep/copy",
                    ladder = "curve/latency_sweep/chase";
  const auto log = folder_ / "log";
  const auto run =
      gable({"calibrate", "--full", "--output", "r.json"},
            fake({{"GABLE_FAKE_ITEMS", ceiling + " " + curve + " " + ladder}, {"GABLE_FAKE_LOG", log.string()}}),
            folder_.path());
  ASSERT_EQ(run.code, 0) << run.err;
  std::map<std::string, int> runs;
  std::istringstream lines(read_text(log));
  for (std::string line; std::getline(lines, line);) ++runs[line];
  EXPECT_EQ(runs[ceiling], 5);
  EXPECT_EQ(runs[curve], 3);
  EXPECT_EQ(runs[ladder], 5);
  EXPECT_NE(run.err.find("[13/13]"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("/13] " + curve), std::string::npos) << "its last round is told: " << run.err;
}

TEST_F(Runs, InterruptExitsWith130AndSaysHowToGoOn) {
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"},
                  fake({{"GABLE_FAKE_SLOW", "5"}, {"GABLE_FAKE_LOG", (folder_ / "log").string()}}), folder_.path());
  ASSERT_TRUE(wait_for_lines(folder_ / "log", 1));
  running.signal(SIGINT);
  const auto outcome = running.wait();
  EXPECT_EQ(outcome.code, 130);
  const std::string again = "go on with " + std::string(GABLE_PROGRAM) + " calibrate --resume r.json\n";
  EXPECT_NE(outcome.err.find(again), std::string::npos) << outcome.err << "the program as it was called";
}

TEST_F(Runs, WorkerDiesWithItsParent) {
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"},
                  fake({{"GABLE_FAKE_SLOW", "60"}, {"GABLE_FAKE_LOG", (folder_ / "log").string()}}), folder_.path());
  ASSERT_TRUE(wait_for_lines(folder_ / "log", 1));
  const auto children =
      "/proc/" + std::to_string(running.pid()) + "/task/" + std::to_string(running.pid()) + "/children";
  const pid_t worker = std::stoi(read_text(children));
  running.signal(SIGKILL);
  running.wait();
  bool gone = false;
  for (int i = 0; i < 100 && !gone; ++i) {
    const auto stat = read_text("/proc/" + std::to_string(worker) + "/stat");
    gone = stat.empty() || stat.find(") Z ") != std::string::npos;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace gable::test
