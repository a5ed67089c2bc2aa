#include "core/result/impossible_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/model/roofline.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/json.hpp"
#include "core/result/row_fields.hpp"

namespace gable::result {
namespace {

using nlohmann::json;

constexpr FigureLimits count{0, most_count,
                             "a count is not negative, and no workload does one thing more than 1e15 times"};
constexpr FigureLimits bound{0, 1e4 * time_limits.most,
                             "a least time is not negative, and nothing is ten thousand times faster than it"};
constexpr FigureLimits parts{0, 1e9, "a number of parts is not negative, and no device has a billion of them"};
constexpr FigureLimits temperature{-273.15, 1000, "no chip is colder than absolute zero or hotter than 1000 degrees"};
constexpr FigureLimits fraction{0, 1e4,
                                "a fraction is not negative, and nothing is ten thousand times what its limit allows"};
constexpr FigureLimits share{0, 1, "no part is more than the whole"};
constexpr FigureLimits slowdown{0, 1e12, "a slowdown is not negative, and nothing that ends is 1e12 times as slow"};
constexpr FigureLimits cpu_time{0, 1e16, "CPU time is not negative, and no run has 1e16 s of it"};
constexpr FigureLimits moment{0, 1e11, "no run was before 1970 or is after the year 5000"};
constexpr FigureLimits percent{0, 1e6,
                               "a percentage is not negative, and nothing is ten thousand times what its limit allows"};
constexpr FigureLimits curve{-1e24, 1e24, "no curve goes beyond 1e24 in any unit"};

struct KeyLimits {
  std::string_view key;
  const FigureLimits* limits;  ///< null: those of the unit
  bool beside{};               ///< optional side figure
};
constexpr std::array key_limits = {
    KeyLimits{"time_s", &time_limits},
    KeyLimits{"ci_low_s", &time_limits},
    KeyLimits{"ci_high_s", &time_limits},
    KeyLimits{"median_s", &time_limits},
    KeyLimits{"median_ci_low_s", &time_limits},
    KeyLimits{"median_ci_high_s", &time_limits},
    KeyLimits{"samples_s", &time_limits},
    KeyLimits{"bound_s", &bound},
    KeyLimits{"overhead_s", &bound},
    KeyLimits{"value", nullptr},
    KeyLimits{"ci_low", nullptr},
    KeyLimits{"ci_high", nullptr},
    KeyLimits{"median", nullptr},
    KeyLimits{"median_ci_low", nullptr},
    KeyLimits{"median_ci_high", nullptr},
    KeyLimits{"samples", nullptr},
    KeyLimits{"figure", nullptr},
    KeyLimits{"datasheet", nullptr, true},
    KeyLimits{"theory_at_clock", nullptr, true},
    KeyLimits{"with_write_allocate_byte_per_s", &byte_rate_limits},
    KeyLimits{"bytes", &traffic_limits},
    KeyLimits{"bytes_read", &traffic_limits},
    KeyLimits{"bytes_written", &traffic_limits},
    KeyLimits{"bytes_updated", &traffic_limits},
    KeyLimits{"working_set_bytes", &traffic_limits},
    KeyLimits{"size_bytes", &size_limits},
    KeyLimits{"memory_bytes", &size_limits},
    KeyLimits{"free_memory_bytes", &size_limits},
    KeyLimits{"operations", &operation_limits},
    KeyLimits{"per_core_and_cycle", &count},
    KeyLimits{"count", &count},
    KeyLimits{"launches", &count},
    KeyLimits{"exact_runs", &count},
    KeyLimits{"threads", &parts},
    KeyLimits{"cores", &parts},
    KeyLimits{"sockets", &parts},
    KeyLimits{"instances", &parts},
    KeyLimits{"shared_by_cores", &parts},
    KeyLimits{"line_bytes", &parts},
    KeyLimits{"blocks", &parts},
    KeyLimits{"used_blocks", &parts},
    KeyLimits{"clock_hz", &clock_limits, true},
    KeyLimits{"base_clock_hz", &clock_limits},
    KeyLimits{"max_clock_hz", &clock_limits},
    KeyLimits{"power_w", &power_limits, true},
    KeyLimits{"temperature_c", &temperature, true},
    KeyLimits{"huge_page_fraction", &share, true},
    KeyLimits{"fraction_of_limit", &fraction},
    KeyLimits{"fraction_low", &fraction},
    KeyLimits{"fraction_high", &fraction},
    KeyLimits{"percent_of_datasheet", &percent, true},
    KeyLimits{"percent_at_clock", &percent, true},
    KeyLimits{"involuntary_switches", &count},
    KeyLimits{"switches", &count},
    KeyLimits{"batches", &count},
    KeyLimits{"round", &count},
    KeyLimits{"sample_rounds", &count},
    KeyLimits{"used_rounds", &count},
    KeyLimits{"compared_rounds", &count},
    KeyLimits{"limit_stage", &count},
    KeyLimits{"rounds_ended_s", &moment},
    KeyLimits{"disturbed_samples", &parts},
    KeyLimits{"disturbed_blocks", &parts},
    KeyLimits{"sentinel_slowdown", &slowdown},
    KeyLimits{"throughput_slowdown", &slowdown},
    KeyLimits{"preemption_slowdown", &slowdown},
    KeyLimits{"preemption", &slowdown},
    KeyLimits{"sentinel_s", &time_limits},
    KeyLimits{"throughput_s", &time_limits},
    KeyLimits{"stolen_s", &cpu_time, true},
    KeyLimits{"at_s", &moment},
    KeyLimits{"resumed", &count},
    KeyLimits{"cpus", &parts},
    KeyLimits{"id", &parts},
    KeyLimits{"x", &curve},
    KeyLimits{"y", &curve},
};

/// Those above by their keys, in which every key of a document is looked up.
constexpr auto limits_by_key = [] {
  auto sorted = key_limits;
  std::ranges::sort(sorted, {}, &KeyLimits::key);
  return sorted;
}();

const KeyLimits* limits_of_key(std::string_view key) {
  const auto found = std::ranges::lower_bound(limits_by_key, key, {}, &KeyLimits::key);
  return found != limits_by_key.end() && found->key == key ? &*found : nullptr;
}

std::optional<double> number(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional{found->get<double>()} : std::nullopt;
}

std::string text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

double sum_of(const json& array, const char* key) {
  double sum = 0;
  for (const json& entry : array) {
    if (entry.is_object()) sum += number(entry, key).value_or(0);
  }
  return sum;
}

bool is_possible_share(double figure, double of) { return !(of > 0) || figure / of <= fraction.most; }

/// Figures of a point that only together show what cannot be.
struct PointFigures {
  double time_s;
  std::optional<double> bound_s;
  double bytes{}, operations{};  ///< of all stages
};

/// Calls `found(key, what)` for each of them that cannot be. One that is impossible by itself is left to its own
/// limits.
template <class Found>
void judge_together(const PointFigures& point, Found&& found) {
  const double time_s = point.time_s;
  if (time_s < 0) return;
  if (time_s == 0) return found("time_s", fmt::format("0: {}", time_limits.words));
  if (point.bound_s && !is_possible_share(*point.bound_s, time_s))
    found("bound_s", fmt::format("{:.6g}, with time_s {:.6g}: {}", *point.bound_s, time_s, fraction.words));
  const bool too_many_bytes = point.bytes <= traffic_limits.most && point.bytes / time_s > byte_rate_limits.most;
  const bool too_many_operations =
      point.operations <= operation_limits.most && point.operations / time_s > flop_rate_limits.most;
  if (too_many_bytes)
    found("time_s", fmt::format("{:.6g} for {:.6g} byte: {}", time_s, point.bytes, byte_rate_limits.words));
  else if (too_many_operations)
    found("time_s", fmt::format("{:.6g} for {:.6g} operations: {}", time_s, point.operations, flop_rate_limits.words));
}

/// Walks a document and gathers what cannot be.
class Search {
 public:
  explicit Search(std::size_t most) : most_(most) {}

