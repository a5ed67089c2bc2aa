#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "program.hpp"
#include "runs.hpp"

namespace gable::test {
namespace {

class Resume : public Runs {
 protected:
  /// Starts a run with the environment, interrupts it when two of five items are in the journal, and says how it ended.
  Outcome interrupt(Environment environment = {}) const {
    environment["GABLE_FAKE_ITEMS"] = five_items;
    environment["GABLE_FAKE_SLOW"] = "0.3";
    Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"}, fake(environment), folder_.path());
    wait_for_text(folder_ / "r.json.journal", "ceiling/compute/vector/fp64/b");
    running.signal(SIGINT);
    return running.wait();
  }
};
using Journal = Resume;

TEST_F(Resume, ThePlanDoesNotChangeWithTheFreeMemory) {
  ASSERT_EQ(interrupt({{"GABLE_FAKE_MEMORY", "8e9"}}).code, 130);
  const auto rest = resume({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_MEMORY", "5e9"}});
  ASSERT_EQ(rest.code, 0) << rest.err;
  const json result = told();
  ASSERT_EQ(result["ceilings"].size(), 5u);
  for (const auto& row : result["ceilings"])
    EXPECT_NE(row["id"].get<std::string>().find("bytes=8000000000"), std::string::npos) << row["id"];
}

TEST_F(Resume, AnotherBuildOfTheWorkerIsRefusedAndTheJournalStays) {
  ASSERT_EQ(interrupt().code, 130);
  const auto before = read_text(folder_ / "r.json.journal");
  const Environment rebuilt = fake({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_FLAGS", "-O0"}});
  expect_refusal(gable({"calibrate", "--resume", "r.json"}, rebuilt, folder_.path()), "another build");
  EXPECT_EQ(read_text(folder_ / "r.json.journal"), before);
}

/// One result is of one machine: another host, or other instruction sets on it, would mix two.
TEST_F(Resume, AnotherMachineIsRefusedAndTheJournalStays) {
  ASSERT_EQ(interrupt({{"GABLE_FAKE_ISA", "avx2"}}).code, 130);
  const std::string before = read_text(folder_ / "r.json.journal");
  const auto resumed = [&](const std::string& isa) {
    return resume({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_ISA", isa}});
  };
  expect_refusal(resumed("avx512"), "instruction sets avx2 of openmp, and here they are avx512");
  std::string elsewhere = before;
  const std::string key = "\"hostname\":\"";
  elsewhere.insert(elsewhere.find(key) + key.size(), "another-");
  write_text(folder_ / "r.json.journal", elsewhere);
  expect_refusal(resumed("avx2"), "begun on the host 'another-");
  EXPECT_EQ(read_text(folder_ / "r.json.journal"), elsewhere);
}

/// Libraries follow variables: rows of two settings are told apart.
TEST_F(Resume, AnotherEnvironmentIsSaid) {
  ASSERT_EQ(interrupt({{"OMP_NUM_THREADS", "2"}, {"OPENBLAS_VERBOSE", "1"}}).code, 130);
  const auto rest = resume({{"GABLE_FAKE_ITEMS", five_items}, {"OMP_NUM_THREADS", "1"}, {"OMP_DYNAMIC", "true"}});
  ASSERT_EQ(rest.code, 0) << rest.err;
  for (const char* note : {"OMP_NUM_THREADS was '2' when the run began, and '1' when it went on",
                           "OPENBLAS_VERBOSE was '1' when the run began, and not set when it went on",
                           "OMP_DYNAMIC was not set when the run began, and 'true' when it went on"}) {
    EXPECT_EQ(notes_with(told(), note), 1) << told()["notes"];
    EXPECT_TRUE(has(rest.err, note)) << rest.err;
  }
}

TEST_F(Resume, ListShowsWhatIsLeft) {
  ASSERT_EQ(interrupt().code, 130);
  const auto left =
      gable({"calibrate", "--resume", "r.json", "--list"}, fake({{"GABLE_FAKE_ITEMS", five_items}}), folder_.path());
  EXPECT_EQ(left.code, 0) << left.err;
  const auto line = [&](const std::string& id) {
    const auto rest = left.out.substr(left.out.find(id));
    return rest.substr(0, rest.find('\n'));
  };
  EXPECT_TRUE(line("ceiling/compute/vector/fp64/a").ends_with("2  200 ms")) << "two rounds of 0.1 s\n" << left.out;
  EXPECT_TRUE(line("ceiling/compute/vector/fp64/e").ends_with("3  300 ms")) << left.out;
}

TEST_F(Resume, ADeviceThatIsGoneIsNamedAndTheJournalStays) {
  ASSERT_EQ(interrupt({{"GABLE_FAKE_DEVICES", "openmp other"}}).code, 130);
  const auto before = read_text(folder_ / "r.json.journal");
  expect_refusal(resume(), "'other'");
  EXPECT_EQ(read_text(folder_ / "r.json.journal"), before);
}

TEST_F(Resume, ANewDeviceIsNotAdded) {
  ASSERT_EQ(interrupt().code, 130);
  const auto rest = resume({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_DEVICES", "new openmp"}});
  ASSERT_EQ(rest.code, 0) << rest.err;
  const json result = told();
  EXPECT_EQ(result["devices"].size(), 1u);
  EXPECT_EQ(result["ceilings"].size(), 5u);
  EXPECT_EQ(result["run"]["resumed"], 1);
}

TEST_F(Resume, NotesOfCrashesBeforeItAreKept) {
  const std::string items = "ceiling/compute/vector/fp64/illegal " + std::string(five_items);
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"},
                  fake({{"GABLE_FAKE_ITEMS", items}, {"GABLE_FAKE_SLOW", "0.3"}}), folder_.path());
  ASSERT_TRUE(wait_for_text(folder_ / "r.json.journal", "ceiling/compute/vector/fp64/a"));
  running.signal(SIGKILL);
  running.wait();
  EXPECT_EQ(resume({{"GABLE_FAKE_ITEMS", items}}).code, 1);
  const json result = told();
  EXPECT_EQ(notes_with(result, "signal 4"), 1) << result["notes"];
}

TEST_F(Resume, AJournalThatARunIsWritingIsLeftAlone) {
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"}, fake({{"GABLE_FAKE_SLOW", "60"}}),
                  folder_.path());
  ASSERT_TRUE(wait_for_text(folder_ / "r.json.journal", "header"));
  const std::vector<std::vector<std::string>> attempts{{"calibrate", "--resume", "r.json"},
                                                       {"calibrate", "--output", "r.json", "--force"}};
  for (const auto& attempt : attempts) {
    expect_refusal(gable(attempt, fake(), folder_.path()), "another run is writing");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "r.json.journal"));
  }
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().code, 130);
}

TEST_F(Journal, IsReplacedOnlyWhenAskedAndOnlyByARunThatBegins) {
  ASSERT_EQ(interrupt().code, 130);
  const auto before = read_text(folder_ / "r.json.journal");
  expect_refusal(calibrate(), "--resume");
  EXPECT_EQ(gable({"calibrate", "--output", "r.json", "--force", "--device", "no"}, fake(), folder_.path()).code, 2);
  EXPECT_EQ(read_text(folder_ / "r.json.journal"), before) << "a run that never began must not take the old one's rows";
  EXPECT_EQ(gable({"calibrate", "--output", "r.json", "--force"}, fake(), folder_.path()).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r.json.journal"));
}

TEST_F(Journal, IsGoneOnWithByTheCommandThatBeganIt) {
  ASSERT_EQ(interrupt().code, 130);
  expect_refusal(gable({"measure", "--resume", "r.json"}, fake(), folder_.path()), "begun by 'gable calibrate'");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "r.json.journal"));
}

TEST_F(Journal, StaysWhenTheNewOneCannotBeWritten) {
  ASSERT_EQ(interrupt().code, 130);
  const auto before = read_text(folder_ / "r.json.journal");
  Running full({"/bin/sh", "-c", "ulimit -f 1 && exec '" GABLE_PROGRAM "' calibrate --output r.json --force"}, fake(),
               folder_.path());
  expect_refusal(full.wait(), "r.json.journal");
  EXPECT_EQ(read_text(folder_ / "r.json.journal"), before);
  const auto left = std::ranges::count_if(std::filesystem::directory_iterator(folder_.path()),
                                          [](const auto& file) { return file.path().extension() == ".tmp"; });
  EXPECT_EQ(left, 0) << "what was begun is removed";
}

/// Nothing but --force replaces.
TEST_F(Journal, StaysWhereAFileCameInThePlaceOfTheResult) {
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"},
                  fake({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_SLOW", "0.1"}}), folder_.path());
  ASSERT_TRUE(wait_for_text(folder_ / "r.json.journal", "header"));
  write_text(folder_ / "r.json", "of somebody");
  const auto run = running.wait();
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(has(run.err, "cannot write r.json: File exists")) << run.err;
  EXPECT_EQ(read_text(folder_ / "r.json"), "of somebody");
  std::filesystem::remove(folder_ / "r.json");
  EXPECT_EQ(resume({{"GABLE_FAKE_ITEMS", five_items}}).code, 0);
}

/// Names that others can foretell are links into their victims' files.
TEST_F(Journal, IsWrittenUnderNoNameThatOthersCanForetell) {
  write_text(folder_ / "precious", "of somebody");
  for (const char* name : {"r.json.journal.new", "r.json.tmp"})
    std::filesystem::create_symlink("precious", folder_ / name);
  EXPECT_EQ(calibrate({{"GABLE_FAKE_ITEMS", five_items}}).code, 0);
  EXPECT_EQ(read_text(folder_ / "precious"), "of somebody");
}

}  // namespace
}  // namespace gable::test
