#include "core/result/store.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <functional>
#include <latch>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <type_traits>

#include "core/json/parse.hpp"
#include "core/result/json.hpp"
#include "files.hpp"
#include "sample.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

using namespace test;

class Store : public test::FolderTest {
 protected:
  static std::size_t files_in(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
  }
  std::size_t files() const { return files_in(folder()); }
};

/// Files of this process cannot grow over a limit while this lives: what a full disk does to a write.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  void (*handler_)(int){};
};

TEST_F(Store, AResultSurvivesTheDisk) {
  const auto path = file("result.json");
  const auto before = test::full_result();
  result::save(before, path);
  EXPECT_EQ(result::to_json(result::load(path)), result::to_json(before));
  EXPECT_EQ(files(), 1U);
}

TEST_F(Store, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const auto path = file("result.json");
  put(path, "precious");
  {
    const SizeLimit limit(1000);
    const auto message = error_of([&] { result::write_file_atomically(path, std::string(100000, 'x')); });
    EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
  }
  EXPECT_EQ(content(path), "precious");
  EXPECT_EQ(files(), 1U);
}

/// What `gable lab new` and `gable campaign init` make: all of it or nothing, and an empty folder stays empty.
TEST_F(Store, ANewFolderIsThereWholeOrNotAtAll) {
  const result::NamedTexts files{{"nodes/", ""}, {"plan.json", "{}"}, {"large.txt", std::string(5000, 'x')}};
  std::filesystem::create_directory(file("empty"));
  for (const char* name : {"new", "a/b/new", "empty"}) {
    const SizeLimit limit(1000);
    const auto message = error_of([&] { result::write_new_folder(file(name), files); });
    EXPECT_EQ(message, "cannot write " + (file(name) / "large.txt").string() + ": File too large");
    EXPECT_EQ(files_in(folder()) + files_in(file("empty")), 1U) << name;
  }
  for (const char* name : {"new", "a/b/new", "empty", "slash/"}) {
    result::write_new_folder(file(name), files);
    EXPECT_EQ(content(file(name) / "plan.json"), "{}");
    EXPECT_TRUE(std::filesystem::is_directory(file(name) / "nodes"));
    EXPECT_EQ(files_in(file(name)), 3U) << name;
  }
  EXPECT_EQ(files_in(folder()), 4U) << "new, a, empty, slash";
  EXPECT_EQ(std::filesystem::status(file("new")).permissions(), std::filesystem::status(file("empty")).permissions());
  put(file("taken"), "");
  std::filesystem::create_symlink("nowhere", file("link"));
  std::filesystem::create_directories(file("vacant/.gable-new-Ki11ed"));
  std::filesystem::create_symlink("vacant", file("to_vacant"));
  for (const char* name : {"new", "taken", "link", "to_vacant", "to_vacant/"})
    EXPECT_EQ(error_of([&] { result::write_new_folder(file(name), files); }),
              "'" + file(name).string() + "' is there already: name a new folder");
  EXPECT_NE(error_of([&] { result::write_new_folder(file("taken/new"), files); }).find("Not a directory"),
            std::string::npos);
  EXPECT_NE(error_of([&] { result::write_new_folder(file("vacant"), {{"a", ""}, {"no/b", ""}}); }), "") << "no folder";
  EXPECT_EQ(files_in(file("vacant")), 1U) << "a is undone, what another program left stays";
  result::write_new_folder(file("vacant"), files);
  const mode_t before = ::umask(0);
  testing::internal::CaptureStderr();
  result::write_new_folder(file("open"), files);
  ::umask(before);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gable: any user may write to " + file("open").string() + ", and replace what is written there\n");
}

/// Eight programs, of two kinds, make a folder at the same moment, and get these messages.
std::vector<std::string> made_at_once(const std::function<std::filesystem::path(int)>& folder_of_program) {
  std::vector<std::string> messages(8);
  std::latch together(8);
  std::vector<std::jthread> programs;
  for (int own = 0; own < 8; ++own)
    programs.emplace_back([&, own] {
      result::NamedTexts files{{own % 2 ? "lab" : "report", std::to_string(own)}};
      for (const char* name : {"a", "b", "c", "d"}) files.emplace_back(name, std::to_string(own));
      together.arrive_and_wait();
      messages[own] = error_of([&] { result::write_new_folder(folder_of_program(own), files); });
    });
  programs.clear();
  return messages;
}

