#include "core/questions/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/device/device_parts.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/model/roofline.hpp"
#include "core/model/units.hpp"
#include "core/model/work.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/verdict/measured_judgement.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::questions {
namespace {

/// The level furthest out that some stage draws bytes from, and these bytes.
std::optional<std::pair<std::string, double>> outermost_traffic(const Point& point, const Roofline& roofline) {
  const auto& levels = roofline.levels();
  std::vector<double> total(levels.size());
  for (const Stage& stage : point.stages) {
    const auto moved = least_traffic(stage, levels, point.cold);
    for (std::size_t i = 0; i < moved.size(); ++i) total[i] += moved[i];
  }
  for (std::size_t i = levels.size(); i-- > 0;) {
    if (total[i] > 0) return std::pair{levels[i].name, total[i]};
  }
  return {};
}

/// All stages as one mix of reads and writes.
Traffic mix_of(const Point& point) {
  Stage all;
  for (const Stage& stage : point.stages) {
    all.bytes_read += stage.bytes_read;
    all.bytes_written += stage.bytes_written;
    all.bytes_updated += stage.bytes_updated;
  }
  return traffic_of(all);
}

std::optional<RidgeView> ridge_of(const Point& point, const Roofline& roofline, const Limit& limit) {
  const auto unit = main_unit(point.stages);
  const auto* peak = unit ? roofline.peak(point.types, *unit) : nullptr;
  const auto outermost = outermost_traffic(point, roofline);
  if (!peak || !outermost) return {};
  const auto& [level, moved] = *outermost;
  const auto rate = roofline.byte_per_s(level, mix_of(point));
  if (!rate) return {};
  return RidgeView{level,
                   flops(point.stages) / moved,
                   peak->flop_per_s / *rate,
                   peak->flop_per_s,
                   *rate,
                   peak->label,
                   std::string(operation_name(peak->unit, peak->dtype)),
                   limit.compute == *peak};
}

/// The figure of the limiting roof; of bandwidths the one for the mix of the stage that decides.
void set_limit_value(Explanation& answer, const Roofline& roofline) {
  if (const auto& compute = answer.limit.compute) {
    answer.limit_value = compute->flop_per_s;
    answer.limit_value_unit = rate_unit(compute->unit, compute->dtype);
  } else if (answer.limit.kind == LimitKind::overhead) {
    if (roofline.overhead()) answer.limit_value = roofline.overhead()->seconds;
    answer.limit_value_unit = "s";
  } else if (const auto& roof = answer.limit.bandwidth) {
    answer.limit_value = roofline.byte_per_s(roof->level, traffic_of(answer.point.stages[answer.limit.stage]));
    answer.limit_value_unit = "byte/s";
  }
}

/// The clock that the limiting roofs were measured at.
std::optional<double> clock_of_roofs(const Result& result, const Point& point) {
  std::optional<double> highest;
  for (const Ceiling& row : result.ceilings) {
    const bool same = row.device == point.device && row.scope == point.scope && row.status == Status::ok &&
                      row.kind == CeilingKind::compute && row.conditions.clock_hz;
    if (same) highest = std::max(highest.value_or(0), *row.conditions.clock_hz);
  }
  return highest;
}

/// Whether the bound counts on caches that keep a part of the data between runs, while the time is that of work whose
/// bytes all come from the outermost level. Says so, naming both.
std::optional<std::string> cache_keeps_less(const Explanation& answer, const Roofline& roofline) {
  const Point& point = answer.point;
  if (point.compared_rounds > 0) return {};  // its bound is by other roofs
  const auto all_out = roofline.judge(point.stages, point.types, true).bound;
  const auto& levels = roofline.levels();
  if (point.cold || levels.size() < 2 || !all_out || all_out->limit.kind != LimitKind::bandwidth) return {};
  const auto outermost = outermost_traffic(point, roofline);
  const bool partly_kept = answer.limit.kind == LimitKind::bandwidth && outermost &&
                           outermost->first == levels.back().name && all_out->time_s > answer.bound_s;
  constexpr double beyond = 1.1;  // longer than the time by more: the caches kept a part
  if (!partly_kept || all_out->time_s > beyond * point.time.value) return {};
  if (classify(*all_out, point.time.value) == Regime::below_roof) return {};
  double largest = 0, cache = 0;
  for (const Stage& stage : point.stages) largest = std::max(largest, stage.working_set);
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) cache = std::max(cache, levels[i].capacity_bytes);
  return fmt::format(
      "the caches keep less between runs than the bound counts on: the data are {}, the largest cache holds {}. If all "
      "came from {}, at least {}, which is {:.0f} % of the time measured",
      format_quantity(largest, "byte"), format_quantity(cache, "byte"), levels.back().name,
      format_quantity(all_out->time_s, "s"), 100 * all_out->time_s / point.time.value);
}

