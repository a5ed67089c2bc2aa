// Candidates ranked by the bounds of stated work, as users ask it: figures by hand from the devices' peaks and
// bandwidths.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/result/store.hpp"
#include "machines.hpp"
#include "program.hpp"

namespace gable::test {
namespace {

using nlohmann::json;

/// X1 and X2 have 10 Tflop/s in fp32, 1 and 2 TB/s.
void save_tender(const Folder& folder) {
  const auto device = [](const std::string& name, const std::string& byte_per_s) {
    return R"({"name": ")" + name + R"(", "memory_type": "HBM9", "memory_byte": 1e12, "memory_byte_per_s": )" +
           byte_per_s +
           R"(, "source": "our tender", "peaks": [{"dtype": "fp32", "unit": "vector", "peak_flop_per_s": 1e13}]})";
  };
  write_text(folder / "mine.json",
             R"({"devices": [)" + device("Tender X1", "1e12") + ", " + device("Tender X2", "2e12") + "]}");
  write_text(folder / "ours.json", R"({"triad": 1, "gemm": 1})");
  write_text(folder / "suite.json", R"({"schema": 1, "name": "s", "summary": "s", "operators": [
    {"name": "triad", "params": ["n=1000000"], "dtypes": ["fp32"]}]})");
}

Outcome rank(const Folder& folder, std::vector<std::string> words) {
  words.insert(words.end(), {"--devices-file", "mine.json"});
  return compare(folder, words);
}

/// Twice as fast in triad, level in a product of 2048: sqrt(2), and so B has to reach 1 / sqrt(2) of its bounds.
TEST(Compare, CandidatesThatNobodyMeasuredAreRankedByTheBoundsOfAWorkload) {
  Folder folder;
  save_tender(folder);
  const std::vector<std::string> question{"Tender X1", "Tender X2", "--workload", "ours.json"};
  const auto run = rank(folder, question);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("B (Tender X2) has the most performance, 1.41 times that of A, by the bounds of"))
      << run.out;
  EXPECT_TRUE(says(run, "nobody measured")) << run.out;
  EXPECT_TRUE(says(run, "weighted by name")) << run.out;
  auto words = question;
  words.emplace_back("--json");
  const json answer = json::parse(rank(folder, words).out);
  EXPECT_EQ(answer["workload"]["name"], "ours.json");
  EXPECT_NEAR(answer["means"][0]["ratio"]["value"], std::sqrt(2), 1e-12);
  EXPECT_EQ(answer["operators"][0]["figures"][0]["bound"], true);
  const json ranking = answer["ranking"];
  EXPECT_EQ(ranking["decision"]["best"], 1);
  EXPECT_EQ(ranking["decision"]["decided"], true);
  for (const json& one : ranking["break_evens"]) {
    if (one["assumption"] == "efficiency" && one["subject"] == 1) {
      EXPECT_EQ(one["now"], 1);
      EXPECT_NEAR(one["turns_at"], std::sqrt(0.5), 1e-12);
    }
  }
  words.insert(words.end(), {"--capital", "1000,2000", "--power", "100,100", "--years", "1", "--tariff", "0"});
  const json cost = json::parse(rank(folder, words).out)["total_cost"];
  EXPECT_EQ(cost["decision"]["best"], 0) << "twice the price for 1.41 times the performance";
  EXPECT_NEAR(cost["devices"][1]["performance_per_cost_vs_baseline"]["value"], std::sqrt(0.5), 1e-12);
}

/// The file reaches 90 % of its memory: 12 MB at 1 TB/s take 12 us / 0.9, and at its own 10 GB/s ±1 % 1.2 ms / 0.9.
TEST(Compare, WhatAMeasuredMachineReachesOfItsBoundsIsAssumedOfTheOthers) {
  Folder folder;
  save_tender(folder);
  result::save(machine("Slow", 1, 1), folder / "a.json");
  const std::vector<std::string> question{"a.json", "Tender X1", "--workload", "suite.json", "--efficiency", "Slow"};
  const auto run = rank(folder, question);
  EXPECT_TRUE(says(run, "at the efficiency of A")) << run.out << run.err;
  auto words = question;
  words.emplace_back("--json");
  const json answer = json::parse(rank(folder, words).out);
  EXPECT_EQ(answer["workload"]["efficiency_of"], 0);
  EXPECT_EQ(answer["workload"]["efficiency"][0]["class"], "streams");
  EXPECT_NEAR(answer["workload"]["efficiency"][0]["median"], 0.9, 1e-12);
  const json figures = answer["operators"][0]["figures"];
  EXPECT_NEAR(figures[0]["value"], 1.2e-3 / 0.9, 1e-12);
  EXPECT_NEAR(figures[0]["high"], 1.2e-3 / 0.9 / 0.99, 1e-12);
  EXPECT_NEAR(figures[1]["value"], 12e-6 / 0.9, 1e-14);
  EXPECT_EQ(figures[1]["ratio"]["difference"], "beyond_these_runs") << "100 (99…101), one run of A";
  EXPECT_NEAR(figures[1]["ratio"]["value"], 100, 1e-9);
}

