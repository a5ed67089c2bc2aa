#include "core/result/impossible_figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/model/roofline.hpp"
#include "core/result/fields.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/row_fields.hpp"

namespace gable::result {
namespace {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

bool is_possible_share(double figure, double of) { return !(of > 0) || figure / of <= fraction_limits.most; }

/// How often side figures were dropped, by their key.
using Dropped = std::map<std::string_view, int>;

/// Walks the fields of a result, a row or a device and gathers the figures that cannot be. Of what is not const it
/// drops those that stand beside a measurement instead.
class FieldCheck {
 public:
  /// `besides`: those beside a measurement are wanted, too.
  FieldCheck(std::size_t most, bool besides, Dropped* dropped = nullptr)
      : most_(most), besides_(besides), dropped_(dropped) {}

  template <class T>
  void field(const char* key, T& value) {
    steps_.push_back({key, 0});
    inside(value);
    steps_.pop_back();
  }
  template <class T>
  void unusual_field(const char* key, T& value, const std::remove_const_t<T>&) {
    field(key, value);
  }
  void derived(const char*, const std::optional<double>&) {}

  template <class T>
  void number(const char* key, T& value, const FigureLimits& limits) {
    steps_.push_back({key, 0});
    figures(key, value, limits);
    steps_.pop_back();
  }

  template <class T>
  void inside(T& value) {
    using Value = std::remove_const_t<T>;
    if constexpr (IsOptional<Value>::value) {
      if (value) inside(*value);
    } else if constexpr (IsVector<Value>::value) {
      each(value, [&](auto& entry) { inside(entry); });
    } else if constexpr (std::is_constructible_v<Row, const Value&>) {
      row(value);
    } else if constexpr (std::is_class_v<Value> && !std::is_same_v<Value, std::string>) {
      fields(*this, value);
    } else {
      static_assert(!std::is_arithmetic_v<Value> || std::is_same_v<Value, bool>,
                    "a number has its limits: number() in place of field()");
    }
  }

  std::vector<Impossible> take() { return std::move(found_); }
  std::optional<Impossible> first() { return found_.empty() ? std::nullopt : std::optional(std::move(found_.front())); }

 private:
  struct Step {
    const char* key;  ///< null: an index
    std::size_t index;
  };

  template <class List, class Take>
  void each(List& list, Take&& take) {
    steps_.push_back({nullptr, 0});
    for (auto& entry : list) {
      take(entry);
      ++steps_.back().index;
    }
    steps_.pop_back();
  }

  template <class T>
  void figures(const char* key, T& value, const FigureLimits& limits) {
    using Value = std::remove_const_t<T>;
    if constexpr (IsOptional<Value>::value) {
      if (!value) return;
      if constexpr (!std::is_const_v<T>) {
        if (limits.is_beside) return drop(key, value, is_within(*value, range(limits)));
      }
      figure(*value, limits);
    } else if constexpr (IsVector<Value>::value) {
      each(value, [&](const auto& entry) { figure(static_cast<double>(entry), limits); });
    } else {
      figure(static_cast<double>(value), limits);
    }
  }

  const FigureLimits& range(const FigureLimits& limits) const { return limits.words.empty() ? *of_row_ : limits; }

  /// What is not finite is null in files, where a figure may be unknown.
  void figure(double value, const FigureLimits& limits) {
    if (std::isfinite(value)) {
      if (!is_within(value, range(limits))) add(why_impossible(value, range(limits)), limits.is_beside);
    } else if (limits.is_needed) {
      add("null: a row that was measured has a number here");
    }
  }

  void drop(const char* key, std::optional<double>& figure, bool possible) {
    if (!figure || possible) return;
    figure.reset();
    ++(*dropped_)[key];
  }

  /// Figures of rows that were not measured mean nothing.
  template <class T>
  void row(T& row) {
    measured_ = is_measured(row.status);
    of_row_ = &limits_of_unit(unit_of(row));
    fields(*this, row);
    together(row);
    measured_ = true;
  }

  // What only several figures of a row show. One that is impossible by itself is left to its own limits.

  void together(const Curve&) {}

  template <SameStruct<Ceiling> C>
  void together(C& row) {
    if (row.value.value == 0) add_at("value", "0: what was measured is above 0");
    const bool had_datasheet = row.datasheet.has_value();
    share(row, "datasheet", row.datasheet);
    share(row, "theory_at_clock", row.theory_at_clock);
    if constexpr (!std::is_const_v<C>) {
      if (had_datasheet && !row.datasheet) row.datasheet_source.clear();
    }
  }

  template <class Theory>
  void share(const Ceiling& row, const char* key, Theory& theory) {
    const double value = row.value.value;
    if (!theory || is_possible_share(value, *theory)) return;
    if constexpr (std::is_const_v<Theory>)
      add_at(key, fmt::format("{:.6g}, with value {:.6g}: {}", *theory, value, fraction_limits.words), true);
    else
      drop(key, theory, false);
  }

