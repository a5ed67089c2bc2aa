#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "core/device/device_parts.hpp"
#include "core/model/units.hpp"
#include "core/questions/explain/contention.hpp"
#include "core/questions/report/report.hpp"
#include "core/questions/report/row_facts.hpp"
#include "core/render/answer.hpp"
#include "core/result/for_each_row.hpp"
#include "core/sequence.hpp"
#include "core/verdict/cache_capacity.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable::report {
namespace {

using Value = Answer::Value;

constexpr std::string_view disturbed_note =
    "* more than half of its blocks were disturbed, or the value is the mode, or the fastest of several speeds "
    "(docs/statistics.md)";

Value percent(std::optional<double> value) { return value ? Value(fmt::format("{:.1f} %", *value)) : Value(); }

std::string_view plural(std::size_t number) { return number == 1 ? "" : "s"; }

/// "128 GFLOP/s ±0.4 %", with a mark where the row was disturbed.
std::string measured(const Ceiling& row) {
  std::string text = format_quantity(row.value.value, row.unit);
  if (const auto half = half_interval_percent(row.value)) text += fmt::format(" ±{:.1f} %", *half);
  if (was_disturbed(row.value)) text += disturbed_mark;
  return text;
}

/// Rows measured under one device and scope.
struct Group {
  std::string device;
  Scope scope;
  std::vector<const Ceiling*> rows;
};

std::vector<Group> groups_of(const Result& result) {
  std::vector<Group> groups;
  for (const Ceiling& row : result.ceilings) {
    if (row.status != Status::ok || row.imported) continue;
    const auto same = [&](const Group& group) { return group.device == row.device && group.scope == row.scope; };
    auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) group = groups.insert(group, {row.device, row.scope, {}});
    group->rows.push_back(&row);
  }
  return groups;
}

std::string heading(const Result& result, const Group& group) {
  const auto device = std::ranges::find(result.devices, group.device, &DeviceInfo::id);
  int threads = 0;
  for (const Ceiling* row : group.rows) threads = std::max(threads, row->threads);
  std::string text = group.device;
  if (device != result.devices.end() && !device->name.empty()) text += fmt::format(": {}", device->name);
  const bool known = device != result.devices.end();
  if (!known || (!is_gpu(*device) && !is_part(*device))) text += fmt::format(", {}", to_string(group.scope));
  if (known && threads > 0) text += ", " + threads_text(*device, threads);
  return text;
}

/// A column of a table of ceilings.
enum class Place { burst, sustained, ordinary, non_temporal, library };

/// What is in a line: the best row at each place. `of`: its type or access.
struct Line {
  std::string name, of, variant;
  std::map<Place, const Ceiling*> best{};

