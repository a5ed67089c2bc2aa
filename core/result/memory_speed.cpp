#include "core/result/memory_speed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/two_speeds.hpp"
#include "core/result/suspicion.hpp"

namespace gable {
namespace {

bool is_figure(double value) { return std::isfinite(value) && value > 0; }

/// A stream of ordinary stores that bounds points, or the same once more among the operators.
bool is_stream(const Ceiling& row, const std::string& level) {
  return row.kind == CeilingKind::bandwidth && row.name == level && row.unit == "byte/s" && !row.imported &&
         row.stores != Stores::non_temporal && (row.variant.empty() || row.variant == among_operators);
}

bool tells_of_rounds(const Ceiling& row) {
  return row.status == Status::ok || (row.status == Status::suspect && result::is_too_wide(row));
}

bool is_better(const Ceiling& a, const Ceiling& b) {
  if (a.status != b.status) return a.status == Status::ok;
  return a.value.value > b.value.value;
}

/// Whether two rows of one mix measure the same, be it among the operators.
bool same_stream(const Ceiling& a, const Ceiling& b) {
  return a.implementation == b.implementation && a.at == b.at && a.threads == b.threads;
}

/// The fastest that main memory can be for a row: the datasheet, or a stream of the cache before it.
double most(const Ceiling& row, std::span<const Ceiling> rows, const DeviceInfo& device) {
  double cache = 0;
  for (const Ceiling& inner : rows) {
    const bool before = device.memory.size() > 1 && inner.device == device.id && inner.scope == row.scope &&
                        inner.access == row.access && inner.status == Status::ok &&
                        is_stream(inner, device.memory[device.memory.size() - 2].name);
    if (before) cache = std::max(cache, inner.value.high());
  }
  const double infinite = std::numeric_limits<double>::infinity();
  return std::min(cache > 0 ? cache : infinite, row.datasheet.value_or(infinite));
}

/// Whether rates differ by 20 % or more without the fastest and the slowest.
bool differ(std::vector<double> rates) {
  if (rates.size() < 4) return false;
  std::ranges::sort(rates);
  return std::log(rates[rates.size() - 2] / rates[1]) >= measure::least_gap;
}

}  // namespace

std::vector<MemorySpeed::Moment> MemorySpeed::moments_of(const Estimate& estimate) {
  std::vector<Moment> moments;
  const bool known = estimate.rounds.size() == estimate.samples.size() &&
                     std::ranges::all_of(estimate.samples, is_figure) &&
                     std::ranges::all_of(estimate.ended_s, is_figure);
  if (!known) return moments;
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
  std::vector<const Ceiling*> here;
  std::map<Access, const Ceiling*> best;
  for (const Ceiling& row : rows) {
    const bool of_device = row.device == device.id && row.scope == scope;
    if (!of_device || !is_stream(row, level_) || !tells_of_rounds(row)) continue;
    here.push_back(&row);
    const Ceiling*& known = best[row.access];
    if (known == nullptr || is_better(row, *known)) known = &row;
  }
  for (const Ceiling* row : here) {
    const Ceiling& known = *best[row->access];
    if (!same_stream(*row, known)) continue;
    const double fastest = most(*row, rows, device);
    auto& stream = streams_.try_emplace(row->access, Stream{bandwidth_roof(known), {}}).first->second;
    for (const Moment& moment : moments_of(row->value)) {
      if (moment.figure <= fastest) stream.rates.push_back(moment);
    }
  }
  std::erase_if(streams_, [](const auto& stream) { return stream.second.rates.empty(); });
  for (const auto& [access, stream] : streams_) {
    std::vector<double> rates;
    for (const Moment& rate : stream.rates) rates.push_back(rate.figure);
    changed_ = changed_ || differ(std::move(rates));
  }
}

std::optional<MemorySpeed::JudgedRound> MemorySpeed::judge(const Point& point, const Moment& round,
                                                           const Roofline& roofline) const {
  constexpr double near_s = 5;
  Roofline then = roofline;
  std::set<Access> near;
  for (const auto& [access, stream] : streams_) {
    const auto away_s = [&](const Moment& rate) { return std::abs(rate.at_s - round.at_s); };
    const auto& nearest = *std::ranges::min_element(stream.rates, {}, away_s);
    if (away_s(nearest) > near_s) continue;
    BandwidthRoof roof = stream.roof;
    roof.byte_per_s = roof.low = roof.high = nearest.figure;
    then.set_rate(roof);
    near.insert(access);
  }
  if (near.empty()) return {};
  MeasuredJudgement judged = judge_measured(then, point.stages, point.types, point.cold);
  if (!judged.stands() || !is_figure(judged.bound->time_s)) return {};
  const auto& limit = judged.bound->limit.bandwidth;
  if (limit && limit->level == level_ && !near.contains(limit->access)) return {};
  return JudgedRound{judged.bound->time_s / round.figure, std::move(judged)};
}

std::optional<ByRounds> MemorySpeed::judge(const Point& point, const Roofline& roofline) const {
  if (!changed_) return {};
  std::vector<JudgedRound> rounds;
  bool memory_limits = false;
  for (const Moment& round : moments_of(point.time)) {
    auto one = judge(point, round, roofline);
    if (!one || !is_figure(one->share)) continue;
    const auto& limit = one->judged.bound->limit.bandwidth;
    memory_limits = memory_limits || (limit && limit->level == level_);
    rounds.push_back(*std::move(one));
  }
  if (!memory_limits || rounds.size() < measure::least_rounds) return {};
  std::ranges::stable_sort(rounds, {}, &JudgedRound::share);
  std::vector<double> shares;
  std::vector<int> numbers;
  for (const JudgedRound& one : rounds) {
    shares.push_back(one.share);
    numbers.push_back(static_cast<int>(numbers.size()));
  }
  const double share = measure::median(shares);
  const auto interval = measure::between_rounds(shares, numbers);
  return ByRounds{share, std::min(share, interval->low), std::max(share, interval->high),
                  static_cast<int>(shares.size()), std::move(rounds[rounds.size() / 2].judged)};
}

}  // namespace gable