/// What the row says of itself.
std::vector<Cause> seen_causes(const Result& result, const Explanation& answer, const Roofline& roofline) {
  const Point& point = answer.point;
  std::vector<Cause> causes;
  const auto add = [&](std::string text) { causes.push_back({std::move(text), true}); };
  if (auto kept = cache_keeps_less(answer, roofline)) add(*std::move(kept));
  if (answer.disturbed) add("the measurement was disturbed: other work ran on the machine at the time");
  if (point.time.seen.stolen_s.value_or(0) > 0) {
    add(fmt::format("a hypervisor took {} of processor time away during it",
                    format_quantity(*point.time.seen.stolen_s, "s")));
  }
  const auto highest = clock_of_roofs(result, point);
  if (highest && point.conditions.clock_hz && *point.conditions.clock_hz < 0.95 * *highest) {
    add(fmt::format("the clock was lower than that of the roofs: {} against {}",
                    format_quantity(*point.conditions.clock_hz, "Hz"), format_quantity(*highest, "Hz")));
  }
  if (point.conditions.clock_limits.value_or("") != "")
    add("the clock was held back: " + *point.conditions.clock_limits);
  if (point.conditions.huge_page_fraction.value_or(1) < 0.5) {
    add(fmt::format("address translation (TLB): {:.0f} % of its memory was in huge pages",
                    100 * *point.conditions.huge_page_fraction));
  }
  const auto device = std::ranges::find(result.devices, point.device, &DeviceInfo::id);
  if (device != result.devices.end() && device->numa.size() > 1 && point.scope == Scope::node)
    add(fmt::format("memory of another node (NUMA): the device has {} memory nodes", device->numa.size()));
  if (const int launches = launches_of_run(point); launches > 1) {
    add(fmt::format("{} kernels run one after another: none can start before the one before it is done", launches));
  }
  return causes;
}

std::vector<Cause> causes_of(const Result& result, const Explanation& answer, const Roofline& roofline) {
  auto causes = seen_causes(result, answer, roofline);
  for (const char* usual :
       {"too little parallelism: too few independent pieces of work to fill every core and unit",
        "latency: each access or operation waits for the one before it",
        "dependent instructions: sums and chains that one unit must do in order",
        "scattered accesses: whole cache lines are fetched for a few bytes of each",
        "scalar code where the roof is that of vectors or tiles", "unequal shares: most cores wait for the slowest"})
    causes.push_back({usual, false});
  return causes;
}

Standing standing_of(const Point& point, const Roofline& roofline, const std::optional<ByRounds>& by_rounds) {
  if (!by_rounds) return standing(point, roofline);
  return by_rounds->share > 1 ? Standing::at_roof : Standing::under_roof;
}

void set_interval(Explanation& answer, const std::optional<ByRounds>& by_rounds) {
  const Estimate& time = answer.point.time;
  if (by_rounds) {
    answer.fraction_low = by_rounds->low;
    answer.fraction_high = by_rounds->high;
    return;
  }
  if (time.ci_high) answer.fraction_low = answer.bound_s / *time.ci_high;
  if (time.ci_low) answer.fraction_high = answer.bound_s / *time.ci_low;
}

/// Whether the rows name the same limit as the rounds.
bool same_limit(const Limit& a, const Limit& b) {
  return a.kind == b.kind && (!a.bandwidth || !b.bandwidth || a.bandwidth->level == b.bandwidth->level);
}

/// Of a point that was compared round by round: what would move it if memory had the speed that its row states.
std::vector<Lever> levers_by_rows(const Result& result, const Explanation& answer, const MachineModel& machine,
                                  const MeasuredJudgement& by_rows, Operators operators,
                                  std::span<const MachineModel> other) {
  const double time_s = by_rows.bound->time_s / answer.fraction;
  return levers({result, answer.point, machine, *by_rows.bound, answer.datasheet, operators, other, time_s});
}

}  // namespace

