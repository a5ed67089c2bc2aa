#include "benchmarks/comparison.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace gable::bench {
namespace {

TEST(RatioOfPairing, IsTakenRoundByRound) {
  // The machine slows to half in the second round for both: the ratio does not see it.
  const Ratio ratio = ratio_of({"peer", {100, 50, 99}, {100, 50, 110}, ""});
  EXPECT_DOUBLE_EQ(ratio.median, 1.0);
  EXPECT_DOUBLE_EQ(ratio.low, 0.9);
  EXPECT_DOUBLE_EQ(ratio.high, 1.0);
  EXPECT_DOUBLE_EQ(ratio.best, 100.0 / 110.0);
}

TEST(RatioOfPairing, FromManyRoundsOnTheRangeIsTheIntervalOfTheMedian) {
  // n = 9, 95 %: x(2) .. x(8), because 2 P(Binomial(9, 1/2) < 2) = 20/512 = 0.039 and with x(3) it is 0.18.
  const Ratio ratio = ratio_of({"peer", {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, ""});
  EXPECT_DOUBLE_EQ(ratio.low, 2.0);
  EXPECT_DOUBLE_EQ(ratio.high, 8.0);
}

TEST(RatioOfPairing, RefusesWhatIsNoComparison) {
  EXPECT_THROW(ratio_of({"peer", {}, {}, "absent"}), Error);
  EXPECT_THROW(ratio_of({"peer", {1, 2}, {1}, ""}), Error);
  EXPECT_THROW(ratio_of({"peer", {1, 0}, {1, 1}, ""}), Error);
}

TEST(Verdicts, ByTheWholeRange) {
  EXPECT_EQ(verdict_of({1.0, 0.98, 1.1, 1.0}, 0.98), Verdict::met);
  EXPECT_EQ(verdict_of({0.9, 0.85, 0.979, 1.0}, 0.98), Verdict::missed);
  EXPECT_EQ(verdict_of({1.0, 0.97, 1.1, 1.0}, 0.98), Verdict::noise);
}

TEST(BestPeer, IsTheFastestThatWasMeasured) {
  const Comparison comparison{
      "q", "byte/s", {{"absent", {}, {}, "no such kernel"}, {"slow", {9}, {5}, ""}, {"fast", {9}, {8}, ""}}};
  ASSERT_NE(best_peer(comparison), nullptr);
  EXPECT_EQ(best_peer(comparison)->peer, "fast");
  EXPECT_EQ(best_peer({"q", "byte/s", {{"absent", {}, {}, "gone"}}}), nullptr);
}

TEST(ComparisonReport, KeepsReasonsOfWhatWasNotCompared) {
  const std::vector<Comparison> comparisons{{"DRAM read", "byte/s", {{"likwid load_avx", {90}, {100}, ""}}},
                                            {"L1 read", "byte/s", {{"likwid load_avx", {}, {}, "likwid is absent"}}}};
  const std::string text = table(comparisons, 0.98);
  EXPECT_NE(text.find("missed"), std::string::npos) << text;
  EXPECT_NE(text.find("likwid is absent"), std::string::npos) << text;
  const auto json = to_json(comparisons, 0.98);
  EXPECT_DOUBLE_EQ(json.at(0).at("pairings").at(0).at("ratio").at("median"), 0.9);
  EXPECT_EQ(json.at(1).at("pairings").at(0).at("reason"), "likwid is absent");
  EXPECT_TRUE(json.at(1).at("best_peer").is_null());
}

}  // namespace
}  // namespace gable::bench
