#include "core/questions/check/acceptance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/device/datasheet.hpp"
#include "core/error.hpp"
#include "core/questions/explain/explanation.hpp"

namespace gable::questions {
namespace {

/// A figure above this part of its datasheet figure cannot be true.
constexpr double most_of_datasheet = 1.01;
constexpr double unlimited = std::numeric_limits<double>::infinity();

std::string joined(const std::vector<std::string>& parts) {
  std::string name;
  for (const std::string& part : parts) {
    if (!part.empty()) name += fmt::format("{}{}", name.empty() ? "" : "/", part);
  }
  std::ranges::replace_if(
      name, [](unsigned char c) { return c <= ' '; }, '_');
  return name;
}

/// Name, criterion and the measured figure; a pass until it is judged.
AcceptanceRow row_of(std::string name, std::string criterion, const Figure& figure) {
  return {.name = std::move(name),
          .criterion = std::move(criterion),
          .verdict = AcceptanceVerdict::pass,
          .value = figure.value,
          .low = figure.low,
          .high = figure.high,
          .unit = figure.unit};
}

/// How fast a figure is beside an accepted one: itself, its slow end and its fast end.
struct Speeds {
  double value, slow, fast;
};

Speeds speeds_of(const Figure& figure, double accepted) {
  const double low = figure.low.value_or(figure.value), high = figure.high.value_or(figure.value);
  if (figure.higher_is_better) return {figure.value / accepted, low / accepted, high / accepted};
  return {accepted / figure.value, accepted / high, accepted / low};
}

/// In percent, with the digits that tell it from the limit: 99.96 % is not 100.0 %.
std::string percent_beside(double part, double limit) {
  int digits = 1;
  const auto text = [&](double value) { return fmt::format("{:.{}f}", 100 * value, digits); };
  while (digits < 6 && text(part) == text(limit)) ++digits;
  return text(part);
}

/// low below `least` of the accepted figure, suspicious above `most` of it.
void judge(AcceptanceRow& row, const Figure& figure, double accepted, double least, double most) {
  const Speeds speed = speeds_of(figure, accepted);
  const auto at = [&](double part) {
    const double end = figure.higher_is_better ? accepted * part : accepted / part;
    return end > 0 && std::isfinite(end) ? std::optional(end) : std::nullopt;
  };
  row.beside = accepted;
  row.from = at(figure.higher_is_better ? least : most);
  row.to = at(figure.higher_is_better ? most : least);
  row.speed = speed.value;
  if (speed.fast < least) {
    row.verdict = AcceptanceVerdict::low;
    row.reason = fmt::format("{} % of the {}'s speed, less than {:.1f} %", percent_beside(speed.value, least),
                             row.criterion, 100 * least);
  } else if (speed.slow > most) {
    row.verdict = AcceptanceVerdict::suspicious;
    row.reason = fmt::format("{} % of the {}'s speed, more than {:.1f} %", percent_beside(speed.value, most),
                             row.criterion, 100 * most);
  } else if (speed.value < least || speed.value > most) {
    row.verdict = AcceptanceVerdict::inconclusive;
    const bool below = speed.value < least;
    const double limit = below ? least : most;
    row.reason =
        fmt::format("{} % of the {}'s speed, but its interval reaches {} %", percent_beside(speed.value, limit),
                    row.criterion, percent_beside(below ? speed.fast : speed.slow, limit));
  }
}

/// Why a ceiling cannot be true; empty where it can.
std::string impossible(const std::vector<Ceiling>& rows) {
  for (const Ceiling& row : rows) {
    if (const std::string reason = implausible(row); !reason.empty()) return reason;
    if (row.datasheet && row.value.low() > most_of_datasheet * *row.datasheet)
      return fmt::format("{:.1f} % of its datasheet", 100 * row.value.value / *row.datasheet);
  }
  return "";
}
/// Operators have no datasheet figure of their own, only a bound.
std::string impossible(const std::vector<Point>& rows) {
  for (const Point& row : rows) {
    if (row.bound_s && *row.bound_s > most_of_bound * row.time.high())
      return fmt::format("{:.3g}x faster than its bound: not all of its work was measured",
                         *row.bound_s / row.time.value);
  }
  return "";
}

void call_out(AcceptanceRow& row, const std::string& reason) {
  if (reason.empty()) return;
  row.verdict = AcceptanceVerdict::suspicious;
  row.reason = reason;
}

template <class Quantity>
AcceptanceRow compared(const Subject& subject, const Quantity& wanted, const Quantity& mine, double tolerance) {
  AcceptanceRow row = row_of(fom_name(subject, wanted.key), "reference", mine.figure);
  judge(row, mine.figure, wanted.figure.value, 1 - tolerance, 1 + tolerance);
  if (row.reason.empty() && mine.implementation != wanted.implementation)
    row.reason = fmt::format("{}; the reference {}", mine.implementation, wanted.implementation);
  call_out(row, impossible(mine.rows));
  return row;
}

bool is_quick(const Subject& subject) {
  return !subject.runs.empty() &&
         std::ranges::all_of(subject.runs, [](const Run& run) { return run.mode == Mode::quick; });
}

/// What became of a quantity that the subject has no figure of. A run has a row for all that it planned.
template <class Quantity>
AcceptanceRow absent(const Subject& subject, const Subject& reference, const Quantity& wanted) {
  AcceptanceRow row{.name = fom_name(subject, wanted.key),
                    .criterion = "reference",
                    .verdict = AcceptanceVerdict::missing,
                    .beside = wanted.figure.value,
                    .unit = wanted.figure.unit,
                    .reason = "not measured"};
  bool planned = false;
  for (const LeftOut& left : subject.left_out) {
    const auto same = [&](const auto& one) { return one.id == left.id; };
    if (std::ranges::none_of(wanted.rows, same)) continue;
    planned = true;
    row.reason = fmt::format("{}: {}", to_string(left.status), left.reason);
    if (left.status == Status::suspect) row.verdict = AcceptanceVerdict::suspicious;
  }
  if (!planned && is_quick(subject) && !is_quick(reference)) {
    row.verdict = AcceptanceVerdict::unjudged;
    row.reason = "not part of a quick run; the reference is a full one";
  }
  return row;
}

template <class Quantity>
auto by_key(const std::vector<Quantity>& quantities) {
  std::map<decltype(Quantity::key), const Quantity*> found;
  for (const Quantity& quantity : quantities) found.try_emplace(quantity.key, &quantity);
  return found;
}

template <class Quantities>
void compare(std::vector<AcceptanceRow>& rows, const Subject& subject, const Subject& reference,
             const Quantities& wanted, const Quantities& mine, double tolerance) {
  const auto of_subject = by_key(mine), of_reference = by_key(wanted);
  for (const auto& quantity : wanted) {
    const auto found = of_subject.find(quantity.key);
    rows.push_back(found != of_subject.end() ? compared(subject, quantity, *found->second, tolerance)
                                             : absent(subject, reference, quantity));
  }
  for (const auto& quantity : mine) {
    if (of_reference.contains(quantity.key)) continue;
    AcceptanceRow row = row_of(fom_name(subject, quantity.key), "reference", quantity.figure);
    row.verdict = AcceptanceVerdict::extra;
    row.reason = "not in the reference";
    rows.push_back(std::move(row));
  }
}

/// Ids of all rows behind figures.
std::set<std::string_view> measured_ids(const Subject& subject) {
  std::set<std::string_view> ids;
  const auto note = [&](const auto& quantity) {
    for (const auto& row : quantity.rows) ids.insert(row.id);
  };
  std::ranges::for_each(subject.ceilings, note);
  std::ranges::for_each(subject.points, note);
  return ids;
}

/// Suspect rows of quantities that no run measured soundly and that the reference does not have: if they are suspect
/// there, too, nobody knows what they should be.
void add_suspect(std::vector<AcceptanceRow>& rows, const Subject& subject, const Subject& reference) {
  auto known = measured_ids(subject);
  known.merge(measured_ids(reference));
  std::set<std::string_view> suspect_there;
  for (const LeftOut& other : reference.left_out)
    if (other.status == Status::suspect) suspect_there.insert(other.id);
  for (const LeftOut& left : subject.left_out) {
    if (left.status != Status::suspect || !known.insert(left.id).second) continue;
    const bool in_both = suspect_there.contains(left.id);
    rows.push_back({.name = joined({subject.device.id, left.id}),
                    .criterion = "reference",
                    .verdict = in_both ? AcceptanceVerdict::unjudged : AcceptanceVerdict::suspicious,
                    .reason = fmt::format("suspect{}: {}", in_both ? " here and in the reference" : "", left.reason)});
  }
}

/// The best ceiling of each unit and type, and of each level; of main memory the triad, as in
/// comparisons, unless another mix is faster than can be true.
std::vector<const CeilingQuantity*> best_against_datasheet(const Subject& subject) {
  const auto rank = [](const CeilingQuantity& one) {
    const auto& datasheet = one.rows.front().datasheet;
    const bool triad = one.key.name == main_memory_role && one.key.access == Access::triad;
    return std::tuple(datasheet && !impossible(one.rows).empty(), triad && one.key.stores != Stores::non_temporal,
                      datasheet ? one.figure.value / *datasheet : 0);
  };
  const auto same = [](const CeilingKey& a, const CeilingKey& b) {
    return std::tie(a.kind, a.name, a.dtype, a.accumulate, a.scope) ==
           std::tie(b.kind, b.name, b.dtype, b.accumulate, b.scope);
  };
  std::vector<const CeilingQuantity*> best;
  for (const CeilingQuantity& quantity : subject.ceilings) {
    const bool rate = quantity.key.kind == CeilingKind::compute || quantity.key.kind == CeilingKind::bandwidth;
    if (!quantity.key.variant.empty() || (!rate && !quantity.rows.front().datasheet)) continue;
    const auto known =
        std::ranges::find_if(best, [&](const CeilingQuantity* one) { return same(one->key, quantity.key); });
    if (known == best.end())
      best.push_back(&quantity);
    else if (rank(quantity) > rank(**known))
      *known = &quantity;
  }
  return best;
}

/// Why a row has no datasheet figure.
std::string why_no_datasheet(const DeviceInfo& device, const Ceiling& row) {
  if (row.kind == CeilingKind::bandwidth) {
    const bool main_memory = !device.memory.empty() && row.name == device.memory.back().name;
    if (!main_memory) return "no datasheet figure: vendors print no bandwidth of this level";
    if (level_peak(device, row.name) != nullptr) return "no datasheet figure: not all cores were used";
    const auto fact = std::ranges::find(device.facts, "theoretical DRAM bandwidth", &Fact::name);
    return "no datasheet figure: " +
           (fact == device.facts.end() ? "the processor's memory is not known" : fact->source);
  }
  if (!is_cpu(device) || compute_peak(device, row) == nullptr) return "no datasheet figure: the rate is not known";
  if (has_kinds_of_cores(device)) return "no datasheet figure: cores of several kinds";
  return fmt::format("no datasheet figure: no clock is documented for {} core{} of this processor", row.threads,
                     row.threads == 1 ? "" : "s");
}

/// A machine of which no unit, or not the main memory, could be judged is not accepted for the rest of it.
void add_unjudged_halves(std::vector<AcceptanceRow>& rows, const Subject& subject) {
  const auto add = [&](CeilingKind kind, const std::string& level, std::string_view what) {
    bool measured = false;
    for (const CeilingQuantity& one : subject.ceilings) {
      if (one.key.kind != kind || !one.key.variant.empty() || (!level.empty() && one.rows.front().name != level))
        continue;
      measured = true;
      if (one.rows.front().datasheet) return;
    }
    if (!measured) return;
    rows.push_back(
        {.name = joined({subject.device.id, std::string(to_string(kind)), level.empty() ? "" : "memory"}),
         .criterion = "datasheet",
         .verdict = AcceptanceVerdict::missing,
         .reason = fmt::format("no row of {} has a datasheet figure, so this cannot be accepted: state it in a "
                               "--devices-file, or choose what is judged with --only",
                               what)});
  };
  add(CeilingKind::compute, "", "a compute unit");
  if (!subject.device.memory.empty()) add(CeilingKind::bandwidth, subject.device.memory.back().name, "main memory");
}

/// Compared with the limit that is crossed, else with the nearer one.
AcceptanceRow within(const AcceptedRange& range, const Figure& figure) {
  const auto slowest = figure.higher_is_better ? range.lower : range.upper;
  const auto fastest = figure.higher_is_better ? range.upper : range.lower;
  AcceptanceRow slow = row_of(range.name, "limit", figure), fast = slow;
  if (slowest) judge(slow, figure, *slowest, 1, unlimited);
  if (fastest) judge(fast, figure, *fastest, 0, 1);
  if (!fastest || slow.verdict != AcceptanceVerdict::pass) return slow;
  if (!slowest || fast.verdict != AcceptanceVerdict::pass) return fast;
  return *slow.speed * *fast.speed < 1 ? slow : fast;
}

}  // namespace

bool is_judged(AcceptanceVerdict verdict) {
  return verdict != AcceptanceVerdict::extra && verdict != AcceptanceVerdict::unjudged;
}

bool fails(AcceptanceVerdict verdict) { return verdict != AcceptanceVerdict::pass && is_judged(verdict); }

std::string fom_name(const Subject& subject, const CeilingKey& key) {
  const auto text = [](auto value) { return value ? std::string(to_string(*value)) : std::string{}; };
  std::string dtype = text(key.dtype);
  if (key.dtype && key.accumulate && key.accumulate != key.dtype) dtype += "->" + text(key.accumulate);
  const auto unless_none = [](auto value) {
    return value == decltype(value)::none ? std::string{} : std::string(to_string(value));
  };
  return joined({subject.device.id, std::string(to_string(key.kind)), std::string(to_string(key.scope)), key.name,
                 dtype, unless_none(key.access), unless_none(key.stores), unless_none(key.at), key.variant});
}

std::string fom_name(const Subject& subject, const PointKey& key) {
  std::vector<std::string> parts{subject.device.id, "operator", std::string(to_string(key.scope)), key.op,
                                 std::string(to_string(key.types.a))};
  if (key.types != uniform_types(key.types.a)) {
    parts.back() += fmt::format(":{}:{}:{}:{}", to_string(key.types.b), to_string(key.types.out),
                                to_string(key.types.accumulate), to_string(key.types.compute));
  }
  parts.push_back(key.params);
  parts.emplace_back(key.cold ? "cold" : "");
  if (key.launches > 1) parts.push_back(fmt::format("launches={}", key.launches));
  parts.emplace_back(key.graph ? "graph" : "");
  return joined(parts);
}

std::vector<AcceptanceRow> against_reference(const Subject& subject, const Subject& reference, double tolerance) {
  std::vector<AcceptanceRow> rows;
  compare(rows, subject, reference, reference.ceilings, subject.ceilings, tolerance);
  compare(rows, subject, reference, reference.points, subject.points, tolerance);
  add_suspect(rows, subject, reference);
  return rows;
}

std::vector<AcceptanceRow> against_datasheet(const Subject& subject, double fraction) {
  std::vector<AcceptanceRow> rows;
  const auto leave_out = [&](std::string reason) {
    rows.back().verdict = AcceptanceVerdict::unjudged;
    rows.back().reason = std::move(reason);
  };
  for (const CeilingQuantity* quantity : best_against_datasheet(subject)) {
    rows.push_back(row_of(fom_name(subject, quantity->key), "datasheet", quantity->figure));
    const Ceiling& row = quantity->rows.front();
    if (!row.datasheet) {
      leave_out(why_no_datasheet(subject.device, row));
      continue;
    }
    judge(rows.back(), quantity->figure, *row.datasheet, fraction, unlimited);
    call_out(rows.back(), impossible(quantity->rows));
  }
  add_unjudged_halves(rows, subject);
  for (const PointQuantity& quantity : subject.points) {
    const auto bound = datasheet_bound(quantity.rows.front(), subject.device);
    rows.push_back(row_of(fom_name(subject, quantity.key), "datasheet", quantity.figure));
    if (!bound) {
      leave_out("the roof that decides its time has no datasheet figure");
      continue;
    }
    judge(rows.back(), quantity.figure, bound->time_s, fraction, most_of_bound);
    call_out(rows.back(), impossible(quantity.rows));
  }
  return rows;
}

std::string host_prefix(const Subject& subject, std::span<const Subject> subjects) {
  const auto same = std::ranges::count(subjects, subject.device.id, [](const Subject& one) { return one.device.id; });
  return same > 1 && !subject.host.empty() ? subject.host + "/" : "";
}

std::vector<AcceptanceRow> against_limits(std::span<const Subject> subjects, std::span<const AcceptedRange> ranges) {
  std::vector<AcceptanceRow> rows;
  std::map<std::string, const Figure*> figures;
  for (const Subject& subject : subjects) {
    const std::string prefix = host_prefix(subject, subjects);
    const auto note = [&](const auto& one) { figures.try_emplace(prefix + fom_name(subject, one.key), &one.figure); };
    std::ranges::for_each(subject.ceilings, note);
    std::ranges::for_each(subject.points, note);
  }
  for (const AcceptedRange& range : ranges) {
    const auto known = figures.find(range.name);
    const Figure* const figure = known != figures.end() ? known->second : nullptr;
    if (!figure) {
      rows.push_back({.name = range.name,
                      .criterion = "limit",
                      .verdict = AcceptanceVerdict::missing,
                      .unit = range.unit,
                      .reason = "not measured"});
      continue;
    }
    if (figure->unit != range.unit)
      throw Error(fmt::format("{}: {} is in {}, not in '{}'", range.where, range.name, figure->unit, range.unit));
    rows.push_back(within(range, *figure));
  }
  return rows;
}

}  // namespace gable::questions
