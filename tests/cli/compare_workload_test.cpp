// Candidates ranked by the bounds of stated work, as users ask it: figures by hand from the devices' peaks and
// bandwidths.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "core/result/store.hpp"
#include "machines.hpp"
#include "program.hpp"

namespace gable::test {
namespace {

/// X1 and X2 have 10 Tflop/s in fp32, 1 and 2 TB/s, and 300 W.
class CompareTender : public Compare {
 protected:
  CompareTender() {
    const auto device = [](const std::string& name, const std::string& byte_per_s) {
      return R"({"name": ")" + name + R"(", "memory_type": "HBM9", "memory_byte": 1e12, "memory_byte_per_s": )" +
             byte_per_s +
             R"(, "tdp_w": 300, "source": "our tender", "peaks": [{"dtype": "fp32", "unit": "vector", "peak_flop_per_s": 1e13}]})";
    };
    write_text(folder_ / "mine.json",
               R"({"devices": [)" + device("Tender X1", "1e12") + ", " + device("Tender X2", "2e12") + "]}");
    write_text(folder_ / "ours.json", R"({"triad": 1, "gemm": 1})");
    write_text(folder_ / "suite.json", R"({"schema": 1, "name": "s", "summary": "s", "operators": [
    {"name": "triad", "params": ["n=1000000"], "dtypes": ["fp32"]}]})");
  }
  Outcome rank(const std::vector<std::string>& words) const {
    return compare(with(words, {"--devices-file", "mine.json"}));
  }
  json ranked(const std::vector<std::string>& words) const {
    return compared(with(words, {"--devices-file", "mine.json"}));
  }
};

/// Twice as fast in triad, level in a product of 2048: sqrt(2), and so B has to reach 1 / sqrt(2) of its bounds.
TEST_F(CompareTender, CandidatesThatNobodyMeasuredAreRankedByTheBoundsOfAWorkload) {
  const std::vector<std::string> question{"Tender X1", "Tender X2", "--workload", "ours.json"};
  const auto run = rank(question);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(
      run.out.starts_with("B (Tender X2) has the most performance, 1.41 times that of A, by the geometric mean of the "
                          "bounds of ours.json alone"))
      << run.out;
  EXPECT_TRUE(says(run, "nobody measured")) << run.out;
  EXPECT_TRUE(says(run, "weighted by name")) << run.out;
  const json answer = ranked(question);
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
  const json cost = ranked(
      with(question, {"--capital", "1000,2000", "--power", "100,100", "--years", "1", "--tariff", "0"}))["total_cost"];
  EXPECT_EQ(cost["decision"]["best"], 0) << "twice the price for 1.41 times the performance";
  EXPECT_NEAR(cost["devices"][1]["performance_per_cost_vs_baseline"]["value"], std::sqrt(0.5), 1e-12);
}

/// `result`, of a machine whose vendor prints twice what was measured: 20 GB/s and 200 Gflop/s.
Result with_datasheet(Result result) {
  for (const auto& [name, dtype, value] :
       {std::tuple{"DRAM", std::optional<DType>(), 2e10}, std::tuple{"vector", std::optional(DType::fp32), 2e11}}) {
    TheoreticalPeak& peak = result.devices.front().peaks.emplace_back();
    peak.name = name;
    peak.dtype = dtype;
    peak.value = value;
    peak.source = "made up";
  }
  return result;
}

