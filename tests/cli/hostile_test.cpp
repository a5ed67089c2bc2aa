// What an attacker, a typing mistake or a mean machine gives the program: it answers in one line and loses nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "core/render/gnuplot.hpp"
#include "core/result/store.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {
namespace {

namespace fs = std::filesystem;

Result machine() {
  Result result = made_up_result("Fast");
  add_peak(result, DType::fp32, 1e11);
  add_memory(result, 1e10);
  add_point(result, "relu", 1e8, 1e9, 0.2);
  return result;
}

/// gable under limits of a shell: "ulimit -f 1".
Outcome limited(const std::string& limit, const std::string& arguments, const Folder& folder,
                const Environment& environment = {}) {
  Running running({"/bin/sh", "-c", limit + " && exec '" GABLE_PROGRAM "' " + arguments}, environment, folder.path());
  return running.wait();
}

/// Cron, daemons and scripts start programs without them: what is opened first must not take their numbers.
TEST(Descriptors, ThatTheCallerClosedCostNoRun) {
  Folder folder;
  const auto run = limited("exec 0<&- 1>&- 2>&-", "run --operator triad --dtype fp32 --output r.json", folder,
                           {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(result::load(folder / "r.json").run.complete);
}

/// A full disk under a log, and a caller that does not want to know how its children end.
TEST(Callers, CostNoPicture) {
  Folder folder;
  result::save(machine(), folder / "a.json");
  for (const char* given : {"exec 2>/dev/full", "trap '' CHLD"}) {
    const auto command = fmt::format("{} && exec '{}' report a.json --output a.svg", given, GABLE_PROGRAM);
    EXPECT_EQ(Running({"/bin/bash", "-c", command}, {{"TMPDIR", "/nowhere"}}, folder.path()).wait().code, 0) << given;
  }
}

bool safe(const std::string& text) {
  return std::ranges::none_of(text,
                              [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\n') || c == '\x7F'; });
}

std::string without_tabs(std::string text) {
  std::erase(text, '\t');
  return text;
}

TEST(HostileNames, ReachNoTerminalAndNoProgramRaw) {
  for (const std::string name :
       {"'quote.json", "esc\x1b[31m\a.json", "bad\xff.json", "=cmd.json", "a]]>b.json", "\"`id`\\n.json"}) {
    SCOPED_TRACE(name);
    Folder folder;
    Result result = machine();
    result.points[0].op = name;
    result::save(result, folder / name);
    result.run.hostname = "other";
    result::save(result, folder / "b.json");
    const auto drawn = gable({"report", name, "b.json", "--output", "r.svg"}, {}, folder.path());
    EXPECT_EQ(drawn.code, 0) << drawn.err;
    const std::string svg = read_text(folder / "r.svg");
    EXPECT_TRUE(safe(without_tabs(svg))) << "gnuplot indents by tabs; nothing else may be there";
    EXPECT_EQ(svg.find("]]>"), std::string::npos);
    EXPECT_EQ(svg.find('\x1b'), std::string::npos);
    EXPECT_EQ(svg.find('\xff'), std::string::npos);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"report", name}, {"validate", name}, {"compare", name, "b.json"}, {"explain", name}}) {
      const auto run = gable(words, {}, folder.path());
      EXPECT_LE(run.code, 1) << words[0] << run.err;
      EXPECT_TRUE(safe(run.out)) << words[0] << run.out;
      EXPECT_TRUE(safe(run.err)) << words[0] << run.err;
    }
    const auto lab = gable({"lab", "new", "lab" + name, name}, {}, folder.path());
    EXPECT_EQ(lab.code, 0) << lab.err;
    EXPECT_TRUE(safe(lab.out)) << lab.out;
    const auto gone = gable({"report", "no" + name}, {}, folder.path());
    EXPECT_EQ(gone.code, 2);
    EXPECT_TRUE(safe(gone.err)) << gone.err;
    const auto csv = gable({"report", name, "--table", "points"}, {}, folder.path());
    EXPECT_EQ(csv.out.find(",=cmd"), std::string::npos) << csv.out;
    const auto checked = gable({"check", name, "--against", "b.json", "--junit", "j.xml"}, {}, folder.path());
    EXPECT_LE(checked.code, 1) << checked.err;
    EXPECT_TRUE(safe(read_text(folder / "j.xml")));
  }
}

TEST(HostileLimits, AFileThatMayNotGrowIsOneLineAndLeavesNothing) {
  Folder folder;
  Result result = machine();
  result.notes.assign(4000, "a long note that makes the result larger than a few blocks");
  result::save(result, folder / "a.json");
  expect_refusal(limited("ulimit -f 8", "report a.json --output b.json", folder), "b.json");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "only a.json";
}

TEST(HostileLimits, ASmallStackIsEnoughForTheParent) {
  Folder folder;
  const auto run = limited("ulimit -Ss 128", "devices", folder, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}});
  EXPECT_EQ(run.code, 0) << run.err;
}