  /// What lies deeper than anything of this format is of a newer version, or no result.
  void object(const JsonLocation& place, const std::string& unit_around, int depth = 0) {
    constexpr int deepest = 20;
    if (depth > deepest) return;
    const json& here = place.value();
    const std::string status = text(here, "status");
    if (!status.empty() && status != "ok" && status != "suspect") return;  // its figures mean nothing
    const bool is_point = here.contains("time_s");
    const std::string unit = is_point ? "s" : here.contains("unit") ? text(here, "unit") : unit_around;
    for (const auto& [key, value] : here.items()) {
      const JsonLocation inner(place, key, value);
      if (const KeyLimits* known = limits_of_key(key))
        figures(inner, known->limits ? of_axis(here, *known) : limits_of_unit(unit), known->beside);
      if (value.is_object()) object(inner, unit, depth + 1);
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        if (value[i].is_object()) object(JsonLocation(inner, i, value[i]), unit, depth + 1);
      }
    }
    if (!status.empty()) measured(place, is_point);
    if (is_point && !status.empty()) point(place);
    for (const char* theory : {"datasheet", "theory_at_clock"}) {
      if (!status.empty()) share(place, theory);
    }
  }

  std::vector<Impossible> take() { return std::move(found_); }

 private:
  /// Those of the unit of an axis of a curve, where it is one that rows have, too.
  static const FigureLimits& of_axis(const json& row, const KeyLimits& known) {
    const std::string unit = known.key == "x" ? text(row, "x_unit") : known.key == "y" ? text(row, "y_unit") : "";
    if (unit == "byte") return traffic_limits;
    const bool of_rows = unit == "s" || unit == "byte/s" || unit == "flop/s" || unit == "op/s";
    return of_rows ? limits_of_unit(unit) : *known.limits;
  }

