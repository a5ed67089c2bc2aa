#include "core/analysis/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/datasheet_bound.hpp"
#include "core/error.hpp"

namespace gable::analysis {
namespace {

constexpr const char* main_memory = "memory";

/// Of every unit, for what is multiplied as it is stored and as Types::compute.
void add_peak(Roofline& roofline, double flop_per_s, const Types& types) {
  const auto add = [&](Unit unit, DType dtype) {
    roofline.add(ComputeRoof{.unit = unit,
                             .dtype = dtype,
                             .accumulate = types.accumulate,
                             .at = OperatingPoint::none,
                             .flop_per_s = flop_per_s,
                             .low = flop_per_s,
                             .high = flop_per_s,
                             .label = "the stated peak"});
  };
  for (const Unit unit : {Unit::scalar, Unit::vector, Unit::matrix}) {
    add(unit, types.compute);
    if (types.a != types.compute) add(unit, types.a);
  }
}

const Level& level_named(const Roofline& roofline, const std::string& level) {
  const auto known = std::ranges::find(roofline.levels(), level, &Level::name);
  if (known == roofline.levels().end()) {
    std::string names;
    for (const Level& one : roofline.levels()) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    throw Error(fmt::format("no level '{}'; known: {}", level, names));
  }
  return *known;
}

/// The same roofs with one level only, so that everything comes from it.
Roofline only(const Roofline& roofline, const std::string& level) {
  Roofline part;
  part.set_levels({{level, 0}});
  for (const ComputeRoof& roof : roofline.compute()) part.add(roof);
  for (const BandwidthRoof& roof : roofline.bandwidth()) {
    if (roof.level == level) part.add(roof);
  }
  if (roofline.overhead()) part.set_overhead(*roofline.overhead());
  return part;
}

/// Whether roofs that lack may decide: none that nobody stated, and of a vendor's none that vendors do not print.
bool leaves_open(const Machine& machine, const Roofline& roofline, std::span<const Stage> stages, const Types& types,
                 bool cold) {
  if (machine.basis == Basis::given) return false;
  if (machine.basis == Basis::measured) return true;
  const std::vector<Stage> all(stages.begin(), stages.end());
  return !roofline.judge(printed(all, types, roofline), types, cold).missing.empty();
}

}  // namespace

std::optional<Unit> main_unit(std::span<const Stage> stages) {
  std::optional<Unit> unit;
  double most = 0;
  for (const Stage& stage : stages) {
    for (const UnitWork& work : stage.work) {
      if (!is_flop(work.unit) || work.operations <= most) continue;
      most = work.operations;
      unit = work.unit;
    }
  }
  return unit;
}

Machine machine_of(const StatedRoofs& roofs, std::span<const Types> all_types) {
  if (!roofs.flop_per_s && !roofs.byte_per_s) throw Error("a peak, a bandwidth or both must be stated");
  Machine machine;
  machine.name = "stated roofs";
  machine.basis = Basis::given;
  machine.roofline.set_levels({{main_memory, 0}});
  if (roofs.flop_per_s) {
    for (const Types& types : all_types) add_peak(machine.roofline, *roofs.flop_per_s, types);
  }
  if (roofs.byte_per_s) {
    machine.roofline.add(BandwidthRoof{.level = main_memory,
                                       .byte_per_s = *roofs.byte_per_s,
                                       .low = *roofs.byte_per_s,
                                       .high = *roofs.byte_per_s,
                                       .label = "the stated bandwidth"});
  }
  if (roofs.launch_s) {
    machine.roofline.set_overhead({.seconds = *roofs.launch_s, .synchronous = false, .label = "the stated launch"});
  }
  return machine;
}

Machine machine_of(const StatedRoofs& roofs, const Types& types) {
  return machine_of(roofs, std::span<const Types>(&types, 1));
}

Prediction predict(const Machine& machine, std::span<const Stage> stages, const Types& types, const std::string& level,
                   bool cold) {
  Prediction result;
  if (!level.empty()) {
    const double capacity = level_named(machine.roofline, level).capacity_bytes;
    if (capacity > 0) result.capacity = capacity;
  }
  const Roofline roofline = level.empty() ? machine.roofline : only(machine.roofline, level);
  double read = 0;
  for (const Stage& stage : stages) {
    result.flop += flops(stage);
    result.bytes += bytes(stage);
    result.launches += stage.launches;
    read += stage.bytes_read;
    result.working_set = std::max(result.working_set, stage.working_set);
  }
  if (result.bytes > 0 && result.flop > 0) result.intensity = result.flop / result.bytes;
  const auto unit = main_unit(stages);
  if (const auto* roof = unit ? roofline.peak(types, *unit) : nullptr) result.peak = roof->flop_per_s;
  if (!roofline.levels().empty() && result.peak) {
    const double fraction = result.bytes > 0 ? read / result.bytes : 1;
    if (const auto rate = roofline.byte_per_s(roofline.levels().back().name, {.read_fraction = fraction}))
      result.ridge = *result.peak / *rate;
  }
  const Judgement judgement = roofline.judge(stages, types, cold);
  result.missing = judgement.missing_names();
  result.open = !result.missing.empty() && leaves_open(machine, roofline, stages, types, cold);
  const auto& bound = judgement.bound;
  if (!bound) throw Error(fmt::format("{} has no roof for this: {}", machine.name, fmt::join(result.missing, ", ")));
  result.bound = *bound;
  if (result.flop > 0 && bound->time_s > 0 && !result.open) result.attainable = result.flop / bound->time_s;
  for (const auto& figure : {std::optional(result.flop), std::optional(result.bytes), std::optional(bound->time_s),
                             result.intensity, result.ridge, result.attainable}) {
    if (figure && !std::isfinite(*figure))
      throw Error(fmt::format("on {} a figure of the answer is not finite: {:.4g} flop, {:.4g} byte, {:.4g} s",
                              machine.name, result.flop, result.bytes, bound->time_s));
  }
  return result;
}

std::string_view bound_name(LimitKind kind) {
  switch (kind) {
    case LimitKind::compute:
      return "compute-bound";
    case LimitKind::bandwidth:
      return "memory-bound";
    case LimitKind::overhead:
      return "overhead-bound";
    case LimitKind::link:
      return "link-bound";
    case LimitKind::none:
      break;
  }
  return "no roof";
}

std::string verdict(const Limit& limit) {
  const std::string name(bound_name(limit.kind));
  return limit.kind == LimitKind::none ? name : name + ": " + limit.label;
}

}  // namespace gable::analysis