/// 12 MB. The file reaches 90 % of the 10 GB/s that were measured, and so 45 % of the 20 GB/s that its vendor prints:
/// the others, of which 1 TB/s is printed, take 12 us / 0.45, and itself 1.2 ms / 0.9. That is a ratio of datasheets.
TEST_F(CompareTender, WhatAMeasuredMachineReachesOfItsDatasheetIsAssumedOfTheOthers) {
  result::save(with_datasheet(machine("Slow", 1, 1)), folder_ / "a.json");
  const std::vector<std::string> question{"a.json", "Tender X1", "--workload", "suite.json", "--efficiency", "Slow"};
  const auto run = rank(question);
  EXPECT_TRUE(says(run, "at the efficiency of A")) << run.out << run.err;
  EXPECT_TRUE(says(run, "of its own, A and B by datasheets,")) << run.out;
  const json answer = ranked(question);
  EXPECT_EQ(answer["workload"]["efficiency_of"], 0);
  EXPECT_EQ(answer["workload"]["efficiency"][0]["class"], "streams");
  EXPECT_NEAR(answer["workload"]["efficiency"][0]["median"], 0.45, 1e-12);
  const json figures = answer["operators"][0]["figures"];
  EXPECT_NEAR(figures[0]["value"], 1.2e-3 / 0.9, 1e-12);
  EXPECT_NEAR(figures[1]["value"], 12e-6 / 0.45, 1e-14);
  EXPECT_NEAR(figures[1]["ratio"]["value"], 50, 1e-9);
  result::save(machine("Other", 1, 1), folder_ / "none.json");
  const auto none = rank({"none.json", "Tender X1", "--workload", "suite.json", "--efficiency", "A"});
  EXPECT_TRUE(says(none, "at the efficiency of A (datasheets beside")) << none.out << none.err;
  EXPECT_TRUE(says(none, "The datasheet of Other is not known")) << none.out;
  EXPECT_TRUE(
      none.out.starts_with("Not decided: B (Tender X1) has the most performance, but it cannot be compared with A "
                           "(A's efficiency is of its measured roofs, and is assumed of a datasheet),"))
      << none.out;
}

/// Of two measured machines one without operators: 90 % of its own 20 GB/s, with the interval of that roof.
TEST_F(CompareTender, AmongMeasuredMachinesTheEfficiencyIsOfMeasuredRoofs) {
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  Result ceilings = machine("Fast", 2, 1);
  ceilings.points.clear();
  result::save(ceilings, folder_ / "b.json");
  const json answer = ranked({"a.json", "b.json", "--workload", "suite.json", "--efficiency", "A"});
  const json figures = answer["operators"][0]["figures"];
  EXPECT_NEAR(figures[0]["value"], 1.2e-3 / 0.9, 1e-12);
  EXPECT_NEAR(figures[0]["high"], 1.2e-3 / 0.9 / 0.99, 1e-12);
  EXPECT_NEAR(figures[1]["value"], 0.6e-3 / 0.9, 1e-12);
  EXPECT_EQ(figures[1]["ratio"]["difference"], "beyond_these_runs") << "2 (1.96…2.04), one run each";
}

/// The H200 that was measured, and the H200 of the catalogue.
TEST_F(Compare, OneCardMeasuredAndUnmeasuredIsLevelAtItsOwnEfficiency) {
  const std::string h200 = GABLE_MEASURED_FOLDER "/nvidia-h200-operators.json";
  std::vector<std::string> words{h200,      "H200 SXM 141GB", "--workload",   "procurement",
                                 "--dtype", "bf16,fp32",      "--efficiency", "A"};
  const auto run = compare(words);
  EXPECT_TRUE(says(run, "but it is level with")) << run.out << run.err;
  const json answer = compared(words);
  EXPECT_NEAR(answer["means"][0]["ratio"]["value"], 1, 1e-12);
  EXPECT_GT(answer["means"][0]["rows"], 5);
  for (const json& row : answer["operators"]) EXPECT_NEAR(row["figures"][1]["ratio"]["value"], 1, 1e-12) << row;
}

/// 1.06 times by what its vendor prints and nobody reaches.
TEST_F(Compare, OneCardMeasuredAndUnmeasuredIsNotComparableWithoutAnEfficiency) {
  const json answer = compared({GABLE_MEASURED_FOLDER "/nvidia-h200-operators.json", "H200 SXM 141GB", "--workload",
                                "procurement", "--dtype", "bf16,fp32"});
  const json decision = answer["ranking"]["decision"];
  EXPECT_EQ(decision["decided"], false);
  EXPECT_EQ(decision["leads"][0]["state"], "unlike");
  EXPECT_FALSE(decision["leads"][0]["ratio"].contains("difference"));
}

