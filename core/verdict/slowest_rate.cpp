#include "core/verdict/measured_judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gable {
namespace {

void take(std::optional<SlowestRate>& highest, double per_s, std::string reason) {
  if (!highest || per_s > highest->per_s) highest = SlowestRate{per_s, std::move(reason)};
}

/// Everything that programs were seen to reach, as if it were roofs: so peak() finds what matches.
Roofline all_reached(const Roofline& roofline) {
  Roofline reached;
  const auto add = [&](ComputeRoof rate) {
    rate.flop_per_s = rate.low;
    rate.at = OperatingPoint::none;
    reached.add(std::move(rate));
  };
  for (const ComputeRoof& rate : roofline.reached()) add(rate);
  for (const ComputeRoof& roof : roofline.compute()) {
    if (roof.at == OperatingPoint::library) add(roof);
  }
  return reached;
}

std::optional<SlowestRate> slowest_compute(const Roofline& roofline, const Types& types, Unit unit);

/// A unit's roof where there is one, else the least that is known of it.
std::optional<SlowestRate> at_least(const Roofline& roofline, const Types& types, Unit unit) {
  if (const ComputeRoof* roof = roofline.peak(types, unit)) return SlowestRate{roof->flop_per_s, roof->label};
  return slowest_compute(roofline, types, unit);
}

/// Exponentials and conversions by the arithmetic that they are made of, in fp64 or fp32.
void take_function(std::optional<SlowestRate>& highest, const Roofline& roofline, DType arithmetic) {
  const auto vector = at_least(roofline, uniform_types(arithmetic), Unit::vector);
  if (!vector) return;
  take(highest, vector->per_s / most_flop_of_a_function,
       fmt::format("vector {} would do as many in {:g} flop each", to_string(arithmetic), most_flop_of_a_function));
}

std::optional<SlowestRate> slowest_compute(const Roofline& roofline, const Types& types, Unit unit) {
  std::optional<SlowestRate> highest;
  const Roofline reached = all_reached(roofline);
  if (const ComputeRoof* done = reached.peak(types, unit))
    take(highest, done->flop_per_s, "it reached as much in a row that is no roof");
  const Types wide = uniform_types(DType::fp64);
  switch (unit) {
    case Unit::exp:
      if (const auto* exp64 = roofline.peak(wide, Unit::exp); exp64 && types.accumulate == DType::fp32)
        take(highest, 2 * exp64->flop_per_s, "twice exp fp64, of numbers twice as wide");
      if (types.accumulate == DType::fp64 || types.accumulate == DType::fp32)
        take_function(highest, roofline, types.accumulate);
      break;
    case Unit::convert:
      take_function(highest, roofline, DType::fp32);
      break;
    case Unit::vector:
      if (const auto* one = roofline.peak(types, Unit::scalar))
        take(highest, one->flop_per_s, fmt::format("scalar {} does as much", to_string(types.compute)));
      if (const auto* wider = roofline.peak(wide, Unit::vector);
          wider && types.compute == DType::fp32 && types.accumulate == DType::fp32)
        take(highest, wider->flop_per_s, "vector fp64 does as much");
      break;
    case Unit::multiply_add:
      if (const auto vector = slowest_compute(roofline, types, Unit::vector))
        take(highest, vector->per_s, vector->reason);
      break;
    case Unit::scalar:
    case Unit::matrix:
    case Unit::divide:
      break;
  }
  return highest;
}

/// A level is no slower than one further out: what comes from there passes through it. Of the mixes of the next level
/// out that has roofs, the slowest.
std::optional<SlowestRate> slowest_bandwidth(const Roofline& roofline, const std::string& level) {
  const auto& levels = roofline.levels();
  auto outer = std::ranges::find(levels, level, &Level::name);
  if (outer == levels.end()) return {};
  while (++outer != levels.end()) {
    std::optional<double> slowest;
    for (const BandwidthRoof& roof : roofline.bandwidth()) {
      if (roof.level != outer->name || !roof.is_of_streams()) continue;
      slowest = std::min(slowest.value_or(roof.byte_per_s), roof.byte_per_s);
    }
    if (slowest) return SlowestRate{*slowest, fmt::format("{}, further out, does as much", outer->name)};
  }
  return {};
}

}  // namespace

std::optional<SlowestRate> slowest_rate(const Roofline& roofline, const Types& types, const MissingRoof& missing) {
  if (missing.unit) return slowest_compute(roofline, types, *missing.unit);
  return slowest_bandwidth(roofline, missing.level);
}

}  // namespace gable
