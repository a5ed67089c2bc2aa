#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/two_speeds.hpp"
#include "core/model/roofline.hpp"
#include "core/result/anonymous.hpp"
#include "core/result/for_each_row.hpp"
#include "core/verdict/measured_judgement.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/suspicion.hpp"
#include "core/verdict/validate.hpp"

namespace gable::verdict {
namespace {

using Findings = std::vector<Finding>;

constexpr double most_percent = 101.0;

/// Adds findings about one row.
class RowCheck {
 public:
  RowCheck(Findings& findings, std::string where) : findings_(findings), where_(std::move(where)) {}

  void require(bool good, std::string what) {
    if (!good) findings_.push_back({false, where_, std::move(what)});
  }
  /// `value` has to be finite and above zero.
  void positive(double value, std::string_view what) {
    require(std::isfinite(value) && value > 0, fmt::format("{} is {}, not positive", what, value));
  }

 private:
  Findings& findings_;
  std::string where_;
};

void check_interval(RowCheck& check, double value, std::optional<double> low, std::optional<double> high,
                    std::string_view what) {
  check.require(low.has_value() == high.has_value(), fmt::format("{}: an interval with one end", what));
  if (!low || !high) return;
  check.require(*low <= value && value <= *high,
                fmt::format("{} {} is outside its interval [{}, {}]", what, value, *low, *high));
}

bool same(double a, double b) {
  constexpr double rounding = 1e-9;
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

/// The rounds at the fastest of several speeds are three or more, and all others are slower than any of them; without
/// the samples that were disturbed, where the value rests on others.
void check_used_rounds(RowCheck& check, const Estimate& estimate, std::size_t used) {
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
    check.require(estimate.used_rounds.empty(), "used_rounds, but its estimator uses all rounds");
    return;
  }
  check.require(of_used.size() >= measure::least_rounds && of_used.size() == estimate.used_rounds.size(),
                "the value of the fastest of several speeds needs used_rounds: three of its rounds or more");
  check.require(used == static_cast<std::size_t>(std::max(estimate.used_blocks, 0)),
                fmt::format("used_blocks is {}, and its used_rounds have {}", estimate.used_blocks, used));
  if (of_used.empty() || of_others.empty()) return;
  const auto [least, greatest] = std::ranges::minmax(of_used);
  const auto [least_other, greatest_other] = std::ranges::minmax(of_others);
  check.require(greatest_other < least || greatest < least_other, "its used_rounds are not the fastest of its rounds");
}

/// A figure that was edited by hand no longer follows from its samples.
void check_samples(RowCheck& check, const Estimate& estimate, std::string_view what) {
  if (estimate.samples.empty()) return;
  const double median = measure::median(estimate.samples);
  check.require(same(median, estimate.median),
                fmt::format("median is {}, that of the samples {}", estimate.median, median));
  if (estimate.estimator == Estimator::median)
    check.require(same(estimate.value, estimate.median), fmt::format("{} is not the median it is said to be", what));
  std::vector<double> used;
  if (estimate.rounds.size() == estimate.samples.size()) {
    for (const std::size_t i : measure::used_samples(estimate)) used.push_back(estimate.samples[i]);
    check_used_rounds(check, estimate, used.size());
  }
  if (!used.empty()) {
    const bool mode = estimate.estimator == Estimator::mode;
    const double again = mode ? measure::half_sample_mode(used) : measure::median(used);
    check.require(same(estimate.value, again),
                  fmt::format("{} is not the {} of its samples{}, {}", what, mode ? "half-sample mode" : "median",
                              used.size() < estimate.samples.size() ? " that count" : "", again));
  }
  const auto [low, high] = std::ranges::minmax(estimate.samples);
  check.require(low <= estimate.value && estimate.value <= high, fmt::format("{} is none of its samples", what));
}

void check_estimate(RowCheck& check, const Estimate& estimate, std::string_view what) {
  check.positive(estimate.value, what);
  check.positive(estimate.median, "median");
  check_interval(check, estimate.value, estimate.ci_low, estimate.ci_high, what);
  check_interval(check, estimate.median, estimate.median_ci_low, estimate.median_ci_high, "median");
  check.positive(estimate.blocks, "blocks");
  check.positive(estimate.used_blocks, "used_blocks");
  check.require(estimate.used_blocks <= estimate.blocks,
                fmt::format("used_blocks {} of {} blocks", estimate.used_blocks, estimate.blocks));
  check.require(estimate.samples.size() == static_cast<std::size_t>(std::max(estimate.blocks, 0)),
                fmt::format("{} samples for {} blocks", estimate.samples.size(), estimate.blocks));
  check.require(estimate.rounds.empty() || estimate.rounds.size() == estimate.samples.size(),
                fmt::format("{} rounds for {} samples", estimate.rounds.size(), estimate.samples.size()));
  const std::set<int> rounds(estimate.rounds.begin(), estimate.rounds.end());
  check.require(estimate.ended_s.empty() || estimate.ended_s.size() == rounds.size(),
                fmt::format("{} rounds_ended_s for {} rounds", estimate.ended_s.size(), rounds.size()));
  check.require(std::ranges::all_of(estimate.ended_s, [](double end_s) { return end_s > 0; }),
                "a round of rounds_ended_s has no time");
  check.require(std::ranges::all_of(estimate.disturbed_samples, [&](int i) { return 0 <= i && i < estimate.blocks; }),
                "disturbed_samples names a sample that is not there");
  check_samples(check, estimate, what);
}

/// The declared work must be what the operator of that name does with these sizes and types.
void check_work(RowCheck& check, const Point& row, Operators known) {
  const auto spec = std::ranges::find(known, row.op, [](const OperatorSpec* one) { return one->name; });
  if (!ran_here(row) || spec == known.end() || result::names_lost_file(row.params)) return;
  try {
    const auto stages = repeated((*spec)->work(Params::parse(row.params), row.types), row.launches);
    check.require(same(flops(row.stages), flops(stages)),
                  fmt::format("{} flop, {} does {}", flops(row.stages), row.op, flops(stages)));
    check.require(same(bytes(row.stages), bytes(stages)),
                  fmt::format("{} byte, {} moves {}", bytes(row.stages), row.op, bytes(stages)));
  } catch (const Error& error) {
    check.require(false, fmt::format("params '{}': {}", row.params, error.what()));
  }
}

/// What rows are checked against.
struct Context {
  const std::set<std::string>& devices;
  PointRoofs& roofs;
  Operators known;
};

/// What every kind of row has: a known device, a status with its reason.
template <class Row>
RowCheck common(Findings& findings, const Row& row, const Context& context) {
  RowCheck check(findings, fmt::format("{} {} {}", to_string(kind_of(row)), row.device, row.id));
  check.require(context.devices.contains(row.device),
                fmt::format("refers to device '{}', which is not there", row.device));
  check.require(row.status == Status::ok || !row.reason.empty(),
                fmt::format("{} without a reason", to_string(row.status)));
  return check;
}

bool measured(Status status) { return status == Status::ok || status == Status::suspect; }

void check_row(Findings& findings, const Ceiling& row, const Context& context) {
  auto check = common(findings, row, context);
  if (!measured(row.status)) return;
  check_estimate(check, row.value, "value");
  if (!row.imported) check.positive(row.threads, "threads");
  if (row.working_set_bytes) check.positive(*row.working_set_bytes, "working_set_bytes");
  if (row.conditions.clock_hz) check.positive(*row.conditions.clock_hz, "clock_hz");
  if (row.status != Status::ok) return;  // the row itself says that it is too high
  // Not the datasheet's figure: it holds at the datasheet's clock, which a boost exceeds.
  const std::string why = implausible(row);
  check.require(why.empty(), why);
}

/// The bound that a point is above; nothing where it is above none. A point that was judged by the ceilings of another
/// file has only its own bound to be judged by.
std::optional<double> exceeded_bound_s(const Point& row, const Roofline* roofline) {
  const auto bound = roofline ? roofline->judge(row.stages, row.types, row.cold).bound : std::nullopt;
  if (bound) return standing(row, *roofline) == Standing::above_roof ? std::optional{bound->time_s} : std::nullopt;
  const bool above = *row.bound_s / row.time.high() * 100 > most_percent;
  return above ? row.bound_s : std::nullopt;
}

/// That its rounds say what is said to be by them.
void check_compared(RowCheck& check, const Point& row, const std::optional<ByRounds>& by_rounds) {
  if (row.compared_rounds == 0) return;
  const int rounds = by_rounds ? by_rounds->rounds : 0;
  check.require(rounds == row.compared_rounds,
                fmt::format("compared_rounds is {}, by the times of its rounds it is {}", row.compared_rounds, rounds));
  if (by_rounds && row.fraction_of_limit)
    check.require(same(*row.fraction_of_limit, by_rounds->share),
                  fmt::format("fraction_of_limit is {:.4g}, that of its rounds {:.4g}", *row.fraction_of_limit,
                              by_rounds->share));
}

/// That `gable measure` would have called the point suspect, and that its figures follow from each other.
void check_limit(RowCheck& check, const Point& row, PointRoofs& roofs) {
  const auto by_rounds = roofs.by_rounds(row);
  if (row.bound_s && row.status == Status::ok && !by_rounds) {
    Point judged = row;
    judged.bound_s = exceeded_bound_s(row, roofs.of(row));
    check.require(!judged.bound_s, above_roof_words(judged, row.limit));
  }
  check_compared(check, row, by_rounds);
  if (!row.fraction_of_limit) return;
  constexpr double rounding = 1e-6;
  const double fraction = row.bound_s.value_or(0) / row.time.value;
  check.require(
      std::abs(*row.fraction_of_limit - fraction) <= rounding * fraction,
      fmt::format("fraction_of_limit is {:.4g}, bound_s / time_s is {:.4g}", *row.fraction_of_limit, fraction));
}

void check_row(Findings& findings, const Point& row, const Context& context) {
  auto check = common(findings, row, context);
  if (!measured(row.status)) return;
  check_estimate(check, row.time, "time_s");
  check.require(row.threads > 0 || !ran_here(row), "threads is not positive");
  check.require(!row.stages.empty(), "no stages");
  check.positive(row.launches, "launches");
  check.positive(row.count.value_or(1), "count");
  for (const auto& stage : row.stages) {
    check.require(stage.launches >= 0, fmt::format("stage '{}': launches is negative", stage.name));
    check.require(stage.bytes_read >= 0 && stage.bytes_written >= 0 && (bytes(stage) > 0 || row.imported),
                  fmt::format("stage '{}': no bytes move", stage.name));
    check.require(stage.bytes_updated >= 0 && stage.bytes_updated <= std::min(stage.bytes_read, stage.bytes_written),
                  fmt::format("stage '{}': bytes_updated are not among those read and written", stage.name));
    for (const auto& work : stage.work)
      check.positive(work.operations, fmt::format("stage '{}': operations", stage.name));
  }
  check_work(check, row, context.known);
  check_limit(check, row, context.roofs);
}

void check_row(Findings& findings, const Curve& row, const Context& context) {
  auto check = common(findings, row, context);
  check.require(row.x.size() == row.y.size(), fmt::format("{} x for {} y", row.x.size(), row.y.size()));
  if (!measured(row.status)) return;
  check.require(!row.x.empty(), "no points");
  for (const double y : row.y) {
    if (std::isfinite(y) && y > 0) continue;
    check.positive(y, fmt::format("{} of the curve", row.y_name));
    break;
  }
}

/// A kind of row that has nothing else to check.
template <class T>
void check_row(Findings& findings, const T& row, const Context& context) {
  auto check = common(findings, row, context);
  if (const Estimate* estimate = estimate_of(row); estimate && measured(row.status))
    check_estimate(check, *estimate, "value");
}

template <class Rows>
void check_unique(Findings& findings, const Rows& rows) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& row : rows) {
    if (seen.emplace(row.device, row.id).second) continue;
    findings.push_back(
        {false, fmt::format("{} {} {}", to_string(kind_of(row)), row.device, row.id), "this id is there twice"});
  }
}

