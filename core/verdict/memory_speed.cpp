#include "core/verdict/memory_speed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/two_speeds.hpp"
#include "core/sequence.hpp"
#include "core/verdict/soundness.hpp"

namespace gable {
namespace {

/// A stream of ordinary stores that bounds points.
bool is_stream(const Ceiling& row, const std::string& level) {
  return row.kind == CeilingKind::bandwidth && row.name == level && row.unit == "byte/s" && !row.imported &&
         row.stores != Stores::non_temporal && row.variant.empty();
}

bool tells_of_rounds(const Ceiling& row) {
  return row.status == Status::ok || (row.status == Status::suspect && verdict::is_too_wide(row));
}

bool is_better(const Ceiling& a, const Ceiling& b) {
  if (a.status != b.status) return a.status == Status::ok;
  return a.value.value > b.value.value;
}

/// Whether two rows of one mix measure the same.
bool same_stream(const Ceiling& a, const Ceiling& b) {
  return a.implementation == b.implementation && a.at == b.at && a.threads == b.threads;
}

/// How fast the cache before main memory is, by the mixes of its streams, byte/s.
std::map<Access, double> rates_of_cache(std::span<const Ceiling> rows, const DeviceInfo& device, Scope scope) {
  std::map<Access, double> rates;
  if (device.memory.size() < 2) return rates;
  const std::string& cache = device.memory[device.memory.size() - 2].name;
  for (const Ceiling& row : rows) {
    if (row.device == device.id && row.scope == scope && row.status == Status::ok && is_stream(row, cache))
      rates[row.access] = std::max(rates[row.access], row.value.high());
  }
  return rates;
}

BandwidthRoof at_rate(BandwidthRoof roof, double byte_per_s) {
  roof.byte_per_s = roof.low = roof.high = byte_per_s;
  return roof;
}

/// Whether this bound of the point would be another by more than 5 % if the roof were half or twice as fast.
bool matters(const BandwidthRoof& roof, const Bound& bound, const Roofline& roofline, const Point& point) {
  return std::ranges::any_of(std::array{0.5, 2.0}, [&](double factor) {
    Roofline other = roofline;
    other.set_rate(at_rate(roof, factor * roof.byte_per_s));
    const auto judged = other.judge(point.stages, point.types, point.cold).bound;
    return !judged || std::abs(std::log(judged->time_s / bound.time_s)) > 0.05;
  });
}

/// Log width of the interval that the rows allow the share, from the time and the roof that limits the point. Infinite
/// where the rows give none, and where they were taken at another speed of memory than the point: its bound in its own
/// moments is more than 5 % outside what the interval of the roof allows.
double width_by_rows(const Point& point, const MeasuredJudgement& judged, double bound_of_moments_s) {
  constexpr double infinite = std::numeric_limits<double>::infinity(), same = 1.05;
  if (!judged.stands() || !point.time.ci_low) return infinite;
  const auto& roof = judged.bound->limit.bandwidth;
  const double slow = roof ? roof->byte_per_s / roof->low : 1, fast = roof ? roof->byte_per_s / roof->high : 1;
  const double ratio = bound_of_moments_s / judged.bound->time_s;
  if (ratio > same * slow || same * ratio < fast) return infinite;
  return std::log(point.time.high() / point.time.low() * slow / fast);
}

/// The fastest of these rates over the slowest, without a tenth of them, one at least, at each end.
std::optional<double> ratio_of_ends(std::vector<double> rates) {
  if (rates.size() < 4) return {};
  std::ranges::sort(rates);
  const std::size_t left_out = measure::left_out_of(rates.size());
  return rates[rates.size() - 1 - left_out] / rates[left_out];
}

}  // namespace

std::vector<MemorySpeed::Moment> MemorySpeed::moments_of(const Estimate& estimate) {
  std::vector<Moment> moments;
  const auto is_figure = [](double value) { return figure(value).has_value(); };
  const bool known = estimate.rounds.size() == estimate.samples.size() &&
                     std::ranges::all_of(estimate.samples, is_figure) &&
                     std::ranges::all_of(estimate.ended_s, is_figure);
  if (!known) return moments;
  const auto taken = measure::by_round(estimate.samples, estimate.rounds);
  const auto undisturbed = measure::by_round(estimate.samples, estimate.rounds, estimate.disturbed_samples);
  if (taken.size() != estimate.ended_s.size()) return moments;
  auto ended_s = estimate.ended_s.begin();
  for (const auto& [round, figures] : undisturbed) {
    if (figures.size() >= measure::least_blocks && 2 * figures.size() >= taken.at(round).size())
      moments.push_back({*ended_s, measure::median(figures)});
    ++ended_s;
  }
  return moments;
}

MemorySpeed::MemorySpeed(std::span<const Ceiling> rows, const DeviceInfo& device, Scope scope) {
  if (device.memory.empty()) return;
  level_ = device.memory.back().name;
  const auto of_cache = rates_of_cache(rows, device, scope);
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
    const auto cache = of_cache.find(row->access);
    const double infinite = std::numeric_limits<double>::infinity();
    const double fastest =
        std::min(cache == of_cache.end() ? infinite : cache->second, row->datasheet.value_or(infinite));
    auto& stream = streams_.try_emplace(row->access, Stream{bandwidth_roof(known), {}}).first->second;
    for (const Moment& moment : moments_of(row->value)) {
      if (moment.figure <= fastest) stream.rates.push_back(moment);
    }
  }
  std::erase_if(streams_, [](const auto& stream) { return stream.second.rates.empty(); });
  for (const auto& [access, stream] : streams_) {
    if (const auto ratio = ratio_of_ends(mapped(stream.rates, &Moment::figure)))
      fastest_over_slowest_ = std::max(fastest_over_slowest_.value_or(1), *ratio);
  }
}