  /// Of a number, or of the numbers of an array.
  void figures(const JsonLocation& place, const FigureLimits& limits, bool beside) {
    const json& value = place.value();
    figure(place, limits, beside);
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
      figure(JsonLocation(place, i, value[i]), limits, beside);
  }

  void figure(const JsonLocation& place, const FigureLimits& limits, bool beside) {
    if (!place.value().is_number()) return;
    if (auto why = why_impossible(place.value().get<double>(), limits); !why.empty())
      add(place, std::move(why), beside);
  }

  /// Only rows that were not measured have no number at these keys.
  void measured(const JsonLocation& row, bool is_point) {
    number_at(row, is_point ? "time_s" : "value");
    if (!is_point) positive_at(row, "value");
    const auto stages = row.value().find("stages");
    if (stages == row.value().end()) return;
    each(JsonLocation(row, "stages", *stages), [&](const JsonLocation& stage) {
      for (const char* key : {"bytes_read", "bytes_written", "bytes_updated", "working_set_bytes"})
        number_at(stage, key);
      const auto work = stage.value().find("work");
      if (work == stage.value().end()) return;
      each(JsonLocation(stage, "work", *work), [&](const JsonLocation& unit) { number_at(unit, "operations"); });
    });
  }

  template <class Take>
  static void each(const JsonLocation& list, Take&& take) {
    const json& value = list.value();
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
      if (value[i].is_object()) take(JsonLocation(list, i, value[i]));
    }
  }

  void number_at(const JsonLocation& object, const char* key) {
    const auto found = object.value().find(key);
    if (found != object.value().end() && found->is_null())
      add(JsonLocation(object, key, *found), "null: a row that was measured has a number here");
  }

  void positive_at(const JsonLocation& object, const char* key) {
    if (number(object.value(), key) == 0.0)
      add(JsonLocation(object, key, object.value()[key]), "0: what was measured is above 0");
  }

