#pragma once
#include "core/verdict/soundness.hpp"

/// Checks of measured rows that are more than a comparison: whether all that is said of one follows from its samples,
/// work and roofs. A figure that was edited by hand no longer does. The rules stand in the table of soundness.cpp.
namespace gable::verdict {

void positive_estimate(const Estimate& estimate, Around& around, Told& told);
void within_interval(const Estimate& estimate, Around& around, Told& told);
void counts_of_samples(const Estimate& estimate, Around& around, Told& told);
/// Value, median and used rounds are those that the estimator takes of the samples.
void follows_from_samples(const Estimate& estimate, Around& around, Told& told);

void stages_of_point(const Point& row, Around& around, Told& told);
/// For the operators that this program knows.
void work_of_operator(const Point& row, Around& around, Told& told);
/// What set_verdicts() would have called suspect. Points that are compared by rounds are not judged here.
void below_its_roof(const Point& row, Around& around, Told& told);
void share_of_rounds(const Point& row, Around& around, Told& told);

}  // namespace gable::verdict
