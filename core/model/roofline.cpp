#include "core/model/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/sequence.hpp"

namespace gable {
namespace {

bool matches(const ComputeRoof& roof, const Types& types, Unit unit) {
  if (roof.unit != unit || roof.dtype != type_on(unit, types)) return false;
  return !is_flop(unit) || roof.accumulate == types.accumulate;
}

struct Mix {
  double read_fraction;
  double seconds_per_byte;
};

/// s/byte of the fastest roof of an ordinary mix; 0 without one.
double least_seconds(std::span<const BandwidthRoof> roofs, std::string_view level, Access access) {
  double best = 0;
  for (const BandwidthRoof& roof : roofs) {
    if (roof.level == level && roof.access == access && roof.stores != Stores::non_temporal) {
      best = std::max(best, roof.byte_per_s);
    }
  }
  return best > 0 ? 1 / best : 0;
}

/// The mixes of different arrays, by ascending fraction of reads.
std::vector<Mix> ordinary_mixes(std::span<const BandwidthRoof> roofs, std::string_view level) {
  std::vector<Mix> mixes;
  for (const Access access : {Access::write, Access::copy, Access::triad, Access::read}) {
    if (const double seconds = least_seconds(roofs, level, access); seconds > 0)
      mixes.push_back({read_fraction(access), seconds});
  }
  return mixes;
}

double interpolate(const std::vector<Mix>& mixes, double fraction) {
  if (fraction <= mixes.front().read_fraction) return mixes.front().seconds_per_byte;
  for (std::size_t i = 1; i < mixes.size(); ++i) {
    const Mix& left = mixes[i - 1];
    const Mix& right = mixes[i];
    if (fraction > right.read_fraction) continue;
    const double along = (fraction - left.read_fraction) / (right.read_fraction - left.read_fraction);
    return std::lerp(left.seconds_per_byte, right.seconds_per_byte, along);
  }
  return mixes.back().seconds_per_byte;
}

void check_rate(double rate, const std::string& label) {
  if (!(std::isfinite(rate) && rate > 0)) {
    throw Error(fmt::format("roof \"{}\": {} is not a positive, finite rate", label, rate));
  }
}

}  // namespace

bool may_need(const Types& types, Unit unit, DType dtype) {
  if (!is_flop(unit)) return dtype == type_on(unit, types);
  // The units that narrow types are widened for; types of two bytes and more have one of their own where any has.
  const bool widened = size_bytes(types.a) < 2 && size_bytes(dtype) <= 2 && holds(dtype, types.a) &&
                       uniform_types(dtype).accumulate == types.accumulate;
  return dtype == types.compute || dtype == types.a || widened;
}

void Roofline::add(ComputeRoof roof) {
  check_rate(roof.flop_per_s, roof.label);
  compute_.push_back(std::move(roof));
}

void Roofline::add(BandwidthRoof roof) {
  check_rate(roof.byte_per_s, roof.label);
  bandwidth_.push_back(std::move(roof));
}

void Roofline::add_reached(ComputeRoof rate) {
  check_rate(rate.low, rate.label);
  reached_.push_back(std::move(rate));
}

void Roofline::set_rate(const BandwidthRoof& roof) {
  check_rate(roof.byte_per_s, roof.label);
  const auto of_mix = [&](const BandwidthRoof& one) { return one.level == roof.level && one.access == roof.access; };
  const auto* known = highest_of(bandwidth_, &BandwidthRoof::byte_per_s, [&](const BandwidthRoof& one) {
    return of_mix(one) && one.stores != Stores::non_temporal;
  });
  if (!known) return add(roof);
  const double change = roof.byte_per_s / known->byte_per_s;
  for (BandwidthRoof& one : bandwidth_) {
    if (!of_mix(one)) continue;
    if (one.stores == Stores::non_temporal) {
      for (double* rate : {&one.byte_per_s, &one.low, &one.high}) *rate *= change;
    } else {
      one.byte_per_s = one.low = one.high = roof.byte_per_s;
    }
  }
}

void Roofline::set_levels(std::vector<Level> innermost_first) { levels_ = std::move(innermost_first); }

void Roofline::set_overhead(Overhead overhead) {
  if (!(std::isfinite(overhead.seconds) && overhead.seconds >= 0)) {
    throw Error(fmt::format("launch overhead \"{}\": {} s is not a time", overhead.label, overhead.seconds));
  }
  overhead_ = std::move(overhead);
}

const ComputeRoof* Roofline::peak_of_products(const Types& types, std::optional<OperatingPoint> at) const {
  const ComputeRoof* best = nullptr;
  for (const Unit unit : {Unit::vector, Unit::matrix}) {
    for (const DType multiplied : all_dtypes) {
      const bool exact = holds(multiplied, types.a) && holds(multiplied, types.b);
      if (multiplied != types.compute && !exact) continue;
      Types tried = types;
      tried.compute = multiplied;
      const ComputeRoof* roof = peak(tried, unit, at);
      if (!roof) continue;
      const bool as_stored = element_of(multiplied) == element_of(types.a);  // of two that are as fast
      if (!best || roof->flop_per_s > best->flop_per_s || (as_stored && roof->flop_per_s == best->flop_per_s))
        best = roof;
    }
  }
  return best;
}

const ComputeRoof* Roofline::peak(const Types& types, Unit unit, std::optional<OperatingPoint> at) const {
  if (unit == Unit::multiply_add) return peak_of_products(types, at);
  const auto highest = [&](const auto& wanted) {
    return highest_of(compute_, &ComputeRoof::flop_per_s,
                      [&](const ComputeRoof& roof) { return wanted(roof.at) && matches(roof, types, unit); });
  };
  if (at) return highest([&](OperatingPoint point) { return point == *at; });
  const auto* measured = highest(
      [](OperatingPoint point) { return point == OperatingPoint::burst || point == OperatingPoint::sustained; });
  return measured ? measured : highest([](OperatingPoint point) { return point == OperatingPoint::none; });
}

Roofline Roofline::at_highest() const {
  Roofline highest = *this;
  highest.residency_ = Residency::most;
  for (ComputeRoof& roof : highest.compute_) roof.flop_per_s = std::max(roof.flop_per_s, roof.high);
  for (BandwidthRoof& roof : highest.bandwidth_) roof.byte_per_s = std::max(roof.byte_per_s, roof.high);
  if (auto& launch = highest.overhead_)
    launch->seconds = std::min(launch->seconds, launch->low.value_or(launch->seconds));
  return highest;
}

Roofline Roofline::scaled(double compute, double bandwidth) const {
  Roofline other = *this;
  for (auto* roofs : {&other.compute_, &other.reached_}) {
    for (ComputeRoof& roof : *roofs) {
      for (double* rate : {&roof.flop_per_s, &roof.low, &roof.high}) *rate *= compute;
    }
  }
  for (BandwidthRoof& roof : other.bandwidth_) {
    if (roof.link) continue;
    for (double* rate : {&roof.byte_per_s, &roof.low, &roof.high}) *rate *= bandwidth;
  }
  return other;
}

std::optional<double> Roofline::byte_per_s(std::string_view level, const Traffic& mix) const {
  if (const auto mixes = ordinary_mixes(bandwidth_, level); !mixes.empty()) {
    const double update = mix.in_place > 0 ? least_seconds(bandwidth_, level, Access::update) : 0;
    if (!(update > 0)) return 1 / interpolate(mixes, mix.read_fraction);
    const double rest = 1 - mix.in_place;
    const double others = rest > 0 ? rest * interpolate(mixes, mix.read_fraction_of_rest()) : 0;
    return 1 / (others + mix.in_place * update);
  }
  std::optional<double> datasheet;
  for (const BandwidthRoof& roof : bandwidth_) {
    if (roof.level != level || roof.access != Access::none || roof.stores == Stores::non_temporal) continue;
    datasheet = std::max(datasheet.value_or(0), roof.byte_per_s);
  }
  return datasheet;
}

namespace {
double need_peak(const Roofline& roofline, const Types& types, Unit unit) {
  if (const ComputeRoof* roof = roofline.peak(types, unit)) return roof->flop_per_s;
  throw Error(fmt::format("no compute roof for {} on {} (accumulating in {})", to_string(unit),
                          to_string(types.compute), to_string(types.accumulate)));
}

double need_bandwidth(const Roofline& roofline, std::string_view level) {
  if (const auto rate = roofline.byte_per_s(level)) return *rate;
  throw Error(fmt::format("no bandwidth roof for level {}", level));
}
}  // namespace

double Roofline::attainable(const Types& types, Unit unit, double intensity, std::string_view level) const {
  if (!(intensity > 0)) throw Error(fmt::format("arithmetic intensity {} flop/byte is not positive", intensity));
  return std::min(need_peak(*this, types, unit), intensity * need_bandwidth(*this, level));
}

double Roofline::ridge(const Types& types, Unit unit, std::string_view level) const {
  return need_peak(*this, types, unit) / need_bandwidth(*this, level);
}

}  // namespace gable