/// In an empty folder and in none one wins, alone; folders on the way are made once, for all.
TEST_F(Store, OneOfManyMakesAFolder) {
  for (int trial = 0; trial < 20; ++trial) {
    const auto made = file(std::to_string(trial));
    if (trial % 2) std::filesystem::create_directory(made);
    const auto messages = made_at_once([&](int) { return made; });
    const auto winner = std::ranges::find(messages, "") - messages.begin();
    EXPECT_EQ(std::ranges::count(messages, "'" + made.string() + "' is there already: name a new folder"), 7);
    EXPECT_EQ(files_in(made), 5U);
    for (const auto& entry : std::filesystem::directory_iterator(made))
      EXPECT_EQ(content(entry.path()), std::to_string(winner)) << entry.path();
  }
  const auto on_the_way = made_at_once([&](int own) { return file("on/the/way") / std::to_string(own); });
  EXPECT_EQ(on_the_way, std::vector<std::string>(8));
}

TEST_F(Store, KeepsTheModeOfAnExistingFileAndTheLinkToIt) {
  const auto path = file("result.json");
  put(path, "old");
  ::chmod(path.c_str(), 0640);
  std::filesystem::create_symlink("result.json", file("link.json"));
  result::write_file_atomically(file("link.json"), "new");
  EXPECT_EQ(content(path), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(file("link.json")));
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

/// A program of root's that anybody may write to: what another user's file with such a mode would become.
TEST_F(Store, TakesNoModeThatHarms) {
  const auto path = file("result.json");
  const auto mode_after = [&](uid_t owner, gid_t group, mode_t mode) -> mode_t {
    put(path, "old");
    if (::chown(path.c_str(), owner, group) != 0 || ::chmod(path.c_str(), mode) != 0) return 0;
    result::write_file_atomically(path, "new");
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_gid, owner == ::geteuid() ? group : ::getegid()) << "its own group may read it, and no other";
    std::filesystem::remove(path);
    return info.st_mode & 07777U;
  };
  EXPECT_EQ(mode_after(::geteuid(), ::getegid(), 06755), 0755U);
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  EXPECT_EQ(mode_after(0, 54321, 0640), 0640U);
  EXPECT_EQ(mode_after(54321, 54321, 06777) & 06002U, 0U);
}

TEST_F(Store, DoesNotReplaceWhatCameMeanwhile) {
  put(file("r.json"), "of another program");
  EXPECT_EQ(error_of([&] { result::write_file_atomically(file("r.json"), "new", false); }),
            "cannot write " + file("r.json").string() + ": File exists");
  EXPECT_EQ(content(file("r.json")), "of another program");
  EXPECT_EQ(files(), 1U);
}

/// In bytes it is nearly as long as a name may be, in letters it is not.
TEST_F(Store, WritesALongNameOfOtherLetters) {
  std::string name;
  while (name.size() < 240) name += "\xE0\xB8\x81";
  EXPECT_EQ(error_of([&] { result::write_file_atomically(file(name), "new"); }), "");
}

TEST_F(Store, SaysEarlyWhatCannotBeWritten) {
  EXPECT_EQ(error_of([&] { result::check_writable(file("good.json")); }), "");
  EXPECT_FALSE(std::filesystem::exists(file("good.json")));
  EXPECT_EQ(error_of([&] { result::check_writable(file("no/such/x.json")); }),
            "cannot write " + file("no/such/x.json").string() + ": there is no folder " + file("no/such").string());
  EXPECT_EQ(error_of([&] { result::check_writable(folder()); }), "cannot write " + folder().string() + ": not a file");
  EXPECT_EQ(error_of([] { result::check_writable("/dev/full"); }), "cannot write /dev/full: not a file");
  EXPECT_NE(error_of([] { result::check_writable(""); }), "");
}

TEST_F(Store, RefusesWhatIsNoResultInOneLine) {
  const std::vector<std::pair<std::string, std::string>> texts{
      {"", "not valid JSON"},
      {"{\"schema_version\": \"1.0\", \"build\": {", "line 1, column"},
      {std::string("\x00\xff\xfe\x7f"
                   "ELF\n\n\x01",
                   10),
       "not valid JSON"},
      {std::string(1000000, '['), "nested more than 100 deep"},
      {"[1e999]", "not valid JSON"},
      {"\"" + std::string(100000, 'y'), "not valid JSON"},
      {"{}", "no schema_version"},
      {"null", "no schema_version"}};
  for (const auto& [text, problem] : texts) {
    put(file("bad.json"), text);
    const auto message = error_of([&] { result::load(file("bad.json")); });
    EXPECT_TRUE(message.starts_with(file("bad.json").string() + ": ")) << message;
    EXPECT_NE(message.find(problem), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 400U);
  }
}

TEST_F(Store, DeepNestingIsReadWithoutExhaustingTheStack) {
  put(file("deep.json"), std::string(2000000, '[') + std::string(2000000, ']'));
  EXPECT_NE(error_of([&] { result::load(file("deep.json")); }), "");
}

