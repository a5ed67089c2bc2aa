#include "core/questions/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "core/device/device_parts.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/model/roofline.hpp"
#include "core/model/units.hpp"
#include "core/model/work.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/sequence.hpp"
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

std::optional<RidgeView> ridge_of(const Point& point, const Roofline& roofline) {
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
                   point.limit_kind == LimitKind::compute && point.limit == peak->label};
}

/// The figure of the limiting roof; of bandwidths the one for the mix of the stage that decides.
void set_limit_value(Explanation& answer, const Roofline& roofline) {
  const Point& point = answer.point;
  const auto stage = static_cast<std::size_t>(point.limit_stage);
  if (point.limit_unit && point.limit_dtype) {
    const auto roof = std::ranges::find(roofline.compute(), point.limit, &ComputeRoof::label);
    if (roof != roofline.compute().end()) answer.limit_value = roof->flop_per_s;
    answer.limit_value_unit = rate_unit(*point.limit_unit, *point.limit_dtype);
  } else if (point.limit_kind == LimitKind::overhead) {
    if (roofline.overhead()) answer.limit_value = roofline.overhead()->seconds;
    answer.limit_value_unit = "s";
  } else if (const auto* random = roofline.random(point.limit_level); random && random->label == point.limit) {
    answer.limit_value = random->byte_per_s;
    answer.limit_value_unit = "byte/s";
  } else if (stage < point.stages.size()) {
    answer.limit_value = roofline.byte_per_s(point.limit_level, traffic_of(point.stages[stage]));
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
  const bool partly_kept = point.limit_kind == LimitKind::bandwidth && outermost &&
                           outermost->first == levels.back().name && all_out->time_s > point.bound_s;
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
  const auto device = std::ranges::find(result.devices, answer.point.device, &DeviceInfo::id);
  const bool of_gpu = device != result.devices.end() && is_gpu(*device);
  for (const char* usual :
       {of_gpu ? "too little parallelism: fewer blocks than multiprocessors, or too few warps in each"
               : "too little parallelism: too few independent pieces of work to fill every core and unit",
        "latency: each access or operation waits for the one before it",
        "dependent instructions: sums and chains that one unit must do in order",
        of_gpu ? "scattered accesses: whole sectors of 32 bytes are fetched for a few bytes of each"
               : "scattered accesses: whole cache lines are fetched for a few bytes of each",
        of_gpu ? "plain multiply-adds where the roof is that of the matrix unit"
               : "scalar code where the roof is that of vectors or tiles",
        of_gpu ? "a last wave: the blocks that are left keep few multiprocessors busy"
               : "unequal shares: most cores wait for the slowest"})
    causes.push_back({usual, false});
  return causes;
}

/// Whether a bound is decided by a roof of the kind, and of the level, that limits the point.
bool names_limit(const std::optional<Bound>& bound, const Point& point) {
  if (!bound || bound->limit.kind != point.limit_kind) return false;
  return !bound->limit.bandwidth || bound->limit.bandwidth->level == point.limit_level;
}

/// The levers by the figures of the rows. Of a point that was compared with main memory round by round they are of the
/// same share; where the rows name another limit, they are by the roofs of the round with the median share.
std::vector<Lever> levers_of(const FastestRuns& runs, const Explanation& answer, Operators operators,
                             std::span<const MachineModel> other) {
  const Result& result = runs.result();
  const Point& point = answer.point;
  const MachineModel* machine = &runs.machine_of(point);
  auto bound = machine->roofline.judge(point.stages, point.types, point.cold).bound;
  MachineModel of_rounds;
  if (point.compared_rounds > 0 && !names_limit(bound, point)) {
    if (auto by_rounds = PointRoofs(result.devices, result.ceilings, result.curves).by_rounds(point)) {
      of_rounds = *machine;
      of_rounds.roofline = std::move(by_rounds->roofline);
      machine = &of_rounds;
      bound = std::move(by_rounds->judged.bound);
    }
  }
  if (!bound) return {};  // its roofs are in another file
  std::optional<double> time_s;
  if (point.compared_rounds > 0) time_s = bound->time_s / *point.fraction_of_limit;
  return levers({runs, point, *machine, *bound, answer.datasheet, operators, other, time_s});
}

}  // namespace

