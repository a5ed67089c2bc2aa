#include "core/verdict/soundness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/two_speeds.hpp"
#include "core/result/anonymous.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable::verdict {
namespace {

/// Equal but for the rounding of sums in another order.
bool same_figure(double a, double b) {
  constexpr double rounding = 1e-9;
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

void check_interval(Told& told, double value, std::optional<double> low, std::optional<double> high,
                    std::string_view what) {
  told.unless(low.has_value() == high.has_value(), fmt::format("{}: an interval with one end", what));
  if (!low || !high) return;
  told.unless(*low <= value && value <= *high,
              fmt::format("{} {} is outside its interval [{}, {}]", what, value, *low, *high));
}

/// The rounds at the fastest of several speeds are three or more, and all others are slower than any of them; without
/// the samples that were disturbed, where the value rests on others.
void check_used_rounds(Told& told, const Estimate& estimate, std::size_t used) {
  const bool faster = estimate.estimator == Estimator::faster_speed;
  const auto is_used = [&](int round) { return std::ranges::count(estimate.used_rounds, round) > 0; };
  const auto disturbed = static_cast<int>(estimate.disturbed_samples.size());
  const bool separates = disturbed > 0 && estimate.blocks - disturbed >= measure::least_for_interval;
  const auto left_out = separates ? std::span(estimate.disturbed_samples) : std::span<const int>();
  std::vector<double> of_used, of_others;
  for (const auto& [round, figures] : measure::by_round(estimate.samples, estimate.rounds, left_out)) {
    if (figures.size() >= measure::least_blocks)
      (is_used(round) ? of_used : of_others).push_back(measure::median(figures));
  }
  if (!faster) {
    told.unless(estimate.used_rounds.empty(), "used_rounds, but its estimator uses all rounds");
    return;
  }
  told.unless(of_used.size() >= measure::least_rounds && of_used.size() == estimate.used_rounds.size(),
              "the value of the fastest of several speeds needs used_rounds: three of its rounds or more");
  told.unless(used == static_cast<std::size_t>(std::max(estimate.used_blocks, 0)),
              fmt::format("used_blocks is {}, and its used_rounds have {}", estimate.used_blocks, used));
  if (of_used.empty() || of_others.empty()) return;
  const auto [least, greatest] = std::ranges::minmax(of_used);
  const auto [least_other, greatest_other] = std::ranges::minmax(of_others);
  told.unless(greatest_other < least || greatest < least_other, "its used_rounds are not the fastest of its rounds");
}

/// The bound that a point is above; nothing where it is above none. A point that was judged by the ceilings of another
/// file has only its own bound to be judged by.
std::optional<double> exceeded_bound_s(const Point& row, const Roofline* roofline) {
  const auto bound = roofline ? roofline->judge(row.stages, row.types, row.cold).bound : std::nullopt;
  if (bound) return standing(row, *roofline) == Standing::above_roof ? std::optional{bound->time_s} : std::nullopt;
  return *row.bound_s / row.time.high() > tolerated_above_roof ? row.bound_s : std::nullopt;
}

}  // namespace

void positive_estimate(const Estimate& estimate, Around&, Told& told) {
  told.positive(estimate.value, told.figure);
  told.positive(estimate.median, "median");
  told.positive(estimate.blocks, "blocks");
  told.positive(estimate.used_blocks, "used_blocks");
}

void within_interval(const Estimate& estimate, Around&, Told& told) {
  check_interval(told, estimate.value, estimate.ci_low, estimate.ci_high, told.figure);
  check_interval(told, estimate.median, estimate.median_ci_low, estimate.median_ci_high, "median");
}

void counts_of_samples(const Estimate& estimate, Around&, Told& told) {
  told.unless(estimate.used_blocks <= estimate.blocks,
              fmt::format("used_blocks {} of {} blocks", estimate.used_blocks, estimate.blocks));
  told.unless(estimate.samples.size() == static_cast<std::size_t>(std::max(estimate.blocks, 0)),
              fmt::format("{} samples for {} blocks", estimate.samples.size(), estimate.blocks));
  told.unless(estimate.rounds.empty() || estimate.rounds.size() == estimate.samples.size(),
              fmt::format("{} rounds for {} samples", estimate.rounds.size(), estimate.samples.size()));
  const std::set<int> rounds(estimate.rounds.begin(), estimate.rounds.end());
  told.unless(estimate.ended_s.empty() || estimate.ended_s.size() == rounds.size(),
              fmt::format("{} rounds_ended_s for {} rounds", estimate.ended_s.size(), rounds.size()));
  told.unless(std::ranges::all_of(estimate.ended_s, [](double end_s) { return end_s > 0; }),
              "a round of rounds_ended_s has no time");
  told.unless(std::ranges::all_of(estimate.disturbed_samples, [&](int i) { return 0 <= i && i < estimate.blocks; }),
              "disturbed_samples names a sample that is not there");
}

void follows_from_samples(const Estimate& estimate, Around&, Told& told) {
  if (estimate.samples.empty()) return;
  const double median = measure::median(estimate.samples);
  told.unless(same_figure(median, estimate.median),
              fmt::format("median is {}, that of the samples {}", estimate.median, median));
  if (estimate.estimator == Estimator::median)
    told.unless(same_figure(estimate.value, estimate.median),
                fmt::format("{} is not the median it is said to be", told.figure));
  std::vector<double> used;
  if (estimate.rounds.size() == estimate.samples.size()) {
    for (const std::size_t i : measure::used_samples(estimate)) used.push_back(estimate.samples[i]);
    check_used_rounds(told, estimate, used.size());
  }
  if (!used.empty()) {
    const bool mode = estimate.estimator == Estimator::mode;
    const double again = mode ? measure::half_sample_mode(used) : measure::median(used);
    told.unless(same_figure(estimate.value, again),
                fmt::format("{} is not the {} of its samples{}, {}", told.figure, mode ? "half-sample mode" : "median",
                            used.size() < estimate.samples.size() ? " that count" : "", again));
  }
  const auto [low, high] = std::ranges::minmax(estimate.samples);
  told.unless(low <= estimate.value && estimate.value <= high, fmt::format("{} is none of its samples", told.figure));
}

void stages_of_point(const Point& row, Around&, Told& told) {
  for (const Stage& stage : row.stages) {
    const auto unless = [&](bool good, const char* what) {
      told.unless(good, fmt::format("stage '{}': {}", stage.name, what));
    };
    unless(stage.launches >= 0, "launches is negative");
    unless(stage.bytes_read >= 0 && stage.bytes_written >= 0 && (bytes(stage) > 0 || row.imported), "no bytes move");
    unless(stage.bytes_updated >= 0 && stage.bytes_updated <= std::min(stage.bytes_read, stage.bytes_written),
           "bytes_updated are not among those read and written");
    unless(stage.random_lines >= 0 && (stage.random_span > 0) == (stage.random_lines > 0),
           "random_lines without a span, or a span without them");
    for (const UnitWork& work : stage.work)
      told.positive(work.operations, fmt::format("stage '{}': operations", stage.name));
  }
}

void work_of_operator(const Point& row, Around& around, Told& told) {
  const auto spec = std::ranges::find(around.known, row.op, [](const OperatorSpec* one) { return one->name; });
  if (!ran_here(row) || spec == around.known.end() || result::names_lost_file(row.params)) return;
  try {
    const auto stages = repeated((*spec)->work(Params::parse(row.params), row.types), row.launches);
    told.unless(same_figure(flops(row.stages), flops(stages)),
                fmt::format("{} flop, {} does {}", flops(row.stages), row.op, flops(stages)));
    told.unless(same_figure(bytes(row.stages), bytes(stages)),
                fmt::format("{} byte, {} moves {}", bytes(row.stages), row.op, bytes(stages)));
  } catch (const Error& error) {
    told.unless(false, fmt::format("params '{}': {}", row.params, error.what()));
  }
}

void below_its_roof(const Point& row, Around& around, Told& told) {
  if (!row.bound_s || row.status != Status::ok || around.roofs.by_rounds(row)) return;
  Point judged = row;
  judged.bound_s = exceeded_bound_s(row, around.roofs.of(row));
  told.unless(!judged.bound_s, above_roof_words(judged, row.limit));
}

void share_of_rounds(const Point& row, Around& around, Told& told) {
  if (row.compared_rounds == 0) return;
  const auto by_rounds = around.roofs.by_rounds(row);
  const int rounds = by_rounds ? by_rounds->rounds : 0;
  told.unless(rounds == row.compared_rounds,
              fmt::format("compared_rounds is {}, by the times of its rounds it is {}", row.compared_rounds, rounds));
  if (by_rounds && row.fraction_of_limit)
    told.unless(same_figure(*row.fraction_of_limit, by_rounds->share),
                fmt::format("fraction_of_limit is {:.4g}, that of its rounds {:.4g}", *row.fraction_of_limit,
                            by_rounds->share));
}

}  // namespace gable::verdict
