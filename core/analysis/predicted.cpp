#include "core/analysis/predicted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/smallest.hpp"
#include "core/analysis/widening.hpp"
#include "core/error.hpp"

namespace gable::analysis {
namespace {

constexpr Index most_reach = Index{1} << 24;

bool multiplies(const Work& work) {
  return std::ranges::any_of(work.stages, [](const Stage& stage) {
    return std::ranges::any_of(stage.work, [](const UnitWork& one) { return one.unit == Unit::multiply_add; });
  });
}

}  // namespace

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

Predicted predict(const Work& work, const Machine& machine, const std::string& level) {
  return {.work = work,
          .machine = machine.name,
          .basis = basis_text(machine.basis, machine.source),
          .level = level,
          .prediction = predict(machine, work.stages, work.types, level, work.cold),
          .note = multiplies(work) ? widening_note(machine, work.types) : ""};
}

Predicted predict_measured(const Point& point, const Machine& machine) {
  Predicted row = predict(work_of(point), machine, {});
  row.measured = Timed{point.time.value, point.time.ci_low, point.time.ci_high};
  return row;
}

void expect(Predicted& row, const Predicted& point) {
  if (!point.prediction.missing.empty() || !row.prediction.missing.empty()) return;
  const Timed slower = point.measured->times(1 / point.prediction.bound.time_s).at_least(1);
  row.expected = slower.times(row.prediction.bound.time_s);
}

Reach reach_of(const OperatorSpec& spec, const Params& given, const std::string& size, DType dtype,
               const Machine& machine) {
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

}  // namespace gable::analysis
