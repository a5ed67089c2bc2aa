#include "core/questions/compare/speedup.hpp"

#include <algorithm>
#include <initializer_list>

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
std::optional<double> ratio_alone(const RooflineVerdict& a, const RooflineVerdict& b, LimitKind kind, double work) {
  const auto of_a = a.alone.find(kind), of_b = b.alone.find(kind);
  if (of_a == a.alone.end() || of_b == b.alone.end()) return {};
  return of_a->second.time_s / of_b->second.time_s * work;
}

}  // namespace

RooflineVerdict verdict_of(const PointQuantity& quantity, const Roofline& roofline) {
  const Point& point = quantity.rows.front();
  RooflineVerdict verdict;
  verdict.compared_by_rounds = std::ranges::any_of(
      quantity.rows, [](const Point& row) { return row.status == Status::ok && row.compared_rounds > 0; });
  const MeasuredJudgement judged = judge_measured(roofline, point.stages, point.types, point.cold);
  verdict.missing = judged.may_decide;
  if (point.imported)
    verdict.missing.insert(verdict.missing.end(), point.imported->unknown.begin(), point.imported->unknown.end());
  if (!verdict.stands()) return verdict;
  const auto& bound = judged.bound;
  if (!bound || !(bound->time_s > 0)) {
    verdict.missing = {"any roof of this work"};
    return verdict;
  }
  verdict.bound = *bound;
  verdict.regime = classify(*bound, quantity.figure.value);
  const Figure& time = quantity.figure;
  verdict.fraction = bound->time_s / time.value;
  verdict.standing =
      standing(time.value, time.high.value_or(time.value), point.stages, point.types, point.cold, roofline);
  // Main memory changed its speed: in its own moments the point of a single run is not above it.
  const bool in_its_moments = verdict.compared_by_rounds && quantity.rows.size() == 1;
  if (in_its_moments && verdict.standing == Standing::above_roof) verdict.standing = Standing::at_roof;
  verdict.alone = times_alone(point, roofline);
  return verdict;
}

std::optional<Speedup> speedup(const RooflineVerdict& a, const RooflineVerdict& b, double work) {
  if (!a.stands() || !b.stands()) return {};
  Speedup answer;
  answer.roof = a.bound.limit.kind;
  const double of_bounds = a.bound.time_s / b.bound.time_s * work;
  answer.of_roof = ratio_alone(a, b, answer.roof, work).value_or(of_bounds);
  if (const auto of_a = a.alone.find(answer.roof); of_a != a.alone.end()) answer.of_a = of_a->second.roof;
  if (const auto of_b = b.alone.find(answer.roof); of_b != b.alone.end()) answer.of_b = of_b->second.roof;
  answer.like = answer.of_a.at == answer.of_b.at && answer.of_a.stated == answer.of_b.stated;
  answer.of_others = of_bounds / answer.of_roof;
  answer.of_fraction = b.fraction / a.fraction;
  answer.bandwidth = ratio_alone(a, b, LimitKind::bandwidth, work);
  answer.compute = ratio_alone(a, b, LimitKind::compute, work);
  return answer;
}

}  // namespace gable::questions
