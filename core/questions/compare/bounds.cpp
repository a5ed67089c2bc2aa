#include "core/questions/compare/bounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/device/datasheet.hpp"
#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/questions/predict/prediction.hpp"

namespace gable::questions {
namespace {

WorkClass class_of(LimitKind limit, std::span<const Stage> stages) {
  if (limit == LimitKind::bandwidth) return WorkClass::streams;
  const auto unit = main_unit(stages);
  const bool product = unit == Unit::multiply_add || unit == Unit::matrix;
  return limit == LimitKind::compute && product ? WorkClass::products : WorkClass::others;
}

Reached reached(const std::vector<double>& parts) {
  return {measure::median(parts), std::ranges::min(parts), std::ranges::max(parts), parts.size()};
}

/// The subject's machine with every roof at the slow or the fast end of its interval.
MachineModel machine_at(Subject subject, bool fast) {
  for (CeilingQuantity& quantity : subject.ceilings) {
    Figure& figure = quantity.figure;
    figure.value = (fast == figure.higher_is_better ? figure.high : figure.low).value_or(figure.value);
  }
  return machine_of(subject, Scope::node);
}

/// The subject with the roofs that its vendor prints; nothing of one that was measured and has none of a kind.
std::optional<MachineModel> datasheet_of(const Subject& subject) {
  MachineModel machine = machine_of(subject, Scope::node);
  if (subject.runs.empty()) return machine;
  machine.basis = Basis::datasheet;
  machine.roofline = datasheet_roofline(subject.device, Scope::node, subject.device.cores);
  if (machine.roofline.compute().empty() || machine.roofline.bandwidth().empty()) return {};
  return machine;
}

/// Whether the roof that decides has an interval.
bool has_interval(const Limit& limit, const Roofline& roofline) {
  if (limit.kind == LimitKind::overhead) return roofline.overhead()->low.has_value();
  if (limit.compute) return limit.compute->low < limit.compute->high;
  return limit.bandwidth && limit.bandwidth->low < limit.bandwidth->high;
}

/// The roofs of a subject, and which part of their bounds it reaches.
struct Footing {
  std::optional<MachineModel> datasheet{};  ///< nothing: its measured roofs
  std::optional<Efficiency> efficiency{};   ///< nothing: all
  Scale scale{};
  std::size_t efficiency_of{};  ///< index of the subject
};

/// At its own efficiency (of its datasheet if it can be), else at that of the one named, on roofs of its kind if any.
Footing footing_of(std::span<const Subject> subjects, std::size_t index, bool by_datasheets, const Bounds& bounds) {
  const Subject& subject = subjects[index];
  const bool measured = !subject.runs.empty();
  if (!bounds.assumed_of)
    return measured ? Footing{.scale = Scale::measured} : Footing{datasheet_of(subject), {}, Scale::datasheet};
  auto datasheet = by_datasheets ? datasheet_of(subject) : std::nullopt;
  const auto launch = machine_of(measured ? subject : subjects[*bounds.assumed_of], Scope::node).roofline.overhead();
  if (datasheet && launch) datasheet->roofline.set_overhead(*launch);
  if (auto own = datasheet ? efficiency_of(subject, true) : std::nullopt) return {std::move(datasheet), own, {}, index};
  if (auto own = efficiency_of(subject, false)) return {{}, own, {}, index};
  if (measured && !bounds.of_datasheet) datasheet.reset();
  const Scale unlike = datasheet ? Scale::datasheet_at_measured : Scale::measured_at_datasheet;
  const bool like = datasheet.has_value() == bounds.of_datasheet;
  return {std::move(datasheet), bounds.efficiency, like ? Scale::reached : unlike, *bounds.assumed_of};
}

/// What bounds work on one subject.
struct Bounded {
  const Subject& subject;
  const Footing& footing;
  MachineModel machine, slow, fast;

  Bounded(const Subject& of, const Footing& on)
      : subject(of),
        footing(on),
        machine(on.datasheet.value_or(machine_of(of, Scope::node))),
        slow(machine_at(of, false)),
        fast(machine_at(of, true)) {}

  /// Whether no roof that is missing on a measured machine can decide.
  bool stands(const Work& work) const {
    return !footing.datasheet && judge_measured(machine.roofline, work.stages, work.types, work.cold).stands();
  }