  /// What only several keys together show.
  void point(const JsonLocation& place) {
    const json& row = place.value();
    const auto time_s = number(row, "time_s");
    if (!time_s) return;
    PointFigures figures{.time_s = *time_s, .bound_s = number(row, "bound_s")};
    if (const auto stages = row.find("stages"); stages != row.end() && stages->is_array()) {
      figures.bytes = sum_of(*stages, "bytes_read") + sum_of(*stages, "bytes_written");
      for (const json& stage : *stages) {
        if (stage.is_object() && stage.contains("work")) figures.operations += sum_of(stage["work"], "operations");
      }
    }
    judge_together(
        figures, [&](const char* key, std::string what) { add(JsonLocation(place, key, row[key]), std::move(what)); });
  }

  void share(const JsonLocation& place, const char* theory) {
    const auto value = number(place.value(), "value"), most = number(place.value(), theory);
    if (value && most && !is_possible_share(*value, *most))
      add(JsonLocation(place, theory, place.value()[theory]),
          fmt::format("{:.6g}, with value {:.6g}: {}", *most, *value, fraction.words), true);
  }

  void add(const JsonLocation& place, std::string what, bool beside = false) {
    if (found_.size() < most_) found_.push_back({place.pointer(), std::move(what), beside});
  }

  std::size_t most_;
  std::vector<Impossible> found_;
};

/// Takes figures beside a measurement away and counts them by key.
class Cleaning {
 public:
  void clean(Conditions& conditions) {
    judge("clock_hz", conditions.clock_hz, clock_limits);
    judge("power_w", conditions.power_w, power_limits);
    judge("temperature_c", conditions.temperature_c, temperature);
    judge("huge_page_fraction", conditions.huge_page_fraction, share);
  }
  void clean(Estimate& estimate) {
    judge("stolen_s", estimate.seen.stolen_s, cpu_time);
    for (Block& block : estimate.taken) {
      judge("clock_hz", block.clock_hz, clock_limits);
      judge("stolen_s", block.stolen_s, cpu_time);
    }
  }
  void clean(Ceiling& row) {
    clean(row.conditions);
    clean(row.value);
    const bool had_datasheet = row.datasheet.has_value();
    judge("datasheet", row.datasheet, is_possible_datasheet(row, row.datasheet));
    if (had_datasheet && !row.datasheet) row.datasheet_source.clear();
    judge("theory_at_clock", row.theory_at_clock, is_possible_datasheet(row, row.theory_at_clock));
  }
  void clean(Point& row) {
    clean(row.conditions);
    clean(row.time);
  }
  template <class OneRow>
  void clean(OneRow&) {}

  const std::map<std::string_view, int>& dropped() const { return dropped_; }

 private:
  static bool is_possible_datasheet(const Ceiling& row, std::optional<double> theory) {
    return theory && is_within(*theory, limits_of_unit(row.unit)) && is_possible_share(row.value.value, *theory);
  }
  void judge(std::string_view key, std::optional<double>& figure, const FigureLimits& limits) {
    judge(key, figure, figure && is_within(*figure, limits));
  }
  void judge(std::string_view key, std::optional<double>& figure, bool is_possible) {
    if (!figure || is_possible) return;
    figure.reset();
    ++dropped_[key];
  }

  std::map<std::string_view, int> dropped_;
};

/// Holds the fields of a row against their limits, without a document of it. Where all of them are within, Search finds
/// nothing in figures one by one; where one is not, or has a unit to be looked up, Search has to tell.
class FieldCheck {
 public:
  template <class T>
  void field(std::string_view key, const T& value) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      number(key, static_cast<double>(value));
    } else if constexpr (IsVector<T>::value) {
      for (const auto& entry : value) field(key, entry);
    } else if constexpr (!std::is_same_v<T, bool> && !std::is_enum_v<T> && !std::is_same_v<T, std::string>) {
      fields(*this, value);
    }
  }
  template <class T>
  void field(std::string_view key, const std::optional<T>& value) {
    if (value) field(key, *value);
  }
  template <class T>
  void unusual_field(std::string_view key, const T& value, const T&) {
    field(key, value);
  }
  void derived(std::string_view key, const std::optional<double>& value) { field(key, value); }

  bool is_sound() const { return is_sound_; }

 private:
  void number(std::string_view key, double value) {
    if (!is_sound_) return;
    const KeyLimits* const known = limits_of_key(key);
    const bool by_itself = !known || (known->limits && known->limits != &curve);  // else its unit has to be known
    is_sound_ = std::isfinite(value) && by_itself && (!known || is_within(value, *known->limits));
  }

  bool is_sound_{true};
};

