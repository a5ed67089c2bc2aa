#include "core/result/journal.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/result/json.hpp"
#include "files.hpp"
#include "sample.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

using result::Journal;
using result::JournalContent;
using namespace test;

class JournalFile : public test::FolderTest {
 protected:
  std::filesystem::path path() const { return file("run.journal"); }

  Result header() const {
    auto result = test::full_result();
    result.devices.clear();
    result.workers.clear();
    result.ceilings.clear();
    result.curves.clear();
    result.points.clear();
    result.run.resumed = 0;
    return result;
  }
  /// Two items.
  void write_two() const {
    auto journal = Journal::create(path(), header());
    journal.add_round("openmp/first", {0, {test::full_ceiling(), test::full_curve()}});
    journal.add_round("openmp/second", {0, {test::full_point()}});
  }
};

std::string text_of(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& row : rows) text += result::to_json(row).dump() + "\n";
  return text;
}

std::string text_of(const std::vector<result::RoundRows>& rounds) {
  std::string text;
  for (const auto& of_round : rounds) text += std::to_string(of_round.round) + ": " + text_of(of_round.rows);
  return text;
}

/// What the rows of the first round read as.
std::string once(const std::vector<Row>& rows) { return text_of(std::vector<result::RoundRows>{{0, rows}}); }

std::vector<std::string> keys(const JournalContent& content) {
  std::vector<std::string> keys;
  for (const auto& [key, rounds] : content.items) keys.push_back(key);
  return keys;
}

TEST_F(JournalFile, HoldsWhatWasPutIn) {
  write_two();
  const auto read = result::read_journal(path());
  EXPECT_EQ(keys(read), (std::vector<std::string>{"openmp/first", "openmp/second"}));
  EXPECT_EQ(text_of(read.items.at("openmp/first")), once({test::full_ceiling(), test::full_curve()}));
  EXPECT_EQ(text_of(read.items.at("openmp/second")), once({test::full_point()}));
  EXPECT_EQ(result::to_json(read.header), result::to_json(header()));
}

TEST_F(JournalFile, IsReadableWhileTheRunGoesOn) {
  auto journal = Journal::create(path(), header());
  journal.add_round("openmp/first", {0, {test::full_curve()}});
  EXPECT_EQ(result::read_journal(path()).items.size(), 1U);
}

TEST_F(JournalFile, CutAtAnyByteLosesOnlyTheLineThatWasCut) {
  write_two();
  const auto whole = content(path());
  std::vector<std::size_t> ends;  // offsets just behind each newline
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '\n') ends.push_back(i + 1);
  }
  ASSERT_EQ(ends.size(), 3U);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    put(path(), whole.substr(0, size));
    if (size < ends[0]) {
      const auto message = error_of([&] { result::read_journal(path()); });
      ASSERT_NE(message.find("first line is incomplete"), std::string::npos) << "cut at " << size << ": " << message;
      continue;
    }
    const auto read = result::read_journal(path());
    ASSERT_EQ(read.items.size(), (size >= ends[1] ? 1U : 0U) + (size >= ends[2] ? 1U : 0U)) << "cut at " << size;
  }
}

TEST_F(JournalFile, ResumingAfterACutGivesTheSameItemsAsAnUninterruptedRun) {
  write_two();
  const auto whole = content(path());
  const auto expected = result::read_journal(path());
  for (const std::size_t lost : {1U, 2U, 50U, 400U}) {
    put(path(), whole.substr(0, whole.size() - lost));
    JournalContent read;
    {
      auto journal = Journal::reopen(path(), read);
      ASSERT_EQ(keys(read), std::vector<std::string>{"openmp/first"});
      journal.add_round("openmp/second", {0, {test::full_point()}});
    }
    const auto resumed = result::read_journal(path());
    EXPECT_EQ(keys(resumed), keys(expected));
    for (const auto& [key, rows] : expected.items) EXPECT_EQ(text_of(resumed.items.at(key)), text_of(rows));
  }
}

TEST_F(JournalFile, CountsHowOftenItWasResumed) {
  write_two();
  for (int times : {0, 1}) {
    JournalContent read;
    auto journal = Journal::reopen(path(), read);
    EXPECT_EQ(read.header.run.resumed, times);
    journal.add_resumed();
  }
  EXPECT_EQ(result::read_journal(path()).header.run.resumed, 2);
}

TEST_F(JournalFile, ATailOfZerosLeftByAPowerCutIsDropped) {
  write_two();
  const auto whole = content(path());
  for (const auto& tail : {std::string(300, '\0'), std::string(300, '\0') + "\n"}) {
    put(path(), whole + tail);
    EXPECT_EQ(result::read_journal(path()).items.size(), 2U);
    JournalContent read;
    { auto journal = Journal::reopen(path(), read); }
    EXPECT_EQ(content(path()).find('\0'), std::string::npos);
  }
}

