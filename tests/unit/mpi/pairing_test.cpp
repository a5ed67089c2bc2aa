#include "backends/mpi/pairing.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace gable::mpi {
namespace {

using Pairs = std::vector<RankPair>;

/// Ranks that a launcher dealt out in turn, and one node with one rank more.
const std::vector<std::vector<int>> dealt = ranks_by_host({"a", "b", "a", "b", "a"});

TEST(Pairing, JoinsRanksByHostAndNotByNumber) {
  EXPECT_EQ(dealt, (std::vector<std::vector<int>>{{0, 2, 4}, {1, 3}}));
  EXPECT_EQ(pairs_inside(dealt), (Pairs{{0, 2}, {1, 3}})) << "rank 4 has nobody";
  EXPECT_EQ(pairs_between(dealt), (Pairs{{0, 1}, {2, 3}}));
}

TEST(Pairing, OneHostHasNoPairsBetweenHosts) {
  EXPECT_TRUE(pairs_between(ranks_by_host({"a", "a"})).empty());
  EXPECT_TRUE(pairs_inside(ranks_by_host({"a", "b"})).empty());
}

TEST(Pairing, OfThreeHostsTheLastPauses) { EXPECT_EQ(pairs_between(ranks_by_host({"a", "b", "c"})), (Pairs{{0, 1}})); }

/// Everyone meets everyone once, nobody is twice in a round, and there are no more rounds than that takes.
TEST(Tournament, EveryPairMeetsOnceInDisjointRounds) {
  for (const std::size_t players : {2U, 3U, 4U, 7U, 8U, 1000U, 1001U}) {
    std::vector<int> ranks(players);
    std::iota(ranks.begin(), ranks.end(), 5);
    std::set<std::pair<int, int>> met;
    const auto rounds = tournament(ranks);
    for (const auto& round : rounds) {
      std::set<int> busy;
      for (const auto& [from, to] : round) {
        EXPECT_LT(from, to);
        EXPECT_TRUE(busy.insert(from).second && busy.insert(to).second) << "in two pairs of one round";
        EXPECT_TRUE(met.emplace(from, to).second) << from << " and " << to << " meet twice";
      }
    }
    EXPECT_EQ(met.size(), players * (players - 1) / 2);
    EXPECT_EQ(rounds.size(), players % 2 == 0 ? players - 1 : players);
  }
}

TEST(Tournament, NeedsTwo) {
  EXPECT_TRUE(tournament({}).empty());
  EXPECT_TRUE(tournament({3}).empty());
}

/// All pairs of so many ranks at 10 GB/s, but those that `slower` gives a part of it.
template <class Slower>
std::vector<PairRate> rates(int ranks, Slower&& slower) {
  std::vector<PairRate> all;
  for (int from = 0; from < ranks; ++from) {
    for (int to = from + 1; to < ranks; ++to) all.push_back({{from, to}, 10e9 * slower(from, to)});
  }
  return all;
}

TEST(SlowPairs, ACableIsOnePairAndNoRank) {
  const auto all = rates(6, [](int from, int to) { return from == 1 && to == 4 ? 0.5 : 1.0; });
  const auto slow = slow_pairs(all);
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_EQ(slow[0].ranks, (RankPair{1, 4}));
  EXPECT_TRUE(slow_ranks(all, slow).empty());
}

TEST(SlowPairs, ANodeIsSlowWithAllItsPartnersAndNamedAlone) {
  const auto all = rates(6, [](int from, int to) { return from == 3 || to == 3 ? 0.7 : 1.0; });
  EXPECT_EQ(slow_pairs(all).size(), 5U);
  EXPECT_EQ(slow_ranks(all, slow_pairs(all)), std::vector<int>{3});
}

TEST(SlowPairs, ASpreadOfTenPercentIsNone) {
  const auto all = rates(6, [](int from, int to) { return (from + to) % 2 == 0 ? 0.91 : 1.0; });
  EXPECT_TRUE(slow_pairs(all).empty());
  EXPECT_TRUE(slow_pairs(rates(2, [](int, int) { return 1.0; })).empty()) << "one pair has no median beside it";
}

TEST(SlowPairs, ComeSlowestFirst) {
  const auto all = rates(6, [](int from, int to) { return from == 0 && to < 3 ? 0.3 * to : 1.0; });
  const auto slow = slow_pairs(all);
  ASSERT_EQ(slow.size(), 2U);
  EXPECT_EQ(slow[0].ranks, (RankPair{0, 1}));
}

}  // namespace
}  // namespace gable::mpi