/// Points of a file are work for others, each once, and what a census counts weighs by its time.
TEST_F(CompareTender, AWorkloadIsAlsoTheWorkOfAResultOrACensus) {
  Result measured = machine("Slow", 1, 1);
  measured.points.push_back(measured.points[0]);
  measured.points[1].id = "again";
  measured.points[1].implementation = "other";
  result::save(measured, folder_ / "a.json");
  const auto operators = [&](const char* workload) {
    return ranked({"Tender X1", "Tender X2", "--workload", workload});
  };
  const json points = operators("a.json");
  ASSERT_EQ(points["operators"].size(), 1u);
  EXPECT_NEAR(points["operators"][0]["figures"][0]["value"], 1e-3, 1e-12) << "1 GB";
  write_text(folder_ / "census.csv", "m,n,k,count\n2048,2048,2048,1\n1,4096,4096,100\n");
  const json census = operators("census.csv");
  EXPECT_EQ(census["means"][0]["weights"], "sum");
  EXPECT_EQ(census["operators"].size(), 2u);
}

TEST_F(CompareTender, AWorkloadThatCannotRankIsOneLine) {
  result::save(machine("Slow", 1, 1), folder_ / "a.json");
  result::save(machine("Slow", 1, 2), folder_ / "again.json");
  write_text(folder_ / "bad.json", R"({"gemmm": 1})");
  write_text(folder_ / "text.json", "work");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& culprit) {
    expect_refusal(rank(words), culprit);
  };
  refused({"a.json", "Tender X1", "--efficiency", "A"}, "--efficiency goes with --workload");
  refused({"a.json", "Tender X1", "--batch", "4"}, "--batch goes with --workload");
  refused({"a.json", "Tender X1", "--workload", "ours.json", "--efficiency", "B"},
          "no operator of Tender X1 was measured under");
  refused({"a.json", "Tender X1", "--workload", "ours.json", "--efficiency", "C"}, "'C' is none of A (Slow)");
  refused({"a.json", "Tender X1", "--workload", "none.json"}, "no suite and no file 'none.json'");
  refused({"a.json", "Tender X1", "--workload", "bad.json"}, "gemmm");
  refused({"a.json", "Tender X1", "--workload", "text.json"}, "text.json: not valid JSON");
  refused({"a.json", "Tender X1", "--workload", "ours.json", "--weights", "time"}, "exclude each other");
  refused({"a.json", "again.json", "--workload", "ours.json"}, "these are runs of one");
}

/// A decode step of 3 layers is bound by bytes: twice the bandwidth, half of the time. Its 0.3 MB fit both.
TEST_F(CompareTender, AModelIsAWorkload) {
  write_text(folder_ / "small.json", R"({"models": [{"name": "Small", "layers": 3, "width": 64, "heads": 4,
    "kv_heads": 2, "head_width": 16, "feed_forward": 128, "gated": true, "vocabulary": 100, "context": 64}]})");
  const std::vector<std::string> question{"Tender X1", "Tender X2", "--workload", "small",         "--batch",
                                          "2",         "--context", "32",         "--models-file", "small.json"};
  const json answer = ranked(question);
  const std::string step = "a decode step of Small at batch 2, context 32 and weights in ";
  EXPECT_EQ(answer["workload"]["name"], step + "bf16");
  EXPECT_EQ(ranked(with(question, {"--dtype", "fp32"}))["workload"]["name"],
            step + "fp32, cache in fp32, activations in fp32");
  EXPECT_NEAR(answer["means"][0]["ratio"]["value"], 2, 1e-9);
  EXPECT_EQ(answer["means"][0]["weights"], "sum");
  EXPECT_EQ(rank({"Tender X1", "Tender X2", "--workload", "ours.json", "--batch", "2"}).code, 2);
}

