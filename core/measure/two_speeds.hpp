#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/model/estimate.hpp"

namespace gable::measure {

/// A shared machine has several speeds: for seconds or minutes others leave it alone, then they take half of its
/// memory or of its cores. Rounds, seconds apart, show that where no covariate does.

/// The figures of each round, by its number; `rounds` says which took the figure beside it.
std::map<int, std::vector<double>> figures_by_round(std::span<const double> figures, std::span<const int> rounds);

/// Fewest rounds whose scatter says something, and that make a speed one which comes back.
inline constexpr std::size_t least_rounds = 3;

/// The least that two speeds are apart, as a logarithm: about 10 %.
inline constexpr double least_gap = 0.1;

/// The rounds in which the machine ran at the faster of two speeds, fastest first; none where it did not show two. The
/// medians of the rounds, in order, show two where at least three of the fastest lie together: the logarithm of the
/// next is away from them by at least least_gap and by twice what they differ among themselves. For every five of them
/// one may lie in between, because the speed changed while it was taken. Rounds that only scatter have no such gap: of
/// samples of 3 to 27 rounds whose medians differ by a standard deviation of 3 % less than 1 % have one, of 10 % some
/// 8 %. Figures: positive.
std::vector<int> faster_rounds(std::span<const double> figures, std::span<const int> rounds, bool larger_is_slower);

/// Whether one or two rounds were as far from all others as those of faster_rounds() are: a faster speed that did not
/// come back yet.
bool saw_a_faster_speed(std::span<const double> figures, std::span<const int> rounds, bool larger_is_slower);

/// How much slower than at the faster speed a row ran in a moment.
struct Moment {
  double at_s{};      ///< s since 1970
  double slowdown{};  ///< 1: not at all
};

/// The moments of a row that ran at two speeds, one a round; none of another.
std::vector<Moment> moments_of(std::span<const Block> blocks, bool larger_is_slower);

/// What others lost in a round that ended at this time: the slowdown of the nearest moment, of at most 5 s before or
/// after; 1 where there is none.
double slowdown_at(std::span<const Moment> moments, double time_s);

}  // namespace gable::measure
