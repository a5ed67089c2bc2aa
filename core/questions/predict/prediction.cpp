#include "core/questions/predict/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
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
  if (const Level* known = find_by(roofline.levels(), level, &Level::name)) return *known;
  throw Error(fmt::format("no level '{}'; known: {}", level, fmt::join(mapped(roofline.levels(), &Level::name), ", ")));
}

/// Those of the roofs that are wanted.
template <class WantedUnit, class WantedLevel>
Roofline with_roofs(const Roofline& roofline, WantedUnit&& unit, WantedLevel&& level) {
  Roofline part;
  part.set_levels(roofline.levels());
  for (const ComputeRoof& roof : roofline.compute()) {
    if (unit(roof)) part.add(roof);
  }
  for (const BandwidthRoof& roof : roofline.bandwidth()) {
    if (level(roof)) part.add(roof);
  }
  if (roofline.overhead()) part.set_overhead(*roofline.overhead());
  return part;
}

/// The same roofs with one level only, so that everything comes from it.
Roofline only(const Roofline& roofline, const std::string& level) {
  Roofline part = with_roofs(
      roofline, [](const ComputeRoof&) { return true; },
      [&](const BandwidthRoof& roof) { return roof.level == level; });
  part.set_levels({{level, 0}});
  return part;
}

/// Whether a missing roof leaves the answer open. Roofs the user did not state, and roofs no datasheet has, do not.
bool leaves_open(const MachineModel& machine, const Roofline& roofline, std::span<const Stage> stages,
                 const Types& types, bool cold) {
  if (machine.basis == Basis::given) return false;
  if (machine.basis == Basis::measured) return true;
  const std::vector<Stage> all(stages.begin(), stages.end());
  return !roofline.judge(datasheet_stages(all, types, roofline), types, cold).missing.empty();
}

/// What one roof bounds of all flops: those of other units come beside it.
double flops_under(const Roofline& roofline, const ComputeRoof& roof, std::span<const Stage> stages,
                   const Types& types) {
  double sum = 0;
  for (const Stage& stage : stages) {
    for (const UnitWork& work : stage.work) {
      if (is_flop(work.unit) && roofline.peak(types, work.unit) == &roof) sum += work.operations;
    }
  }
  return sum;
}

constexpr Index most_reach = Index{1} << 24;

