#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/roofline.hpp"
#include "core/questions/compare/quantity.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable::questions {

/// Least time under roofs of one kind, and the roof that decides it. Of traffic between two measured mixes, whose time
/// is interpolated, the nearer.
struct Alone {
  double time_s{};
  UsedRoof roof;
};

/// A measured operator under the roofs of its subject.
struct RooflineVerdict {
  Bound bound;
  Regime regime{};
  double fraction{};                 ///< bound / measured time
  Standing standing{};               ///< of the measured time, with its interval, to the bound
  std::map<LimitKind, Alone> alone;  ///< if only roofs of this kind were there
  /// Roofs that may decide and are not there, and what counters do not tell of the work; all above is empty then.
  std::vector<std::string> missing{};
  /// `report` compares the point round by round, because main memory changed its speed; this is by the rows' figures.
  bool compared_by_rounds{};
  bool stands() const { return missing.empty(); }
  /// Faster than its roof allows: the roof was measured low, and no factor that rests on it holds.
  bool above_roof() const { return fraction > 1; }
};
RooflineVerdict verdict_of(const PointQuantity& quantity, const Roofline& roofline);

/// Why B takes another time than A: three factors whose product is time A / time B.
struct Speedup {
  LimitKind roof{};      ///< the kind of roof that binds on A
  UsedRoof of_a, of_b;   ///< the roofs of that kind; no label where a subject has none
  bool like{true};       ///< of one operating point, measured or stated both
  double of_roof{};      ///< least time under roofs of that kind alone, A / B: the ratio of the bandwidths, say
  double of_others{};    ///< what all other roofs and costs make of it; 1 where that kind alone binds on both
  double of_fraction{};  ///< fraction of the bound that is reached, B / A
  /// What roofs of one kind alone would give, whether they bind or not.
  std::optional<double> bandwidth, compute;
};
/// Nothing unless both verdicts stand. Where B did `work` times the work of A, times are those of the same work: the
/// product is the ratio of rates.
std::optional<Speedup> speedup(const RooflineVerdict& a, const RooflineVerdict& b, double work = 1);

}  // namespace gable::questions
