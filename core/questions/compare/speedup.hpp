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

/// The verdict of a measured operator: that of its run, of several runs that of the one with the median share (of an
/// even number the lower of the two). Its bound_s is that share x the quantity's time. Where no run has one, by the
/// subject's roofs, which other files may have measured.
struct OperatorVerdict : Verdict {
  Standing standing{};               ///< of that run
  std::map<LimitKind, Alone> alone;  ///< by the subject's roofs, if only those of this kind were there
  bool stands() const { return regime.has_value(); }
  /// Faster than its roof allows: the roof was measured low, and no factor that rests on it holds.
  bool above_roof() const { return fraction_of_limit > 1; }
};
OperatorVerdict verdict_of(const PointQuantity& quantity, const Roofline& roofline);

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
std::optional<Speedup> speedup(const OperatorVerdict& a, const OperatorVerdict& b, double work = 1);

}  // namespace gable::questions
