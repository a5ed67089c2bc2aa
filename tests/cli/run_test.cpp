// What the parent does when workers crash, hang or are killed, tested with a worker that does so on demand.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "program.hpp"

namespace gable::test {
namespace {

using nlohmann::json;

Environment fake(Environment more = {}) {
  more["GABLE_WORKER_PATH"] = GABLE_FAKE_WORKER_FOLDER;
  return more;
}

json load(const std::filesystem::path& path) { return json::parse(read_text(path)); }

const json* find_row(const json& result, const std::string& id) {
  for (const auto& row : result["ceilings"]) {
    if (row["id"] == id) return &row;
  }
  return nullptr;
}

std::vector<std::string> logged(const std::filesystem::path& log) {
  std::vector<std::string> found;
  std::istringstream text(read_text(log));
  for (std::string line; std::getline(text, line);) found.push_back(line);
  return found;
}

/// Waits until the file has at least that many lines.
bool wait_for_lines(const std::filesystem::path& path, int count) {
  for (int i = 0; i < 500; ++i) {
    if (lines(read_text(path)) >= count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

/// Waits until the file contains the text: the parent journals an item shortly after the worker went on to the next.
int notes_with(const json& result, const std::string& words) {
  int count = 0;
  for (const json& note : result["notes"]) {
    if (note.get<std::string>().find(words) != std::string::npos) ++count;
  }
  return count;
}

bool wait_for_text(const std::filesystem::path& path, const std::string& text) {
  for (int i = 0; i < 500; ++i) {
    if (read_text(path).find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

constexpr const char* five_items =
    "ceiling/compute/vector/fp64/a ceiling/compute/vector/fp64/b ceiling/compute/vector/fp64/c "
    "ceiling/compute/vector/fp64/d ceiling/compute/vector/fp64/e";

TEST(Run, WritesAResultThatValidates) {
  Folder folder;
  const auto run = gable({"calibrate", "--output", (folder / "r.json").string()}, fake());
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = load(folder / "r.json");
  EXPECT_EQ(result["ceilings"].size(), 2u);
  EXPECT_TRUE(result["run"]["complete"].get<bool>());
  EXPECT_FALSE(std::filesystem::exists(folder / "r.json.journal"));
  EXPECT_EQ(gable({"validate", (folder / "r.json").string()}).code, 0);
}

TEST(Run, CrashIsARowAndTheRunGoesOn) {
  Folder folder;
  const auto run =
      gable({"calibrate", "--output", (folder / "r.json").string()},
            fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/illegal ceiling/compute/vector/fp32/after"}}));
  EXPECT_EQ(run.code, 1);
  const json result = load(folder / "r.json");
  const json* lost = find_row(result, "ceiling/compute/vector/fp64/illegal");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ((*lost)["status"], "error");
  EXPECT_NE((*lost)["reason"].get<std::string>().find("signal 4"), std::string::npos);
  const json* after = find_row(result, "ceiling/compute/vector/fp32/after");
  ASSERT_NE(after, nullptr);
  EXPECT_EQ((*after)["status"], "ok");
  const auto check = gable({"validate", (folder / "r.json").string()});
  EXPECT_EQ(check.code, 0) << check.out;
}

TEST(Run, ALostItemIsTheRowThatWasPlanned) {
  for (const std::string way : {"illegal", "throw"}) {
    Folder folder;
    const std::string id = "ceiling/compute/matrix/fp16/in_fp16/burst/wgmma/" + way;
    const auto run = gable({"calibrate", "--output", "r.json"}, fake({{"GABLE_FAKE_ITEMS", id}}), folder.path());
    EXPECT_EQ(run.code, 1);
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

TEST(Run, SaysHowManyRowsHaveWhichOutcome) {
  Folder folder;
  const auto some = gable({"calibrate", "--output", "some.json"},
                          fake({{"GABLE_FAKE_ITEMS",
                                 "ceiling/compute/vector/fp64/burst ceiling/compute/vector/fp32/skip "
                                 "ceiling/bandwidth/DRAM/triad/skip"}}),
                          folder.path());
  EXPECT_EQ(some.code, 0);
  EXPECT_NE(some.out.find("rows: 1 ok, 2 skipped\n"), std::string::npos) << some.out;
  const auto none = gable({"calibrate", "--output", "none.json"},
                          fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp32/skip"}}), folder.path());
  EXPECT_EQ(none.code, 1) << "a run that measured nothing is no success";
  EXPECT_NE(none.out.find("rows: 1 skipped\n"), std::string::npos) << none.out;
}

TEST(Run, HangIsARowAndTheRunGoesOn) {
  Folder folder;
  const auto run =
      gable({"calibrate", "--output", (folder / "r.json").string()},
            fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/hang ceiling/compute/vector/fp32/after"}}));
  EXPECT_EQ(run.code, 1);
  const json result = load(folder / "r.json");
  const json* lost = find_row(result, "ceiling/compute/vector/fp64/hang");
  ASSERT_NE(lost, nullptr);
  EXPECT_EQ((*lost)["status"], "error");
  EXPECT_NE((*lost)["reason"].get<std::string>().find("no answer"), std::string::npos);
  EXPECT_EQ((*find_row(result, "ceiling/compute/vector/fp32/after"))["status"], "ok");
}

TEST(Run, ExceptionIsARowWithItsReason) {
  Folder folder;
  const auto run = gable({"calibrate", "--output", (folder / "r.json").string()},
                         fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/throw"}}));
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(load(folder / "r.json")["ceilings"][0]["reason"], "the kernel gave up");
}

TEST(Run, LibraryOutputDoesNotBreakTheProtocol) {
  Folder folder;
  const auto run = gable({"calibrate", "--output", (folder / "r.json").string()},
                         fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/noise"}}));
  EXPECT_EQ(run.code, 0) << run.err;
}

constexpr int rounds = 3;  // of a quick run
const std::string noisy_peak = "ceiling/compute/vector/fp64/noisy", other_noisy = "ceiling/compute/vector/int8/noisy";

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

TEST(Run, KilledParentLosesAndDoublesNothing) {
  kill_and_resume([](const Running& running) { running.signal(SIGKILL); }, true);
}

TEST(Run, InterruptKeepsTheJournal) {
  kill_and_resume([](const Running& running) { running.signal(SIGINT); }, true);
}

TEST(Run, KilledWorkerIsOneErrorRow) {
  kill_and_resume(
      [](const Running& running) {
        const auto children =
            "/proc/" + std::to_string(running.pid()) + "/task/" + std::to_string(running.pid()) + "/children";
        ::kill(std::stoi(read_text(children)), SIGKILL);
      },
      false);
}

/// What a peak and another noisy row of 0.1 s a round are measured in after the planned rounds, in order.
std::vector<std::string> further_rounds(const std::string& budget_s) {
  Folder folder;
  const auto log = (folder / "log").string();
  const auto run =
      gable({"calibrate", "--output", "r.json", "--retry-budget", budget_s},
            fake({{"GABLE_FAKE_ITEMS", noisy_peak + " " + other_noisy}, {"GABLE_FAKE_LOG", log}}), folder.path());
  EXPECT_EQ(run.code, 0) << run.err;
  std::istringstream text(read_text(log));
  std::vector<std::string> ran;
  for (std::string id; text >> id;) ran.push_back(id);
  return {ran.begin() + 2 * rounds, ran.end()};
}

/// In each round streams are measured once with the ceilings, and once more behind all of these.
TEST(Rounds, StreamsAmongOperatorsAreAmongThemInEveryRound) {
  const std::vector<std::string> streams{"ceiling/bandwidth/DRAM/copy/ordinary/sustained/fake",
                                         "ceiling/bandwidth/DRAM/triad/ordinary/sustained/fake"};
  std::string items = five_items;
  for (const std::string& stream : streams) items += " " + stream;
  Folder folder;
  const auto log = (folder / "log").string();
  const auto run = gable({"measure", "--operator", "relu,add", "--quick", "--retry-budget", "0", "--output", "r.json"},
                         fake({{"GABLE_FAKE_ITEMS", items}, {"GABLE_FAKE_LOG", log}}), folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  std::istringstream text(read_text(log));
  std::vector<std::string> ran;
  for (std::string id; text >> id;) ran.push_back(id);
  constexpr std::size_t of_a_round = 5 + 2 * 2;
  ASSERT_EQ(ran.size(), rounds * of_a_round);
  for (auto begin = ran.begin(); begin != ran.end(); begin += of_a_round) {
    std::vector<std::string> last(begin + of_a_round - 2, begin + of_a_round);
    std::ranges::sort(last);
    EXPECT_EQ(last, streams) << "round " << (begin - ran.begin()) / of_a_round;
  }
}

/// What was measured among the operators belongs to the stream's own row: one roof, from twice as many rounds.
TEST(Rounds, StreamsAmongOperatorsAreRoundsOfTheStream) {
  const std::string stream = "ceiling/bandwidth/DRAM/copy/ordinary/sustained/noisy";
  Folder folder;
  const auto run = gable({"measure", "--operator", "relu", "--quick", "--retry-budget", "0", "--output", "r.json"},
                         fake({{"GABLE_FAKE_ITEMS", stream}}), folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = load(folder / "r.json");
  ASSERT_EQ(result["ceilings"].size(), 1u) << result["ceilings"];
  const json* row = find_row(result, stream);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ((*row)["variant"], "");
  EXPECT_EQ((*row)["blocks"], 2 * rounds * 4);
  EXPECT_EQ((*row)["sample_rounds"].back(), 2 * rounds - 1);
  EXPECT_EQ((*row)["rounds_ended_s"].size(), 2u * rounds);
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder.path()).code, 0);
}

TEST(Rounds, BasicRoofsAreMeasuredAgainFirst) {
  const auto further = further_rounds("2");
  ASSERT_GT(further.size(), 3u);
  const auto first_other = std::ranges::find(further, other_noisy);
  EXPECT_GE(first_other - further.begin(), 2) << "the peak lacks a figure for longer than one round";
  EXPECT_NE(first_other, further.end()) << "the rest of the budget is for all rows";
}

TEST(Rounds, OneThatWouldBeOverAtOnceTakesOtherRowsAlong) {
  const auto further = further_rounds("60");  // a 24th is longer than both rows
  ASSERT_GT(further.size(), 3u);
  EXPECT_NE(further[0], further[1]) << "both in the first further round";
}

TEST(Rounds, ARowThatDisagreesIsMeasuredAgainWhileTheBudgetLasts) {
  Folder folder;
  const auto environment =
      fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/noisy ceiling/compute/vector/fp32/calm"}});
  const auto run = gable({"calibrate", "--output", "r.json", "--retry-budget", "60"}, environment, folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = load(folder / "r.json");
  const json* row = find_row(result, "ceiling/compute/vector/fp64/noisy");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ((*row)["status"], "ok") << *row;
  EXPECT_DOUBLE_EQ((*row)["value"].get<double>(), 1e11);
  EXPECT_GT((*row)["sample_rounds"].back().get<int>(), rounds);
  EXPECT_FALSE(row->contains("taken"));
  EXPECT_NE(run.err.find("measuring 1 item without a good figure again"), std::string::npos) << run.err;
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder.path()).code, 0);

  const auto once = gable({"calibrate", "--output", "once.json", "--retry-budget", "0"}, environment, folder.path());
  const json without = load(folder / "once.json");
  row = find_row(without, "ceiling/compute/vector/fp64/noisy");
  EXPECT_EQ((*row)["status"], "suspect") << *row;
  EXPECT_EQ((*row)["sample_rounds"].back(), rounds - 1);
}

/// Of a result only what has no figure is measured again, and the rest stays as it was, digit for digit.
TEST(Remeasure, OnlyRowsWithoutAFigureAreMeasuredAgainIntoTheSameFile) {
  Folder folder;
  const Environment environment =
      fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/noisy ceiling/compute/vector/fp32/calm"},
            {"GABLE_FAKE_LOG", (folder / "log").string()}});
  ASSERT_EQ(gable({"calibrate", "--output", "r.json", "--retry-budget", "0"}, environment, folder.path()).code, 0);
  const json before = load(folder / "r.json");
  ASSERT_EQ((*find_row(before, "ceiling/compute/vector/fp64/noisy"))["status"], "suspect");
  const auto other = gable({"run", "--remeasure", "r.json"}, environment, folder.path());
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("was begun by 'gable calibrate'"), std::string::npos) << other.err;
  EXPECT_EQ(gable({"calibrate", "--remeasure", "r.json", "--full"}, environment, folder.path()).code, 2);
  EXPECT_EQ(load(folder / "r.json"), before);
  write_text(folder / "log", "");
  const auto again = gable({"calibrate", "--remeasure", "r.json", "--retry-budget", "60"}, environment, folder.path());
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_text(folder / "log").find("calm"), std::string::npos) << "it has a figure";
  const json after = load(folder / "r.json");
  EXPECT_EQ((*find_row(after, "ceiling/compute/vector/fp64/noisy"))["status"], "ok");
  EXPECT_EQ(*find_row(after, "ceiling/compute/vector/fp32/calm"),
            *find_row(before, "ceiling/compute/vector/fp32/calm"));
  EXPECT_EQ(after["run"]["started_at"], before["run"]["started_at"]);
  EXPECT_NE(after["notes"].dump().find("measured again: 1 of 1 rows without a figure have one now"), std::string::npos)
      << after["notes"];
  EXPECT_FALSE(std::filesystem::exists(folder / "r.json.journal"));
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder.path()).code, 0);
  const auto nothing = gable({"calibrate", "--remeasure", "r.json"}, environment, folder.path());
  EXPECT_EQ(nothing.code, 0);
  EXPECT_NE(nothing.err.find("every row of r.json has a figure"), std::string::npos) << nothing.err;
}

TEST(Remeasure, AResultThatDoesNotSayWhatWasAskedForIsRefused) {
  Folder folder;
  const Environment environment = fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/skip"}});
  gable({"calibrate", "--full", "--output", "r.json"}, environment, folder.path());
  json result = load(folder / "r.json");
  EXPECT_EQ(result["request"]["mode"], "full");
  result.erase("request");
  write_text(folder / "r.json", result.dump());
  const auto again = gable({"calibrate", "--remeasure", "r.json"}, environment, folder.path());
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("does not say what was asked for"), std::string::npos) << again.err;
}

/// A stream among operators is rounds of the stream's row, and is measured again with it.
TEST(Remeasure, AStreamIsMeasuredAmongTheOperatorsAgainToo) {
  const std::string stream = "ceiling/bandwidth/DRAM/copy/ordinary/sustained/skip";
  Folder folder;
  const auto times_run = [&](const std::string& name, const std::vector<std::string>& arguments) {
    const auto log = (folder / name).string();
    gable(arguments, fake({{"GABLE_FAKE_ITEMS", stream}, {"GABLE_FAKE_LOG", log}}), folder.path());
    std::istringstream text(read_text(log));
    return std::count(std::istream_iterator<std::string>(text), {}, stream);
  };
  EXPECT_EQ(
      times_run("first", {"measure", "--operator", "relu", "--quick", "--retry-budget", "0", "--output", "r.json"}),
      2 * rounds);
  EXPECT_EQ(times_run("again", {"measure", "--remeasure", "r.json", "--retry-budget", "0"}), 2 * rounds);
}

/// Once among the ceilings, and once more in the round that had begun; its row says why.
TEST(Rounds, AStreamThatFailedIsNotMeasuredAmongOperatorsAgain) {
  const std::string stream = "ceiling/bandwidth/DRAM/copy/ordinary/sustained/throw";
  Folder folder;
  const auto log = (folder / "log").string();
  const auto run = gable({"measure", "--operator", "relu", "--quick", "--retry-budget", "0", "--output", "r.json"},
                         fake({{"GABLE_FAKE_ITEMS", stream}, {"GABLE_FAKE_LOG", log}}), folder.path());
  const json result = load(folder / "r.json");
  const json* row = find_row(result, stream);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ((*row)["status"], "error");
  EXPECT_NE(result["notes"].dump().find("/among_operators on openmp: the kernel gave up"), std::string::npos)
      << result["notes"];
  std::istringstream text(read_text(log));
  EXPECT_EQ(std::count(std::istream_iterator<std::string>(text), {}, stream), 2);
}

/// Killed where nothing can tidy up, it leaves a journal, which keeps nobody from trying again.
TEST(Remeasure, OneThatWasKilledIsBegunAgain) {
  Folder folder;
  Environment environment =
      fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/noisy ceiling/compute/vector/fp32/calm"}});
  ASSERT_EQ(gable({"calibrate", "--output", "r.json", "--retry-budget", "0"}, environment, folder.path()).code, 0);
  const std::string before = read_text(folder / "r.json");
  environment["GABLE_FAKE_SLOW"] = "0.3";
  Running running({GABLE_PROGRAM, "calibrate", "--remeasure", "r.json"}, environment, folder.path());
  wait_for_text(folder / "r.json.journal", "noisy");
  running.signal(SIGKILL);
  running.wait();
  ASSERT_TRUE(std::filesystem::exists(folder / "r.json.journal"));
  EXPECT_EQ(read_text(folder / "r.json"), before);
  environment.erase("GABLE_FAKE_SLOW");
  const auto again = gable({"calibrate", "--remeasure", "r.json", "--retry-budget", "60"}, environment, folder.path());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "r.json.journal"));
}

TEST(Rounds, ABudgetThatIsNoneIsRefused) {
  for (const char* budget : {"-1", "soon", "inf", ""}) {
    const auto run = gable({"calibrate", "--list", "--retry-budget", budget}, fake());
    EXPECT_EQ(run.code, 2) << budget;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find("--retry-budget"), std::string::npos) << run.err;
  }
}

/// Starts a run with the environment, interrupts it when two of five items are in the journal, and returns how it
/// ended.
Outcome interrupted_run(const Folder& folder, Environment environment) {
  environment["GABLE_FAKE_ITEMS"] = five_items;
  environment["GABLE_FAKE_SLOW"] = "0.3";
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"}, fake(environment), folder.path());
  wait_for_text(folder / "r.json.journal", "ceiling/compute/vector/fp64/b");
  running.signal(SIGINT);
  return running.wait();
}

TEST(Resume, ThePlanDoesNotChangeWithTheFreeMemory) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {{"GABLE_FAKE_MEMORY", "8e9"}}).code, 130);
  const auto rest = gable({"calibrate", "--resume", "r.json"},
                          fake({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_MEMORY", "5e9"}}), folder.path());
  ASSERT_EQ(rest.code, 0) << rest.err;
  const json result = load(folder / "r.json");
  ASSERT_EQ(result["ceilings"].size(), 5u);
  for (const auto& row : result["ceilings"])
    EXPECT_NE(row["id"].get<std::string>().find("bytes=8000000000"), std::string::npos) << row["id"];
}

TEST(Resume, AnotherBuildOfTheWorkerIsRefusedAndTheJournalStays) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  const auto before = read_text(folder / "r.json.journal");
  const Environment rebuilt = fake({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_FLAGS", "-O0"}});
  const auto other = gable({"calibrate", "--resume", "r.json"}, rebuilt, folder.path());
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(lines(other.err), 1) << other.err;
  EXPECT_NE(other.err.find("another build"), std::string::npos) << other.err;
  EXPECT_EQ(read_text(folder / "r.json.journal"), before);
}

TEST(Resume, ListShowsWhatIsLeft) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  const auto left =
      gable({"calibrate", "--resume", "r.json", "--list"}, fake({{"GABLE_FAKE_ITEMS", five_items}}), folder.path());
  EXPECT_EQ(left.code, 0) << left.err;
  const auto line = [&](const std::string& id) {
    const auto rest = left.out.substr(left.out.find(id));
    return rest.substr(0, rest.find('\n'));
  };
  EXPECT_TRUE(line("ceiling/compute/vector/fp64/a").ends_with("2  200 ms")) << "two rounds of 0.1 s\n" << left.out;
  EXPECT_TRUE(line("ceiling/compute/vector/fp64/e").ends_with("3  300 ms")) << left.out;
}

TEST(Resume, ADeviceThatIsGoneIsNamedAndTheJournalStays) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {{"GABLE_FAKE_DEVICES", "openmp other"}}).code, 130);
  const auto before = read_text(folder / "r.json.journal");
  const auto gone = gable({"calibrate", "--resume", "r.json"}, fake(), folder.path());
  EXPECT_EQ(gone.code, 2);
  EXPECT_EQ(lines(gone.err), 1) << gone.err;
  EXPECT_NE(gone.err.find("'other'"), std::string::npos) << gone.err;
  EXPECT_EQ(read_text(folder / "r.json.journal"), before);
}

TEST(Resume, ANewDeviceIsNotAdded) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  const auto rest =
      gable({"calibrate", "--resume", "r.json"},
            fake({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_DEVICES", "new openmp"}}), folder.path());
  ASSERT_EQ(rest.code, 0) << rest.err;
  const json result = load(folder / "r.json");
  EXPECT_EQ(result["devices"].size(), 1u);
  EXPECT_EQ(result["ceilings"].size(), 5u);
  EXPECT_EQ(result["run"]["resumed"], 1);
}

TEST(Resume, NotesOfCrashesBeforeItAreKept) {
  Folder folder;
  const std::string items = "ceiling/compute/vector/fp64/illegal " + std::string(five_items);
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"},
                  fake({{"GABLE_FAKE_ITEMS", items}, {"GABLE_FAKE_SLOW", "0.3"}}), folder.path());
  ASSERT_TRUE(wait_for_text(folder / "r.json.journal", "ceiling/compute/vector/fp64/a"));
  running.signal(SIGKILL);
  running.wait();
  EXPECT_EQ(gable({"calibrate", "--resume", "r.json"}, fake({{"GABLE_FAKE_ITEMS", items}}), folder.path()).code, 1);
  const json result = load(folder / "r.json");
  EXPECT_EQ(notes_with(result, "signal 4"), 1) << result["notes"];
}

TEST(Run, TwoAtATimeOnAMachineSayIt) {
  Folder folder;
  Running first({GABLE_PROGRAM, "calibrate", "--output", "first.json"}, fake({{"GABLE_FAKE_SLOW", "0.3"}}),
                folder.path());
  ASSERT_TRUE(wait_for_text(folder / "first.json.journal", "vector/fp64/burst"));
  ASSERT_EQ(gable({"calibrate", "--output", "second.json"}, fake(), folder.path()).code, 0);
  ASSERT_EQ(first.wait().code, 0);
  for (const char* name : {"first.json", "second.json"}) {
    const json result = load(folder / name);
    EXPECT_EQ(notes_with(result, "another gable measured"), 1) << name << result["notes"];
  }
}

TEST(Resume, AJournalThatARunIsWritingIsLeftAlone) {
  Folder folder;
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"}, fake({{"GABLE_FAKE_SLOW", "60"}}), folder.path());
  ASSERT_TRUE(wait_for_text(folder / "r.json.journal", "header"));
  const std::vector<std::vector<std::string>> attempts{{"calibrate", "--resume", "r.json"},
                                                       {"calibrate", "--output", "r.json", "--force"}};
  for (const auto& attempt : attempts) {
    const auto other = gable(attempt, fake(), folder.path());
    EXPECT_EQ(other.code, 2);
    EXPECT_EQ(lines(other.err), 1) << other.err;
    EXPECT_NE(other.err.find("another run is writing"), std::string::npos) << other.err;
    EXPECT_TRUE(std::filesystem::exists(folder / "r.json.journal"));
  }
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().code, 130);
}

TEST(Journal, IsReplacedOnlyWhenAskedAndOnlyByARunThatBegins) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  const auto before = read_text(folder / "r.json.journal");
  const auto plain = gable({"calibrate", "--output", "r.json"}, fake(), folder.path());
  EXPECT_EQ(plain.code, 2);
  EXPECT_NE(plain.err.find("--resume"), std::string::npos) << plain.err;
  EXPECT_EQ(gable({"calibrate", "--output", "r.json", "--force", "--device", "no"}, fake(), folder.path()).code, 2);
  EXPECT_EQ(read_text(folder / "r.json.journal"), before) << "a run that never began must not take the old one's rows";
  EXPECT_EQ(gable({"calibrate", "--output", "r.json", "--force"}, fake(), folder.path()).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "r.json.journal"));
}