TEST_F(Store, UnreadableFilesAreNamed) {
  EXPECT_EQ(error_of([&] { result::load(file("none.json")); }),
            "cannot read " + file("none.json").string() + ": No such file or directory");
  EXPECT_EQ(error_of([&] { result::load(folder()); }), "cannot read " + folder().string() + ": not a file");
  EXPECT_EQ(error_of([] { result::load("/dev/zero"); }), "cannot read /dev/zero: not a file");
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { result::load(file("pipe")); }), "cannot read " + file("pipe").string() + ": not a file");
  const auto huge = file("huge.json");
  put(huge, "{");
  std::filesystem::resize_file(huge, std::uintmax_t{600} << 20);
  EXPECT_EQ(error_of([&] { result::load(huge); }), "cannot read " + huge.string() + ": larger than 512 MiB");
}

/// What is written row by row is what the whole document would be.
TEST_F(Store, TextIsThatOfTheDocument) {
  Result without_rows;
  without_rows.notes = {"a\nb", "caf\xe9", "\xc3\xbc \"quoted\" \\ \t \x7f", ""};
  without_rows.run.resumed = -3;
  Result without_curves = test::full_result();
  without_curves.curves.clear();
  without_curves.points.at(0).time.value = 1.0 / 3;
  without_curves.points.at(0).bound_s = std::numeric_limits<double>::quiet_NaN();
  for (const Result& result : {test::full_result(), without_curves, without_rows, Result{}})
    EXPECT_EQ(result::to_text(result), dump_json(result::to_json(result), 1) + "\n");
}

/// Figures of rows are written without a document between, in the form that documents have.
TEST_F(Store, NumbersHaveTheFormOfTheDocument) {
  auto result = test::full_result();
  auto& samples = result.points.at(0).time.samples;
  samples = {0.0,
             -0.0,
             1.0,
             -1.0,
             1e15,
             1e15 - 1,
             1e15 + 1,
             123456789012345.0,
             9007199254740993.0,
             1e22,
             1e23,
             5e-324,
             0.1,
             1.0 / 3,
             2.5,
             1e-5,
             100.0,
             std::numeric_limits<double>::max(),
             -1e300,
             std::numeric_limits<double>::infinity()};
  std::mt19937_64 random(1);
  for (int bits = 0; bits < 53; ++bits) {
    for (int i = 0; i < 200; ++i) samples.push_back(static_cast<double>(random() & ((std::uint64_t{2} << bits) - 1)));
  }
  EXPECT_EQ(result::to_text(result), dump_json(result::to_json(result), 1) + "\n");
}

/// Large results are written piece by piece.
TEST_F(Store, AResultOfManyRowsIsWhole) {
  auto result = test::full_result();
  result.points.assign(3000, result.points.at(0));
  result::save(result, file("result.json"));
  const std::string text = content(file("result.json"));
  EXPECT_GT(text.size(), std::size_t{3} << 20);
  EXPECT_EQ(text, dump_json(result::to_json(result), 1) + "\n");
}

/// The place of the limit had another argument once, for which empty braces were written.
TEST_F(Store, EmptyBracesAreTheUsualLimitAndANumberIsNone) {
  static_assert(!std::is_convertible_v<std::size_t, result::SizeLimit>);
  result::save(test::full_result(), file("result.json"), {});
  EXPECT_EQ(content(file("result.json")), result::to_text(test::full_result()));
}

TEST_F(Store, WhatCouldNotBeReadAgainIsNotWritten) {
  put(file("result.json"), "precious");
  auto result = test::full_result();
  result.points.assign(3000, result.points.at(0));
  EXPECT_EQ(error_of([&] { result::save(result, file("result.json"), result::SizeLimit{std::size_t{2} << 20}); }),
            file("result.json").string() + " is not written: files over 2 MiB are not read again, and it would be one");
  EXPECT_EQ(content(file("result.json")), "precious");
  EXPECT_EQ(files(), 1U) << "nothing half written stays";
}

TEST_F(Store, AnotherFormatIsRefusedNamingFileAndVersions) {
  auto json = result::to_json(test::full_result());
  json["schema_version"] = "2.0";
  put(file("new.json"), json.dump());
  EXPECT_EQ(
      error_of([&] { result::load(file("new.json")); }),
      file("new.json").string() + ": result of format 2.0, written by gable 0.1.0: this gable reads format 1.0 only");
}

TEST_F(Store, TextThatIsNotUtf8IsStillWritten) {
  auto result = test::full_result();
  result.run.command_line = {"gable", "caf\xe9"};
  result::save(result, file("result.json"));
  EXPECT_EQ(result::load(file("result.json")).run.command_line.at(1), "caf\xef\xbf\xbd");
}

}  // namespace
}  // namespace gable
