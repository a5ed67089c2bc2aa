#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/model/estimate.hpp"

namespace gable::measure {

/// A shared machine has several speeds: for seconds or minutes others leave it alone, then they take half of its
/// memory or of its cores. Rounds, seconds apart, show that where no covariate does. Figures here are positive.

/// Fewest rounds whose scatter says something, and that make a speed one which comes back.
inline constexpr std::size_t least_rounds = 3;

/// Fewest blocks of a round that say how fast the machine was.
inline constexpr std::size_t least_blocks = 2;

/// How far two speeds are apart at least, as a logarithm: about 20 %.
inline constexpr double least_gap = 0.2;

/// How many of so many rounds are left out at each end where their range is taken: a tenth, one at least.
constexpr std::size_t left_out_of(std::size_t rounds) { return std::max<std::size_t>(1, rounds / 10); }

/// The rounds in which the machine ran at the faster of two speeds, or at the fastest of several.
struct FasterRounds {
  std::vector<int> rounds;  ///< fastest first; none where the rounds show one speed only
  bool apart{};             ///< a gap tells their speed from that of the others
};

/// The medians of the rounds show two speeds where the next after at least three of the fastest is away from them by
/// least_gap and by twice what they differ among themselves. For every five of them one may lie in between, because the
/// speed changed while it was taken. Where they show no two speeds, but differ by 0.4 (of logarithms, a factor of
/// 1.5) without a tenth of them, one at least, at each end, they are of several, or the speed changed during many: if
/// the three fastest agree within least_gap, all that are at most half of least_gap slower than the third are at the
/// fastest. A round of a single block shows no speed. Two speeds take four rounds at least, several five. Rounds that
/// only scatter seldom look so; docs/statistics.md has how often, and what it does to intervals.
FasterRounds faster_rounds(std::span<const Block> blocks, bool larger_is_slower);

/// Whether one or two rounds were as far from all others as those of the faster of two speeds are: a faster speed that
/// did not come back yet.
bool saw_a_faster_speed(std::span<const Block> blocks, bool larger_is_slower);

/// How much slower than at the faster speed a row ran in a moment.
struct Moment {
  double at_s{};      ///< s since 1970
  double slowdown{};  ///< 1: not at all
};

/// The moments of a row that ran at two speeds or more, one a round; none of another. Rounds of an unknown time have
/// none.
std::vector<Moment> moments_of(std::span<const Block> blocks, bool larger_is_slower);

/// What others lost at this time: the slowdown of the nearest moment, of at most 15 s before or after; 1 where there is
/// none, and where the time is unknown (0).
double slowdown_at(std::span<const Moment> moments, double time_s);

}  // namespace gable::measure