template <class OneRow>
void fail(OneRow& row) {
  Cleaning().clean(row);
  const auto found = impossible_figures(to_json(Row(row)), 1);
  if (found.empty()) return;
  row.status = Status::error;
  row.reason = fmt::format("a figure that cannot be: {} {}", found.front().where, found.front().what);
}

}  // namespace

std::vector<Impossible> impossible_figures(const json& document, std::size_t most) {
  Search search(most);
  if (document.is_object()) search.object(JsonLocation(document), "");
  return search.take();
}

namespace {
/// The first that does not stand beside a measurement.
std::optional<Impossible> first_impossible(const json& document) {
  for (Impossible& figure : impossible_figures(document, std::numeric_limits<std::size_t>::max())) {
    if (!figure.beside) return std::move(figure);
  }
  return {};
}
}  // namespace

void refuse_impossible(const json& document, std::string_view pointer) {
  if (const auto figure = first_impossible(document))
    throw Error(fmt::format("{}{}: {}", pointer, figure->where, figure->what));
}

bool is_clearly_possible(const Point& row) {
  FieldCheck check;
  fields(check, row);
  if (!check.is_sound()) return false;
  PointFigures figures{.time_s = row.time.value, .bound_s = row.bound_s};
  for (const Stage& stage : row.stages) {
    figures.bytes += stage.bytes_read + stage.bytes_written;
    for (const UnitWork& work : stage.work) figures.operations += work.operations;
  }
  bool possible = true;
  judge_together(figures, [&](const char*, const std::string&) { possible = false; });
  return possible;
}

std::optional<Impossible> impossible_figure(const Point& row) {
  return is_clearly_possible(row) ? std::nullopt : first_impossible(to_json(Row(row)));
}
std::optional<Impossible> impossible_figure(const Ceiling& row) { return first_impossible(to_json(Row(row))); }

std::vector<Impossible> impossible_points(const Result& result) {
  std::map<std::pair<std::string, Scope>, Roofline> rooflines;
  for (const DeviceInfo& device : result.devices) {
    for (const Scope scope : {Scope::node, Scope::socket, Scope::numa, Scope::core})
      rooflines.try_emplace({device.id, scope}, roofline_of(result.ceilings, device, scope));
  }
  std::vector<Impossible> found;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const Point& point = result.points[i];
    const auto roofline = rooflines.find({point.device, point.scope});
    if (roofline == rooflines.end() || (point.status != Status::ok && point.status != Status::suspect)) continue;
    const auto bound = roofline->second.judge(point.stages, point.types, point.cold).bound;
    if (!bound || is_possible_share(bound->time_s, point.time.value)) continue;
    found.push_back({fmt::format("/points/{}/time_s", i),
                     fmt::format("{:.6g}, with a least time of {:.6g} s by the roofs of the file: {}", point.time.value,
                                 bound->time_s, fraction.words)});
  }
  return found;
}

void refuse_impossible(const Result& result) {
  const auto found = impossible_points(result);
  if (!found.empty()) throw Error(fmt::format("{}: {}", found.front().where, found.front().what));
}

void drop_impossible(Result& result) {
  Cleaning cleaning;
  for_each_row(result, [&](auto& row) { cleaning.clean(row); });
  for (const auto& [key, rows] : cleaning.dropped())
    result.notes.push_back(fmt::format("{} left out {}: no machine has such a figure", key,
                                       rows == 1 ? "once" : fmt::format("{} times", rows)));
}

void fail_impossible(Row& row) {
  std::visit([](auto& entry) { fail(entry); }, row);
}

void fail_impossible(Result& result) {
  drop_impossible(result);
  for_each_row(result, [](auto& row) { fail(row); });
}

}  // namespace gable::result
