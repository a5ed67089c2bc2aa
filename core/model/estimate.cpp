#include "core/model/estimate.hpp"

#include <cmath>

#include "core/enum_names.hpp"

namespace gable {
namespace {
constexpr auto stop_reasons = enum_names<StopReason>(
    {{StopReason::precise, "precise"}, {StopReason::last_look, "last_look"}, {StopReason::time_limit, "time_limit"}});
constexpr auto estimators = enum_names<Estimator>({{Estimator::median, "median"},
                                                   {Estimator::undisturbed, "undisturbed"},
                                                   {Estimator::mode, "mode"},
                                                   {Estimator::faster_speed, "faster_speed"}});
}  // namespace

std::string_view to_string(StopReason reason) { return stop_reasons.name(reason); }
std::optional<StopReason> parse_stop_reason(std::string_view text) { return stop_reasons.parse(text); }
std::string_view to_string(Estimator estimator) { return estimators.name(estimator); }
std::optional<Estimator> parse_estimator(std::string_view text) { return estimators.parse(text); }

bool was_disturbed(const Estimate& estimate) {
  return estimate.estimator == Estimator::mode || estimate.estimator == Estimator::faster_speed ||
         2 * estimate.seen.disturbed_blocks > estimate.blocks;
}

std::optional<double> half_interval_percent(const Estimate& estimate) {
  if (!std::isfinite(estimate.value) || !(estimate.value > 0) || !estimate.ci_low || !estimate.ci_high) return {};
  return 50 * (*estimate.ci_high - *estimate.ci_low) / estimate.value;
}

}  // namespace gable