Explanation explain(const Result& result, const Point& point, Operators operators,
                    std::span<const MachineModel> other) {
  if (!has_time(point))
    throw Error(fmt::format("point '{}' is {}: {}", point.id, to_string(point.status), point.reason));
  if (const std::string lacks = why_no_verdict(point); !lacks.empty())
    throw Error(fmt::format("point '{}' has no verdict: {}", point.id, lacks));
  const MachineModel machine = machine_of(result, point.device, point.scope);
  const Roofline& roofline = machine.roofline;
  const MeasuredJudgement by_rows = judge_measured(roofline, point.stages, point.types, point.cold);
  std::optional<ByRounds> by_rounds;
  if (point.compared_rounds > 0) by_rounds = PointRoofs(result.devices, result.ceilings).by_rounds(point);
  const MeasuredJudgement& judged = by_rounds ? by_rounds->judged : by_rows;
  if (!judged.stands()) throw Error(fmt::format("point '{}' has no verdict: {}", point.id, why_no_verdict(judged)));
  Explanation answer{.point = point,
                     .limit = judged.bound->limit,
                     .bound_s = judged.bound->time_s,
                     .work_s = judged.bound->work_s,
                     .overhead_s = judged.bound->overhead_s};
  set_verdict(answer.point, roofline, by_rounds);
  if (by_rounds) {
    answer.bound_s = *answer.point.bound_s;
    answer.overhead_s = std::min(answer.overhead_s, answer.bound_s);
    answer.work_s = answer.bound_s - answer.overhead_s;
  }
  answer.fraction = answer.bound_s / point.time.value;
  answer.standing = standing_of(point, roofline, by_rounds);
  set_interval(answer, by_rounds);
  set_limit_value(answer, roofline);
  answer.ridge = ridge_of(point, roofline, answer.limit);
  answer.datasheet = datasheet_bound(result, answer.point);
  answer.disturbed = was_disturbed(point.time);
  answer.half_interval_percent = half_interval_percent(point.time);
  if (answer.point.regime == Regime::below_roof) answer.causes = causes_of(result, answer, roofline);
  answer.invalid = answer.fraction_low.value_or(answer.fraction) > most_of_bound;
  if (answer.invalid) return answer;
  answer.limit_differs = by_rounds && !(by_rows.stands() && same_limit(by_rows.bound->limit, answer.limit));
  if (answer.limit_differs) return answer;
  answer.levers = by_rounds
                      ? levers_by_rows(result, answer, machine, by_rows, operators, other)
                      : levers({result, answer.point, machine, *judged.bound, answer.datasheet, operators, other});
  return answer;
}

double lost_s(const Point& point) {
  return point.bound_s ? (point.time.value - *point.bound_s) * point.count.value_or(1) : 0;
}

namespace {

/// What a device and a scope are called.
std::string title_of(const DeviceInfo& device, Scope scope) {
  const std::string name = fmt::format("{} ({})", device.name.empty() ? device.id : device.name, device.id);
  return is_part(device) ? name : fmt::format("{}, {}", name, to_string(scope));
}

MachineExplained summary_of(const Result& result, const std::string& device, Scope scope) {
  MachineExplained summary;
  summary.machine = machine_of(result, device, scope);
  const auto info = std::ranges::find(result.devices, device, &DeviceInfo::id);
  summary.title = title_of(*info, scope);
  if (const auto* entry = catalogue::find_product(*info)) summary.catalogue_entry = entry->name;
  summary.messages = message_rooflines(result, device);
  summary.collectives = judged_collectives(result, device);
  return summary;
}

}  // namespace

MachineExplained explain_point(const Result& result, const std::string& device, const std::string& id,
                               Operators operators, std::span<const MachineModel> others) {
  std::vector<Point> here;
  std::ranges::copy_if(result.points, std::back_inserter(here),
                       [&](const Point& point) { return point.device == device; });
  for (Point& point : here) {
    if (above_roof(point)) point.status = Status::ok;  // it is judged anew, and may be asked for
  }
  const Point& point = find_point(here, id);
  auto summary = summary_of(result, device, point.scope);
  summary.points.push_back(explain(result, point, operators, others));
  return summary;
}

MachineExplained explain_device(const Result& result, const std::string& device, Operators operators,
                                std::span<const MachineModel> others) {
  auto summary = summary_of(result, device, widest_scope(result, device));
  for (const Point& point : result.points) {
    if (point.device != device) continue;
    try {
      summary.points.push_back(explain(result, point, operators, others));
    } catch (const Error& error) {
      summary.without.emplace_back(error.what());
    }
  }
  std::ranges::stable_sort(summary.points, std::greater<>{},
                           [](const Explanation& answer) { return lost_s(answer.point); });
  return summary;
}

}  // namespace gable::questions
