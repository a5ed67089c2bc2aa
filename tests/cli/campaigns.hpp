#pragma once
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "program.hpp"

namespace gable::test {

namespace fs = std::filesystem;

class Campaign : public testing::Test {
 protected:
  Outcome run(const std::vector<std::string>& words, Environment more = {}) const {
    return gable(with({"campaign"}, words), environment(std::move(more)), folder_.path());
  }
  static std::vector<std::string> program(const std::vector<std::string>& words) {
    return with({GABLE_PROGRAM, "campaign"}, words);
  }
  static Environment environment(Environment more) {
    more["GABLE_WORKER_PATH"] = GABLE_FAKE_WORKER_FOLDER;
    more["LC_ALL"] = "C.UTF-8";
    return more;
  }
  void init(std::vector<std::string> more = {}) const {
    const auto made = run(with({"init", "c", "--operator", "triad", "--params", "n=1000000", "--dtype", "fp32"}, more));
    ASSERT_EQ(made.code, 0) << made.err;
  }
  json measured_summary(const std::string& node) const {
    EXPECT_EQ(run({"run", "c", "--node", node}).code, 0);
    return json::parse(read_text(folder_ / ("c/nodes/" + node + ".summary.json")));
  }
  /// As if another node had measured it; the ending ".retest-1" makes it a second result.
  void write_summary(json summary, const std::string& node, const std::string& ending) const {
    summary["node"] = node;
    summary["retest"] = ending.empty() ? 0 : 1;
    write_text(folder_ / ("c/nodes/" + node + ending + ".summary.json"), summary.dump());
  }
  bool wait_for(const fs::path& path) const {
    for (int i = 0; i < 1500 && !fs::exists(path); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return fs::exists(path);
  }

  Folder folder_;
};

}  // namespace gable::test
