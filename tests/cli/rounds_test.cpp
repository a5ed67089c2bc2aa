#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <sstream>

#include "program.hpp"
#include "runs.hpp"

namespace gable::test {
namespace {

using Rounds = Runs;
using Remeasure = Runs;

const Environment one_noisy =
    fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/noisy ceiling/compute/vector/fp32/calm"}});

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
TEST_F(Rounds, StreamsAmongOperatorsAreAmongThemInEveryRound) {
  const std::vector<std::string> streams{"ceiling/bandwidth/DRAM/copy/ordinary/sustained/fake",
                                         "ceiling/bandwidth/DRAM/triad/ordinary/sustained/fake"};
  std::string items = five_items;
  for (const std::string& stream : streams) items += " " + stream;
  const auto log = (folder_ / "log").string();
  const auto run = gable({"measure", "--operator", "relu,add", "--quick", "--retry-budget", "0", "--output", "r.json"},
                         fake({{"GABLE_FAKE_ITEMS", items}, {"GABLE_FAKE_LOG", log}}), folder_.path());
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
TEST_F(Rounds, StreamsAmongOperatorsAreRoundsOfTheStream) {
  const std::string stream = "ceiling/bandwidth/DRAM/copy/ordinary/sustained/noisy";
  const auto run = gable({"measure", "--operator", "relu", "--quick", "--retry-budget", "0", "--output", "r.json"},
                         fake({{"GABLE_FAKE_ITEMS", stream}}), folder_.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = told();
  ASSERT_EQ(result["ceilings"].size(), 1u) << result["ceilings"];
  const json* row = find_row(result, stream);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ((*row)["variant"], "");
  EXPECT_EQ((*row)["blocks"], 2 * rounds * 4);
  EXPECT_EQ((*row)["sample_rounds"].back(), 2 * rounds - 1);
  EXPECT_EQ((*row)["rounds_ended_s"].size(), 2u * rounds);
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder_.path()).code, 0);
}

TEST_F(Rounds, BasicRoofsAreMeasuredAgainFirst) {
  const auto further = further_rounds("2");
  ASSERT_GT(further.size(), 3u);
  const auto first_other = std::ranges::find(further, other_noisy);
  EXPECT_GE(first_other - further.begin(), 2) << "the peak lacks a figure for longer than one round";
  EXPECT_NE(first_other, further.end()) << "the rest of the budget is for all rows";
}

TEST_F(Rounds, OneThatWouldBeOverAtOnceTakesOtherRowsAlong) {
  const auto further = further_rounds("60");  // a 24th is longer than both rows
  ASSERT_GT(further.size(), 3u);
  EXPECT_NE(further[0], further[1]) << "both in the first further round";
}

TEST_F(Rounds, ARowThatDisagreesIsMeasuredAgainWhileTheBudgetLasts) {
  const auto run = gable({"calibrate", "--output", "r.json", "--retry-budget", "60"}, one_noisy, folder_.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = told();
  const json* row = find_row(result, "ceiling/compute/vector/fp64/noisy");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ((*row)["status"], "ok") << *row;
  EXPECT_DOUBLE_EQ((*row)["value"].get<double>(), 1e11);
  EXPECT_GT((*row)["sample_rounds"].back().get<int>(), rounds);
  EXPECT_FALSE(row->contains("taken"));
  EXPECT_NE(run.err.find("measuring 1 item without a good figure again"), std::string::npos) << run.err;
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder_.path()).code, 0);

  const auto once = gable({"calibrate", "--output", "once.json", "--retry-budget", "0"}, one_noisy, folder_.path());
  const json without = load(folder_ / "once.json");
  row = find_row(without, "ceiling/compute/vector/fp64/noisy");
  EXPECT_EQ((*row)["status"], "suspect") << *row;
  EXPECT_EQ((*row)["sample_rounds"].back(), rounds - 1);
}

/// Of a result only what has no figure is measured again, and the rest stays as it was, digit for digit.
TEST_F(Remeasure, OnlyRowsWithoutAFigureAreMeasuredAgainIntoTheSameFile) {
  const Environment environment =
      fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/noisy ceiling/compute/vector/fp32/calm"},
            {"GABLE_FAKE_LOG", (folder_ / "log").string()}});
  ASSERT_EQ(gable({"calibrate", "--output", "r.json", "--retry-budget", "0"}, environment, folder_.path()).code, 0);
  const json before = told();
  ASSERT_EQ((*find_row(before, "ceiling/compute/vector/fp64/noisy"))["status"], "suspect");
  expect_refusal(gable({"run", "--remeasure", "r.json"}, environment, folder_.path()),
                 "was begun by 'gable calibrate'");
  EXPECT_EQ(gable({"calibrate", "--remeasure", "r.json", "--full"}, environment, folder_.path()).code, 2);
  EXPECT_EQ(told(), before);
  write_text(folder_ / "log", "");
  const auto again = gable({"calibrate", "--remeasure", "r.json", "--retry-budget", "60"}, environment, folder_.path());
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_text(folder_ / "log").find("calm"), std::string::npos) << "it has a figure";
  const json after = told();
  EXPECT_EQ((*find_row(after, "ceiling/compute/vector/fp64/noisy"))["status"], "ok");
  EXPECT_EQ(*find_row(after, "ceiling/compute/vector/fp32/calm"),
            *find_row(before, "ceiling/compute/vector/fp32/calm"));
  EXPECT_EQ(after["run"]["started_at"], before["run"]["started_at"]);
  EXPECT_NE(after["notes"].dump().find("measured again: 1 of 1 rows without a figure have one now"), std::string::npos)
      << after["notes"];
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r.json.journal"));
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder_.path()).code, 0);
  const auto nothing = gable({"calibrate", "--remeasure", "r.json"}, environment, folder_.path());
  EXPECT_EQ(nothing.code, 0);
  EXPECT_NE(nothing.err.find("every row of r.json has a figure"), std::string::npos) << nothing.err;
}