/// Exit code 1 is what the files say: a script takes such a node out of service.
TEST(HostileLimits, TooLittleMemoryIsNoVerdict) {
  Folder folder;
  write_text(folder / "a.json", "");
  fs::resize_file(folder / "a.json", 500 << 20);
  const auto run = limited("ulimit -v 400000", "health --against a.json", folder);
  if (has(run.err, "Sanitizer")) GTEST_SKIP() << "it needs address space of its own";
  expect_refusal(run, "internal error");
}

TEST(HostileFiles, AResultIsNotCalledATable) {
  Folder folder;
  for (const char* name : {"r.csv", "r.svg", "r.txt"}) {
    expect_refusal(gable({"run", "--output", name}, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder.path()),
                   name);
    EXPECT_FALSE(fs::exists(folder / name));
  }
}

TEST(HostileFiles, NestingIsLimited) {
  Folder folder;
  const std::string depth(2'000'000, '[');
  write_text(folder / "deep.json", depth);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"report", "deep.json"}, {"run", "--suite", "./deep.json"}, {"devices", "--devices-file", "deep.json"}}) {
    expect_refusal(gable(words, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder.path()),
                   "nested more than 100 deep");
  }
}

TEST(HostileFiles, AConfigThatIsAPipeDoesNotHang) {
  Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refusal(gable({"measure", "--config", "pipe"}, {}, folder.path()), "pipe");
}

TEST(HostileFiles, AWordOfAMillionLettersIsAShortLine) {
  Folder folder;
  write_text(folder / "census.csv", "m,n," + std::string(1'000'000, 'k') + "\n1,2,3\n");
  const auto run = gable({"run", "--census", "census.csv", "--list"}, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}},
                         folder.path());
  EXPECT_EQ(run.code, 2);
  EXPECT_LT(run.err.size(), 5000U);
  EXPECT_TRUE(has(run.err, "census.csv: line 1: unknown column 'kkk")) << run.err;
  EXPECT_TRUE(has(run.err, "kkk': known are m, n, k")) << run.err;
}

TEST(HostilePrograms, AGnuplotThatNeverEndsIsEnded) {
  Folder folder;
  for (const char* stops_its_keeper : {"", "sleep 0.3; kill -STOP $PPID\n"}) {
    write_text(folder / "gnuplot", fmt::format("#!/bin/sh\n{}exec sleep 60\n", stops_its_keeper));
    fs::permissions(folder / "gnuplot", fs::perms::owner_all);
    ::setenv("GABLE_GNUPLOT", (folder / "gnuplot").c_str(), 1);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW(render::run_gnuplot(folder / "none.gp", std::chrono::seconds(1)), Error);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    ::unsetenv("GABLE_GNUPLOT");
  }
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

/// A regex that takes stack by the letter dies of the first; what looks at a text once a word takes minutes for others.
TEST(HostileTexts, OfAMillionLettersCostNoMinutes) {
  const std::string word(100'000, 'x');
  for (const std::string& text : {repeated("7", 1'000'000), repeated("a b ", 250'000), repeated("a/", 500'000),
                                  repeated(word + ' ', 7), repeated("]]>", 300'000)}) {
    SCOPED_TRACE(text.substr(0, 8));
    Folder folder;
    Result result = machine();
    result.devices[0].name = text;
    result.points[0].status = Status::error;
    result.points[0].reason = text;
    result::save(result, folder / "a.json");
    result::save(machine(), folder / "b.json");
    const auto begin = std::chrono::steady_clock::now();
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"report", "a.json"},
                                               {"report", "a.json", "--output", "r.svg"},
                                               {"compare", "b.json", "a.json"},
                                               {"explain", "a.json"},
                                               {"validate", "a.json"},
                                               {"check", "a.json", "--against", "a.json"}}) {
      const auto run = gable(words, {}, folder.path());
      EXPECT_LE(run.code, 1) << words[0] << run.err;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  }
}

/// 100,000 lines of 20,000 shapes: three seconds in linear time, more than two minutes in quadratic time.
TEST(HostileFiles, ALongCensusIsReadInLinearTime) {
  Folder folder;
  {
    std::ofstream file(folder / "census.csv");
    file << "m,n,k,count\n";
    for (int i = 0; i < 100'000; ++i) file << i % 5000 + 1 << ",16," << i / 5000 % 4 + 1 << ",1\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto run = gable({"run", "--census", "census.csv", "--list"}, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}},
                         folder.path());
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace gable::test