TEST(Journal, IsGoneOnWithByTheCommandThatBeganIt) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  const auto other = gable({"measure", "--resume", "r.json"}, fake(), folder.path());
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("begun by 'gable calibrate'"), std::string::npos) << other.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "r.json.journal"));
}

TEST(Journal, StaysWhenTheNewOneCannotBeWritten) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  const auto before = read_text(folder / "r.json.journal");
  std::filesystem::create_directory(folder / "r.json.journal.new");  // in its way
  const auto run = gable({"calibrate", "--output", "r.json", "--force"}, fake(), folder.path());
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("r.json.journal.new"), std::string::npos) << run.err;
  EXPECT_EQ(read_text(folder / "r.json.journal"), before);
}

TEST(Validate, GoesOnBehindAFileThatCannotBeRead) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "r.json"}, fake(), folder.path()).code, 0);
  const auto run = gable({"validate", "none.json", "r.json"}, {}, folder.path());
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(lines(run.err), 1) << run.err;
  EXPECT_NE(run.err.find("none.json"), std::string::npos) << run.err;
  EXPECT_NE(run.out.find("r.json  valid"), std::string::npos) << run.out;
}

struct Opening {
  const char* how;
  const char* reason;
};

TEST(Open, AWorkerThatDiesThereIsOneLine) {
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

TEST(Open, TheOtherDevicesAreMeasured) {
  Folder folder;
  const auto run = gable({"calibrate", "--output", "r.json"},
                         fake({{"GABLE_FAKE_DEVICES", "bad openmp"}, {"GABLE_FAKE_OPEN", "bad=throw"}}), folder.path());
  EXPECT_EQ(run.code, 1) << run.err;
  const json result = load(folder / "r.json");
  ASSERT_EQ(result["ceilings"].size(), 3u);
  EXPECT_EQ(result["ceilings"][0]["device"], "bad");
  EXPECT_EQ(result["ceilings"][0]["status"], "error");
  EXPECT_NE(result["ceilings"][0]["reason"].get<std::string>().find("the runtime does not start"), std::string::npos);
  EXPECT_EQ(result["ceilings"][1]["status"], "ok");
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder.path()).code, 0);
}