bool multiplies(const Work& work) {
  return std::ranges::any_of(work.stages, [](const Stage& stage) {
    return std::ranges::any_of(stage.work, [](const UnitWork& one) { return one.unit == Unit::multiply_add; });
  });
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

MachineModel machine_of(const StatedRoofs& roofs, std::span<const Types> all_types) {
  if (!roofs.flop_per_s && !roofs.byte_per_s) throw Error("a peak, a bandwidth or both must be stated");
  MachineModel machine;
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

Prediction predict(const MachineModel& machine, std::span<const Stage> stages, const Types& types,
                   const std::string& level, bool cold) {
  Prediction result;
  if (!level.empty()) {
    const Level& named = level_named(machine.roofline, level);
    if (named.capacity_bytes > 0) result.capacity = named.capacity_bytes;
    if (named.told_bytes > 0) result.told_capacity = named.told_bytes;
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
  const ComputeRoof* const roof = unit ? roofline.peak(types, *unit) : nullptr;
  if (roof) result.peak = roof->flop_per_s;
  if (!roofline.levels().empty() && result.peak) {
    const double fraction = result.bytes > 0 ? read / result.bytes : 1;
    if (const auto rate = roofline.byte_per_s(roofline.levels().back().name, {.read_fraction = fraction}))
      result.ridge = *result.peak / *rate;
  }
  const Judgement judgement = roofline.judge(stages, types, cold);
  result.missing = judgement.missing_names();
  result.open = !result.missing.empty() && leaves_open(machine, roofline, stages, types, cold);
  const auto& bound = judgement.bound;
  if (!bound && result.missing.empty())
    throw Error("there is nothing to predict: no operations and no bytes are known");
  if (!bound) throw Error(fmt::format("{} has no roof for this: {}", machine.name, fmt::join(result.missing, ", ")));
  result.bound = *bound;
  const double of_peak = roof ? flops_under(roofline, *roof, stages, types) : result.flop;
  if (of_peak > 0 && bound->time_s > 0 && !result.open) result.attainable = of_peak / bound->time_s;
  for (const auto& figure : {std::optional(result.flop), std::optional(result.bytes), std::optional(bound->time_s),
                             result.intensity, result.ridge, result.attainable}) {
    if (figure && !std::isfinite(*figure))
      throw Error(fmt::format("on {} a figure of the answer is not finite: {:.4g} flop, {:.4g} byte, {:.4g} s",
                              machine.name, result.flop, result.bytes, bound->time_s));
  }
  return result;
}

std::string widening_note(const MachineModel& machine, const Types& types) {
  const auto* roof = types.a == types.b ? machine.roofline.peak(types, Unit::multiply_add) : nullptr;
  if (roof == nullptr) return {};
  std::vector<std::string_view> others;
  for (const ComputeRoof& one : machine.roofline.compute()) {
    if (!is_flop(one.unit)) continue;
    if (element_of(one.dtype) == element_of(types.a)) return {};  // wider ones are merely faster
    const std::string_view name = to_string(one.dtype);
    if (is_fp8(element_of(types.a)) && is_fp8(one.dtype) && std::ranges::count(others, name) == 0)
      others.push_back(name);
  }
  return fmt::format(
      "no figure of a unit for products of {}{}: they are counted as products of {} on the {} unit, which holds every "
      "{} "
      "of it",
      to_string(types.a), others.empty() ? "" : fmt::format(" (but for {})", fmt::join(others, ", ")),
      to_string(roof->dtype), to_string(roof->unit), is_block_scaled(types.a) ? "element" : "value");
}

DType other_flavour(DType type) {
  constexpr std::array pairs{std::pair{DType::fp8_e4m3, DType::fp8_e4m3fnuz},
                             std::pair{DType::fp8_e5m2, DType::fp8_e5m2fnuz}};
  for (const auto& [ocp, fnuz] : pairs) {
    if (type == ocp || type == fnuz) return type == ocp ? fnuz : ocp;
  }
  return type;
}

DType flavour_of(DType type, const MachineModel& machine) {
  const auto has = [&](DType wanted) {
    return std::ranges::count(machine.roofline.compute(), wanted, &ComputeRoof::dtype) != 0;
  };
  return !has(type) && has(other_flavour(type)) ? other_flavour(type) : type;
}

std::string flavour_note(DType asked, DType taken) {
  return fmt::format("{} is taken as {}, which this device multiplies", to_string(asked), to_string(taken));
}

std::optional<MachineModel> sustained(const MachineModel& machine) {
  const auto& roofs = machine.roofline.compute();
  const auto lasts = [&](const ComputeRoof& burst) {
    return burst.at == OperatingPoint::burst && std::ranges::any_of(roofs, [&](const ComputeRoof& other) {
             return other.at == OperatingPoint::sustained && other.unit == burst.unit && other.dtype == burst.dtype &&
                    other.accumulate == burst.accumulate;
           });
  };
  if (std::ranges::none_of(roofs, lasts)) return {};
  MachineModel lasting = machine;
  lasting.roofline = with_roofs(
      machine.roofline, [&](const ComputeRoof& roof) { return !lasts(roof); }, [](const auto&) { return true; });
  return lasting;
}

Timed Timed::times(double factor) const {
  Timed product{value * factor};
  if (low) product.low = *low * factor;
  if (high) product.high = *high * factor;
  return product;
}

Timed Timed::at_least(double least) const {
  Timed raised{std::max(value, least)};
  if (low) raised.low = std::max(*low, least);
  if (high) raised.high = std::max(*high, least);
  return raised;
}

Predicted predict(const Work& work, const MachineModel& machine, const std::string& level) {
  Types taken = work.types;
  std::string note;
  for (DType* type : {&taken.a, &taken.b, &taken.out, &taken.compute}) {
    const DType own = flavour_of(*type, machine);
    if (own != *type) note = flavour_note(*type, own);
    *type = own;
  }
  if (note.empty() && multiplies(work)) note = widening_note(machine, work.types);
  Predicted row{.work = work,
                .machine = machine.name,
                .basis = basis_text(machine.basis, machine.source),
                .level = level,
                .prediction = predict(machine, work.stages, taken, level, work.cold),
                .note = std::move(note)};
  if (const auto lasting = sustained(machine)) {
    const double time_s = predict(*lasting, work.stages, taken, level, work.cold).bound.time_s;
    if (time_s != row.prediction.bound.time_s) row.sustained_s = time_s;
  }
  if (!work.unknown.empty()) {
    row.prediction.open = true;
    row.prediction.attainable.reset();
  }
  return row;
}

Predicted predict_measured(const Point& point, const MachineModel& machine) {
  Predicted row = predict(work_of(point), machine, {});
  row.measured = Timed{point.time.value, point.time.ci_low, point.time.ci_high};
  return row;
}

void expect(Predicted& row, const Predicted& point) {
  if (!point.prediction.missing.empty() || !row.prediction.missing.empty()) return;
  if (point.prediction.open || row.prediction.open) return;
  const Timed slower = point.measured->times(1 / point.prediction.bound.time_s).at_least(1);
  row.expected = slower.times(row.prediction.bound.time_s);
}

Reach reach_of(const OperatorSpec& spec, const Params& given, const std::string& size, DType dtype,
               const MachineModel& machine) {
  const auto at = [&](Index value) {
    Params params = given;
    params.set(size, value);
    const Work work = work_of(spec, params, dtype);
    auto p = predict(machine, work.stages, work.types);
    if (!p.ridge || !p.intensity) throw Error(fmt::format("{} has no ridge for this", machine.name));
    return p;
  };
  const auto reaches = [&](Index value) {
    const auto p = at(value);
    return *p.intensity >= *p.ridge;
  };
  Reach reach{std::string(spec.name), std::string(to_string(dtype)), machine.name, size, smallest(most_reach, reaches)};
  const auto p = at(reach.from.value_or(most_reach));
  reach.intensity = *p.intensity;
  reach.ridge = *p.ridge;
  return reach;
}

Answer reach_answer(std::span<const Reach> reaches) {
  Answer answer;
  answer.add_table("reaches", "", table_of(reaches, [](const Reach& one) -> Answer::Facts {
                     return {{"operator", "operator", one.op},
                             {"dtype", "type", one.dtype},
                             {"machine", "machine", one.machine},
                             {"size", "size", one.size},
                             {"reaches_from", "reaches the ridge from", one.from},
                             {"intensity_flop_per_byte", "flop/byte", one.intensity},
                             {"ridge_flop_per_byte", "ridge", one.ridge}};
                   }));
  for (const Reach& one : reaches) {
    if (!one.from)
      answer.say(fmt::format("{} {} on {}: no {} up to {} reaches the ridge; its flop/byte are those at that size",
                             one.op, one.dtype, one.machine, one.size, most_reach));
  }
  return answer;
}

}  // namespace gable::questions
