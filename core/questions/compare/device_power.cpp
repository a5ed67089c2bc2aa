#include "core/questions/compare/device_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/measure/statistics.hpp"

namespace gable::questions {
namespace {

constexpr auto power_bases = enum_names<PowerBasis>({{PowerBasis::stated, "stated"},
                                                     {PowerBasis::measured, "measured"},
                                                     {PowerBasis::other_rows, "median_of_other_rows"},
                                                     {PowerBasis::tdp, "tdp"},
                                                     {PowerBasis::power_cap, "power_cap"}});
constexpr auto meters = enum_names<PowerMeter>({{PowerMeter::none, "none"},
                                                {PowerMeter::packages, "packages"},
                                                {PowerMeter::board, "board"},
                                                {PowerMeter::vendor, "vendor"}});

PowerMeter meter_of(const Subject& subject) {
  return is_cpu(subject.device) ? PowerMeter::packages : PowerMeter::board;
}

DevicePower over(const std::vector<double>& readings, double watt, PowerBasis basis, std::size_t of_rows) {
  return {watt, basis, {}, readings.size(), of_rows, std::ranges::min(readings), std::ranges::max(readings)};
}

/// Of the rows that count, each with its share; without such rows the median over all rows that work the device.
std::optional<DevicePower> measured_power(const Subject& subject, std::size_t i,
                                          const std::vector<RowWeight>& weights) {
  std::vector<double> readings;
  if (const auto mean = weighted_power(i, weights)) {
    for (const RowWeight& one : weights) {
      if (one.row->cells[i] && one.row->cells[i]->power_w) readings.push_back(*one.row->cells[i]->power_w);
    }
    return over(readings, *mean, PowerBasis::measured, weights.size());
  }
  std::size_t rows = 0;
  const auto note = [&](const auto& quantity) {
    ++rows;
    if (const auto watt = power_of(quantity)) readings.push_back(*watt);
  };
  std::ranges::for_each(subject.points, note);
  for (const CeilingQuantity& ceiling : subject.ceilings) {
    const CeilingKind kind = ceiling.key.kind;
    if (kind == CeilingKind::compute || kind == CeilingKind::bandwidth) note(ceiling);
  }
  if (readings.empty()) return {};
  return over(readings, measure::median(readings), PowerBasis::other_rows, rows);
}

}  // namespace

std::string_view to_string(PowerBasis basis) { return power_bases.name(basis); }
std::string_view to_string(PowerMeter meter) { return meters.name(meter); }

std::optional<double> power_cap_w(const Subject& subject) {
  std::optional<double> most;
  for (const Run& run : subject.runs) {
    if (const auto watt = gable::power_cap_w(run.facts)) most = std::max(most.value_or(0), *watt);
  }
  return most;
}

std::optional<double> weighted_power(std::size_t i, const std::vector<RowWeight>& weights) {
  double sum = 0, shares = 0;
  for (const RowWeight& one : weights) {
    const auto& cell = one.row->cells[i];
    if (!cell || !cell->power_w) continue;
    sum += one.share * *cell->power_w;
    shares += one.share;
  }
  return shares > 0 ? std::optional{sum / shares} : std::nullopt;
}

DevicePower device_power(const Subject& subject, std::size_t i, const std::vector<RowWeight>& weights,
                         std::optional<double> stated) {
  if (stated) return {*stated, PowerBasis::stated};
  if (auto measured = measured_power(subject, i, weights)) {
    measured->meter = meter_of(subject);
    return *measured;
  }
  if (subject.tdp_w) {
    const auto cap = power_cap_w(subject);
    if (cap && *cap < *subject.tdp_w) return {*cap, PowerBasis::power_cap, PowerMeter::vendor};
    return {*subject.tdp_w, PowerBasis::tdp, PowerMeter::vendor};
  }
  throw Error(
      fmt::format("no power of {} is known: none was read while it was measured, and the catalogue has no TDP "
                  "of it; --power states one",
                  subject.name));
}

}  // namespace gable::questions