/// Counts from which capacities and roofs are derived.
void check_device(Findings& findings, const DeviceInfo& device) {
  RowCheck check(findings, "device " + device.id);
  const bool only_named = device.cores == 0 && device.memory.empty();  // imported rows may be of a device's id alone
  if (!only_named) check.positive(device.cores, "cores");
  for (const MemoryLevel& level : device.memory) {
    const bool main_memory = &level == &device.memory.back();
    if (!main_memory) check.positive(level.size_bytes, level.name + ": size_bytes");
    check.positive(level.instances, level.name + ": instances");
    check.positive(level.shared_by, level.name + ": shared_by_cores");
  }
}

/// Rows that say ok where `gable measure` would have called them suspect.
void check_suspects(Findings& findings, const Result& result) {
  Result judged = result;
  mark_suspects(judged);
  const auto compare = [&](const auto& rows, const auto& before) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].status == before[i].status) continue;
      findings.push_back(
          {false, fmt::format("{} {} {}", to_string(kind_of(rows[i])), rows[i].device, rows[i].id), rows[i].reason});
    }
  };
  for_each_row_list(judged,
                    [&]<class Rows>(const Rows& rows) { compare(rows, rows_of<typename Rows::value_type>(result)); });
}

}  // namespace

std::vector<Finding> plausibility(const Result& result, Operators known) {
  Findings findings;
  std::set<std::string> devices;
  for (const auto& device : result.devices) {
    check_device(findings, device);
    if (!devices.insert(device.id).second) findings.push_back({false, "device " + device.id, "this id is there twice"});
  }
  for_each_row_list(result, [&](const auto& rows) { check_unique(findings, rows); });
  PointRoofs roofs(result.devices, result.ceilings);
  const Context context{devices, roofs, known};
  for_each_row(result, [&](const auto& row) { check_row(findings, row, context); });
  check_suspects(findings, result);
  return findings;
}

}  // namespace gable::verdict
