#include "core/model/estimate.hpp"

#include <cmath>

namespace gable {

bool was_disturbed(const Estimate& estimate) {
  return estimate.estimator == Estimator::mode || estimate.estimator == Estimator::faster_speed ||
         2 * estimate.seen.disturbed_blocks > estimate.blocks;
}

std::optional<double> half_interval_percent(const Estimate& estimate) {
  if (!std::isfinite(estimate.value) || !(estimate.value > 0) || !estimate.ci_low || !estimate.ci_high) return {};
  return 50 * (*estimate.ci_high - *estimate.ci_low) / estimate.value;
}

}  // namespace gable
