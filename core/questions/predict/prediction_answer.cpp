#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/questions/predict/prediction.hpp"

namespace gable::questions {
namespace {

using Value = Answer::Value;
using PredictedRows = std::span<const Predicted>;

/// Of the first row's least time to that of a row; nothing where a roof is missing that may decide one of them.
std::optional<double> factor(PredictedRows rows, const Predicted& row) {
  const Prediction& first = rows.front().prediction;
  if (first.open || row.prediction.open) return {};
  return first.bound.time_s / row.prediction.bound.time_s;
}

/// Operations of each unit, all stages together.
std::map<Unit, double> operations(const Work& work) {
  std::map<Unit, double> sums;
  for (const Stage& stage : work.stages) {
    for (const UnitWork& one : stage.work) sums[one.unit] += one.operations;
  }
  return sums;
}

/// What the point reached of its own bound, where no roof is missing: bound / measured time.
std::optional<Timed> fraction(const Predicted& first) {
  if (!first.measured || !first.prediction.missing.empty() || first.prediction.open) return {};
  const double bound = first.prediction.bound.time_s;
  Timed reached{bound / first.measured->value};
  if (first.measured->high) reached.low = bound / *first.measured->high;
  if (first.measured->low) reached.high = bound / *first.measured->low;
  return reached;
}

/// A time and its interval, which is there whole or not at all.
void add_time(Answer::Facts& facts, const std::string& name, const std::optional<Timed>& time) {
  facts.emplace_back(name + "_s", name, time ? Value(time->value) : Value(), "s");
  if (!time || !time->low || !time->high) return;
  facts.add({{name + "_interval_s/0", time->low}, {name + "_interval_s/1", time->high}});
}

/// Why nothing is said of what decides: "no roof for exp fp32", "the counters do not tell bytes of the main memory".
std::string why_open(const Predicted& row) {
  std::vector<std::string> reasons;
  if (!row.prediction.missing.empty())
    reasons.push_back(fmt::format("no roof for {}", fmt::join(row.prediction.missing, ", ")));
  if (!row.work.unknown.empty())
    reasons.push_back(fmt::format("the counters do not tell {}", fmt::join(row.work.unknown, ", ")));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

Answer::Facts facts_of(const Predicted& row, PredictedRows rows, std::optional<double> items) {
  const Prediction& p = row.prediction;
  const double time = p.bound.time_s;
  const auto against_first = factor(rows, row);
  // an intensity alone has no amount
  const auto amount = [&](double figure) { return row.sized ? Value(figure) : Value(nullptr); };
  const auto shown = [&](double figure, std::string_view unit) {
    return row.sized && figure > 0 ? Value(format_quantity(figure, unit)) : Value();
  };
  Answer::Facts facts{{"work", "work", row.work.name},
                      {"dtype", "type", row.work.types.a},
                      {"machine", "machine", row.machine},
                      {"basis", row.basis},
                      {"flop", amount(p.flop)},
                      {"bytes", amount(p.bytes)},
                      {"", "flop", shown(p.flop, operation_name(row.work.types))},
                      {"", "bytes", shown(p.bytes, "byte")},
                      {"intensity_flop_per_byte", "flop/byte", p.intensity},
                      {"ridge_flop_per_byte", "ridge", p.ridge},
                      {"time_s", "least time", amount(time), "s"},
                      {"sustained_s", "sustained", row.sized ? Value(row.sustained_s) : Value(), "s"},
                      {"time_per_item_s", "a result", items ? Value(time / *items) : Value(), "s"},
                      {"item_per_s", "results/s", items && !p.open ? Value(*items / time) : Value()}};
  add_time(facts, "measured", row.measured);
  add_time(facts, "expected", row.expected);
  facts.add({{"peak_flop_per_s", p.peak},
             {"attainable_flop_per_s", p.attainable},
             {"", "at most", p.attainable ? Value(format_quantity(*p.attainable, rate_unit(row.work.types))) : Value()},
             {"attainable_of_peak", "of peak", p.attainable && p.peak ? Value(*p.attainable / *p.peak) : Value(), "%"},
             {"factor", rows.size() > 1 ? "factor" : "", or_null(against_first)},
             {"regime", p.open ? Value(nullptr) : Value(limit_text(p.bound.limit))},
             {"", "regime", p.open ? why_open(row) : limit_text(p.bound.limit)},
             {"missing", p.missing},
             {"note", named(row.note)}});
  if (!row.work.unknown.empty()) facts.add({{"unknown", row.work.unknown}});
  for (const auto& [unit, count] : operations(row.work)) {
    const std::string name = fmt::format("operations/{}_op", to_string(unit));
    if (row.sized) facts.emplace_back(name, count);
    if (p.bytes > 0) facts.emplace_back(name + "_per_byte", count / p.bytes);
  }
  if (p.capacity) facts.add({{"working_set_byte", p.working_set}, {"level_byte", p.capacity}, {"fits", p.fits()}});
  return facts;
}

void check_finite(PredictedRows rows, double items) {
  for (const Predicted& row : rows) {
    const double time = row.prediction.bound.time_s, first = rows.front().prediction.bound.time_s;
    for (const double figure : {first / time, time / items, items / time}) {
      if (!std::isfinite(figure))
        throw Error(fmt::format("{} on {}: a figure of the answer is not finite", row.work.name, row.machine));
    }
  }
}

void add_notes(Answer& answer, const Predicted& row) {
  const Prediction& p = row.prediction;
  const auto say = [&](const std::string& what) {
    answer.say(fmt::format("{} on {}: {}", row.work.name, row.machine, what));
  };
  if (!p.missing.empty())
    say(fmt::format("not counted, because no roof is known for it: {}{}", fmt::join(p.missing, ", "),
                    p.open ? "; it could be the limit, so the time is only a lower bound" : ""));
  if (!row.work.unknown.empty())
    say(fmt::format("the counters do not tell {}; it could be what decides, so the time is only a lower bound",
                    fmt::join(row.work.unknown, ", ")));
  if (!row.note.empty()) say(row.note);
  if (!p.fits())
    say(fmt::format("{} does not fit {} ({}{})", format_quantity(p.working_set, "byte"), row.level,
                    format_quantity(*p.capacity, "byte"),
                    p.told_capacity
                        ? fmt::format(" found by streams, {} as told", format_quantity(*p.told_capacity, "byte"))
                        : " as told"));
}

/// What "expected" takes for granted.
std::string assumption(const Timed& reached) {
  const std::string interval =
      reached.low && reached.high ? fmt::format(" ({:.1f} to {:.1f} %)", 100 * *reached.low, 100 * *reached.high) : "";
  if (reached.value > 1)
    return fmt::format("expected: the least time, because the point is faster than its bound ({:.1f} % of it{})",
                       100 * reached.value, interval);
  return fmt::format("expected: if the point's fraction of its bound, {:.1f} %{}, stays as it is (an assumption)",
                     100 * reached.value, interval);
}

void add_formulas(Answer& answer, PredictedRows rows) {
  Answer::Table units;
  for (const Predicted& row : rows) {
    std::vector<std::string> parts;
    for (const auto& [unit, count] : operations(row.work)) {
      parts.emplace_back(to_string(unit));
      if (row.sized) parts.back() += " " + format_quantity(count, "op");
      if (row.prediction.bytes > 0) parts.back() += fmt::format(" ({:.4g} op/byte)", count / row.prediction.bytes);
    }
    units.add({{"", "work", row.work.name},
               {"", "machine", row.machine},
               {"", "operations", parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "))}});
  }
  answer.show_table("operations by unit", std::move(units)).whole = true;
  answer.add_facts(
      "", "formulas (docs/predict.md)",
      {{"", "flop/byte", "I = F / Q, Q compulsory: each input read once, each output written once"},
       {"", "ridge", "P / B"},
       {"", "least time", "of a stage max(F / P of every unit, Q / B, launches x T0); stages add up"},
       {"", "fused", "one launch: an operator's arrays come and go once; what it hands to the next moves neither way"},
       {"", "factor", "least time of the first row / least time of this row"},
       {"", "expected", "least time of this row x measured time of the point / its least time, that at least 1"}});
}

}  // namespace

Answer prediction_answer(PredictedRows rows, std::optional<double> items, bool formulas) {
  check_finite(rows, items.value_or(1));
  Answer answer;
  answer.add_table("predictions", "", table_of(rows, [&](const Predicted& row) { return facts_of(row, rows, items); }));
  for (const Predicted& row : rows) add_notes(answer, row);
  const auto reached = fraction(rows.front());
  if (reached && std::ranges::any_of(rows, [](const Predicted& row) { return row.expected.has_value(); }))
    answer.say(assumption(*reached));
  if (reached) answer.add_facts("", "", {{"fraction_of_bound", reached->value}});
  if (formulas) add_formulas(answer, rows);
  return answer;
}

}  // namespace gable::questions