/// Points of a file are work for others, each once, and what a census counts weighs by its time.
TEST(Compare, AWorkloadIsAlsoTheWorkOfAResultOrACensus) {
  Folder folder;
  save_tender(folder);
  Result measured = machine("Slow", 1, 1);
  measured.points.push_back(measured.points[0]);
  measured.points[1].id = "again";
  measured.points[1].implementation = "other";
  result::save(measured, folder / "a.json");
  const auto operators = [&](const char* workload) {
    return json::parse(rank(folder, {"Tender X1", "Tender X2", "--workload", workload, "--json"}).out);
  };
  const json points = operators("a.json");
  ASSERT_EQ(points["operators"].size(), 1u);
  EXPECT_NEAR(points["operators"][0]["figures"][0]["value"], 1e-3, 1e-12) << "1 GB";
  write_text(folder / "census.csv", "m,n,k,count\n2048,2048,2048,1\n1,4096,4096,100\n");
  const json census = operators("census.csv");
  EXPECT_EQ(census["means"][0]["weights"], "time");
  EXPECT_EQ(census["operators"].size(), 2u);
}

TEST(Compare, AWorkloadThatCannotRankIsOneLine) {
  Folder folder;
  save_tender(folder);
  result::save(machine("Slow", 1, 1), folder / "a.json");
  result::save(machine("Slow", 1, 2), folder / "again.json");
  write_text(folder / "bad.json", R"({"gemmm": 1})");
  write_text(folder / "text.json", "work");
  const auto refused = [&](std::vector<std::string> words, const std::string& culprit) {
    const auto run = rank(folder, std::move(words));
    EXPECT_EQ(run.code, 2) << culprit;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(culprit), std::string::npos) << run.err;
  };
  refused({"a.json", "Tender X1", "--efficiency", "A"}, "--efficiency goes with --workload");
  refused({"a.json", "Tender X1", "--batch", "4"}, "--batch goes with --workload");
  refused({"a.json", "Tender X1", "--workload", "ours.json", "--efficiency", "B"},
          "no operator of Tender X1 was measured");
  refused({"a.json", "Tender X1", "--workload", "ours.json", "--efficiency", "C"}, "'C' is none of A (Slow)");
  refused({"a.json", "Tender X1", "--workload", "none.json"}, "no suite and no file 'none.json'");
  refused({"a.json", "Tender X1", "--workload", "bad.json"}, "gemmm");
  refused({"a.json", "Tender X1", "--workload", "text.json"}, "text.json: not valid JSON");
  refused({"a.json", "Tender X1", "--workload", "ours.json", "--weights", "time"}, "exclude each other");
  refused({"a.json", "again.json", "--workload", "ours.json"}, "these are runs of one");
}

/// A decode step of 3 layers is bound by bytes: twice the bandwidth, half of the time. Its 0.3 MB fit both.
TEST(Compare, AModelIsAWorkload) {
  Folder folder;
  save_tender(folder);
  write_text(folder / "small.json", R"({"models": [{"name": "Small", "layers": 3, "width": 64, "heads": 4,
    "kv_heads": 2, "head_width": 16, "feed_forward": 128, "gated": true, "vocabulary": 100, "context": 64}]})");
  const std::vector<std::string> question{"Tender X1", "Tender X2", "--workload",    "small",      "--batch", "2",
                                          "--context", "32",        "--models-file", "small.json", "--json"};
  const auto run = rank(folder, question);
  ASSERT_EQ(run.code, 0) << run.err;
  const json answer = json::parse(run.out);
  EXPECT_EQ(answer["workload"]["name"], "a decode step of Small at batch 2 and context 32");
  EXPECT_NEAR(answer["means"][0]["ratio"]["value"], 2, 1e-9);
  EXPECT_EQ(answer["means"][0]["weights"], "time");
  EXPECT_EQ(rank(folder, {"Tender X1", "Tender X2", "--workload", "ours.json", "--batch", "2"}).code, 2);
}

/// 70.6e9 weights of 2 byte: a T4 has 16 GB, an L4 24 GB, an H200 141 GB and costs forty times as much.
TEST(Compare, WhatDoesNotHoldAModelIsNotRanked) {
  Folder folder;
  const auto run = compare(folder, {"T4", "H200 SXM 141GB", "--workload", "Llama-3-70B", "--price", "0.1,4"});
  const std::string first = run.out.substr(0, run.out.find('\n'));
  EXPECT_TRUE(
      first.starts_with("B (H200 SXM 141GB) has the most performance for the price of an hour of those whose "
                        "memory holds the work (A does not), by"))
      << first << run.err;
  const auto none = compare(folder, {"T4", "L4", "--workload", "Llama-3-70B"});
  EXPECT_TRUE(
      none.out.starts_with("Nothing is decided: a decode step of Llama-3-70B at batch 1 and context 4096 does "
                           "not fit the memory of any subject."))
      << none.out << none.err;
}

TEST(Compare, AModelsWorkloadIsRefusedWhereThePlanRefusesIt) {
  Folder folder;
  const auto refused = [&](std::vector<std::string> words, const std::string& culprit) {
    words.insert(words.begin(), {"MI300X", "H200 SXM 141GB", "--workload", "Llama-3-8B"});
    const auto run = compare(folder, words);
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find(culprit), std::string::npos) << run.err;
  };
  refused({"--dtype", "int8"}, "int8");
  refused({"--batch", "4000000000"}, "batch must be from 1 to");
}

}  // namespace
}  // namespace gable::test