/// The file that was measured again stays as it is.
TEST_F(Remeasure, IntoAnotherFile) {
  ASSERT_EQ(gable({"calibrate", "--output", "r.json", "--retry-budget", "0"}, one_noisy, folder_.path()).code, 0);
  const json before = told();
  const std::vector<std::string> words{"calibrate",  "--remeasure",    "r.json", "--output",
                                       "again.json", "--retry-budget", "60"};
  const auto again = gable(words, one_noisy, folder_.path());
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(told(), before);
  EXPECT_EQ((*find_row(load(folder_ / "again.json"), "ceiling/compute/vector/fp64/noisy"))["status"], "ok");
  expect_refusal(gable(words, one_noisy, folder_.path()), "'again.json' exists; name another --output or add --force");
  const auto nothing_lacks =
      gable({"calibrate", "--remeasure", "again.json", "--output", "whole.json"}, one_noisy, folder_.path());
  EXPECT_EQ(nothing_lacks.code, 0) << nothing_lacks.err;
  EXPECT_EQ(load(folder_ / "whole.json")["ceilings"], load(folder_ / "again.json")["ceilings"]);
}

TEST_F(Remeasure, AResultThatDoesNotSayWhatWasAskedForIsRefused) {
  const Environment environment = fake({{"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp64/skip"}});
  gable({"calibrate", "--full", "--output", "r.json"}, environment, folder_.path());
  json result = told();
  EXPECT_EQ(result["request"]["mode"], "full");
  result.erase("request");
  write_text(folder_ / "r.json", result.dump());
  expect_refusal(gable({"calibrate", "--remeasure", "r.json"}, environment, folder_.path()),
                 "does not say what was asked for");
}

/// A stream among operators is rounds of the stream's row, and is measured again with it.
TEST_F(Remeasure, AStreamIsMeasuredAmongTheOperatorsAgainToo) {
  const std::string stream = "ceiling/bandwidth/DRAM/copy/ordinary/sustained/skip";
  const auto times_run = [&](const std::string& name, const std::vector<std::string>& arguments) {
    const auto log = (folder_ / name).string();
    gable(arguments, fake({{"GABLE_FAKE_ITEMS", stream}, {"GABLE_FAKE_LOG", log}}), folder_.path());
    std::istringstream text(read_text(log));
    return std::count(std::istream_iterator<std::string>(text), {}, stream);
  };
  EXPECT_EQ(
      times_run("first", {"measure", "--operator", "relu", "--quick", "--retry-budget", "0", "--output", "r.json"}),
      2 * rounds);
  EXPECT_EQ(times_run("again", {"measure", "--remeasure", "r.json", "--retry-budget", "0"}), 2 * rounds);
}

/// Once among the ceilings, and once more in the round that had begun; its row says why.
TEST_F(Rounds, AStreamThatFailedIsNotMeasuredAmongOperatorsAgain) {
  const std::string stream = "ceiling/bandwidth/DRAM/copy/ordinary/sustained/throw";
  const auto log = (folder_ / "log").string();
  const auto run = gable({"measure", "--operator", "relu", "--quick", "--retry-budget", "0", "--output", "r.json"},
                         fake({{"GABLE_FAKE_ITEMS", stream}, {"GABLE_FAKE_LOG", log}}), folder_.path());
  const json result = told();
  const json* row = find_row(result, stream);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ((*row)["status"], "error");
  EXPECT_TRUE(has(result["notes"].dump(), "/among_operators on openmp: the kernel gave up")) << result["notes"];
  std::istringstream text(read_text(log));
  EXPECT_EQ(std::count(std::istream_iterator<std::string>(text), {}, stream), 2);
}

/// Killed where nothing can tidy up, it leaves a journal, which keeps nobody from trying again.
TEST_F(Remeasure, OneThatWasKilledIsBegunAgain) {
  Environment environment = one_noisy;
  ASSERT_EQ(gable({"calibrate", "--output", "r.json", "--retry-budget", "0"}, environment, folder_.path()).code, 0);
  const std::string before = read_text(folder_ / "r.json");
  environment["GABLE_FAKE_SLOW"] = "0.3";
  Running running({GABLE_PROGRAM, "calibrate", "--remeasure", "r.json"}, environment, folder_.path());
  wait_for_text(folder_ / "r.json.journal", "noisy");
  running.signal(SIGKILL);
  running.wait();
  ASSERT_TRUE(std::filesystem::exists(folder_ / "r.json.journal"));
  EXPECT_EQ(read_text(folder_ / "r.json"), before);
  environment.erase("GABLE_FAKE_SLOW");
  const auto again = gable({"calibrate", "--remeasure", "r.json", "--retry-budget", "60"}, environment, folder_.path());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r.json.journal"));
}

TEST_F(Rounds, ABudgetThatIsNoneIsRefused) {
  for (const char* budget : {"-1", "soon", "inf", ""}) {
    expect_refusal(gable({"calibrate", "--list", "--retry-budget", budget}, fake()), "--retry-budget");
  }
}

}  // namespace
}  // namespace gable::test
