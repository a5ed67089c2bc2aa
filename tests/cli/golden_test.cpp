// The JSON of answers keeps its keys and values: each file of golden/ holds the words of a command and what it answered
// from the inputs beside it. An intended change rewrites the file from the new answer and has a line in the changelog.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.hpp"

namespace gable::test {
namespace {

using nlohmann::json;
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

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, AnswerIsAsBefore) {
  const fs::path folder = GABLE_GOLDEN_FOLDER;
  const json golden = json::parse(read_text(folder / (GetParam() + ".json")));
  auto words = golden["words"].get<std::vector<std::string>>();
  words.emplace_back("--json");
  const auto run = gable(words, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder / "inputs");
  ASSERT_LE(run.code, 1) << run.err;
  const json answer = json::parse(run.out);
  EXPECT_TRUE(alike(golden["answer"], answer)) << json::diff(golden["answer"], answer).dump(2);
}

INSTANTIATE_TEST_SUITE_P(Answers, Golden, testing::ValuesIn(names()), [](const auto& test) { return test.param; });

}  // namespace
}  // namespace gable::test
