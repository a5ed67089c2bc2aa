#include "core/verdict/measured_judgement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/model/units.hpp"

namespace gable {
Standing standing(const Point& point, const Roofline& roofline) {
  const auto bound = roofline.judge(point.stages, point.types, point.cold).bound;
  if (!bound || bound->time_s <= point.time.value) return Standing::under_roof;
  const auto least = roofline.at_highest().judge(point.stages, point.types, point.cold).bound;
  return least->time_s > tolerated_above_roof * point.time.high() ? Standing::above_roof : Standing::at_roof;
}

Standing standing(const Point& point) {
  if (above_roof(point)) return Standing::above_roof;
  return point.fraction_of_limit > 1 ? Standing::at_roof : Standing::under_roof;
}

bool above_roof(const Point& point) { return point.status == Status::suspect && point.bound_s; }

bool has_time(const Point& point) { return point.status == Status::ok || above_roof(point); }

bool is_invalid(const Point& point) {
  return point.fraction_low.value_or(point.bound_s.value_or(0) / point.time.high()) > most_of_bound;
}

namespace {

/// A slip by which figures of other tools are too large, and what it is of bytes and of operations.
struct Slip {
  double factor;
  std::string_view name, of_bytes, of_operations;
};
constexpr std::array<Slip, 6> slips{{
    {1.075, "1.024 to 1.074", "the unit: MiB or GiB were taken for MB or GB, or the other way round",
     "the unit: a prefix of 1,024 was taken for one of 1,000"},
    {2, "2", "the count: reads and writes, or two passes, were added up twice",
     "the count: a fused multiply-add, or what two passes counted, was taken twice"},
    {8, "8", "the unit: bits were taken for bytes, or elements of 8 byte for bytes",
     "the count: instructions that were operations already were multiplied by the lanes of a vector"},
    {1000, "1,000", "the time or its unit (us for ms), or the unit of the bytes (MB for kB)",
     "the time or its unit (us for ms), or the unit of the operations (GFLOP for MFLOP)"},
    {1024, "1,024", "the unit of the bytes (MiB for KiB), or the time", "the time, or the unit of the operations"},
    {1e6, "1,000,000", "the time or its unit (us for s), or the unit of the bytes (GB for kB)",
     "the time or its unit (us for s), or the unit of the operations (TFLOP for MFLOP)"},
}};

/// What is likely wrong of a figure of another tool that is so many times above its roof: the least slip that explains
/// it, as what is right lies below the roof.
std::string likely_slip(const Point& point, double excess) {
  const auto slip = std::ranges::find_if(slips, [&](const Slip& one) { return excess <= one.factor; });
  if (slip == slips.end()) return "likely wrong is the time or its unit";
  const bool memory = point.regime != Regime::compute_bound;
  return fmt::format("likely wrong by a factor of {} is {}", slip->name, memory ? slip->of_bytes : slip->of_operations);
}

}  // namespace

std::string above_roof_words(const Point& point, const std::string& roof) {
  const double bound_s = point.bound_s.value_or(0);
  const std::string begin = fmt::format("{} takes {}, but {} allows {} at best, beyond both intervals: ",
                                        point.op.empty() ? point.id : point.op, format_quantity(point.time.value, "s"),
                                        roof.empty() ? "its bound" : "its roof " + roof, format_quantity(bound_s, "s"));
  const std::string_view own_causes = is_invalid(point) && !point.imported
                                          ? invalid_words
                                          : "the roof was measured too low (other work on the machine?), "
                                            "or not all of the point's work was done or timed";
  if (!point.imported || !(point.time.value > 0)) return begin + std::string(own_causes);
  return fmt::format("{}{}; else {}", begin, likely_slip(point, bound_s / point.time.value), own_causes);
}

std::string share_of_bound(const Point& point) {
  if (!point.fraction_of_limit) return {};
  if (above_roof(point)) return "suspect";
  return standing(point) == Standing::at_roof ? "100 % (at its roof)"
                                              : fmt::format("{:.1f} %", 100 * *point.fraction_of_limit);
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
                           .dtype = type_on(unit, types),
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
  const std::string missing = fmt::format("no roof for {}", fmt::join(judged.may_decide, ", "));
  if (!judged.bound) return missing;
  return fmt::format("{}, which may decide; at least {} by the roofs measured", missing,
                     format_quantity(judged.bound->time_s, "s"));
}

namespace {

/// Names the roof that decides a bound.
void set_limit(Verdict& verdict, const Limit& limit) {
  verdict.limit = limit.label;
  verdict.limit_kind = limit.kind;
  verdict.limit_stage = static_cast<int>(limit.stage);
  if (const auto& roof = limit.compute) {
    verdict.limit_unit = roof->unit;
    verdict.limit_dtype = roof->dtype;
  }
  if (const auto& roof = limit.bandwidth) verdict.limit_level = roof->level;
}

/// A verdict that stands, of a bound by the rows, or by rounds.
void place(Point& point, Bound bound, const std::optional<ByRounds>& by_rounds) {
  const Estimate& time = point.time;
  if (by_rounds) bound.time_s = by_rounds->share * time.value;
  point.regime = classify(bound, time.value);
  set_limit(point, bound.limit);
  point.bound_s = bound.time_s;
  point.overhead_s = std::min(bound.overhead_s, bound.time_s);
  point.fraction_of_limit = bound.time_s / time.value;
  if (by_rounds) {
    point.fraction_low = by_rounds->low;
    point.fraction_high = by_rounds->high;
    point.compared_rounds = by_rounds->rounds;
  } else {
    if (time.ci_high) point.fraction_low = bound.time_s / *time.ci_high;
    if (time.ci_low) point.fraction_high = bound.time_s / *time.ci_low;
  }
}

}  // namespace

void set_verdict(Point& point, const Roofline& roofline, const std::optional<ByRounds>& by_rounds) {
  if (above_roof(point)) point.status = Status::ok;
  static_cast<Verdict&>(point) = {};
  if (point.status != Status::ok) return;
  point.reason.clear();
  const MeasuredJudgement judged =
      by_rounds ? by_rounds->judged : judge_measured(roofline, point.stages, point.types, point.cold);
  if (judged.bound) point.bound_s = by_rounds ? by_rounds->share * point.time.value : judged.bound->time_s;
  if (point.imported && !point.imported->unknown.empty()) {
    point.missing = point.imported->unknown;
    point.reason = fmt::format("no verdict: its counters do not tell {}", fmt::join(point.missing, ", "));
  } else if (judged.stands()) {
    place(point, *judged.bound, by_rounds);
    point.reason = negligible_words(judged);
  } else if (!judged.may_decide.empty()) {
    point.missing = judged.may_decide;
    point.reason = "no verdict: " + why_no_verdict(judged);
  }
  if (by_rounds || standing(point, roofline) != Standing::above_roof) return;
  mark(point, Status::suspect, above_roof_words(point, judged.bound->limit.label));
}

}  // namespace gable
