#include "backends/mpi/pairing.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace gable::mpi {
namespace {

constexpr double slow = 0.9;  ///< of the median

/// How many of the pairs each rank is in.
std::map<int, int> appearances(const std::vector<PairRate>& pairs) {
  std::map<int, int> count;
  for (const PairRate& pair : pairs) {
    ++count[pair.ranks.from];
    ++count[pair.ranks.to];
  }
  return count;
}

}  // namespace

std::vector<std::vector<int>> ranks_by_host(const std::vector<std::string>& hosts) {
  std::map<std::string, std::size_t> places;
  std::vector<std::vector<int>> by_host;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const auto [place, fresh] = places.emplace(hosts[rank], by_host.size());
    if (fresh) by_host.emplace_back();
    by_host[place->second].push_back(static_cast<int>(rank));
  }
  return by_host;
}

std::vector<RankPair> pairs_inside(const std::vector<std::vector<int>>& by_host) {
  std::vector<RankPair> pairs;
  for (const auto& ranks : by_host) {
    for (std::size_t i = 0; i + 1 < ranks.size(); i += 2) pairs.push_back({ranks[i], ranks[i + 1]});
  }
  return pairs;
}

std::vector<RankPair> pairs_between(const std::vector<std::vector<int>>& by_host) {
  std::vector<RankPair> pairs;
  const std::size_t half = by_host.size() / 2;
  for (std::size_t host = 0; host < half; ++host) {
    const auto &near = by_host[host], &far = by_host[host + half];
    for (std::size_t i = 0; i < std::min(near.size(), far.size()); ++i) pairs.push_back({near[i], far[i]});
  }
  return pairs;
}

std::vector<std::vector<RankPair>> tournament(const std::vector<int>& players) {
  if (players.size() < 2) return {};
  constexpr int nobody = -1;
  std::vector<int> circle = players;
  if (circle.size() % 2 != 0) circle.push_back(nobody);
  std::vector<std::vector<RankPair>> rounds(circle.size() - 1);
  for (auto& round : rounds) {
    for (std::size_t i = 0; i < circle.size() / 2; ++i) {
      const int one = circle[i], other = circle[circle.size() - 1 - i];
      if (one != nobody && other != nobody) round.push_back({std::min(one, other), std::max(one, other)});
    }
    std::rotate(circle.begin() + 1, circle.end() - 1, circle.end());
  }
  return rounds;
}

double median_rate(std::vector<PairRate> pairs) {
  const auto middle = pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2);
  std::ranges::nth_element(pairs, middle, {}, &PairRate::byte_per_s);
  return middle->byte_per_s;
}

std::vector<PairRate> slow_pairs(std::vector<PairRate> pairs) {
  if (pairs.size() < 3) return {};
  const double least = slow * median_rate(pairs);
  std::erase_if(pairs, [&](const PairRate& pair) { return pair.byte_per_s >= least; });
  std::ranges::stable_sort(pairs, {}, &PairRate::byte_per_s);
  return pairs;
}

std::vector<int> slow_ranks(const std::vector<PairRate>& all, const std::vector<PairRate>& slow) {
  const auto of_all = appearances(all), of_slow = appearances(slow);
  std::vector<int> ranks;
  for (const auto& [rank, count] : of_slow) {
    if (count >= 2 && 2 * count > of_all.at(rank)) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace gable::mpi
