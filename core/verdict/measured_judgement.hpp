#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/model/point.hpp"
#include "core/model/roofline.hpp"
#include "core/model/work.hpp"

namespace gable {

/// How a measured time stands to the least time of its roofs.
enum class Standing {
  under_roof,  ///< it takes as long or longer
  at_roof,     ///< shorter, but within the intervals of time and roofs: treat as at the roof
  above_roof,  ///< it is shorter beyond both intervals: roof or time are wrong
};

/// A bound that is longer than the time by no more than this factor, beyond the intervals, is not above it.
inline constexpr double tolerated_above_roof = 1.01;

/// The one rule for points above their roof. The slowest credible time (upper end of its interval) is compared with the
/// bound by the highest credible roofs (Roofline::at_highest()): above_roof where the bound is more than 1 % longer.
Standing standing(const Point& point, const Roofline& roofline);
/// The same of a point that has been judged, by its verdict.
Standing standing(const Point& point);

/// Whether a point that has been judged is suspect because it is above its roof.
bool above_roof(const Point& point);

/// Whether the time of a point may be used: it is ok, or suspect only for how it stands to its roof.
bool has_time(const Point& point);

/// A measured time that is shorter than the bound by more than this factor is invalid: no roof is measured so low.
inline constexpr double most_of_bound = 1.3;
/// Whether a point that has been judged is, with its whole interval.
bool is_invalid(const Point& point);
/// What is said of it.
inline constexpr std::string_view invalid_words =
    "no roof is measured so much too low, so this time is wrong: part of the work was not done or not timed";

/// Why a point above its roof is suspect, naming both: it and the roof.
std::string above_roof_words(const Point& point, const std::string& roof);

/// A share of the bound as people read it: "84.1 %"; "100 % (at its roof)" for more than all of it; for a point above
/// its roof "suspect". Empty for a point without a fraction.
std::string share_of_bound(const Point& point);

/// Lower bound on a missing roof, op/s or byte/s.
struct SlowestRate {
  double per_s{};
  std::string reason;  ///< "it reached as much in a row that is no roof", "vector fp64 does as much"
};

/// Most flop of vector arithmetic that one exponential or one conversion takes: a polynomial and the arithmetic around
/// it are some twenty fused multiply-adds, a conversion without an instruction of its own fewer.
inline constexpr double most_flop_of_a_function = 64;

/// The highest rate that measured rows say the missing roof has at least; nothing where none says anything
/// (docs/method.md, "A roof that lacks").
std::optional<SlowestRate> slowest_rate(const Roofline& roofline, const Types& types, const MissingRoof& missing);

/// A missing roof that cannot be the one that decides.
struct NegligibleRoof {
  std::string name;
  SlowestRate slowest;  ///< at half of it, it still would not decide
};

/// What the roofs that are there say of work, and what those that lack could change.
struct MeasuredJudgement {
  std::optional<Bound> bound;           ///< by the roofs that are there; nothing where none applies
  std::vector<std::string> may_decide;  ///< missing roofs without which the bound is no verdict, only a least time
  std::vector<NegligibleRoof> negligible;
  bool stands() const { return bound && may_decide.empty(); }
};

/// A missing roof is negligible where, put in at half of its slowest plausible rate (slowest_rate()), it leaves the
/// bound within 5 % and the limit the same. For devices that were measured; of a catalogue's nothing is known of the
/// roofs that vendors do not print, so what is said of those goes by Roofline::judge() alone.
MeasuredJudgement judge_measured(const Roofline& roofline, std::span<const Stage> stages, const Types& types,
                                 bool cold = false);

/// "no roof for exp fp32, which may decide; at least 57.3 ms by the roofs measured"; empty where the verdict stands.
std::string why_no_verdict(const MeasuredJudgement& judged);

/// What single rounds of a point say, each under the roofs as they were at its time (core/verdict/memory_speed.hpp).
struct ByRounds {
  double share{};        ///< bound / time: the median over moments of memory, of each of them the median of the rounds
  double low{}, high{};  ///< its 95 % interval
  int rounds{};          ///< of memory's stream, the moments: three or more
  // Of the round whose share is nearest to that:
  MeasuredJudgement judged;  ///< it stands
  Roofline roofline;         ///< the roofs that it was judged by
};

/// Makes the Verdict of a point that is ok; clears that of others. Where its rounds say anything, it is by these:
/// bound_s is then share x time. Where a missing roof may decide there is only bound_s, by the other roofs, and the
/// reason says so; where one cannot, the reason says why. A point above its roof (standing(); its rounds say nothing)
/// becomes suspect, and is judged anew under other roofs.
void set_verdict(Point& point, const Roofline& roofline, const std::optional<ByRounds>& by_rounds = {});

}  // namespace gable
