#include "core/questions/compare/speedup.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>

#include "core/verdict/measured_judgement.hpp"

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
  UsedRoof launch;
  launch.label = limit.label;
  return launch;
}

std::map<LimitKind, Alone> times_alone(const Point& point, const Roofline& roofline) {
  std::map<LimitKind, Alone> times;
  for (const LimitKind kind : {LimitKind::compute, LimitKind::bandwidth, LimitKind::link}) {
    const Roofline part = only(roofline, kind);
    const auto bound = part.judge(point.stages, point.types, point.cold).bound;
    if (bound && bound->time_s > 0) times[kind] = {bound->time_s, used(bound->limit)};
  }
  if (roofline.overhead()) {
    double launches = 0;
    for (const Stage& stage : point.stages) launches += stage.launches;
    const double seconds = launches * roofline.overhead()->seconds;
    if (seconds > 0)
      times[LimitKind::overhead] = {
          seconds, {.label = roofline.overhead()->label, .rate = roofline.overhead()->seconds, .unit = "s"}};
  }
  return times;
}

/// A / B of the least times for the same work under roofs of one kind.
std::optional<double> ratio_alone(const OperatorVerdict& a, const OperatorVerdict& b, LimitKind kind, double work) {
  const auto of_a = a.alone.find(kind), of_b = b.alone.find(kind);
  if (of_a == a.alone.end() || of_b == b.alone.end()) return {};
  return of_a->second.time_s / of_b->second.time_s * work;
}

}  // namespace

OperatorVerdict verdict_of(const PointQuantity& quantity, const Roofline& roofline) {
  std::vector<Point> judged;
  std::ranges::copy_if(quantity.rows, std::back_inserter(judged),
                       [](const Point& row) { return row.has_verdict() && row.fraction_of_limit > 0; });
  if (judged.empty()) {
    judged.push_back(quantity.rows.front());
    judged.front().time.value = quantity.figure.value;
    judged.front().time.ci_low = quantity.figure.low;
    judged.front().time.ci_high = quantity.figure.high;
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

}  // namespace gable::questions
