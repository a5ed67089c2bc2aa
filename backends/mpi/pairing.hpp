#pragma once
#include <string>
#include <vector>

/// Which ranks exchange messages with each other at the same time. Plain arithmetic: knows nothing of MPI.
namespace gable::mpi {

/// Two ranks; in one direction `from` sends.
struct RankPair {
  int from{}, to{};
  bool operator==(const RankPair&) const = default;
};

/// The ranks of each host, hosts in the order of their first rank.
std::vector<std::vector<int>> ranks_by_host(const std::vector<std::string>& hosts);

/// On every host its first rank with its second, its third with its fourth …; who is left over has no partner.
std::vector<RankPair> pairs_inside(const std::vector<std::vector<int>>& by_host);
/// The hosts of the first half with those of the second, each rank with the one of the same place on the other host.
std::vector<RankPair> pairs_between(const std::vector<std::vector<int>>& by_host);

/// Rounds in which everyone meets everyone else once, in each round at most once: n - 1 rounds for an even number of
/// players, n for an odd one, in which one at a time pauses. The circle method (Kirkman 1847): one player stays, the
/// others move on by a place.
std::vector<std::vector<RankPair>> tournament(const std::vector<int>& players);

/// What a pair reached.
struct PairRate {
  RankPair ranks;
  double byte_per_s{};
};

/// Middle of the rates, the upper one of two. There is at least one.
double median_rate(std::vector<PairRate> pairs);
/// The pairs more than 10 % below the median of all, slowest first. None of fewer than three: they have no median that
/// one of them does not decide.
std::vector<PairRate> slow_pairs(std::vector<PairRate> pairs);
/// Ranks that are slow with more than half of their partners (at least two): what they share is the rank, not the way.
std::vector<int> slow_ranks(const std::vector<PairRate>& all, const std::vector<PairRate>& slow);

}  // namespace gable::mpi
