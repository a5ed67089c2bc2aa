#include "core/questions/campaign/flag_rule.hpp"

#include <algorithm>
#include <cmath>

#include "core/measure/statistics.hpp"

namespace gable::campaign {
namespace {

/// Standard deviation of normal values over their median absolute deviation.
constexpr double normal_consistency = 1.4826;

}  // namespace

double loss_of(double value, double than, bool higher_is_better) {
  return higher_is_better ? 1 - value / than : value / than - 1;
}

FleetSpread spread_of(std::span<const FleetFigure> figures) {
  std::vector<double> values, half_widths;
  values.reserve(figures.size());
  for (const FleetFigure& one : figures) {
    values.push_back(one.value);
    if (one.low && one.high) half_widths.push_back((*one.high - *one.low) / 2 / one.value);
  }
  FleetSpread spread{.nodes = figures.size()};
  spread.median = measure::median(values);
  const auto [least, most] = std::ranges::minmax_element(values);
  spread.at_least = static_cast<std::size_t>(least - values.begin());
  spread.at_most = static_cast<std::size_t>(most - values.begin());
  spread.least = *least;
  spread.most = *most;
  for (double& value : values) value = std::abs(value / spread.median - 1);
  spread.mad = measure::median(values);
  if (!half_widths.empty()) spread.half_width = measure::median(half_widths);
  spread.scale = std::max({normal_consistency * spread.mad, spread.half_width, least_scale});
  return spread;
}

NodeVerdict judge_by_fleet(const FleetFigure& figure, const FleetSpread& spread, bool higher_is_better) {
  if (spread.nodes < least_to_retest) return NodeVerdict::unjudged;
  const double loss = loss_of(figure.value, spread.median, higher_is_better);
  const bool reaches_median =
      figure.low && figure.high && *figure.low <= spread.median && spread.median <= *figure.high;
  if (loss <= flag_scales * spread.scale || loss <= flag_loss || reaches_median) return NodeVerdict::pass;
  return spread.nodes < least_to_flag ? NodeVerdict::retest : NodeVerdict::flagged;
}

NodeVerdict judge_by_reference(const FleetFigure& figure, double reference, double tolerance, bool higher_is_better) {
  const double best = higher_is_better ? figure.high.value_or(figure.value) : figure.low.value_or(figure.value);
  // `gable check` compares speeds: of times reference / measured
  const double speed = higher_is_better ? best / reference : reference / best;
  return speed < 1 - tolerance ? NodeVerdict::flagged : NodeVerdict::pass;
}

}  // namespace gable::campaign
