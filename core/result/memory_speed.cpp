#include "core/result/memory_speed.hpp"

#include <algorithm>
#include <cmath>

#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/two_speeds.hpp"
#include "core/result/suspicion.hpp"

namespace gable {
namespace {

/// A stream of ordinary stores that bounds points, or the same once more among the operators.
bool is_stream(const Ceiling& row, const std::string& level) {
  return row.kind == CeilingKind::bandwidth && row.name == level && row.unit == "byte/s" && !row.imported &&
         row.stores != Stores::non_temporal && (row.variant.empty() || row.variant == among_operators);
}

bool tells_of_rounds(const Ceiling& row) {
  if (row.status == Status::ok) return true;
  const bool too_fast = row.datasheet && row.value.value > *row.datasheet;
  return row.status == Status::suspect && result::is_too_wide(row) && !too_fast;
}

bool is_better(const Ceiling& a, const Ceiling& b) {
  if (a.status != b.status) return a.status == Status::ok;
  return a.value.value > b.value.value;
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
  std::vector<const Ceiling*> here;
  std::map<Access, const Ceiling*> best;  // of a mix: ok before suspect, then the fastest
  for (const Ceiling& row : rows) {
    const bool of_device = row.device == device.id && row.scope == scope;
    if (!of_device || !is_stream(row, device.memory.back().name) || !tells_of_rounds(row)) continue;
    here.push_back(&row);
    const Ceiling*& known = best[row.access];
    if (known == nullptr || is_better(row, *known)) known = &row;
  }
  for (const Ceiling* row : here) {
    const Ceiling& known = *best[row->access];
    if (!same_stream(*row, known)) continue;
    if (row->status != known.status && row->value.value > known.value.high()) continue;
    auto& [roof, rates] = streams_.try_emplace(row->access, Stream{bandwidth_roof(known), {}}).first->second;
    roof.high = std::max(roof.high, row->value.high());
    for (const Moment& moment : moments_of(row->value)) rates.push_back(moment);
  }
  std::erase_if(streams_, [](const auto& stream) {
    const auto& rates = stream.second.rates;
    if (rates.empty()) return true;
    const auto [slowest, fastest] = std::ranges::minmax(rates, {}, &Moment::figure);
    return std::log(fastest.figure / slowest.figure) < measure::least_gap;
  });
}

std::optional<Roofline> MemorySpeed::beside(const Estimate& time, const Roofline& roofline) const {
  constexpr double near_s = 5;
  if (streams_.empty()) return {};
  const auto rounds = moments_of(time);
  std::optional<Roofline> changed;
  for (const auto& [access, stream] : streams_) {
    std::vector<double> beside;
    for (const Moment& round : rounds) {
      const auto nearest = std::ranges::min_element(
          stream.rates, {}, [&](const Moment& rate) { return std::abs(rate.at_s - round.at_s); });
      if (std::abs(nearest->at_s - round.at_s) <= near_s) beside.push_back(nearest->figure * round.figure / time.value);
    }
    if (beside.size() < measure::least_rounds) continue;
    if (!changed) changed = roofline;
    BandwidthRoof then = stream.roof;
    then.byte_per_s = measure::median(beside);
    then.low = std::min(then.low, then.byte_per_s);
    then.high = std::max(then.high, then.byte_per_s);
    then.rounds = static_cast<int>(beside.size());
    changed->set_rate(then);
  }
  return changed;
}

}  // namespace gable