TEST_F(JournalFile, DamageInTheMiddleIsAnErrorWithItsLine) {
  write_two();
  auto text = content(path());
  text[text.find('\n') + 1] = '#';
  put(path(), text);
  const auto message = error_of([&] { result::read_journal(path()); });
  EXPECT_TRUE(message.starts_with(path().string() + ": line 2: not valid JSON")) << message;
}

TEST_F(JournalFile, KeepsTheRoundsOfAnItem) {
  {
    auto journal = Journal::create(path(), header());
    journal.add_round("openmp/first", {0, {test::full_curve()}});
    journal.add_round("openmp/second", {0, {}});
    journal.add_round("openmp/first", {2, {test::full_point()}});
  }
  const auto read = result::read_journal(path());
  EXPECT_EQ(keys(read), (std::vector<std::string>{"openmp/first", "openmp/second"}));
  EXPECT_EQ(text_of(read.items.at("openmp/first")),
            text_of(std::vector<result::RoundRows>{{0, {test::full_curve()}}, {2, {test::full_point()}}}));
  EXPECT_TRUE(read.items.at("openmp/second").at(0).rows.empty());
}

TEST_F(JournalFile, IsNotOverwritten) {
  write_two();
  const auto before = content(path());
  const auto message = error_of([&] { Journal::create(path(), header()); });
  EXPECT_NE(message.find(path().string()), std::string::npos) << message;
  EXPECT_NE(message.find("--resume"), std::string::npos) << message;
  EXPECT_EQ(content(path()), before);
}

TEST_F(JournalFile, KeepsNotes) {
  {
    auto journal = Journal::create(path(), header());
    journal.add_note("ceiling/a on openmp: worker ended with signal 4");
  }
  const auto read = result::read_journal(path());
  ASSERT_EQ(read.header.notes.size(), header().notes.size() + 1);
  EXPECT_EQ(read.header.notes.back(), "ceiling/a on openmp: worker ended with signal 4");
  EXPECT_TRUE(read.items.empty());
}

TEST_F(JournalFile, IsReplacedWhenAsked) {
  write_two();
  Result other = header();
  other.request->experiment = "fusion";
  { auto journal = Journal::create(path(), other, true); }
  const auto read = result::read_journal(path());
  EXPECT_EQ(read.header.request->experiment, "fusion");
  EXPECT_TRUE(read.items.empty());
}

TEST_F(JournalFile, HasOneWriterAtATime) {
  auto journal = Journal::create(path(), header());
  const auto child = ::fork();
  if (child == 0) {
    JournalContent read;
    const auto refused = [](const std::string& message) {
      return message.find("another run is writing") != std::string::npos;
    };
    const bool all = refused(error_of([&] { Journal::reopen(path(), read); })) &&
                     refused(error_of([&] { Journal::check_free(path(), true); })) &&
                     refused(error_of([&] { Journal::create(path(), header(), true); })) &&
                     std::filesystem::exists(path());
    ::_exit(all ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Where others may write to the folder they could lead it to a file of this user's, to be cut.
TEST_F(JournalFile, IsNoLink) {
  write_two();
  const auto before = content(path());
  std::filesystem::rename(path(), file("precious"));
  std::filesystem::create_symlink("precious", path());
  JournalContent read;
  for (const auto& message :
       {error_of([&] { Journal::reopen(path(), read); }), error_of([&] { Journal::create(path(), header(), true); })})
    EXPECT_EQ(message, "cannot open " + path().string() + ": Too many levels of symbolic links");
  EXPECT_EQ(content(file("precious")), before);
}

TEST_F(JournalFile, DiscardRemovesIt) {
  auto journal = Journal::create(path(), header());
  journal.discard();
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(JournalFile, OfAnotherFormatIsRefused) {
  write_two();
  auto text = content(path());
  const std::string version = "\"schema_version\":\"1.0\"";
  text.replace(text.find(version), version.size(), "\"schema_version\":\"2.0\"");
  put(path(), text);
  EXPECT_NE(error_of([&] { result::read_journal(path()); }).find("result of format 2.0"), std::string::npos);
}

TEST_F(JournalFile, AFigureThatCannotBeIsNamedWithFileLineAndKey) {
  auto journal = Journal::create(path(), header());
  Point row = test::full_point();
  journal.add_round("openmp/gemv", {0, {row}});
  EXPECT_EQ(result::read_journal(path()).items.size(), 1U);
  row.time.value = -1;
  journal.add_round("openmp/gemv", {1, {row}});
  const auto message = error_of([&] { result::read_journal(path()); });
  EXPECT_TRUE(message.starts_with(path().string() + ": line 3: /rows/0/time_s: -1: a time")) << message;
}

}  // namespace
}  // namespace gable
