#include "core/questions/compare/comparison.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "core/sequence.hpp"
#include "core/text/parse_number.hpp"

namespace gable::questions {
namespace {

/// The roofs of one kind, all others left out. Empty for launches, which are no roof of work.
Roofline only(const Roofline& roofline, LimitKind kind) {
  Roofline part;
  if (kind == LimitKind::compute) {
    for (const ComputeRoof& roof : roofline.compute()) part.add(roof);
  }
  if (kind == LimitKind::bandwidth || kind == LimitKind::link) {
    part.set_levels(roofline.levels());
    for (const BandwidthRoof& roof : roofline.bandwidth()) {
      if (roof.link == (kind == LimitKind::link)) part.add(roof);
    }
  }
  return part;
}

/// The roof that decides.
UsedRoof used(const Limit& limit) {
  if (const auto& roof = limit.compute) {
    return {roof->label, roof->flop_per_s, std::string(rate_unit(roof->unit, roof->dtype)), roof->at,
            roof->at == OperatingPoint::none};
  }
  if (const auto& roof = limit.bandwidth)
    return {roof->label, roof->byte_per_s, "byte/s", OperatingPoint::none, roof->access == Access::none};
  return {.label = limit.label, .unit = {}};
}

std::map<LimitKind, Alone> times_alone(const Point& point, const Roofline& roofline) {
  std::map<LimitKind, Alone> times;
  for (const LimitKind kind : {LimitKind::compute, LimitKind::bandwidth, LimitKind::link}) {
    const Roofline part = only(roofline, kind);
    const auto bound = part.judge(point.stages, point.types, point.cold).bound;
    if (bound && bound->time_s > 0) times[kind] = {bound->time_s, used(bound->limit)};
  }
  if (roofline.overhead()) {
    const auto& [each_s, synchronous, label, low] = *roofline.overhead();
    const double seconds = sum_over(point.stages, &Stage::launches) * each_s;
    if (seconds > 0) times[LimitKind::overhead] = {seconds, {.label = label, .rate = each_s, .unit = "s"}};
  }
  return times;
}

/// A / B of the least times for the same work under roofs of one kind.
std::optional<double> ratio_alone(const OperatorVerdict& a, const OperatorVerdict& b, LimitKind kind, double work) {
  const auto of_a = a.alone.find(kind), of_b = b.alone.find(kind);
  if (of_a == a.alone.end() || of_b == b.alone.end()) return {};
  return of_a->second.time_s / of_b->second.time_s * work;
}

OperatorCell cell_of(const PointQuantity& quantity, const Roofline& roofline, std::optional<double> price) {
  const auto& stages = quantity.rows.front().stages;
  OperatorCell cell{
      {quantity.figure, quantity.implementation, power_of(quantity)}, quantity.key, flops(stages), bytes(stages)};
  cell.verdict = verdict_of(quantity, roofline);
  if (price && quantity.key.scope == Scope::node) cell.cost = cost_of_time(quantity.figure.value, *price);
  return cell;
}

/// The key without its sizes; what is no number ("mask=causal") stays.
PointKey without_sizes(PointKey key) {
  std::istringstream parts(std::exchange(key.params, {}));
  for (std::string part; std::getline(parts, part, ',');) {
    if (!parse_number<long long>(part.substr(part.find('=') + 1))) key.params += part + ',';
  }
  return key;
}

double bytes_of(const PointQuantity& quantity) { return bytes(quantity.rows.front().stages); }

/// Ratios of the rates: times of another size are taken per flop, or per byte of operators that compute nothing.
void set_ratios(OperatorRow& row, std::size_t subject) {
  const OperatorCell& baseline = *row.cells[0];
  OperatorCell& cell = *row.cells[subject];
  const bool computes = baseline.flop > 0 && cell.flop > 0;
  const double work = cell.like ? 1 : computes ? cell.flop / baseline.flop : cell.byte / baseline.byte;
  cell.ratio = ratio_of(baseline.figure, cell.figure).times(work);
  cell.speedup = speedup(baseline.verdict, cell.verdict, work);
}

/// Of the sizes that only one subject has, the largest of the baseline's beside the largest of this subject's.
void pair_other_sizes(std::vector<OperatorRow>& rows, std::size_t subject, std::vector<const PointQuantity*> left_over,
                      const std::function<OperatorCell(const PointQuantity&)>& cell_for) {
  std::ranges::stable_sort(left_over, std::greater<>{}, [](const PointQuantity* one) { return bytes_of(*one); });
  std::map<PointKey, OperatorRow*> largest;  // by kind
  for (OperatorRow& row : rows) {
    if (row.cells[subject] || !(row.cells[0]->byte > 0)) continue;
    OperatorRow*& known = largest.try_emplace(without_sizes(row.key), &row).first->second;
    if (row.cells[0]->byte > known->cells[0]->byte) known = &row;
  }
  for (const PointQuantity* quantity : left_over) {
    const auto kind = largest.extract(without_sizes(quantity->key));
    if (!kind || !(bytes_of(*quantity) > 0)) continue;
    OperatorRow& row = *kind.mapped();
    row.cells[subject] = cell_for(*quantity);
    row.cells[subject]->like = false;
    row.cells[subject]->cost.reset();
    set_ratios(row, subject);
  }
}

}  // namespace

OperatorVerdict verdict_of(const PointQuantity& quantity, const Roofline& roofline) {
  auto judged =
      filtered(quantity.rows, [](const Point& row) { return row.has_verdict() && row.fraction_of_limit > 0; });
  if (judged.empty()) {
    judged.push_back(quantity.rows.front());
    set_figure(judged.front().time, quantity.figure);
    set_verdict(judged.front(), roofline);
  }
  const auto median = judged.begin() + static_cast<std::ptrdiff_t>((judged.size() - 1) / 2);
  std::ranges::nth_element(judged, median, {}, &Point::fraction_of_limit);
  OperatorVerdict verdict{*median, standing(*median), {}};
  if (!verdict.has_verdict() || !(verdict.fraction_of_limit > 0)) {
    verdict.regime.reset();
    if (verdict.missing.empty()) verdict.missing = {"any roof of this work"};
    return verdict;
  }
  verdict.bound_s = *verdict.fraction_of_limit * quantity.figure.value;
  verdict.alone = times_alone(*median, roofline);
  return verdict;
}

std::optional<Speedup> speedup(const OperatorVerdict& a, const OperatorVerdict& b, double work) {
  if (!a.stands() || !b.stands()) return {};
  Speedup answer;
  answer.roof = a.limit_kind;
  const double of_bounds = *a.bound_s / *b.bound_s * work;
  answer.of_roof = ratio_alone(a, b, answer.roof, work).value_or(of_bounds);
  if (const auto of_a = a.alone.find(answer.roof); of_a != a.alone.end()) answer.of_a = of_a->second.roof;
  if (const auto of_b = b.alone.find(answer.roof); of_b != b.alone.end()) answer.of_b = of_b->second.roof;
  answer.like = answer.of_a.at == answer.of_b.at && answer.of_a.stated == answer.of_b.stated;
  answer.of_others = of_bounds / answer.of_roof;
  answer.of_fraction = *b.fraction_of_limit / *a.fraction_of_limit;
  answer.bandwidth = ratio_alone(a, b, LimitKind::bandwidth, work);
  answer.compute = ratio_alone(a, b, LimitKind::compute, work);
  return answer;
}

bool wanted(const PointKey& key, const std::vector<DType>& dtypes) {
  return dtypes.empty() || std::ranges::count(dtypes, key.types.a) != 0;
}

std::vector<OperatorRow> operator_rows(std::span<const Subject> subjects, const CompareOptions& options) {
  std::vector<OperatorRow> rows;
  std::map<PointKey, std::size_t> places;  // in them
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const auto price = options.prices.empty() ? std::nullopt : options.prices.at(i);
    std::map<Scope, Roofline> roofs;
    const auto cell_for = [&](const PointQuantity& quantity) {
      const auto [roofline, is_new] = roofs.try_emplace(quantity.key.scope);
      if (is_new) roofline->second = machine_of(subjects[i], quantity.key.scope).roofline;
      return cell_of(quantity, roofline->second, price);
    };
    std::vector<const PointQuantity*> left_over;
    for (const PointQuantity& quantity : subjects[i].points) {
      if (!wanted(quantity.key, options.dtypes)) continue;
      const auto same = places.find(quantity.key);
      if (i == 0) {
        places.try_emplace(quantity.key, rows.size());
        rows.push_back({quantity.key, quantity.rows.front().label, quantity.rows.front().count,
                        std::vector<std::optional<OperatorCell>>(subjects.size())});
        rows.back().cells[0] = cell_for(quantity);
      } else if (same != places.end()) {
        rows[same->second].cells[i] = cell_for(quantity);
        set_ratios(rows[same->second], i);
      } else {
        left_over.push_back(&quantity);
      }
    }
    pair_other_sizes(rows, i, std::move(left_over), cell_for);
  }
  return rows;
}

}  // namespace gable::questions
