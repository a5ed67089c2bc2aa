#include "core/verdict/measured_judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/units.hpp"

namespace gable {
Standing standing(double time_s, double slowest_s, std::span<const Stage> stages, const Types& types, bool cold,
                  const Roofline& roofline) {
  const auto bound = roofline.judge(stages, types, cold).bound;
  if (!bound || bound->time_s <= time_s) return Standing::under_roof;
  const auto least = roofline.at_highest().judge(stages, types, cold).bound;
  return least->time_s > tolerated_above_roof * slowest_s ? Standing::above_roof : Standing::at_roof;
}

Standing standing(const Point& point, const Roofline& roofline) {
  return standing(point.time.value, point.time.high(), point.stages, point.types, point.cold, roofline);
}

bool above_roof(const Point& point) { return point.status == Status::suspect && point.bound_s; }

bool has_time(const Point& point) { return point.status == Status::ok || above_roof(point); }

std::string above_roof_words(const Point& point, const std::string& roof) {
  return fmt::format(
      "{} takes {}, but {} allows {} at best, beyond both intervals: the roof was measured too low (other "
      "work "
      "on the machine?), or not all of the point's work was done or timed",
      point.op.empty() ? point.id : point.op, format_quantity(point.time.value, "s"),
      roof.empty() ? "its bound" : "its roof " + roof, format_quantity(point.bound_s.value_or(0), "s"));
}

std::string share_of_bound(double fraction, Standing standing) {
  if (standing == Standing::above_roof) return "suspect";
  return standing == Standing::at_roof ? "100 % (at its roof)" : fmt::format("{:.1f} %", 100 * fraction);
}

std::string share_of_bound(const Point& point) {
  if (!point.fraction_of_limit) return {};
  const bool above = above_roof(point);
  return share_of_bound(*point.fraction_of_limit, above                          ? Standing::above_roof
                                                  : *point.fraction_of_limit > 1 ? Standing::at_roof
                                                                                 : Standing::under_roof);
}

namespace {

/// A missing roof is assumed to reach this part of its slowest plausible rate.
constexpr double granted = 0.5;
/// Bounds that differ by less than this factor count as equal.
constexpr double same = 1.05;

Roofline with_stand_in(Roofline roofline, const Types& types, const MissingRoof& missing, double rate) {
  if (!missing.unit) {
    roofline.add(BandwidthRoof{
        .level = missing.level, .byte_per_s = rate, .low = rate, .high = rate, .label = missing.name, .link = false});
    return roofline;
  }
  const Unit unit = *missing.unit;
  roofline.add(ComputeRoof{.unit = unit == Unit::multiply_add ? Unit::vector : unit,
                           .dtype = unit == Unit::exp       ? types.accumulate
                                    : unit == Unit::convert ? types.a
                                                            : types.compute,
                           .accumulate = types.accumulate,
                           .at = OperatingPoint::burst,
                           .flop_per_s = rate,
                           .low = rate,
                           .high = rate,
                           .label = missing.name});
  return roofline;
}

/// Why the verdict stands without some roofs.
std::string negligible_words(const MeasuredJudgement& judged) {
  std::string text;
  for (const NegligibleRoof& roof : judged.negligible) {
    text += fmt::format("{}no roof for {}, which cannot decide even at half of its slowest plausible rate ({})",
                        text.empty() ? "" : "; ", roof.name, roof.slowest.reason);
  }
  return text;
}

}  // namespace

MeasuredJudgement judge_measured(const Roofline& roofline, std::span<const Stage> stages, const Types& types,
                                 bool cold) {
  Judgement judgement = roofline.judge(stages, types, cold);
  MeasuredJudgement judged;
  judged.bound = std::move(judgement.bound);
  for (const MissingRoof& missing : judgement.missing) {
    const auto slowest = slowest_rate(roofline, types, missing);
    bool decides = true;
    if (judged.bound && slowest) {
      const Roofline completed = with_stand_in(roofline, types, missing, granted * slowest->per_s);
      const auto bound = completed.judge(stages, types, cold).bound;
      decides = bound->time_s > same * judged.bound->time_s || !same_roof(bound->limit, judged.bound->limit);
    }
    if (decides)
      judged.may_decide.push_back(missing.name);
    else
      judged.negligible.push_back({missing.name, *slowest});
  }
  return judged;
}

std::string why_no_verdict(const MeasuredJudgement& judged) {
  if (judged.stands()) return {};
  const auto missing = judged.may_decide.empty() ? std::string("anything it does")
                                                 : fmt::format("{}", fmt::join(judged.may_decide, ", "));
  if (!judged.bound) return fmt::format("no roof for {}", missing);
  return fmt::format("no roof for {}, which may decide; at least {} by the roofs measured", missing,
                     format_quantity(judged.bound->time_s, "s"));
}

std::string why_no_verdict(const Point& point) {
  if (!point.imported || point.imported->unknown.empty()) return {};
  return fmt::format("its counters do not tell {}", fmt::join(point.imported->unknown, ", "));
}

void set_verdict(Point& point, const Roofline& roofline, const std::optional<ByRounds>& by_rounds) {
  if (above_roof(point)) point.status = Status::ok;
  point.regime.reset();
  point.limit.clear();
  point.limit_unit.reset();
  point.bound_s.reset();
  point.fraction_of_limit.reset();
  point.compared_rounds = 0;
  if (point.status != Status::ok) return;
  point.reason.clear();
  const MeasuredJudgement judged =
      by_rounds ? by_rounds->judged : judge_measured(roofline, point.stages, point.types, point.cold);
  if (by_rounds)
    point.bound_s = by_rounds->share * point.time.value;
  else if (judged.bound)
    point.bound_s = judged.bound->time_s;
  if (const std::string lacks = why_no_verdict(point); !lacks.empty()) {
    point.reason = "no verdict: " + lacks;
  } else if (judged.stands()) {
    Bound bound = *judged.bound;
    bound.time_s = *point.bound_s;
    point.regime = classify(bound, point.time.value);
    point.limit = bound.limit.label;
    if (const auto& roof = bound.limit.compute) point.limit_unit = roof->unit;
    point.fraction_of_limit = bound.time_s / point.time.value;
    point.reason = negligible_words(judged);
    if (by_rounds) point.compared_rounds = by_rounds->rounds;
  } else if (judged.bound || !judged.may_decide.empty()) {
    point.reason = "no verdict: " + why_no_verdict(judged);
  }
  if (by_rounds || standing(point, roofline) != Standing::above_roof) return;
  point.status = Status::suspect;
  point.reason = above_roof_words(point, judged.bound->limit.label);
}

}  // namespace gable
