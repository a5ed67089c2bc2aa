#include "core/measure/estimate.hpp"

#include "core/enum_names.hpp"

namespace gable {
namespace {
constexpr auto stop_reasons = enum_names<StopReason>(
    {{StopReason::precise, "precise"}, {StopReason::last_look, "last_look"}, {StopReason::time_limit, "time_limit"}});
constexpr auto estimators = enum_names<Estimator>(
    {{Estimator::median, "median"}, {Estimator::undisturbed, "undisturbed"}, {Estimator::mode, "mode"}});
}  // namespace

std::string_view to_string(StopReason reason) { return stop_reasons.name(reason); }
std::optional<StopReason> parse_stop_reason(std::string_view text) { return stop_reasons.parse(text); }
std::string_view to_string(Estimator estimator) { return estimators.name(estimator); }
std::optional<Estimator> parse_estimator(std::string_view text) { return estimators.parse(text); }

}  // namespace gable
