#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/enum_names.hpp"

namespace gable::bench {

/// A peer's kernel beside our figure: both rates of every round that measured both, in the order taken.
struct Pairing {
  std::string peer;  ///< e.g. "likwid load_avx"
  std::vector<double> ours, theirs;
  std::string reason;  ///< why there are no rounds
};

/// One quantity at one operating point with all peers that have it.
struct Comparison {
  std::string quantity;  ///< e.g. "fp64 vector burst, avx2"
  std::string unit;      ///< flop/s or byte/s
  std::vector<Pairing> pairings;
};

enum class Verdict {
  met,     ///< the whole range of the ratio is at the goal or above
  missed,  ///< the whole range is below
  noise,   ///< the range straddles the goal: these rounds do not decide
};
constexpr auto names_of(Verdict) { return names_up_to<Verdict::noise>("met", "missed", "noise"); }

/// ours / theirs over the rounds of a pairing.
struct Ratio {
  double median{};
  /// 95 % order-statistic interval of the median from 6 rounds on, with fewer the least and the greatest.
  double low{}, high{};
  /// Best round of ours over best round of theirs: what is left when interference only slows.
  double best{};
};
/// Throws Error unless both sides have the same, non-zero number of rounds and only positive figures.
Ratio ratio_of(const Pairing& pairing);

Verdict verdict_of(const Ratio& ratio, double goal);

/// The pairing of the fastest peer, by the median of its rate; null if no peer was measured.
const Pairing* best_peer(const Comparison& comparison);

/// A line per comparison against its best peer: quantity, ours, peer, theirs, ratio, range, best against best, verdict;
/// comparisons without a peer follow with the reasons.
std::string table(const std::vector<Comparison>& comparisons, double goal);

/// All pairings with their rounds, ratios and verdicts.
nlohmann::json to_json(const std::vector<Comparison>& comparisons, double goal);

}  // namespace gable::bench