  void together(const Point& row) {
    const double time_s = row.time.value;
    if (time_s == 0) return add_at("time_s", fmt::format("0: {}", time_limits.words));
    if (!(time_s > 0)) return;
    if (row.bound_s && !is_possible_share(*row.bound_s, time_s))
      add_at("bound_s", fmt::format("{:.6g}, with time_s {:.6g}: {}", *row.bound_s, time_s, fraction_limits.words));
    double moved = 0, operations = 0;
    for (const Stage& stage : row.stages) {
      moved += bytes(stage);
      for (const UnitWork& work : stage.work) operations += work.operations;
    }
    const auto too_fast = [&](double amount, const FigureLimits& limits, const FigureLimits& rate, const char* unit) {
      if (!(amount <= limits.most && amount / time_s > rate.most)) return false;
      add_at("time_s", fmt::format("{:.6g} for {:.6g} {}: {}", time_s, amount, unit, rate.words));
      return true;
    };
    if (!too_fast(moved, traffic_limits, byte_rate_limits, "byte"))
      too_fast(operations, operation_limits, flop_rate_limits, "operations");
  }

  void add_at(const char* key, std::string what, bool beside = false) {
    steps_.push_back({key, 0});
    add(std::move(what), beside);
    steps_.pop_back();
  }

  void add(std::string what, bool beside = false) {
    if (!measured_ || found_.size() >= most_ || (beside && !besides_)) return;
    std::string where;
    for (const Step& step : steps_) where += step.key ? fmt::format("/{}", step.key) : fmt::format("/{}", step.index);
    found_.push_back({std::move(where), std::move(what), beside});
  }

  std::size_t most_;
  bool besides_;
  Dropped* dropped_;
  bool measured_{true};
  const FigureLimits* of_row_{&time_limits};
  std::vector<Step> steps_;
  std::vector<Impossible> found_;
};

void params_field(FieldCheck&, const std::vector<Params>&) {}

/// Those that stand beside a measurement only with `besides`.
std::vector<Impossible> search(const Result& result, std::size_t most, bool besides) {
  FieldCheck check(most, besides);
  for_each_row_list(result, [&]<class List>(const List& rows) {
    const std::string key = fmt::format("{}s", to_string(kind_of_type<typename List::value_type>));
    check.field(key.c_str(), rows);
  });
  check.field("devices", result.devices);
  check.field("run", result.run);
  check.field("request", result.request);
  return check.take();
}

/// The row without its side figures that cannot be; an error if others cannot be.
template <class OneRow>
void fail(OneRow& row, Dropped& dropped) {
  FieldCheck check(1, false, &dropped);
  check.inside(row);
  if (const auto found = check.first())
    mark(row, Status::error, fmt::format("a figure that cannot be: {} {}", found->where, found->what));
}

void note(Result& result, const Dropped& dropped) {
  for (const auto& [key, rows] : dropped)
    result.notes.push_back(fmt::format("{} left out {}: no machine has such a figure", key,
                                       rows == 1 ? "once" : fmt::format("{} times", rows)));
}

void refuse(const Impossible& figure, std::string_view pointer) {
  throw Error(fmt::format("{}{}: {}", pointer, figure.where, figure.what));
}

}  // namespace

bool is_measured(Status status) { return status == Status::ok || status == Status::suspect; }

std::vector<Impossible> impossible_figures(const Result& result, std::size_t most) {
  return search(result, most, true);
}

template <class OneRow>
std::optional<Impossible> impossible_figure(const OneRow& row) {
  FieldCheck check(1, false);
  check.inside(row);
  return check.first();
}
template std::optional<Impossible> impossible_figure(const Ceiling& row);
template std::optional<Impossible> impossible_figure(const Curve& row);
template std::optional<Impossible> impossible_figure(const Point& row);

std::vector<Impossible> impossible_points(const Result& result) {
  std::map<std::pair<std::string, Scope>, Roofline> rooflines;
  for (const DeviceInfo& device : result.devices) {
    for (const Scope scope : all_of<Scope>)
      rooflines.try_emplace({device.id, scope}, roofline_of(result.ceilings, device, scope));
  }
  std::vector<Impossible> found;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const Point& point = result.points[i];
    const auto roofline = rooflines.find({point.device, point.scope});
    if (roofline == rooflines.end() || !is_measured(point.status)) continue;
    const auto bound = roofline->second.judge(point.stages, point.types, point.cold).bound;
    if (!bound || is_possible_share(bound->time_s, point.time.value)) continue;
    found.push_back({fmt::format("/points/{}/time_s", i),
                     fmt::format("{:.6g}, with a least time of {:.6g} s by the roofs of the file: {}", point.time.value,
                                 bound->time_s, fraction_limits.words)});
  }
  return found;
}

void refuse_impossible(const Result& result, std::string_view pointer) {
  auto found = search(result, 1, false);
  if (found.empty()) found = impossible_points(result);
  if (!found.empty()) refuse(found.front(), pointer);
}

void refuse_impossible(const Row& row, std::string_view pointer) {
  const auto found = std::visit([](const auto& one) { return impossible_figure(one); }, row);
  if (found) refuse(*found, pointer);
}

void drop_impossible(Result& result) {
  Dropped dropped;
  FieldCheck check(0, false, &dropped);
  for_each_row(result, [&](auto& row) { check.inside(row); });
  note(result, dropped);
}

void fail_impossible(Row& row) {
  Dropped dropped;
  std::visit([&](auto& one) { fail(one, dropped); }, row);
}

void fail_impossible(Result& result) {
  Dropped dropped;
  for_each_row(result, [&](auto& row) { fail(row, dropped); });
  note(result, dropped);
}

}  // namespace gable::result
