// `gable health` as a scheduler calls it: silent when the node is well, one line a fault otherwise.
#include <gtest/gtest.h>

#include "program.hpp"

namespace gable::test {
namespace {

constexpr const char* two_items =
    "ceiling/bandwidth/DRAM/triad/ordinary/sustained ceiling/compute/vector/fp64/burst "
    "ceiling/compute/vector/fp32/burst/throw";

class Health : public testing::Test {
 protected:
  void SetUp() override {
    const auto measured = gable({"calibrate", "--output", "ref.json"}, environment({}), folder_.path());
    ASSERT_NE(measured.code, 2) << measured.err;
    reference_ = json::parse(read_text(folder_ / "ref.json"));
  }
  static Environment environment(Environment more) {
    more.emplace("GABLE_FAKE_ITEMS", two_items);
    more["GABLE_WORKER_PATH"] = GABLE_FAKE_WORKER_FOLDER;
    return more;
  }
  Outcome health(std::vector<std::string> more = {}, Environment extra = {}) const {
    std::vector<std::string> words{"health", "--against", "ref.json"};
    words.insert(words.end(), more.begin(), more.end());
    return gable(words, environment(std::move(extra)), folder_.path());
  }
  /// The reference with its bandwidths multiplied.
  void scale_reference(double factor) const {
    json result = reference_;
    result["run"]["started_at"] = "2026-01-01T00:00:00Z";
    for (auto& row : result["ceilings"]) {
      if (row["kind"] != "bandwidth") continue;
      for (const char* key : {"value", "ci_low", "ci_high", "median", "median_ci_low", "median_ci_high"})
        if (row.contains(key)) row[key] = row[key].get<double>() * factor;
    }
    write_text(folder_ / "ref.json", result.dump());
  }

  Folder folder_;
  json reference_;
};

TEST_F(Health, AWellNodeIsSilent) {
  const auto well = health();
  EXPECT_EQ(well.code, 0) << well.out << well.err;
  EXPECT_EQ(well.out + well.err, "");
  EXPECT_NE(health({"--verbose"}).out.find("triad"), std::string::npos);
  scale_reference(0.5);  // twice as fast as it was: no fault
  EXPECT_EQ(health().code, 0);
}

TEST_F(Health, EachFaultIsALine) {
  scale_reference(2);
  const auto slow = health();
  EXPECT_EQ(slow.code, 1) << slow.err;
  EXPECT_EQ(lines(slow.out), 1) << slow.out;
  EXPECT_NE(slow.out.find("gable health: openmp/bandwidth"), std::string::npos) << slow.out;
  EXPECT_NE(slow.out.find("50.0 % of the reference's speed"), std::string::npos) << slow.out;
  EXPECT_EQ(health({"--tolerance", "60%"}).code, 0);
}

TEST_F(Health, WhatDiesOrHangsIsAFault) {
  const auto dead = health({}, {{"GABLE_FAKE_OPEN", "openmp=abort"}});
  EXPECT_EQ(dead.code, 1) << dead.out << dead.err;
  EXPECT_EQ(lines(dead.out), 1) << dead.out;
  const auto slow = health({"--limit", "1"}, {{"GABLE_FAKE_SLOW", "5"}});
  const bool is_busy = slow.out.find("; load ") != std::string::npos;  // where the tests themselves run beside others
  EXPECT_EQ(slow.code, is_busy ? 3 : 1) << slow.out << slow.err;
  EXPECT_NE(slow.out.find("not done within 1 s"), std::string::npos) << slow.out;
  const auto gone = health({}, {{"GABLE_FAKE_DEVICES", "cuda:0"}});
  EXPECT_EQ(gone.code, 1) << gone.out << gone.err;
}

TEST_F(Health, ARowWithoutAFigureIsAFault) {
  json result = reference_;
  result["run"]["mode"] = "full";
  json read = result["ceilings"][0];
  read["access"] = "read";
  read["stores"] = "none";
  read["id"] = "ceiling/bandwidth/DRAM/read/sustained";
  result["ceilings"].push_back(read);
  write_text(folder_ / "ref.json", result.dump());
  const auto lacking = health();
  EXPECT_EQ(lacking.code, 1) << lacking.out << lacking.err;
  EXPECT_EQ(lines(lacking.out), 1) << lacking.out;
  EXPECT_NE(lacking.out.find("read"), std::string::npos) << lacking.out;
}

/// A scheduler takes a node out of service for a fault. Other work on it is none, and what is slow beside it may be
/// slow for that reason.
TEST_F(Health, WhatOtherWorkLeftWithoutAFigureIsNotJudged) {
  json result = reference_;
  json read = result["ceilings"][0];
  read["access"] = "read";
  read["stores"] = "none";
  read["id"] = "ceiling/bandwidth/DRAM/read/sustained/skip";
  result["ceilings"].push_back(read);
  reference_ = result;
  write_text(folder_ / "ref.json", result.dump());
  const std::string with_skipped = std::string(two_items) + " ceiling/bandwidth/DRAM/read/sustained/skip";
  const auto run = [&] {
    return gable({"health", "--against", "ref.json"},
                 {{"GABLE_FAKE_ITEMS", with_skipped}, {"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder_.path());
  };
  const auto busy = run();
  EXPECT_EQ(busy.code, 3) << busy.out << busy.err;
  EXPECT_EQ(lines(busy.out), 1) << busy.out;
  EXPECT_NE(busy.out.find("not judged, 1 of "), std::string::npos) << busy.out;
  EXPECT_NE(busy.out.find("no room"), std::string::npos) << busy.out;
  scale_reference(2);
  const auto slow = run();
  EXPECT_EQ(slow.code, 3) << slow.out;
  EXPECT_NE(slow.out.find("slow beside them"), std::string::npos) << slow.out;
}

/// A full disk is no slow node.
TEST_F(Health, AJournalThatCannotBeWrittenIsNoFault) {
  Running full({"/bin/sh", "-c", "ulimit -f 1 && exec '" GABLE_PROGRAM "' health --against ref.json"}, environment({}),
               folder_.path());
  const auto run = full.wait();
  EXPECT_EQ(run.code, 3) << run.out << run.err;
  EXPECT_TRUE(has(run.out, "health.journal") && has(run.out, "File too large")) << run.out;
}

/// The script for a scheduler takes a node out of service for exit code 1 alone.
TEST_F(Health, AReferenceOfAnotherMachineIsNoFault) {
  json other = reference_;
  other["devices"][0]["name"] = "Another device";
  write_text(folder_ / "ref.json", other.dump());
  expect_refusal(health(), "--against: it has openmp (Another device), and here is openmp (");
  for (const char* rows : {"ceilings", "points"})
    for (auto& row : other[rows]) row["device"] = "cuda:0";
  other["devices"][0]["id"] = "cuda:0";
  write_text(folder_ / "ref.json", other.dump());
  expect_refusal(health(), "it has cuda:0 (Another device)");
}

TEST_F(Health, BadInputIsOneLine) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"health"}, {"health", "--against", "none.json"}, {"health", "--against", "ref.json", "--limit", "0"}}) {
    const auto outcome = gable(words, environment({}), folder_.path());
    EXPECT_EQ(outcome.code, 2) << words.back();
    EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace gable::test