TEST(Run, AFullRunMeasuresCurvesInThreeOfItsFiveRounds) {
  Folder folder;
  const std::string ceiling = "ceiling/compute/vector/fp64/a", curve = "curve/working_set_sweep/read";
  const auto log = folder / "log";
  const auto run =
      gable({"calibrate", "--full", "--output", "r.json"},
            fake({{"GABLE_FAKE_ITEMS", ceiling + " " + curve}, {"GABLE_FAKE_LOG", log.string()}}), folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  std::map<std::string, int> runs;
  std::istringstream lines(read_text(log));
  for (std::string line; std::getline(lines, line);) ++runs[line];
  EXPECT_EQ(runs[ceiling], 5);
  EXPECT_EQ(runs[curve], 3);
  EXPECT_NE(run.err.find("[8/8]"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("/8] " + curve), std::string::npos) << "its last round is told: " << run.err;
}

TEST(Run, InterruptExitsWith130AndSaysHowToGoOn) {
  Folder folder;
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"},
                  fake({{"GABLE_FAKE_SLOW", "5"}, {"GABLE_FAKE_LOG", (folder / "log").string()}}), folder.path());
  ASSERT_TRUE(wait_for_lines(folder / "log", 1));
  running.signal(SIGINT);
  const auto outcome = running.wait();
  EXPECT_EQ(outcome.code, 130);
  const std::string again = "go on with " + std::string(GABLE_PROGRAM) + " calibrate --resume r.json\n";
  EXPECT_NE(outcome.err.find(again), std::string::npos) << outcome.err << "the program as it was called";
}

TEST(Run, WorkerDiesWithItsParent) {
  Folder folder;
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"},
                  fake({{"GABLE_FAKE_SLOW", "60"}, {"GABLE_FAKE_LOG", (folder / "log").string()}}), folder.path());
  ASSERT_TRUE(wait_for_lines(folder / "log", 1));
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