Explanation explain(const FastestRuns& runs, const Point& point, Operators operators,
                    std::span<const MachineModel> other) {
  const Result& result = runs.result();
  if (!has_time(point))
    throw Error(fmt::format("point '{}' is {}: {}", point.id, to_string(point.status), point.reason));
  if (!point.has_verdict()) {
    std::string why = point.reason.empty() ? "no verdict: no roof for anything it does" : point.reason;
    const auto sheet = datasheet_bound(result, point);
    if (sheet && (!point.imported || point.imported->unknown.empty()))
      why += fmt::format("; it reaches {:.3g} % of what the vendor's figures allow ({})", 100 * sheet->fraction,
                         sheet->limit);
    throw Error(fmt::format("point '{}' has {}", point.id, why));
  }
  const Roofline& roofline = runs.machine_of(point).roofline;
  Explanation answer{.point = point};
  set_limit_value(answer, roofline);
  answer.ridge = ridge_of(point, roofline);
  answer.datasheet = datasheet_bound(result, answer.point);
  answer.disturbed = was_disturbed(point.time);
  answer.half_interval_percent = half_interval_percent(point.time);
  if (answer.point.regime == Regime::below_roof) answer.causes = causes_of(result, answer, roofline);
  answer.invalid = is_invalid(point);
  if (!answer.invalid) answer.levers = levers_of(runs, answer, operators, other);
  return answer;
}

double lost_s(const Point& point) {
  return point.bound_s ? (point.time.value - *point.bound_s) * point.count.value_or(1) : 0;
}

namespace {

/// What a device and a scope are called.
std::string title_of(const DeviceInfo& device, Scope scope) {
  const std::string name = fmt::format("{} ({})", device.name.empty() ? device.id : device.name, device.id);
  return is_part(device) || is_gpu(device) ? name : fmt::format("{}, {}", name, to_string(scope));
}

MachineExplained summary_of(const Result& result, const std::string& device, Scope scope) {
  MachineExplained summary;
  summary.machine = machine_of(result, device, scope);
  if (!has_ceilings(result, device, scope))
    summary.no_ceilings =
        "No ceilings of this device are in these files: name a result that has them, too (gable explain ceilings.json "
        "points.json); 'gable calibrate --output ceilings.json' measures them";
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
  auto here = filtered(result.points, [&](const Point& point) { return point.device == device; });
  for (Point& point : here) {
    if (above_roof(point)) point.status = Status::ok;  // it may be asked for
  }
  const Point& asked = find_point(here, id);
  const auto point =
      std::ranges::find_if(result.points, [&](const Point& one) { return one.device == device && one.id == asked.id; });
  auto summary = summary_of(result, device, point->scope);
  summary.points.push_back(explain(FastestRuns(result), *point, operators, others));
  return summary;
}

MachineExplained explain_device(const Result& result, const std::string& device, Operators operators,
                                std::span<const MachineModel> others) {
  auto summary = summary_of(result, device, widest_scope(result, device));
  const FastestRuns runs(result);
  const auto is_here = [&](const Point& point) { return point.device == device; };
  auto points = mapped(result.points | std::views::filter(is_here), [](const Point& point) { return &point; });
  std::ranges::stable_sort(points, std::greater<>{}, [](const Point* point) { return lost_s(*point); });
  for (const Point* point : points) {
    try {
      summary.points.push_back(explain(runs, *point, operators, others));
    } catch (const Error& error) {
      summary.without.emplace_back(error.what());
    }
  }
  return summary;
}

}  // namespace gable::questions
