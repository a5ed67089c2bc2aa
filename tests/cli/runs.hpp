#pragma once
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <sstream>
#include <thread>
#include <utility>

#include "program.hpp"

namespace gable::test {

inline Environment fake(Environment more = {}) {
  more["GABLE_WORKER_PATH"] = GABLE_FAKE_WORKER_FOLDER;
  return more;
}

inline json load(const std::filesystem::path& path) { return json::parse(read_text(path)); }

/// A folder to measure in, by the worker that stands in for hardware.
class Runs : public testing::Test {
 protected:
  Outcome calibrate(Environment more = {}) const {
    return gable({"calibrate", "--output", "r.json"}, fake(std::move(more)), folder_.path());
  }
  Outcome resume(Environment more = {}) const {
    return gable({"calibrate", "--resume", "r.json"}, fake(std::move(more)), folder_.path());
  }
  json told() const { return load(folder_ / "r.json"); }

  Folder folder_;
};

inline const json* find_row(const json& result, const std::string& id) {
  for (const auto& row : result["ceilings"]) {
    if (row["id"] == id) return &row;
  }
  return nullptr;
}

inline std::vector<std::string> logged(const std::filesystem::path& log) {
  std::vector<std::string> found;
  std::istringstream text(read_text(log));
  for (std::string line; std::getline(text, line);) found.push_back(line);
  return found;
}

/// Waits until the file has at least that many lines.
inline bool wait_for_lines(const std::filesystem::path& path, int count) {
  for (int i = 0; i < 500; ++i) {
    if (lines(read_text(path)) >= count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

inline int notes_with(const json& result, const std::string& words) {
  int count = 0;
  for (const json& note : result["notes"]) {
    if (note.get<std::string>().find(words) != std::string::npos) ++count;
  }
  return count;
}

/// Waits until the file contains the text: the parent journals an item shortly after the worker went on to the next.
inline bool wait_for_text(const std::filesystem::path& path, const std::string& text) {
  for (int i = 0; i < 500; ++i) {
    if (read_text(path).find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

inline constexpr const char* five_items =
    "ceiling/compute/vector/fp64/a ceiling/compute/vector/fp64/b ceiling/compute/vector/fp64/c "
    "ceiling/compute/vector/fp64/d ceiling/compute/vector/fp64/e";

inline constexpr int rounds = 3;  // of a quick run
const std::string noisy_peak = "ceiling/compute/vector/fp64/noisy", other_noisy = "ceiling/compute/vector/int8/noisy";

}  // namespace gable::test
