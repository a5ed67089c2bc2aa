#include "core/questions/explain/lever.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <utility>

#include "core/model/units.hpp"
#include "core/questions/predict/fusion.hpp"
#include "core/questions/predict/prediction.hpp"

namespace gable::questions {

namespace {

/// Seconds of changed work on the point's own machine or another, or why there are none.
struct Least {
  std::optional<double> time_s;
  std::string missing;
};

Least least_time(const Roofline& roofline, std::span<const Stage> stages, const Point& point) {
  const auto judgement = roofline.judge(stages, point.types, point.cold);
  if (!judgement.missing.empty())
    return {{}, fmt::format("no roof for {}", fmt::join(judgement.missing_names(), ", "))};
  if (!judgement.stands() || !(judgement.bound->time_s > 0)) return {{}, "no roof applies"};
  return {judgement.bound->time_s, ""};
}

std::optional<double> factor(const LeverInput& now, const Least& then) {
  return then.time_s ? std::optional{start_s(now, now.bound.time_s) / *then.time_s} : std::nullopt;
}

/// The distance itself.
std::optional<Lever> closer(const LeverInput& now) {
  const double gain = now.time_s() / now.bound.time_s;
  Lever lever{"closer to the roof", "", gain, "the roof itself can be reached: another kernel reached it"};
  switch (now.bound.limit.kind) {
    case LimitKind::bandwidth:
      lever.change = "whichever of the usual causes holds it back";
      if (gain > 16) return lever;  // the most that a pattern wastes: a line of 64 bytes for 4 of them
      lever.name = "better access pattern";
      lever.change = "unit stride, whole cache lines, each byte fetched once";
      return lever;
    case LimitKind::compute:
      lever.change = "more independent operations at once, operands kept in registers, full vectors or tiles";
      return lever;
    case LimitKind::link:
      lever.change = "larger transfers, several at once";
      return lever;
    default:
      return {};
  }
}

/// What each launch costs when many share it.
std::optional<Lever> fewer_launches(const LeverInput& now) {
  if (!(now.bound.overhead_s > 0) || !(now.bound.work_s > 0)) return {};
  return Lever{"fewer launches", "many runs behind one launch: a batch, a persistent kernel, a replayed graph",
               start_s(now, now.bound.time_s) / now.bound.work_s,
               "so many runs share a launch that its cost no longer counts"};
}

/// Launches that the runs of a point share already stay.
std::vector<Stage> launched(Stage whole, const Point& point) {
  whole.launches = std::max(1, point.launches);
  return {std::move(whole)};
}

/// What the file measured of another way to do the same work.
void set_measured(Lever& lever, const Point& now, const Point& then) {
  lever.measured = then.id;
  lever.factor = now.time.value / then.time.value;
  if (now.time.ci_low && then.time.ci_high) lever.factor_low = *now.time.ci_low / *then.time.ci_high;
  if (now.time.ci_high && then.time.ci_low) lever.factor_high = *now.time.ci_high / *then.time.ci_low;
}

/// Whether the 95 % intervals of both times allow that neither is faster.
bool holds_one(const Lever& measured) {
  return measured.factor_low && measured.factor_high && *measured.factor_low <= 1 && *measured.factor_high >= 1;
}

/// A fused operator that was measured says more than the roofs do, even if it gains nothing.
void take_measured_fusion(Lever& lever, const LeverInput& now) {
  const OperatorSpec* spec = known_operator(now.point, now.operators);
  const std::string_view op = spec == nullptr ? "" : spec->fused;
  const Point* fused = op.empty() ? nullptr : now.runs.of(now.point, op);
  if (!fused) return;
  Lever measured{lever.name, fmt::format("{}, measured as {} ({})", lever.change, op, fused->implementation), {}, ""};
  set_measured(measured, now.point, *fused);
  measured.fusion_measured = true;
  const double own = flops(now.point.stages), its = flops(fused->stages);
  const std::string less_work = its < 0.99 * own && its > 0
                                    ? fmt::format("; it leaves work out: {} of the {}", format_quantity(its, "flop"),
                                                  format_quantity(own, "flop"))
                                    : std::string();
  const bool roofs_promise = lever.factor && *lever.factor >= least_gain;
  if (*measured.factor >= least_gain || !roofs_promise) {
    measured.assumption = "the program can call it: it was measured in this file on the same sizes and types";
    if (holds_one(measured)) measured.assumption += "; no difference was measured: the interval holds 1";
    measured.assumption += less_work;
    if (lever.factor) measured.assumption += fmt::format("; by the roofs the factor is {:.3g}x", *lever.factor);
    lever = std::move(measured);
    return;
  }
  const std::string found =
      holds_one(measured) ? fmt::format("no difference was measured ({:.3g}x, {:.3g}x to {:.3g}x)", *measured.factor,
                                        *measured.factor_low, *measured.factor_high)
                          : fmt::format("it takes {:.3g} times as long as its separate launches", 1 / *measured.factor);
  lever.assumption = fmt::format("a kernel other than {} ({}) does it: of that one this file says that {}; {}", op,
                                 fused->implementation, found, lever.assumption);
  lever.measured = measured.measured;
  lever.fusion_measured = true;
}

std::optional<Lever> fuse_stages(const LeverInput& now) {
  const Point& point = now.point;
  const int launches = launches_of_run(point);
  if (launches < 2) return {};
  const auto whole = launched(fused(point, now.operators), point);
  const Least then = least_time(now.machine.roofline, whole, point);
  Lever lever{"fuse", fmt::format("its {} launches in one", launches), factor(now, then), then.missing};
  if (lever.factor)
    lever.assumption = fmt::format(
        "{} instead of {}: what lies between its launches stays on the chip, and only its results are written",
        format_quantity(bytes(whole), "byte"), format_quantity(bytes(point.stages), "byte"));
  take_measured_fusion(lever, now);
  return lever;
}

bool multiplies(const Stage& stage) {
  return std::ranges::any_of(stage.work, [](const UnitWork& work) {
    return work.operations > 0 && (work.unit == Unit::multiply_add || work.unit == Unit::matrix);
  });
}

/// An elementwise or row-wise operator hands its output to the next of its size. Products cannot do so in registers.
std::optional<Lever> fuse_neighbour(const LeverInput& now) {
  const Point& point = now.point;
  if (point.stages.size() != 1 || now.bound.limit.kind != LimitKind::bandwidth) return {};
  const Stage& stage = point.stages.front();
  if (multiplies(stage) || !(std::min(stage.bytes_written, stage.bytes_read) > 0)) return {};
  const auto whole = launched(fused(std::vector{stage, stage}), point);
  Least then = least_time(now.machine.roofline, whole, point);
  if (then.time_s) then.time_s = *then.time_s / 2;
  Lever lever{"fuse", "with the operator before or behind it", factor(now, then), then.missing};
  if (lever.factor) lever.assumption = "a neighbour of the same size and bytes: two run as one, counted for each";
  return lever;
}

/// The level that a bandwidth limit is of; empty for other limits.
std::string limiting_level(const LeverInput& now) {
  if (now.bound.limit.kind != LimitKind::bandwidth) return "";
  return now.bound.limit.bandwidth ? now.bound.limit.bandwidth->level : "";
}

/// The same machine whose ordinary roofs of a level are the non-temporal ones where those are higher.
Roofline with_streaming_stores(const Roofline& from, const std::string& level) {
  Roofline to;
  to.set_levels(from.levels());
  for (const ComputeRoof& roof : from.compute()) to.add(roof);
  for (BandwidthRoof roof : from.bandwidth()) {
    if (roof.level == level && roof.stores == Stores::non_temporal) roof.stores = Stores::ordinary;
    to.add(roof);
  }
  if (from.overhead()) to.set_overhead(*from.overhead());
  return to;
}

std::optional<Lever> streaming_stores(const LeverInput& now) {
  const std::string level = limiting_level(now);
  const bool writes = std::ranges::any_of(now.point.stages,
                                          [](const Stage& stage) { return stage.bytes_written > stage.bytes_updated; });
  if (level.empty() || !writes) return {};
  const Least then = least_time(with_streaming_stores(now.machine.roofline, level), now.point.stages, now.point);
  Lever lever{"better access pattern", "non-temporal stores, which fetch no line before they write", factor(now, then),
              then.time_s ? "nothing reads the output soon: it leaves the caches" : then.missing};
  lever.other_stores = true;
  return lever;
}

/// Only for operators whose spec says so; nothing is known of kernels that are not gable's.
std::optional<Lever> in_place(const LeverInput& now) {
  if (limiting_level(now).empty()) return {};
  const OperatorSpec* spec = known_operator(now.point, now.operators);
  const bool users = !ran_here(now.point);
  if (!users && (spec == nullptr || !spec->in_place)) return {};
  std::vector<Stage> stages = now.point.stages;
  for (Stage& stage : stages) {
    if (multiplies(stage)) return {};
    stage.bytes_updated = std::min(stage.bytes_read, stage.bytes_written);
  }
  const Least then = least_time(now.machine.roofline, stages, now.point);
  return Lever{"better access pattern", "the output written over the input", factor(now, then),
               !then.time_s ? then.missing
               : users      ? "nothing needs the input afterwards, both have the same shape, and each element or row "
                              "of the output needs only its own of the input"
                            : "nothing needs the input afterwards"};
}

/// The outermost cache from which the same bytes would come sooner. Gable's operators read each byte once: for them it
/// is the fusion with a neighbour. Of the user's kernels it is not known.
std::optional<Lever> cache_blocking(const LeverInput& now) {
  const auto& levels = now.machine.roofline.levels();
  if (limiting_level(now).empty() || levels.size() < 2 || ran_here(now.point)) return {};
  for (std::size_t i = levels.size() - 1; i-- > 0;) {
    if (!now.machine.roofline.byte_per_s(levels[i].name)) continue;
    const auto then = predict(now.machine, now.point.stages, now.point.types, levels[i].name);
    const double gain = start_s(now, now.bound.time_s) / then.bound.time_s;
    if (gain < least_gain) continue;
    return Lever{"cache blocking", fmt::format("pieces that stay in {}", levels[i].name), gain,
                 "it reads the same bytes several times, which then fall into one piece"};
  }
  return {};
}

Lever other_device(const LeverInput& now, const MachineModel& other) {
  Least then = least_time(other.roofline, now.point.stages, now.point);
  const auto& limit = now.bound.limit.bandwidth;
  const auto& its_levels = other.roofline.levels();
  if (limit && limit->access == Access::random &&
      (its_levels.empty() || !other.roofline.random(its_levels.back().name)))
    then = {{}, "no roof for lines at random"};
  Lever lever{
      "other device", fmt::format("{} ({})", other.name, basis_text(other.basis, other.source)), {}, then.missing};
  if (!then.time_s) return lever;
  const bool printed = other.basis == Basis::datasheet;
  const double here = printed && now.datasheet ? now.datasheet->time_s : now.bound.time_s;
  lever.factor = start_s(now, here) / *then.time_s;
  lever.assumption = !printed        ? "both bounds are measured"
                     : now.datasheet ? "both bounds are the vendors' figures"
                                     : "a vendor's figure against measured roofs here, which flatters the other device";
  const auto& levels = now.machine.roofline.levels();
  const bool cached = !limiting_level(now).empty() && limiting_level(now) != levels.back().name;
  if (printed && cached)
    lever.assumption += "; its caches have no figures, so all bytes count as those of its main memory";
  return lever;
}

/// The fastest row of the same work on the same device.
std::optional<Lever> other_implementation(const LeverInput& now) {
  const Point* best = now.runs.of(now.point, now.point.op);
  if (!best) return {};
  Lever lever{"other implementation",
              fmt::format("{} instead of {}", best->implementation, now.point.implementation),
              {},
              "measured in this file, on the same sizes"};
  set_measured(lever, now.point, *best);
  return lever;
}

}  // namespace

FastestRuns::FastestRuns(const Result& result) : result_(result) {
  for (const Point& row : result.points) {
    if (row.status != Status::ok || !(row.time.value > 0)) continue;
    auto& [best, next] = fastest_[work_of(row, row.op)];
    const Point* slower = &row;
    if (!best || row.time.value < best->time.value) slower = std::exchange(best, &row);
    if (slower && slower->id != best->id && (!next || slower->time.value < next->time.value)) next = slower;
  }
}

const MachineModel& FastestRuns::machine_of(const Point& point) const {
  const auto [machine, is_new] = machines_.try_emplace({point.device, point.scope});
  if (is_new) machine->second = gable::machine_of(result_, point.device, point.scope);
  return machine->second;
}

FastestRuns::Work FastestRuns::work_of(const Point& point, std::string_view op) {
  const Types& types = point.types;
  return {op,          point.params,   point.device,
          point.scope, point.threads,  {types.a, types.b, types.out, types.accumulate, types.compute},
          point.cold,  point.launches, point.graph};
}

const Point* FastestRuns::of(const Point& point, std::string_view op) const {
  const auto found = fastest_.find(work_of(point, op));
  if (found == fastest_.end()) return nullptr;
  const auto& [best, next] = found->second;
  return best->id == point.id ? next : best;
}

std::vector<Lever> levers(const LeverInput& now) {
  std::vector<Lever> list;
  for (const auto& judge : {closer, other_implementation, fewer_launches, fuse_stages, fuse_neighbour, streaming_stores,
                            in_place, cache_blocking, batch}) {
    if (auto lever = judge(now)) list.push_back(*std::move(lever));
  }
  for (Lever& lever : lower_precision(now)) list.push_back(std::move(lever));
  for (const MachineModel& other : now.other) list.push_back(other_device(now, other));
  std::erase_if(
      list, [](const Lever& lever) { return !lever.fusion_measured && lever.factor && *lever.factor < least_gain; });
  std::ranges::stable_sort(list, std::greater<>{}, [](const Lever& lever) { return lever.factor.value_or(0); });
  // Whoever computes in fp64 usually needs it: what gives it up is no first advice.
  if (now.point.types.a == DType::fp64)
    std::ranges::stable_partition(list, [](const Lever& lever) { return lever.factor && !lever.narrower; });
  return list;
}

}  // namespace gable::questions
