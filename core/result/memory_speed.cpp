#include "core/result/memory_speed.hpp"

#include <algorithm>
#include <cmath>

#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/two_speeds.hpp"

namespace gable {
namespace {

/// A stream of ordinary stores that bounds points, or the same once more among the operators.
bool is_stream(const Ceiling& row, const std::string& level) {
  return row.kind == CeilingKind::bandwidth && row.name == level && row.unit == "byte/s" && !row.imported &&
         row.stores != Stores::non_temporal && (row.variant.empty() || row.variant == among_operators);
}

/// Whether two rows of one mix measure the same, be it among the operators.
bool same_stream(const Ceiling& a, const Ceiling& b) {
  return a.implementation == b.implementation && a.at == b.at && a.threads == b.threads;
}

}  // namespace

std::vector<MemorySpeed::Moment> MemorySpeed::moments_of(const Estimate& estimate) {
  std::vector<Moment> moments;
  if (estimate.rounds.size() != estimate.samples.size()) return moments;
  const auto rounds = measure::by_round(estimate.samples, estimate.rounds, estimate.disturbed_samples);
  if (rounds.size() != estimate.ended_s.size()) return moments;
  auto ended_s = estimate.ended_s.begin();
  for (const auto& [round, figures] : rounds) {
    if (figures.size() >= measure::least_blocks) moments.push_back({*ended_s, measure::median(figures)});
    ++ended_s;
  }
  return moments;
}

MemorySpeed::MemorySpeed(std::span<const Ceiling> rows, const DeviceInfo& device, Scope scope) {
  if (device.memory.empty()) return;
  level_ = device.memory.back().name;
  std::map<Access, const Ceiling*> fastest;  // of those that are ok
  const auto counts = [&](const Ceiling& row) {
    return row.device == device.id && row.scope == scope && is_stream(row, level_);
  };
  for (const Ceiling& row : rows) {
    if (row.status != Status::ok || !counts(row)) continue;
    const Ceiling*& known = fastest[row.access];
    if (known == nullptr || row.value.value > known->value.value) known = &row;
  }
  for (const Ceiling& row : rows) {
    const bool measured = row.status == Status::ok || row.status == Status::suspect;
    if (!measured || !counts(row)) continue;
    const auto known = fastest.find(row.access);
    if (known == fastest.end() || !same_stream(row, *known->second)) continue;
    if (row.status == Status::suspect && row.value.value > known->second->value.high()) continue;
    auto& rates = rates_[row.access];
    for (const Moment& moment : moments_of(row.value)) rates.push_back(moment);
  }
  std::erase_if(rates_, [](const auto& mix) {
    if (mix.second.empty()) return true;
    const auto [slowest, fastest_of] = std::ranges::minmax(mix.second, {}, &Moment::figure);
    return std::log(fastest_of.figure / slowest.figure) < measure::least_gap;
  });
}

std::optional<Roofline> MemorySpeed::beside(const Estimate& time, const Roofline& roofline) const {
  constexpr double near_s = 5;
  if (rates_.empty()) return {};
  const auto rounds = moments_of(time);
  std::optional<Roofline> changed;
  for (const auto& [access, rates] : rates_) {
    std::vector<double> beside;
    for (const Moment& round : rounds) {
      const auto nearest =
          std::ranges::min_element(rates, {}, [&](const Moment& rate) { return std::abs(rate.at_s - round.at_s); });
      if (std::abs(nearest->at_s - round.at_s) <= near_s) beside.push_back(nearest->figure * round.figure / time.value);
    }
    if (beside.size() < measure::least_rounds) continue;
    if (!changed) changed = roofline;
    changed->set_rate(level_, access, measure::median(beside), static_cast<int>(beside.size()));
  }
  return changed;
}

}  // namespace gable