  const Ceiling& first() const { return *best.begin()->second; }
  Value at(Place place) const {
    const auto found = best.find(place);
    return found == best.end() ? Value() : Value(measured(*found->second));
  }
  std::string implementations() const {
    std::vector<std::string> names;
    for (const auto& [place, row] : best) {
      if (!row->implementation.empty() && std::ranges::count(names, row->implementation) == 0)
        names.push_back(row->implementation);
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }
};

void add(std::vector<Line>& lines, const Ceiling& row, const std::string& of, Place place) {
  const auto same = [&](const Line& line) {
    return line.name == row.name && line.of == of && line.variant == row.variant;
  };
  auto line = std::ranges::find_if(lines, same);
  if (line == lines.end()) line = lines.insert(line, {row.name, of, row.variant});
  const Ceiling*& cell = line->best[place];
  if (!cell || row.value.value > cell->value.value) cell = &row;
}

/// The best implementation of each unit, type, variant and operating point.
Answer::Table compute_table(const Group& group) {
  std::vector<Line> lines;
  for (const Ceiling* row : group.rows) {
    if (row->kind != CeilingKind::compute || !row->dtype) continue;
    add(lines, *row, type_text(*row),
        row->at == OperatingPoint::library     ? Place::library
        : row->at == OperatingPoint::sustained ? Place::sustained
                                               : Place::burst);
  }
  return table_of(lines, [](const Line& line) -> Answer::Facts {
    return {{"", "unit", line.name},
            {"", "type", line.of},
            {"", "variant", line.variant},
            {"", "burst", line.at(Place::burst)},
            {"", "sustained", line.at(Place::sustained)},
            {"", "library", line.at(Place::library)},
            {"", "clock", line.first().conditions.clock_hz, "Hz"},
            {"", "held back by", line.first().conditions.clock_limits.value_or("")},
            {"", "of datasheet", named(share_of_datasheet(line.first()))},
            {"", "at clock", percent(percent_at_clock(line.first()))},
            {"", "implementation", line.implementations()}};
  });
}

bool is_bandwidth(const Ceiling& row) {
  return row.kind == CeilingKind::bandwidth || (row.kind == CeilingKind::link && row.unit == "byte/s");
}

Answer::Table bandwidth_table(const Group& group) {
  std::vector<Line> lines;
  for (const Ceiling* row : group.rows) {
    if (!is_bandwidth(*row)) continue;
    add(lines, *row, row->access == Access::none ? "" : std::string(to_string(row->access)),
        row->at == OperatingPoint::library    ? Place::library
        : row->stores == Stores::non_temporal ? Place::non_temporal
                                              : Place::ordinary);
  }
  return table_of(lines, [](const Line& line) -> Answer::Facts {
    const auto ordinary = line.best.find(Place::ordinary);
    return {{"", "level", line.name},
            {"", "access", line.of},
            {"", "variant", line.variant},
            {"", "ordinary stores", line.at(Place::ordinary)},
            {"", "with write-allocate",
             ordinary == line.best.end() ? Value() : Value(ordinary->second->with_write_allocate), "byte/s"},
            {"", "non-temporal", line.at(Place::non_temporal)},
            {"", "library", line.at(Place::library)},
            {"", "of datasheet", named(share_of_datasheet(line.first()))},
            {"", "implementation", line.implementations()}};
  });
}

std::string found_words(const std::optional<FoundBytes>& found) {
  if (!found) return "";
  return fmt::format("{} ({} to {})", format_quantity(found->bytes, "byte"), format_quantity(found->low, "byte"),
                     format_quantity(found->high, "byte"));
}

/// What the system says of the caches, and what was found of them.
Answer::Table caches_table(const Result& result, const Group& group) {
  return table_of(cache_capacities(result, group.device, group.scope), [](const CacheCapacity& cache) -> Answer::Facts {
    return {{"", "cache", cache.level},
            {"", "as told", cache.told_bytes, "byte"},
            {"", "streams find", found_words(cache.streams)},
            {"", "as told to one core", cache.told_to_one_bytes, "byte"},
            {"", "scattered accesses of it find", found_words(cache.chase)}};
  });
}

Answer::Table fixed_cost_table(const Group& group) {
  Answer::Table table;
  for (const Ceiling* row : group.rows) {
    if (row->kind == CeilingKind::compute || is_bandwidth(*row)) continue;
    table.add({{"", "kind", row->kind},
               {"", "what", row->name},
               {"", "variant", row->variant},
               {"", "figure", measured(*row)},
               {"", "clock", row->conditions.clock_hz, "Hz"},
               {"", "implementation", row->implementation}});
  }
  return table;
}

void add_ceilings(Answer& answer, const Result& result, std::span<const catalogue::Device> datasheets) {
  Answer::Table all = table_of(result.ceilings, [](const Ceiling& row) { return facts_of(row); });
  for (const Ceiling& row : datasheet_ceilings(datasheets)) all.add(facts_of(row, false));
  answer.add_table("ceilings", "", std::move(all)).readers = Answer::Readers::programs;
  for (const Group& group : groups_of(result)) {
    std::string title = heading(result, group);
    const auto show = [&](const char* caption, Answer::Table table) {
      if (!table.rows.empty()) answer.show_table(std::exchange(title, ""), std::move(table)).caption = caption;
    };
    show("compute", compute_table(group));
    show("bandwidth", bandwidth_table(group));
    show("caches", caches_table(result, group));
    show("latency and overhead", fixed_cost_table(group));
  }
}

/// Whether gable's row is of what the other tool measured. A tool that does not tell its mix of reads and writes is
/// compared with the highest of all mixes.
bool same_quantity(const Ceiling& theirs, const Ceiling& ours) {
  const bool alike = ours.device == theirs.device && ours.kind == theirs.kind && ours.name == theirs.name &&
                     ours.dtype == theirs.dtype && ours.scope == theirs.scope && ours.unit == theirs.unit;
  const bool sums_alike = !theirs.accumulate || !ours.accumulate || theirs.accumulate == ours.accumulate;
  return alike && sums_alike && (theirs.access == Access::none || theirs.access == ours.access);
}

const Ceiling* measured_here(const Result& result, const Ceiling& theirs) {
  const auto figure = [](const Ceiling& row) { return row.value.value; };
  return highest_of(result.ceilings, figure, [&](const Ceiling& row) {
    return !row.imported && row.status == Status::ok && row.variant.empty() && same_quantity(theirs, row);
  });
}

Answer::Facts imported_facts(const Ceiling& theirs, const Ceiling* ours) {
  std::string what = theirs.name;
  if (theirs.access != Access::none) what += fmt::format(" {}", to_string(theirs.access));
  if (!theirs.variant.empty()) what += fmt::format(", {}", theirs.variant);
  Answer::Facts facts{{"", "device", theirs.device},
                      {"", "tool", theirs.imported->tool},
                      {"", "what", what},
                      {"", "type", type_text(theirs)},
                      {"", "theirs", format_quantity(theirs.value.value, theirs.unit)}};
  if (!ours) return facts;
  const bool plain = ours->at == OperatingPoint::none;
  return facts.add({{"", "gable's", format_quantity(ours->value.value, ours->unit)},
                    {"", "theirs / gable's", fmt::format("{:.2f}", theirs.value.value / ours->value.value)},
                    {"", "gable's kernel",
                     plain ? ours->implementation : fmt::format("{}, {}", ours->implementation, to_string(ours->at))}});
}

/// What other tools measured, beside gable's own rows of the same quantity; nothing without such rows.
void add_imported(Answer& answer, const Result& result) {
  Answer::Table table;
  for (const Ceiling& row : result.ceilings)
    if (row.imported && row.status == Status::ok) table.add(imported_facts(row, measured_here(result, row)));
  answer.show_table("ceilings of other tools: listed, no roofs", std::move(table));
}

void add_datasheet(Answer& answer, const catalogue::Device& device) {
  Answer sheet = datasheet_answer(device);
  sheet.sections.front().title = sheet.title;
  for (Answer::Section& section : sheet.sections) {
    section.readers = Answer::Readers::people;
    answer.sections.push_back(std::move(section));
  }
}

void add_points(Answer& answer, const Result& result) {
  Answer::Table all, timed;
  for (const Point& point : result.points) {
    Answer::Facts facts = facts_of(result, point);
    if (has_time(point)) timed.add(facts);
    all.add(std::move(facts));
  }
  answer.add_table("points", "", std::move(all)).readers = Answer::Readers::programs;
  auto& notes = answer.show_table("operators", std::move(timed)).notes;
  const auto unplaced =
      std::ranges::find_if(result.points, [&](const Point& point) { return is_unplaced(result, point); });
  if (unplaced != result.points.end())
    notes.push_back(
        fmt::format("no regime or limit without ceilings of {} ({}): measure them with 'gable calibrate --output "
                    "ceilings.json', then 'gable run --roofs ceilings.json …', or 'gable report ceilings.json "
                    "run.json' for a run that is there",
                    unplaced->device, to_string(unplaced->scope)));
  if (std::ranges::any_of(result.points, [](const Point& point) { return point.compared_rounds > 0; }))
    notes.push_back(
        fmt::format("{} main memory changed its speed during the run: the share is the median over moments, in each "
                    "of which the point was compared with memory as it was then",
                    compared_mark));
}

/// What is wrong with the points whose share of the bound reads "suspect".
std::vector<std::string> above_roof_lines(const Result& result) {
  return mapped(result.points | std::views::filter(above_roof),
                [](const Point& point) { return fmt::format("{}: {}", point.id, point.reason); });
}

/// Rows without a valid figure, gathered by outcome and reason.
std::vector<std::string> other_outcomes(const Result& result) {
  std::vector<std::pair<std::pair<Status, std::string>, std::vector<std::string>>> outcomes;
  for_each_row(result, [&]<class T>(const T& row) {
    if (row.status == Status::ok) return;
    if constexpr (std::is_same_v<T, Point>) {
      if (above_roof(row)) return;
    }
    const std::pair key(row.status, row.reason);
    auto one = std::ranges::find(outcomes, key, [](const auto& outcome) { return outcome.first; });
    if (one == outcomes.end()) one = outcomes.insert(one, {key, {}});
    one->second.push_back(result.devices.size() > 1 ? fmt::format("{} {}", row.device, row.id) : row.id);
  });
  std::vector<std::string> lines;
  for (const auto& [why, ids] : outcomes)
    lines.push_back(fmt::format("{} ({} row{}): {}: {}", to_string(why.first), ids.size(), plural(ids.size()),
                                why.second, fmt::join(ids, ", ")));
  return lines;
}

bool any_disturbed(const Result& result) {
  const auto marked = [](const auto& row) { return row.status == Status::ok && was_disturbed(*estimate_of(row)); };
  return std::ranges::any_of(result.ceilings, marked) || std::ranges::any_of(result.points, marked);
}

}  // namespace

Answer report_answer(const Result& result, std::span<const catalogue::Device> datasheets) {
  Answer answer;
  add_ceilings(answer, result, datasheets);
  questions::add_contentions(answer, questions::contentions(result), "");
  for (const catalogue::Device& device : datasheets) add_datasheet(answer, device);
  add_imported(answer, result);
  add_points(answer, result);
  add_census(answer, result);
  if (any_disturbed(result)) answer.add_notes("", {std::string(disturbed_note)});
  answer.add_notes("suspect operators", above_roof_lines(result));
  answer.add_notes("left out of the tables", other_outcomes(result));
  answer.add_facts("", "notes", {{"notes", result.notes}}).notes = result.notes;
  return answer;
}

std::string text(const Result& result, int width, std::span<const catalogue::Device> datasheets) {
  const std::string text = render::text(render::document_of(report_answer(result, datasheets)), std::max(width, 40));
  return text.empty() ? "The result holds no rows.\n" : text;
}

}  // namespace gable::report