/// Level in a product of 2048^3, 1718 us, and twice as fast in a triad of 12 GB, 12 ms: one after another they take
/// 13.7 ms and 7.72 ms. The mean of the ratios by time would be 1.83, that of operators 1.41.
TEST_F(CompareTender, WorkThatIsDoneInTurnIsComparedByTheSumOfItsTimes) {
  write_text(folder_ / "step.json", R"({"schema": 1, "name": "step", "summary": "s", "operators": [
    {"name": "triad", "params": ["n=1000000000"], "dtypes": ["fp32"], "count": 1},
    {"name": "gemm", "params": ["m=2048,n=2048,k=2048"], "dtypes": ["fp32"], "count": 1}]})");
  const double product = 2.0 * 2048 * 2048 * 2048 / 1e13, sum = (12e-3 + product) / (6e-3 + product);
  const std::vector<std::string> question{"Tender X1", "Tender X2", "--workload", "step.json"};
  const auto run = rank(question);
  EXPECT_TRUE(says(run, "times that of A, by the sum of the bounds of step.json alone")) << run.out << run.err;
  const json answer = ranked(question);
  EXPECT_NEAR(answer["means"][0]["ratio"]["value"], sum, 1e-12);
  for (const json& one : answer["ranking"]["break_evens"]) {
    if (one["assumption"] == "efficiency" && one["subject"] == 1) {
      EXPECT_NEAR(one["turns_at"], 1 / sum, 1e-12);
    }
  }
  const json mean = ranked(with(question, {"--weights", "operator"}));
  EXPECT_NEAR(mean["means"][0]["ratio"]["value"], std::sqrt(2), 1e-9) << "if somebody asks for it";
}

TEST_F(CompareTender, SubjectsThatAreLevelAreSaidToBe) {
  const auto run = rank({"Tender X1", "Tender X2", "Tender X2", "--workload", "ours.json"});
  EXPECT_TRUE(says(run, "1.41 times that of A, but it is level with C, by")) << run.out << run.err;
  EXPECT_FALSE(says(run, "there is no interval")) << run.out;
  EXPECT_TRUE(says(run, "B stays ahead of A until the efficiency of B falls below 70.71 %")) << run.out;
  const auto level = rank({"Tender X2", "Tender X2", "--workload", "ours.json", "--report", "level.md"});
  EXPECT_FALSE(says(level, "stays ahead") || says(level, "what would turn it")) << level.out << level.err;
  EXPECT_EQ(read_text(folder_ / "level.md").find("What would turn"), std::string::npos);
}

/// A watt that is drawn for a year costs e = 0.088 x PUE. X2 leads while root 2 (1000 + 10 e) > 1400 + 20 e, which is
/// up to e = 2.43 and a PUE of 27.7.
TEST_F(CompareTender, NeverIsSaidOfWhatNoValueTurnsAndNotOfWhatNoOptionTakes) {
  const std::vector<std::string> words{"Tender X1", "Tender X2", "--workload", "ours.json", "--capital", "1000,1400",
                                       "--power",   "10,20",     "--years",    "1",         "--tariff",  "0.01"};
  const json cost = ranked(words)["total_cost"];
  const double energy = (std::sqrt(2) * 1000 - 1400) / (20 - std::sqrt(2) * 10), unit = 8766 / 1000.0 * 0.01;
  EXPECT_EQ(cost["decision"]["best"], 1);
  for (const json& one : cost["break_evens"]) {
    if (one["assumption"] == "pue") {
      EXPECT_NEAR(one["turns_at"], energy / unit, 1e-6) << "beyond the 10 of --pue";
    }
  }
  expect_refusal(rank(with(words, {"--pue", "56"})), "--pue: '56' is no power usage effectiveness (from 1 to 10)\n");
}

