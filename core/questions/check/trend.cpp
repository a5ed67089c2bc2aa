#include "core/questions/check/trend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"
#include "core/questions/check/acceptance.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// Of the device that is named, or of any.
std::string driver_of(const NamedResult& source) {
  const Result& result = source.result;
  for (const DeviceInfo& device : result.devices) {
    if (!source.device.empty() && device.id != source.device) continue;
    if (const std::string driver = value_of_fact(device.facts, "driver"); !driver.empty()) return driver;
  }
  return result.run.kernel.empty() ? "unknown" : result.run.kernel;
}

/// Of the worker that measured the device that is named, or of the first.
std::string build_of(const NamedResult& source) {
  const Result& result = source.result;
  const auto device = std::ranges::find(result.devices, source.device, &DeviceInfo::id);
  const std::string_view backend = device == result.devices.end() ? "" : std::string_view(device->backend);
  const auto worker = std::ranges::find_if(result.workers, [&](const auto& one) {
    return !backend.empty() && one.first.find(backend) != std::string::npos;
  });
  const Build& build = worker != result.workers.end() ? worker->second
                       : result.workers.empty()       ? result.build
                                                      : result.workers.front().second;
  return fmt::format("{} {}{}, {}", build.version, build.commit, build.dirty ? " modified" : "", build.compiler);
}

std::string label_of(const NamedResult& source, TrendStep step) {
  if (step == TrendStep::driver) return driver_of(source);
  return step == TrendStep::build ? build_of(source) : source.result.run.started_at;
}

/// Begins with a day as 2026-01-05 does, whose order is that of days, and goes on with a time of day at most.
bool is_dated(std::string_view text) {
  constexpr std::string_view form = "0000-00-00";
  const bool has_form = std::ranges::equal(form, text.substr(0, form.size()), [](char of, char is) {
    return of == '0' ? is >= '0' && is <= '9' : is == of;
  });
  if (!has_form || text.size() > 40 || text.find_first_not_of("0123456789-+:.TtZz ") != text.npos) return false;
  const std::string_view month = text.substr(5, 2), day = text.substr(8, 2);
  return month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

/// The sources of each step, in the order of their dates. Throws Error for one without a date.
std::vector<std::vector<NamedResult>> grouped(std::span<const NamedResult> sources, TrendStep step) {
  std::vector<NamedResult> ordered(sources.begin(), sources.end());
  for (const NamedResult& one : ordered) {
    if (!is_dated(one.result.run.started_at))
      throw Error(fmt::format("{}: its run began at '{}', which is no date", one.name, one.result.run.started_at));
  }
  std::ranges::stable_sort(ordered, {}, [](const NamedResult& one) { return one.result.run.started_at; });
  std::vector<std::vector<NamedResult>> groups;
  for (NamedResult& source : ordered) {
    const std::string label = label_of(source, step);
    const auto same = [&](const std::vector<NamedResult>& group) { return label_of(group.front(), step) == label; };
    auto group = step == TrendStep::date ? groups.end() : std::ranges::find_if(groups, same);
    if (group == groups.end()) group = groups.insert(group, std::vector<NamedResult>{});
    group->push_back(std::move(source));
  }
  return groups;
}

const Subject& only(const std::vector<Subject>& subjects, std::span<const NamedResult> sources) {
  if (subjects.size() == 1) return subjects.front();
  const auto names = mapped(subjects, [](const Subject& one) { return fmt::format("{} of {}", one.name, one.host); });
  const bool several_in_one = std::ranges::any_of(
      sources, [](const NamedResult& one) { return one.device.empty() && one.result.devices.size() > 1; });
  throw Error(fmt::format("a trend is of one device, and here are {}: {}{}", subjects.size(), fmt::join(names, ", "),
                          several_in_one ? ": name one of a file as FILE.json:DEVICE" : ""));
}

std::vector<std::string> changes(const Subject& before, const Subject& now) {
  std::vector<std::string> texts;
  for (const Circumstance& one : circumstances_of(std::vector{before, now}).differing) {
    if (one.told[0] == one.told[1]) continue;
    texts.push_back(fmt::format("{}: {} -> {}", one.name, joined_text(one.told[0]), joined_text(one.told[1])));
  }
  return texts;
}

double low_of(const Figure& figure) { return figure.low.value_or(figure.value); }
double high_of(const Figure& figure) { return figure.high.value_or(figure.value); }

void find_departures(TrendRow& row, double tolerance) {
  std::vector<double> inside;
  double low = 0, high = 0;
  for (std::size_t i = 0; i < row.figures.size(); ++i) {
    const auto& figure = row.figures[i];
    if (!figure) continue;
    if (!inside.empty()) {
      const double least = low * (1 - tolerance), most = high * (1 + tolerance);
      if (high_of(*figure) < least || low_of(*figure) > most) {
        const double ratio = figure->value / measure::median(inside);
        row.departures.push_back({i, least, most, figure->higher_is_better ? ratio : 1 / ratio});
        continue;
      }
    }
    low = inside.empty() ? low_of(*figure) : std::min(low, low_of(*figure));
    high = std::max(high, high_of(*figure));
    inside.push_back(figure->value);
  }
}

std::size_t last_step(const TrendRow& row) {
  const auto last =
      std::ranges::find_if(row.figures.rbegin(), row.figures.rend(), [](const auto& one) { return one.has_value(); });
  return static_cast<std::size_t>(row.figures.rend() - last) - 1;
}

/// The figures of each quantity by its name, in the order in which they first occur.
std::vector<TrendRow> rows_of(const std::vector<Subject>& subjects) {
  std::vector<TrendRow> rows;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const auto add = [&](const auto& one) {
      const std::string name = fom_name(subjects[i], one.key);
      const auto [place, is_new] = places.try_emplace(name, rows.size());
      if (is_new) rows.push_back({name, one.figure.unit, std::vector<std::optional<Figure>>(subjects.size())});
      rows[place->second].figures[i] = one.figure;
    };
    std::ranges::for_each(subjects[i].ceilings, add);
    std::ranges::for_each(subjects[i].points, add);
  }
  return rows;
}