bool MemorySpeed::changed() const { return std::log(fastest_over_slowest_.value_or(1)) >= measure::least_gap; }

std::optional<MemorySpeed::JudgedRound> MemorySpeed::judge(const Point& point, const Moment& round,
                                                           const Roofline& roofline) const {
  constexpr long long near_ms = 5000;
  Roofline then = roofline;
  std::vector<const Stream*> far;
  std::map<Access, double> near_s;
  for (const auto& [access, stream] : streams_) {
    const auto away_ms = [&](const Moment& rate) { return std::llround(1000 * std::abs(rate.at_s - round.at_s)); };
    const auto& nearest = *std::ranges::min_element(stream.rates, {}, away_ms);
    if (away_ms(nearest) > near_ms) {
      far.push_back(&stream);
      continue;
    }
    then.set_rate(at_rate(stream.roof, nearest.figure));
    near_s[access] = nearest.at_s;
  }
  if (far.size() == streams_.size()) return {};
  MeasuredJudgement judged = judge_measured(then, point.stages, point.types, point.cold);
  if (!judged.stands() || !figure(judged.bound->time_s)) return {};
  for (const Stream* stream : far) {
    if (matters(stream->roof, *judged.bound, then, point)) return {};
  }
  JudgedRound one{
      judged.bound->time_s / round.figure, round.at_s, std::move(near_s), {}, std::move(judged), std::move(then)};
  if (const auto& limit = one.judged.bound->limit.bandwidth; limit && limit->level == level_)
    one.limited_by = limit->access;
  return one;
}

std::vector<int> MemorySpeed::moments_of(std::span<const JudgedRound> rounds, const Point& point,
                                         const Roofline& roofline, const MeasuredJudgement& by_rows) const {
  const auto numbers_by = [&](auto&& at_s) {
    std::map<double, int> numbers;
    for (const JudgedRound& one : rounds) numbers.emplace(at_s(one), static_cast<int>(numbers.size()));
    return std::pair{numbers.size(), mapped(rounds, [&](const JudgedRound& one) { return numbers.at(at_s(one)); })};
  };
  auto fewest = numbers_by([](const JudgedRound& one) { return one.at_s; });
  for (const auto& [access, stream] : streams_) {
    const bool limits = std::ranges::count(rounds, access, &JudgedRound::limited_by) > 0;
    if (!limits && by_rows.bound && !matters(stream.roof, *by_rows.bound, roofline, point)) continue;
    auto of_stream = numbers_by([&mix = access](const JudgedRound& one) {
      const auto near = one.near_s.find(mix);
      return near == one.near_s.end() ? one.at_s : near->second;
    });
    if (of_stream.first < fewest.first) fewest = std::move(of_stream);
  }
  return std::move(fewest.second);
}

std::optional<ByRounds> MemorySpeed::judge(const Point& point, const Roofline& roofline) const {
  if (!changed()) return {};
  std::vector<JudgedRound> rounds;
  for (const Moment& round : moments_of(point.time)) {
    auto one = judge(point, round, roofline);
    if (!one || !figure(one->share)) continue;
    rounds.push_back(*std::move(one));
  }
  if (std::ranges::none_of(rounds, [](const JudgedRound& one) { return one.limited_by.has_value(); })) return {};
  std::vector<double> shares, bounds;
  for (const JudgedRound& one : rounds) {
    shares.push_back(one.share);
    bounds.push_back(one.judged.bound->time_s);
  }
  const auto by_rows = judge_measured(roofline, point.stages, point.types, point.cold);
  const std::vector<int> moments = moments_of(rounds, point, roofline, by_rows);
  const auto interval = measure::between_rounds(shares, moments);
  if (!interval) return {};
  const auto of_moments = measure::medians_of_rounds(shares, moments);
  const double share = measure::median(of_moments);
  const auto typical = std::ranges::min_element(
      rounds, {}, [&](const JudgedRound& one) { return std::abs(std::log(one.share / share)); });
  const ByRounds by_rounds{share,
                           std::min(share, interval->low),
                           std::max(share, interval->high),
                           static_cast<int>(of_moments.size()),
                           std::move(typical->judged),
                           std::move(typical->roofline)};
  if (by_rounds.low > tolerated_above_roof) return {};
  const double bound_s = measure::median(measure::medians_of_rounds(bounds, moments));
  if (std::log(by_rounds.high / by_rounds.low) >= width_by_rows(point, by_rows, bound_s)) return {};
  return by_rounds;
}

}  // namespace gable