  Figure figure(const Work& work, const Bound& bound) const {
    Figure time{.value = bound.time_s, .unit = "s", .higher_is_better = false, .bound = true, .scale = footing.scale};
    if (footing.datasheet) {
      time.low = time.high = time.value;
      time.spread = Spread::stated;
    } else if (has_interval(bound.limit, machine.roofline)) {
      time.low = predict(fast, work.stages, work.types).bound.time_s;
      time.high = predict(slow, work.stages, work.types).bound.time_s;
      time.runs = static_cast<int>(subject.runs.size());
      time.spread = time.runs > 1 ? Spread::between_runs : Spread::within_run;
    }
    return time;
  }
};

void reach(Figure& time, const AssumedPart& part) {
  time.value /= part.median;
  if (time.low) *time.low /= part.median;
  if (time.high) *time.high /= part.median;
  time.smallest = time.largest = time.value;
  time.part = part;
}

/// Without "cold": all of the work is, and nothing is told apart by it.
PointKey key_of_work(const Point& row) {
  PointKey key = key_of(row);
  key.cold = false;
  return key;
}

PointQuantity quantity_of(Point row, Figure time, const Bound& bound, const std::optional<AssumedPart>& part) {
  if (part) reach(time, *part);
  set_figure(row.time, time);
  row.regime = classify(bound, time.value);
  row.limit = bound.limit.label;
  row.limit_kind = bound.limit.kind;
  row.limit_stage = static_cast<int>(bound.limit.stage);
  row.bound_s = bound.time_s;
  row.overhead_s = bound.overhead_s;
  row.fraction_of_limit = part ? part->median : 1;
  PointKey key = key_of_work(row);
  return {std::move(key), "", std::move(time), {std::move(row)}};
}

/// Least times of the work on a subject, at an efficiency if one is assumed; what has none is left out.
void set_bounds(Subject& subject, std::span<const Point> work, const Footing& footing, Bounds& bounds) {
  const Bounded bounded(subject, footing);
  const auto& efficiency = footing.efficiency;
  std::vector<PointQuantity> points;
  const auto leave_out = [&](const Point& row, std::string reason) {
    subject.left_out.push_back(
        {bounds.workload, row.id, Status::unsupported, std::move(reason), label_of(key_of_work(row))});
  };
  for (const Point& row : work) {
    try {
      const Work one = work_of(row);
      const Predicted found = predict(one, bounded.machine, "");
      if (!one.unknown.empty()) {
        leave_out(row, fmt::format("the counters do not tell {}", fmt::join(one.unknown, ", ")));
      } else if (found.prediction.open && !bounded.stands(one)) {
        leave_out(row, fmt::format("no roof for {}", fmt::join(found.prediction.missing, ", ")));
      } else {
        const Bound& bound = found.prediction.bound;
        std::optional<AssumedPart> part;
        if (efficiency) {
          const WorkClass of = class_of(bound.limit.kind, one.stages);
          part = efficiency->in(of, key_of_work(row));
          part->of = footing.efficiency_of;
        }
        points.push_back(quantity_of(row, bounded.figure(one, bound), bound, part));
        const std::string note = found.note.empty() ? "" : fmt::format("{}: {}", subject.name, found.note);
        if (!note.empty() && std::ranges::count(bounds.notes, note) == 0) bounds.notes.push_back(note);
      }
    } catch (const Error& error) {
      leave_out(row, error.what());
    }
  }
  subject.points = std::move(points);
}

}  // namespace

AssumedPart Efficiency::in(WorkClass of, PointKey row) const {
  if (const auto found = by_row.find(label_of(row)); found != by_row.end()) return found->second;
  row.params.clear();
  const auto sizes = by_operator.find({of, label_of(row)});
  const auto found = by_class.find(of);
  const Reached& parts = sizes != by_operator.end() ? sizes->second : found == by_class.end() ? all : found->second;
  if (parts.rows < enough_runs) return {parts.median};
  return {parts.median, parts.least, parts.most};
}

std::optional<Efficiency> efficiency_of(const Subject& subject, bool of_datasheet) {
  std::map<WorkClass, std::vector<double>> parts;
  std::map<std::pair<WorkClass, std::string>, std::vector<double>> of_operators;
  std::map<std::string, AssumedPart> by_row;
  std::vector<double> all;
  const Roofline roofline = machine_of(subject, Scope::node).roofline;
  for (const PointQuantity& quantity : subject.points) {
    if (quantity.key.scope != Scope::node) continue;
    Point row = quantity.rows.front();
    const auto add = [&](LimitKind limit, double part) {
      all.push_back(std::min(1.0, part));
      const WorkClass of = class_of(limit, row.stages);
      PointKey key = key_of_work(row);
      const std::string label = label_of(key);
      key.params.clear();
      parts[of].push_back(all.back());
      of_operators[{of, label_of(key)}].push_back(all.back());
      if (!quantity.key.cold && by_row.contains(label)) return;
      const Figure& time = quantity.figure;
      by_row[label] = {all.back()};
      if (!time.low || !time.high) return;
      by_row[label].least = all.back() * time.value / *time.high;
      by_row[label].most = all.back() * time.value / *time.low;
    };
    if (of_datasheet) {
      set_figure(row.time, quantity.figure);
      if (const auto bound = datasheet_bound(row, subject.device)) add(bound->kind, bound->fraction);
    } else if (const OperatorVerdict verdict = verdict_of(quantity, roofline); verdict.stands()) {
      add(verdict.limit_kind, *verdict.fraction_of_limit);
    }
  }
  if (all.empty()) return {};
  Efficiency answer{{}, reached(all), std::move(by_row), {}};
  for (const auto& [of, list] : parts) answer.by_class[of] = reached(list);
  for (const auto& [of, list] : of_operators) answer.by_operator[of] = reached(list);
  return answer;
}

Bounds use_bounds(std::span<Subject> subjects, const std::string& workload, std::span<const Point> work,
                  std::optional<std::size_t> assumed_of, const MisfitOf& misfit_of) {
  Bounds bounds{workload, assumed_of};
  const bool by_datasheets = std::ranges::any_of(subjects, [](const Subject& one) { return one.runs.empty(); });
  if (assumed_of) {
    const Subject& named = subjects[*assumed_of];
    auto found = by_datasheets ? efficiency_of(named, true) : std::nullopt;
    bounds.of_datasheet = found.has_value();
    if (!found) found = efficiency_of(named, false);
    if (!found) throw Error(fmt::format("--efficiency: no operator of {} was measured under its roofs", named.name));
    bounds.efficiency = *found;
    if (by_datasheets && !bounds.of_datasheet)
      bounds.notes.push_back(fmt::format(
          "The datasheet of {} is not known: what it reaches of its measured roofs is assumed of the "
          "datasheets of others, which promise more than is measured. Between it and these nothing is decided.",
          named.name));
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    Subject& subject = subjects[i];
    const Footing footing = footing_of(subjects, i, by_datasheets, bounds);
    bounds.roofs.push_back(footing.datasheet ? Basis::datasheet : Basis::measured);
    set_bounds(subject, work, footing, bounds);
    if (misfit_of) subject.misfit = misfit_of(subject);
  }
  return bounds;
}

}  // namespace gable::questions
