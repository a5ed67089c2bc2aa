#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/measure/rounds.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/json.hpp"
#include "core/worker/combine_rounds.hpp"

/// A result file has what its figures and intervals were computed from: here they are computed again from a file, by
/// arithmetic of this test's own, for rows of fewer than six blocks, whose interval is that of their rounds.
namespace gable::worker {
namespace {

constexpr double chain_s = 7.4e-6, calm_ratio = 0.875, t_of_three_rounds = 4.302652729911275;  // 97.5 %, 2 degrees

Block block(double figure, double ratio = calm_ratio) {
  Block one{.figure = figure, .batches = 1};
  one.sentinel_s = chain_s;
  one.throughput_s = ratio * chain_s;
  return one;
}

std::vector<RoundRows> rounds_of(const Row& like, const std::vector<std::vector<Block>>& blocks, double begin_s) {
  std::vector<RoundRows> rounds;
  for (const auto& of_round : blocks) {
    Row row = like;
    estimate_of(row)->taken = of_round;
    estimate_of(row)->value = of_round.front().figure;
    std::vector<Row> rows{row};
    const int number = static_cast<int>(rounds.size());
    set_round(rows, number, begin_s + 20.0 * number);
    rounds.push_back({number, rows});
  }
  return rounds;
}

Ceiling ceiling(CeilingKind kind, const std::string& name) {
  return {.id = name, .kind = kind, .name = name, .unit = kind == CeilingKind::bandwidth ? "byte/s" : "flop/s"};
}

Point operator_of(double bytes) {
  Point point;
  point.id = "slow moments";
  Stage stage;
  stage.bytes_read = bytes;
  point.stages = {stage};
  return point;
}

/// A calm row, one whose blocks were disturbed in five ways, one that shared its cores all the time, a stream of memory
/// that had half of its speed in every second round, and an operator that was measured in those rounds only.
std::vector<std::vector<RoundRows>> run() {
  const std::vector<Block> calm(4, block(50)), slow_memory(4, block(50)), fast_memory(4, block(100));
  std::vector<Block> disturbed(12, block(70));
  disturbed[1].involuntary_switches = 2;
  disturbed[3].stolen_s = 0.01;
  disturbed[5].preemption = 1.03;
  disturbed[7].sentinel_s *= 1.03;
  disturbed[7].throughput_s *= 1.03;
  disturbed[9].throughput_s *= 1.06;
  std::vector<std::vector<Block>> shared{{block(31, 1.01), block(33, 1.03)}, {block(30, 1.05)}, {block(36, 1.02)}};
  for (auto& of_round : shared) {
    for (Block& one : of_round) one.preemption = 1.05;
  }
  auto operators = rounds_of(operator_of(75), {{block(2.1), block(2.0)}, {block(1.9)}, {block(2.2)}}, 0);
  const double slow_at[] = {1025, 1065, 1105};
  for (std::size_t i = 0; i < 3; ++i) set_round(operators[i].rows, static_cast<int>(i), slow_at[i]);
  return {rounds_of(ceiling(CeilingKind::compute, "calm"), {calm, calm, calm}, 1000),
          rounds_of(ceiling(CeilingKind::compute, "disturbed"), {disturbed}, 1000),
          rounds_of(ceiling(CeilingKind::compute, "shared"), shared, 1000),
          rounds_of(ceiling(CeilingKind::bandwidth, "DRAM"),
                    {fast_memory, slow_memory, fast_memory, slow_memory, fast_memory, slow_memory}, 1004),
          operators};
}

/// What `gable measure` writes of it, read back.
Result from_file() {
  const auto rounds = run();
  const auto around = surroundings(rounds, "DRAM");
  Result result;
  for (const auto& of_item : rounds) {
    for (Row row : combined(of_item, around)) {
      estimate_of(row)->taken.clear();
      add_row(result, row);
    }
  }
  return result::result_from_json(nlohmann::json::parse(result::to_text(result)));
}

const Estimate& found(const Result& result, const char* id) {
  const Estimate* estimate = nullptr;
  for_each_row(result, [&](const auto& row) {
    if (row.id == id) estimate = estimate_of(row);
  });
  return *estimate;
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double most_frequent(const std::vector<double>& values) {
  std::map<double, int> counts;
  for (const double value : values) ++counts[std::round(value * 1e9) / 1e9];
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
}

std::vector<double> ratios_of(const Estimate& row) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < row.samples.size(); ++i) ratios.push_back(row.throughput_s[i] / row.sentinel_s[i]);
  return ratios;
}

/// The level of the whole run: the densest ratio of the fastest quarter.
double level_of(const Result& result) {
  std::vector<double> ratios;
  for_each_row(result, [&](const auto& row) {
    if (const Estimate* estimate = estimate_of(row))
      for (const double ratio : ratios_of(*estimate)) ratios.push_back(ratio);
  });
  std::ranges::sort(ratios);
  ratios.resize((ratios.size() + 3) / 4);
  return most_frequent(ratios);
}

std::map<int, std::vector<double>> by_round(const Estimate& row) {
  std::map<int, std::vector<double>> rounds;
  for (std::size_t i = 0; i < row.samples.size(); ++i) rounds[row.rounds[i]].push_back(row.samples[i]);
  return rounds;
}

/// Student's t of the logarithms of the medians of three rounds.
std::pair<double, double> ends_of_rounds(const Estimate& row) {
  std::vector<double> logarithms;
  for (const auto& [round, figures] : by_round(row)) logarithms.push_back(std::log(middle(figures)));
  double mean = 0, squares = 0;
  for (const double value : logarithms) mean += value / 3;
  for (const double value : logarithms) squares += (value - mean) * (value - mean);
  const double half = t_of_three_rounds * std::sqrt(squares / 2 / 3);
  return {std::exp(mean - half), std::exp(mean + half)};
}

TEST(KeptSeries, SayWhichBlocksWereDisturbed) {
  const Result result = from_file();
  const Estimate& row = found(result, "disturbed");
  const double level = level_of(result), chain = most_frequent(row.sentinel_s);
  std::set<int> disturbed(row.interrupted_samples.begin(), row.interrupted_samples.end());
  for (std::size_t i = 0; i < row.samples.size(); ++i) {
    const bool preempted = row.preemption[i] > 1.02, slow = row.sentinel_s[i] > 1.02 * chain;
    if (preempted || slow || ratios_of(row)[i] > 1.05 * level) disturbed.insert(static_cast<int>(i));
  }
  EXPECT_EQ(disturbed, (std::set<int>{1, 3, 5, 7, 9}));
  EXPECT_EQ(row.disturbed_samples, (std::vector<int>(disturbed.begin(), disturbed.end())));
  EXPECT_EQ(row.estimator, Estimator::undisturbed);
}

TEST(KeptSeries, GiveTheEndThatASharedCoreMoved) {
  const Result result = from_file();
  const Estimate& row = found(result, "shared");
  const auto [low, high] = ends_of_rounds(row);
  const double lost = middle(row.preemption) * middle(ratios_of(row)) / level_of(result);
  EXPECT_GT(lost, 1.2);
  EXPECT_NEAR(row.value, middle(row.samples), 1e-12);
  EXPECT_NEAR(*row.ci_low, std::min(low, row.value), 1e-9);
  EXPECT_NEAR(*row.ci_high, std::max(high, row.value * lost), 1e-6 * *row.ci_high);
}

TEST(KeptSeries, GiveTheEndThatSlowMemoryMoved) {
  const Result result = from_file();
  const Estimate &row = found(result, "slow moments"), &stream = found(result, "DRAM");
  std::vector<double> medians;
  for (const auto& [round, figures] : by_round(stream)) medians.push_back(middle(figures));
  const double fastest = *std::ranges::max_element(medians);
  double lost = std::numeric_limits<double>::infinity();
  for (const double at_s : row.ended_s) {
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < stream.ended_s.size(); ++i) {
      if (std::abs(stream.ended_s[i] - at_s) < std::abs(stream.ended_s[nearest] - at_s)) nearest = i;
    }
    lost = std::min(lost, fastest / medians[nearest]);
  }
  const auto [low, high] = ends_of_rounds(row);
  EXPECT_DOUBLE_EQ(lost, 2);
  EXPECT_NEAR(*row.ci_low, std::min(low, row.value / lost), 1e-9);
  EXPECT_NEAR(*row.ci_high, high, 1e-9);
}

TEST(KeptSeries, OfAnOlderFileAreNotThere) {
  nlohmann::json file = nlohmann::json::parse(result::to_text(from_file()));
  for (auto& row : file.at("ceilings")) {
    for (const char* key : {"sample_sentinel_s", "sample_throughput_s", "sample_preemption", "interrupted_samples"})
      row.erase(key);
  }
  const Result older = result::result_from_json(file);
  const Estimate& row = found(older, "disturbed");
  EXPECT_TRUE(row.sentinel_s.empty() && row.throughput_s.empty() && row.preemption.empty());
  EXPECT_EQ(row.disturbed_samples.size(), 5U);
}

}  // namespace
}  // namespace gable::worker
