// The JSON of answers keeps its keys and values: each file of golden/ holds the words of a command and what it answered
// from the inputs beside it. With GABLE_UPDATE_GOLDEN in the environment the test writes the files anew that differ:
// look at what it changes. The other forms of the same answers are whole tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "program.hpp"

namespace gable::test {
namespace {

namespace fs = std::filesystem;

/// Another compiler's exp() and log() may differ in the last digits.
bool alike(const json& a, const json& b) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= 1e-9 * std::max(std::abs(x), std::abs(y));
  }
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), alike);
  if (!a.is_object()) return a == b;
  for (const auto& [key, value] : a.items()) {
    if (!b.contains(key) || !alike(value, b[key])) return false;
  }
  return true;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(GABLE_GOLDEN_FOLDER))
    if (entry.is_regular_file()) all.push_back(entry.path().stem().string());
  std::sort(all.begin(), all.end());
  return all;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  static Outcome answer(const std::string& name, const std::string& form) {
    const fs::path folder = GABLE_GOLDEN_FOLDER;
    auto words = json::parse(read_text(folder / (name + ".json")))["words"].get<std::vector<std::string>>();
    return gable(with(words, {"--format", form}), {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder / "inputs");
  }
};

/// Cells of a line of CSV, those in quotes without them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '"')
      cells.back() += c;
  }
  return cells;
}

TEST_P(Golden, EveryTableOfCsvHasColumnsOfDifferentNamesAndFullRows) {
  const auto run = answer(GetParam(), "csv");
  ASSERT_LE(run.code, 1) << run.err;
  std::istringstream lines(run.out);
  std::vector<std::string> header;
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("# ")) {
      header.clear();
      continue;
    }
    const auto cells = cells_of(line);
    if (header.empty()) {
      header = cells;
      EXPECT_EQ(std::set<std::string>(header.begin(), header.end()).size(), header.size()) << line;
      continue;
    }
    EXPECT_EQ(cells.size(), header.size()) << line;
    ++rows;
  }
  EXPECT_GT(rows, 0u) << run.out;
}

TEST_P(Golden, MarkdownIsTablesOrSentences) {
  const auto run = answer(GetParam(), "md");
  ASSERT_LE(run.code, 1) << run.err;
  std::istringstream lines(run.out);
  std::ptrdiff_t bars = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::ptrdiff_t here = line.starts_with('|') ? std::count(line.begin(), line.end(), '|') : 0;
    if (bars > 0 && here > 0) {
      EXPECT_EQ(here, bars) << line;
    }
    bars = here;
  }
  EXPECT_FALSE(run.out.empty());
}

TEST(Format, WhatIsNoFormIsRefusedAndTheCommandLineComesFirst) {
  Folder folder;
  write_text(folder / "json.cfg", "json = true\n");
  expect_refusal(gable({"suites", "--format", "xml"}), "xml");
  EXPECT_EQ(gable({"suites", "--json", "--format", "csv"}).code, 2);
  const auto csv = gable({"experiment", "--list", "--config", "json.cfg", "--format", "csv"}, {}, folder.path());
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_FALSE(csv.out.starts_with('{')) << csv.out;
}

TEST_P(Golden, AnswerIsAsBefore) {
  const fs::path folder = GABLE_GOLDEN_FOLDER, file = folder / (GetParam() + ".json");
  const json golden = json::parse(read_text(file));
  auto words = golden["words"].get<std::vector<std::string>>();
  words.emplace_back("--json");
  const auto run = gable(words, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder / "inputs");
  ASSERT_LE(run.code, 1) << run.err;
  const json answer = json::parse(run.out);
  if (std::getenv("GABLE_UPDATE_GOLDEN") && !alike(golden["answer"], answer)) {
    auto rewritten = nlohmann::ordered_json::parse(read_text(file));
    rewritten["answer"] = nlohmann::ordered_json::parse(run.out);
    write_text(file, rewritten.dump() + "\n");
    GTEST_SKIP() << file << " is written anew";
  }
  EXPECT_TRUE(alike(golden["answer"], answer))
      << json::diff(golden["answer"], answer).dump(2) << "\nIf it is intended: GABLE_UPDATE_GOLDEN=1 writes it anew.";
}

INSTANTIATE_TEST_SUITE_P(Answers, Golden, testing::ValuesIn(names()), [](const auto& test) { return test.param; });

}  // namespace
}  // namespace gable::test