Answer::Facts departure_facts(const Trend& trend, const TrendRow& row) {
  const auto& first = row.departures.front();
  const Figure& figure = *row.figures[first.step];
  const auto shown = [&](double value) { return format_quantity(value, row.unit); };
  return {{"name", "row", row.name},
          {"left_at", "left its band at", trend.steps[first.step].label},
          {"value", figure.value},
          {"", "figure", shown(figure.value)},
          {"band_low", first.low},
          {"band_high", first.high},
          {"", "band", fmt::format("{} to {}", shown(first.low), shown(first.high))},
          {"unit", row.unit},
          {"speed", "speed", first.speed},
          {"still_out", "still out", row.is_out()},
          {"steps_out", "steps out", row.departures.size()}};
}

Answer::Table series_of(const Trend& trend) {
  Answer::Table table;
  for (const TrendRow& row : trend.rows) {
    for (std::size_t i = 0; i < row.figures.size(); ++i) {
      const auto& figure = row.figures[i];
      if (!figure) continue;
      const bool out = std::ranges::count(row.departures, i, &TrendRow::Departure::step) != 0;
      table.add({{"name", row.name},
                 {"step", trend.steps[i].label},
                 {"value", figure->value},
                 {"low", figure->low},
                 {"high", figure->high},
                 {"unit", row.unit},
                 {"out_of_band", out}});
    }
  }
  return table;
}

}  // namespace

bool TrendRow::is_out() const { return !departures.empty() && departures.back().step == last_step(*this); }

std::ptrdiff_t Trend::judged() const {
  return std::ranges::count_if(rows, [](const TrendRow& row) {
    return std::ranges::count_if(row.figures, [](const auto& figure) { return figure.has_value(); }) > 1;
  });
}

bool Trend::slower() const {
  return std::ranges::any_of(rows, [](const TrendRow& row) { return row.is_out() && row.departures.back().speed < 1; });
}

Trend trend_of(std::span<const NamedResult> sources, TrendStep step, double tolerance) {
  only(subjects_of(sources), sources);  // all are one device's, with as many threads
  const auto groups = grouped(sources, step);
  if (groups.size() < 2)
    throw Error(fmt::format("a trend needs two steps, and these files have one {}", to_string(step)));
  const auto subjects = mapped(groups, [](const auto& group) { return only(subjects_of(group), group); });
  Trend trend;
  trend.device = fmt::format("{}: {}", subjects.front().device.id, subjects.front().device.name);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    TrendRuns runs{label_of(groups[i].front(), step), groups[i].front().result.run.started_at, {}};
    for (const NamedResult& source : groups[i]) runs.files.push_back(source.name);
    if (i > 0) runs.changed = changes(subjects[i - 1], subjects[i]);
    trend.steps.push_back(std::move(runs));
  }
  trend.rows = rows_of(subjects);
  for (TrendRow& row : trend.rows) find_departures(row, tolerance);
  return trend;
}

Answer answer_of(const Trend& trend, TrendStep step, double tolerance) {
  Answer answer{.title = fmt::format("{}, by {}", trend.device, to_string(step))};
  answer.add_table("steps", "", table_of(trend.steps, [](const TrendRuns& runs) -> Answer::Facts {
                     return {{"label", "step", runs.label},
                             {"started_at", "from", runs.started_at},
                             {"files", "files", runs.files},
                             {"changed", "changed since the step before", runs.changed}};
                   }));
  auto left = filtered(trend.rows, [](const TrendRow& row) { return !row.departures.empty(); });
  std::ranges::stable_sort(left, {}, [](const TrendRow& row) { return row.departures.front().step; });
  answer.add_table("departures", "rows that left their band",
                   table_of(left, [&](const TrendRow& row) { return departure_facts(trend, row); }));
  answer.say(fmt::format("{} rows stayed in their band, {} left it, {} are in one step only.",
                         trend.judged() - std::ssize(left), left.size(), std::ssize(trend.rows) - trend.judged()));
  answer.say(
      fmt::format("Band: from the lowest to the highest end of the intervals of the steps before that lay in it, "
                  "and {:g} % further. A row has left it when its whole interval lies outside.",
                  100 * tolerance));
  answer.add_table("series", "", series_of(trend)).readers = Answer::Readers::programs;
  return answer;
}

}  // namespace gable::questions
