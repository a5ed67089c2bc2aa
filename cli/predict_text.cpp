#include "cli/predict_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/model/units.hpp"
#include "core/text/text_table.hpp"

namespace gable::cli {
namespace {

using analysis::Prediction;
using nlohmann::ordered_json;

constexpr int table_width = 170;

/// "memory-bound: DRAM read", or which roofs are missing, as `plan` says it.
std::string regime(const Prediction& p) {
  return p.open ? fmt::format("no roof for {}", fmt::join(p.missing, ", ")) : analysis::verdict(p.bound.limit);
}

/// Of the first row's least time to that of a line; nothing where a roof is missing that may decide one of them.
std::optional<double> factor(const std::vector<PredictedLine>& lines, const PredictedLine& line) {
  const Prediction& first = lines.front().prediction;
  if (first.open || line.prediction.open) return {};
  return first.bound.time_s / line.prediction.bound.time_s;
}

std::string ratio(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : std::string{}; }
std::string seconds(const std::optional<Timed>& time) {
  return time ? format_quantity(time->value, "s") : std::string{};
}

void put(ordered_json& row, const std::string& name, const std::optional<Timed>& time) {
  if (!time) return;
  row[name + "_s"] = time->value;
  if (time->low && time->high) row[name + "_interval_s"] = {*time->low, *time->high};
}

/// Operations of each unit, all stages together.
std::map<Unit, double> operations(const analysis::Work& work) {
  std::map<Unit, double> sums;
  for (const Stage& stage : work.stages) {
    for (const UnitWork& one : stage.work) sums[one.unit] += one.operations;
  }
  return sums;
}

/// What the point reached of its own bound, where no roof is missing: bound / measured time.
std::optional<Timed> fraction(const std::vector<PredictedLine>& lines) {
  const auto& first = lines.front();
  if (!first.measured || !first.prediction.missing.empty()) return {};
  const double bound = first.prediction.bound.time_s;
  Timed reached{bound / first.measured->value};
  if (first.measured->high) reached.low = bound / *first.measured->high;
  if (first.measured->low) reached.high = bound / *first.measured->low;
  return reached;
}

}  // namespace

Timed Timed::times(double factor) const {
  Timed product{value * factor};
  if (low) product.low = *low * factor;
  if (high) product.high = *high * factor;
  return product;
}

Timed Timed::at_least(double least) const {
  Timed raised{std::max(value, least)};
  if (low) raised.low = std::max(*low, least);
  if (high) raised.high = std::max(*high, least);
  return raised;
}

void print_predictions(const std::vector<PredictedLine>& lines, std::optional<double> items) {
  TextTable table({{"work", false, true},
                   {"type", false, false},
                   {"machine", false, true},
                   {"flop", true, false},
                   {"bytes", true, false},
                   {"flop/byte", true, false},
                   {"ridge", true, false},
                   {"least time", true, false},
                   {"a result", true, false},
                   {"results/s", true, false},
                   {"measured", true, false},
                   {"expected", true, false},
                   {"at most", true, false},
                   {"of peak", true, false},
                   {"factor", true, false},
                   {"regime", false, true}});
  for (const PredictedLine& line : lines) {
    const Prediction& p = line.prediction;
    const double time = p.bound.time_s;
    const Types& types = line.work.types;
    table.add({line.work.name, line.dtype, line.machine,
               line.sized && p.flop > 0 ? format_quantity(p.flop, operation_name(types)) : "",
               line.sized && p.bytes > 0 ? format_quantity(p.bytes, "byte") : "", ratio(p.intensity), ratio(p.ridge),
               line.sized ? format_quantity(time, "s") : "", items ? format_quantity(time / *items, "s") : "",
               items && !p.open ? fmt::format("{:.4g}", *items / time) : "", seconds(line.measured),
               seconds(line.expected), p.attainable ? format_quantity(*p.attainable, rate_unit(types)) : "",
               p.attainable && p.peak ? fmt::format("{:.3g} %", 100 * *p.attainable / *p.peak) : "",
               lines.size() > 1 ? ratio(factor(lines, line)) : "", regime(p)});
  }
  fmt::print("{}", table.render(table_width));
  for (const PredictedLine& line : lines) {
    if (line.prediction.missing.empty()) continue;
    fmt::print("{} on {}: left out for want of a roof: {}{}\n", line.work.name, line.machine,
               fmt::join(line.prediction.missing, ", "),
               line.prediction.open ? "; it may be the one that decides, so the least time alone is sure" : "");
  }
  for (const PredictedLine& line : lines) {
    if (!line.note.empty()) fmt::print("{} on {}: {}\n", line.work.name, line.machine, line.note);
  }
  for (const PredictedLine& line : lines) {
    const Prediction& p = line.prediction;
    if (p.fits()) continue;
    fmt::print("{} on {}: {} does not fit {} ({})\n", line.work.name, line.machine,
               format_quantity(p.working_set, "byte"), line.level, format_quantity(*p.capacity, "byte"));
  }
  const bool expects = std::ranges::any_of(lines, [](const PredictedLine& line) { return line.expected.has_value(); });
  if (const auto reached = fraction(lines); reached && expects) {
    const std::string interval = reached->low && reached->high
                                     ? fmt::format(" ({:.1f} to {:.1f} %)", 100 * *reached->low, 100 * *reached->high)
                                     : "";
    if (reached->value > 1)
      fmt::print("expected: the least time, because the point is faster than its bound ({:.1f} % of it{})\n",
                 100 * reached->value, interval);
    else
      fmt::print("expected: if the point's fraction of its bound, {:.1f} %{}, stays as it is (an assumption)\n",
                 100 * reached->value, interval);
  }
}

void print_predictions_json(const std::vector<PredictedLine>& lines, std::optional<double> items) {
  auto rows = ordered_json::array();
  for (const PredictedLine& line : lines) {
    const Prediction& p = line.prediction;
    const double time = p.bound.time_s;
    const auto against_first = factor(lines, line);
    ordered_json row{{"work", line.work.name}, {"dtype", line.dtype}, {"machine", line.machine}, {"basis", line.basis},
                     {"flop", p.flop},         {"bytes", p.bytes},    {"time_s", time},          {"factor", nullptr},
                     {"regime", nullptr},      {"missing", p.missing}};
    if (against_first) row["factor"] = *against_first;
    if (!p.open) row["regime"] = analysis::verdict(p.bound.limit);
    if (!line.note.empty()) row["note"] = line.note;
    for (const auto& [unit, count] : operations(line.work)) {
      const std::string name(to_string(unit));
      if (line.sized) row["operations"][name + "_op"] = count;
      if (p.bytes > 0) row["operations"][name + "_op_per_byte"] = count / p.bytes;
    }
    if (!line.sized) row["flop"] = row["bytes"] = row["time_s"] = nullptr;
    if (p.intensity) row["intensity_flop_per_byte"] = *p.intensity;
    if (p.ridge) row["ridge_flop_per_byte"] = *p.ridge;
    if (p.peak) row["peak_flop_per_s"] = *p.peak;
    if (p.attainable) row["attainable_flop_per_s"] = *p.attainable;
    if (p.attainable && p.peak) row["attainable_of_peak"] = *p.attainable / *p.peak;
    if (items) {
      row["time_per_item_s"] = time / *items;
      if (!p.open) row["item_per_s"] = *items / time;
    }
    if (p.capacity) {
      row["working_set_byte"] = p.working_set;
      row["level_byte"] = *p.capacity;
      row["fits"] = p.fits();
    }
    put(row, "measured", line.measured);
    put(row, "expected", line.expected);
    rows.push_back(row);
  }
  ordered_json json{{"predictions", rows}};
  if (const auto reached = fraction(lines)) json["fraction_of_bound"] = reached->value;
  fmt::print("{}\n", json.dump(2));
}

void print_prediction_formulas(const std::vector<PredictedLine>& lines) {
  fmt::print("\noperations by unit\n");
  for (const PredictedLine& line : lines) {
    std::vector<std::string> parts;
    for (const auto& [unit, count] : operations(line.work)) {
      parts.emplace_back(to_string(unit));
      if (line.sized) parts.back() += " " + format_quantity(count, "op");
      if (line.prediction.bytes > 0) parts.back() += fmt::format(" ({:.4g} op/byte)", count / line.prediction.bytes);
    }
    fmt::print("  {}: {}\n", line.work.name, parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", ")));
  }
  fmt::print(
      "\nformulas (docs/predict.md)\n"
      "  flop/byte   I = F / Q, Q compulsory: each input read once, each output written once\n"
      "  ridge       P / B\n"
      "  least time  of a stage max(F / P of every unit, Q / B, launches x T0); stages add up\n"
      "  fused       one launch: an operator's arrays come and go once; what it hands to the next moves neither way\n"
      "  factor      least time of the first row / least time of this row\n"
      "  expected    least time of this row x measured time of the point / its least time, that at least 1\n");
}

void print_reach(const std::vector<Reach>& list, std::int64_t most, bool as_json) {
  auto rows = ordered_json::array();
  for (const Reach& reach : list) {
    if (as_json) {
      ordered_json row{
          {"operator", reach.op}, {"dtype", reach.dtype}, {"machine", reach.machine}, {"size", reach.size}};
      if (reach.from) row["reaches_from"] = *reach.from;
      row["intensity_flop_per_byte"] = reach.intensity;
      row["ridge_flop_per_byte"] = reach.ridge;
      rows.push_back(row);
    } else if (reach.from) {
      fmt::print("{} {} on {}: reaches the ridge, {:.4g} flop/byte, from {}={} on, with {:.4g} flop/byte\n", reach.op,
                 reach.dtype, reach.machine, reach.ridge, reach.size, *reach.from, reach.intensity);
    } else {
      fmt::print("{} {} on {}: no {} up to {} reaches the ridge, {:.4g} flop/byte: {:.4g} flop/byte there\n", reach.op,
                 reach.dtype, reach.machine, reach.size, most, reach.ridge, reach.intensity);
    }
  }
  if (as_json) fmt::print("{}\n", ordered_json{{"reaches", rows}}.dump(2));
}

}  // namespace gable::cli