/// 70.6e9 weights of 2 byte: a T4 has 16 GB, an L4 24 GB, an H200 141 GB and costs forty times as much.
TEST_F(Compare, WhatDoesNotHoldAModelIsNotRanked) {
  const auto run = compare({"T4", "H200 SXM 141GB", "--workload", "Llama-3-70B", "--price", "0.1,4"});
  const std::string first = run.out.substr(0, run.out.find('\n'));
  EXPECT_TRUE(
      first.starts_with("B (H200 SXM 141GB) has the most performance for the price of an hour of those whose "
                        "memory holds the work (A does not), by"))
      << first << run.err;
  EXPECT_TRUE(says(run, "One T4 does not hold the model (needs 142 GB, has 16.1 GB); 16 would.")) << run.out;
  EXPECT_TRUE(says(run, "gable plan 'Llama-3-70B' --on 'T4' --devices 16 --batch 1 --context 4096\n")) << run.out;
  EXPECT_FALSE(says(run, "B vs A, sum of times")) << run.out;
  const auto none = compare({"T4", "L4", "--workload", "Llama-3-70B", "--report", "none.md"});
  EXPECT_TRUE(
      none.out.starts_with("Nothing is decided: a decode step of Llama-3-70B at batch 1, context 4096 and weights in "
                           "bf16 does not fit the memory of any subject."))
      << none.out << none.err;
  const std::string page = read_text(folder_ / "none.md");
  EXPECT_NE(page.find("One L4 does not hold the model (needs 142 GB, has 24.2 GB); 8 would"), std::string::npos);
  EXPECT_EQ(page.find("gable plan"), std::string::npos) << "of no use to a board";
  const json told = compared({"T4", "L4", "--workload", "Llama-3-70B"});
  EXPECT_EQ(told["ranking"]["undecided"], "too_small");
  EXPECT_EQ(told["means"].size(), 0u);
  const json small = told["subjects"][1]["too_small"];
  EXPECT_EQ(small["devices_needed"], 8);
  EXPECT_GT(small["needed_byte"], small["memory_byte"]);
  const auto cost = compare({"T4", "H200 SXM 141GB", "--workload", "Llama-3-70B", "--capital", "1,4", "--years", "1",
                             "--tariff", "0", "--report", "one.md"});
  EXPECT_TRUE(says(cost, "not ranked")) << cost.out << cost.err;
  const std::string report = read_text(folder_ / "one.md");
  EXPECT_NE(report.find("not ranked"), std::string::npos) << report;
  EXPECT_NE(report.find("One T4 does not hold the model"), std::string::npos) << report;
  EXPECT_NE(report.find("| performance vs B | not ranked | 1 |"), std::string::npos) << report;
}

/// A shell takes the printed line, and gable what it was asked for here.
TEST_F(Compare, TheProposedPlanIsACommandThatRuns) {
  write_text(
      folder_ / "it's.json",
      R"({"devices": [{"name": "Bob's X 3", "memory_type": "HBM9", "memory_byte": 1e11, "memory_byte_per_s": 1e12,
               "source": "ours", "peaks": [{"dtype": "bf16", "unit": "matrix", "peak_flop_per_s": 1e14}]}]})");
  const auto run = compare({"Bob's X 3", "H200 SXM 141GB", "--workload", "Llama-3-70B", "--dtype", "bf16", "--context",
                            "100", "--devices-file", "it's.json"});
  const std::string command =
      "gable plan 'Llama-3-70B' --on 'Bob'\\''s X 3' --devices 2 --batch 1 --context 100 --weights bf16 --cache bf16 "
      "--activations bf16 --devices-file 'it'\\''s.json'\n";
  EXPECT_TRUE(says(run, command)) << run.out << run.err;
  const auto begin = run.out.find("gable plan");
  ASSERT_NE(begin, std::string::npos);
  const std::string line =
      "gable() { '" GABLE_PROGRAM "' \"$@\"; }\n" + run.out.substr(begin, run.out.find('\n', begin) - begin);
  const auto plan = Running({"/bin/sh", "-c", line}, {}, folder_.path()).wait();
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_TRUE(says(plan, "Bob's X 3")) << plan.out;
}

/// 5.1e9 active weights: at 16/17 of experts in 17/32 byte the step is shorter than in bf16.
TEST_F(Compare, AModelIsComparedInTheTypesInWhichItIsPublished) {
  const auto time_s = [&](const std::vector<std::string>& more) {
    return compared(with({"MI325X", "MI355X", "--workload", "GPT OSS 120B"}, more))["means"][0]["baseline_s"]
        .get<double>();
  };
  EXPECT_LT(time_s({}), 0.6 * time_s({"--dtype", "bf16"}));
}

TEST_F(Compare, AModelsWorkloadIsRefusedWhereThePlanRefusesIt) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& culprit) {
    expect_refusal(compare(with({"MI300X", "H200 SXM 141GB", "--workload", "Llama-3-8B"}, words)), culprit);
  };
  refused({"--dtype", "int8"}, "int8");
  refused({"--batch", "4000000000"}, "batch must be from 1 to");
}

}  // namespace
}  // namespace gable::test
