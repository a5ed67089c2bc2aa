// `gable report --anonymous`, as users call it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"

namespace gable::test {
namespace {

const Environment fake{{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}};

TEST(ReportAnonymous, LeavesOutTheHostAndIsAResult) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "my-machine.json"}, fake, folder.path()).code, 0);
  auto told = json::parse(read_text(folder / "my-machine.json"));
  told["run"]["hostname"] = "bert17";
  told["notes"] = {"bert17 was busy", "see /home/alice17/log"};
  write_text(folder / "my-machine.json", told.dump());
  const auto run = gable({"report", "my-machine.json", "--anonymous", "--output", "a.json"}, {}, folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const auto text = read_text(folder / "a.json");
  for (const char* secret : {"bert17", "alice", "my-machine"}) EXPECT_EQ(text.find(secret), text.npos) << secret;
  const auto after = json::parse(text);
  EXPECT_EQ(after["run"]["hostname"], "anonymous");
  EXPECT_EQ(after["ceilings"][0]["samples"], told["ceilings"][0]["samples"]);
  EXPECT_EQ(gable({"validate", "a.json"}, {}, folder.path()).code,
            gable({"validate", "my-machine.json"}, {}, folder.path()).code);
  ASSERT_EQ(gable({"report", "a.json", "--anonymous", "--output", "b.json"}, {}, folder.path()).code, 0);
  EXPECT_EQ(read_text(folder / "b.json"), text) << "twice is the same as once";
}

TEST(ReportAnonymous, SeveralFilesKeepTheirNamesToThemselves) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "acme-bank.json"}, fake, folder.path()).code, 0);
  auto other = json::parse(read_text(folder / "acme-bank.json"));
  other["run"]["hostname"] = "bert17";
  write_text(folder / "project-x.json", other.dump());
  const auto run =
      gable({"report", "acme-bank.json", "project-x.json", "--anonymous", "--output", "a.json"}, {}, folder.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const auto text = read_text(folder / "a.json");
  for (const char* secret : {"acme", "project-x", "bert17"}) EXPECT_EQ(text.find(secret), text.npos) << secret;
}

TEST(ReportAnonymous, IsRefusedWhereItWouldSayTooMuchOrNothing) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "r.json"}, fake, folder.path()).code, 0);
  write_text(folder / "precious.json", "precious");
  struct Case {
    std::vector<std::string> more;
    const char* culprit;
  };
  for (const auto& [more, culprit] :
       {Case{{}, "--anonymous"}, Case{{"--output", "r.svg"}, "--anonymous"}, Case{{"--output", "r.csv"}, "--anonymous"},
        Case{{"--output", "a.json", "--points", "mine.csv"}, "--points"},
        Case{{"--output", "a.json", "--table", "ceilings"}, "--table"}, Case{{"--output", "precious.json"}, "--force"},
        Case{{"--output", "r.json", "--force"}, "is read by this command"}}) {
    std::vector<std::string> words{"report", "r.json", "--anonymous"};
    words.insert(words.end(), more.begin(), more.end());
    const auto run = gable(words, {}, folder.path());
    expect_refusal(run, culprit);
    EXPECT_EQ(run.out, "");
  }
  EXPECT_EQ(read_text(folder / "precious.json"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));
}

TEST(ReportAnonymous, AHostThatARowIsNamedByIsRefusedNamingTheKey) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "r.json"}, fake, folder.path()).code, 0);
  auto told = json::parse(read_text(folder / "r.json"));
  told["run"]["hostname"] = "bert17";
  told["devices"][0]["vendor"] = "bert17";
  write_text(folder / "r.json", told.dump());
  expect_refusal(gable({"report", "r.json", "--anonymous", "--output", "a.json"}, {}, folder.path()),
                 "/devices/0/vendor");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));
}

}  // namespace
}  // namespace gable::test
