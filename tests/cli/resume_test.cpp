#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "program.hpp"
#include "runs.hpp"

namespace gable::test {
namespace {

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
  expect_refusal(gable({"calibrate", "--resume", "r.json"}, rebuilt, folder.path()), "another build");
  EXPECT_EQ(read_text(folder / "r.json.journal"), before);
}

/// One result is of one machine: another host, or other instruction sets on it, would mix two.
TEST(Resume, AnotherMachineIsRefusedAndTheJournalStays) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {{"GABLE_FAKE_ISA", "avx2"}}).code, 130);
  const std::string before = read_text(folder / "r.json.journal");
  const auto resumed = [&](const std::string& isa) {
    return gable({"calibrate", "--resume", "r.json"}, fake({{"GABLE_FAKE_ITEMS", five_items}, {"GABLE_FAKE_ISA", isa}}),
                 folder.path());
  };
  expect_refusal(resumed("avx512"), "instruction sets avx2 of openmp, and here they are avx512");
  std::string elsewhere = before;
  const std::string key = "\"hostname\":\"";
  elsewhere.insert(elsewhere.find(key) + key.size(), "another-");
  write_text(folder / "r.json.journal", elsewhere);
  expect_refusal(resumed("avx2"), "begun on the host 'another-");
  EXPECT_EQ(read_text(folder / "r.json.journal"), elsewhere);
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
  expect_refusal(gable({"calibrate", "--resume", "r.json"}, fake(), folder.path()), "'other'");
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

TEST(Resume, AJournalThatARunIsWritingIsLeftAlone) {
  Folder folder;
  Running running({GABLE_PROGRAM, "calibrate", "--output", "r.json"}, fake({{"GABLE_FAKE_SLOW", "60"}}), folder.path());
  ASSERT_TRUE(wait_for_text(folder / "r.json.journal", "header"));
  const std::vector<std::vector<std::string>> attempts{{"calibrate", "--resume", "r.json"},
                                                       {"calibrate", "--output", "r.json", "--force"}};
  for (const auto& attempt : attempts) {
    expect_refusal(gable(attempt, fake(), folder.path()), "another run is writing");
    EXPECT_TRUE(std::filesystem::exists(folder / "r.json.journal"));
  }
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().code, 130);
}

TEST(Journal, IsReplacedOnlyWhenAskedAndOnlyByARunThatBegins) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  const auto before = read_text(folder / "r.json.journal");
  expect_refusal(gable({"calibrate", "--output", "r.json"}, fake(), folder.path()), "--resume");
  EXPECT_EQ(gable({"calibrate", "--output", "r.json", "--force", "--device", "no"}, fake(), folder.path()).code, 2);
  EXPECT_EQ(read_text(folder / "r.json.journal"), before) << "a run that never began must not take the old one's rows";
  EXPECT_EQ(gable({"calibrate", "--output", "r.json", "--force"}, fake(), folder.path()).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "r.json.journal"));
}

TEST(Journal, IsGoneOnWithByTheCommandThatBeganIt) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  expect_refusal(gable({"measure", "--resume", "r.json"}, fake(), folder.path()), "begun by 'gable calibrate'");
  EXPECT_TRUE(std::filesystem::exists(folder / "r.json.journal"));
}

TEST(Journal, StaysWhenTheNewOneCannotBeWritten) {
  Folder folder;
  ASSERT_EQ(interrupted_run(folder, {}).code, 130);
  const auto before = read_text(folder / "r.json.journal");
  Running full({"/bin/sh", "-c", "ulimit -f 1 && exec '" GABLE_PROGRAM "' calibrate --output r.json --force"}, fake(),
               folder.path());
  expect_refusal(full.wait(), "r.json.journal");
  EXPECT_EQ(read_text(folder / "r.json.journal"), before);
  const auto left = std::ranges::count_if(std::filesystem::directory_iterator(folder.path()),
                                          [](const auto& file) { return file.path().extension() == ".tmp"; });
  EXPECT_EQ(left, 0) << "what was begun is removed";
}

/// Names that others can foretell are links into their victims' files.
TEST(Journal, IsWrittenUnderNoNameThatOthersCanForetell) {
  Folder folder;
  write_text(folder / "precious", "of somebody");
  for (const char* name : {"r.json.journal.new", "r.json.tmp"})
    std::filesystem::create_symlink("precious", folder / name);
  EXPECT_EQ(gable({"calibrate", "--output", "r.json"}, fake({{"GABLE_FAKE_ITEMS", five_items}}), folder.path()).code,
            0);
  EXPECT_EQ(read_text(folder / "precious"), "of somebody");
}

}  // namespace
}  // namespace gable::test
