#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>

#include "core/device/catalogue.hpp"
#include "core/device/device_parts.hpp"
#include "core/model/point.hpp"
#include "core/model/units.hpp"
#include "core/questions/explain/contention_text.hpp"
#include "core/questions/report/device_answer.hpp"
#include "core/questions/report/imported_text.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/answer.hpp"
#include "core/result/for_each_row.hpp"
#include "core/text/text_table.hpp"
#include "core/verdict/machine_model.hpp"
#include "core/verdict/measured_judgement.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::report {
namespace {

std::string percent(std::optional<double> value) { return value ? fmt::format("{:.1f} %", *value) : ""; }

constexpr std::string_view disturbed_mark = "*";
constexpr std::string_view compared_mark = "~";
constexpr std::string_view disturbed_note =
    "* more than half of its blocks were disturbed, or the value is the mode, or the fastest of several speeds "
    "(docs/statistics.md)";

/// "128 GFLOP/s ±0.4 %", with a mark where the row was disturbed.
std::string measured(const Ceiling* row) {
  if (!row) return "";
  std::string text = format_quantity(row->value.value, row->unit);
  if (const auto half = half_interval_percent(row->value)) text += fmt::format(" ±{:.1f} %", *half);
  if (was_disturbed(row->value)) text += disturbed_mark;
  return text;
}

std::string type_text(DType dtype, std::optional<DType> accumulate) {
  const bool plain = !accumulate || *accumulate == dtype;
  return plain ? std::string(to_string(dtype)) : fmt::format("{}->{}", to_string(dtype), to_string(*accumulate));
}

/// Rows measured under one device, scope and number of threads.
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
  if (device == result.devices.end() || !is_part(*device)) text += fmt::format(", {}", to_string(group.scope));
  if (threads > 0) text += fmt::format(", {} thread{}", threads, threads == 1 ? "" : "s");
  return text;
}

const Ceiling* better(const Ceiling* a, const Ceiling* b) {
  return !a || (b && b->value.value > a->value.value) ? b : a;
}

std::string joined_implementations(std::initializer_list<const Ceiling*> rows) {
  std::vector<std::string> names;
  for (const Ceiling* row : rows) {
    if (!row || row->implementation.empty() || std::ranges::count(names, row->implementation) != 0) continue;
    names.push_back(row->implementation);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The best implementation of each unit, type, variant and operating point.
std::string compute_table(const Group& group, int width) {
  using Key = std::tuple<std::string, DType, DType, std::string>;
  std::vector<Key> order;
  std::map<Key, std::map<OperatingPoint, const Ceiling*>> best;
  for (const Ceiling* row : group.rows) {
    if (row->kind != CeilingKind::compute || !row->dtype) continue;
    const Key key{row->name, *row->dtype, row->accumulate.value_or(*row->dtype), row->variant};
    if (!best.contains(key)) order.push_back(key);
    const Ceiling*& cell = best[key][row->at];
    cell = better(cell, row);
  }
  TextTable table({{"unit"},
                   {"type"},
                   {"variant", false, true},
                   {"burst", true},
                   {"sustained", true},
                   {"library", true},
                   {"clock", true},
                   {"of datasheet", true},
                   {"at clock", true},
                   {"implementation", false, true}});
  for (const Key& key : order) {
    auto& at = best[key];
    const Ceiling* burst = at[OperatingPoint::burst] ? at[OperatingPoint::burst] : at[OperatingPoint::none];
    const Ceiling* first = burst ? burst : at[OperatingPoint::sustained];
    if (!first) first = at[OperatingPoint::library];
    const auto clock = first->conditions.clock_hz;
    table.add({std::get<0>(key), type_text(std::get<1>(key), std::get<2>(key)), std::get<3>(key), measured(burst),
               measured(at[OperatingPoint::sustained]), measured(at[OperatingPoint::library]),
               clock ? format_quantity(*clock, "Hz") : "", percent(percent_of_datasheet(*first)),
               percent(percent_at_clock(*first)),
               joined_implementations({burst, at[OperatingPoint::sustained], at[OperatingPoint::library]})});
  }
  return table.empty() ? "" : "compute\n" + table.render(width) + '\n';
}

std::string write_allocated(const Ceiling* row) {
  return row && row->with_write_allocate ? format_quantity(*row->with_write_allocate, "byte/s") : std::string{};
}

std::string bandwidth_table(const Group& group, int width) {
  using Key = std::tuple<std::string, Access, std::string>;
  struct Cells {
    const Ceiling *ordinary{}, *non_temporal{}, *library{};
  };
  std::vector<Key> order;
  std::map<Key, Cells> best;
  for (const Ceiling* row : group.rows) {
    const bool link = row->kind == CeilingKind::link && row->unit == "byte/s";
    if (row->kind != CeilingKind::bandwidth && !link) continue;
    const Key key{row->name, row->access, row->variant};
    if (!best.contains(key)) order.push_back(key);
    Cells& cells = best[key];
    const Ceiling*& cell = row->at == OperatingPoint::library    ? cells.library
                           : row->stores == Stores::non_temporal ? cells.non_temporal
                                                                 : cells.ordinary;
    cell = better(cell, row);
  }
  TextTable table({{"level"},
                   {"access"},
                   {"variant", false, true},
                   {"ordinary stores", true},
                   {"with write-allocate", true},
                   {"non-temporal", true},
                   {"library", true},
                   {"of datasheet", true},
                   {"implementation", false, true}});
  for (const Key& key : order) {
    const Cells& cells = best[key];
    const Ceiling* first = cells.ordinary ? cells.ordinary : cells.non_temporal ? cells.non_temporal : cells.library;
    table.add({std::get<0>(key), std::get<1>(key) == Access::none ? "" : std::string(to_string(std::get<1>(key))),
               std::get<2>(key), measured(cells.ordinary), write_allocated(cells.ordinary),
               measured(cells.non_temporal), measured(cells.library), percent(percent_of_datasheet(*first)),
               joined_implementations({cells.ordinary, cells.non_temporal, cells.library})});
  }
  return table.empty() ? "" : "bandwidth\n" + table.render(width) + '\n';
}

std::string fixed_cost_table(const Group& group, int width) {
  TextTable table({{"kind"},
                   {"what"},
                   {"variant", false, true},
                   {"figure", true},
                   {"clock", true},
                   {"implementation", false, true}});
  for (const Ceiling* row : group.rows) {
    const bool link = row->kind == CeilingKind::link && row->unit != "byte/s";
    if (row->kind != CeilingKind::latency && row->kind != CeilingKind::overhead && !link) continue;
    const auto clock = row->conditions.clock_hz;
    table.add({std::string(to_string(row->kind)), row->name, row->variant, measured(row),
               clock ? format_quantity(*clock, "Hz") : "", row->implementation});
  }
  return table.empty() ? "" : "latency and overhead\n" + table.render(width) + '\n';
}

std::string of_datasheet(const Result& result, const Point& point) {
  const auto bound = datasheet_bound(result, point);
  return bound ? percent(bound->fraction * 100) : "";
}

/// Nothing is known of its roofs, here or from another file.
bool is_unplaced(const Result& result, const Point& point) {
  return point.status == Status::ok && !point.bound_s && !has_ceilings(result, point.device, point.scope);
}

/// How to get a verdict for points whose device has no ceilings here.
std::string unplaced_text(const Result& result, int width) {
  const auto first =
      std::ranges::find_if(result.points, [&](const Point& point) { return is_unplaced(result, point); });
  if (first == result.points.end()) return "";
  return wrap(fmt::format("no regime or limit without ceilings of {} ({}): measure them with 'gable calibrate --output "
                          "ceilings.json', then 'gable run --roofs ceilings.json …', or 'gable report ceilings.json "
                          "run.json' for a run that is there",
                          first->device, to_string(first->scope)),
              width, 0);
}

std::string compared_text(const Result& result, int width) {
  const auto compared = [](const Point& point) { return point.compared_rounds > 0; };
  if (std::ranges::none_of(result.points, compared)) return "";
  return wrap(
      fmt::format("{} main memory changed its speed during the run: the share is the median over moments, in each "
                  "of which the point was compared with memory as it was then",
                  compared_mark),
      width, 0);
}

std::string points_table(const Result& result, int width) {
  TextTable table({{"device", false, true},
                   {"operator", false, true},
                   {"implementation", false, true},
                   {"type"},
                   {"parameters", false, true},
                   {"data", false, true},
                   {"time", true},
                   {"rate", true},
                   {"flop/byte", true},
                   {"regime"},
                   {"limit", false, true},
                   {"of limit", true},
                   {"of datasheet", true}});
  const bool several = result.devices.size() > 1;
  for (const Point& point : result.points) {
    if (!has_time(point)) continue;
    const auto rate = flop_per_s(point);
    const auto traffic = byte_per_s(point);
    const auto intensity = intensity_of(point);
    const std::string shown = rate      ? format_quantity(*rate, rate_unit(point.types))
                              : traffic ? format_quantity(*traffic, "byte/s")
                                        : "";
    table.add({several ? point.device : "", point.op, point.implementation, std::string(to_string(point.types.a)),
               point.params, manner_of(point),
               format_quantity(point.time.value, "s") + std::string(was_disturbed(point.time) ? disturbed_mark : ""),
               shown, intensity ? fmt::format("{:.3g}", *intensity) : "",
               point.regime ? std::string(to_string(*point.regime)) : "",
               point.limit.empty() && !is_unplaced(result, point) ? point.reason : point.limit,
               share_of_bound(point) + std::string(point.compared_rounds > 0 ? compared_mark : ""),
               of_datasheet(result, point)});
  }
  return table.empty()
             ? ""
             : "operators\n" + table.render(width) + unplaced_text(result, width) + compared_text(result, width) + '\n';
}

/// What is wrong with the points whose share of the bound reads "suspect".
std::string above_roof_text(const Result& result, int width) {
  std::string text;
  for (const Point& point : result.points) {
    if (above_roof(point)) text += wrap(fmt::format("{}: {}", point.id, point.reason), width, 2);
  }
  return text.empty() ? "" : "suspect operators\n" + text + '\n';
}

/// Rows without a valid figure, gathered by outcome and reason.
std::string other_outcomes(const Result& result, int width) {
  using Key = std::pair<std::string, std::string>;
  std::vector<Key> order;
  std::map<Key, std::vector<std::string>> ids;
  for_each_row(result, [&]<class T>(const T& row) {
    if (row.status == Status::ok) return;
    if constexpr (std::is_same_v<T, Point>) {
      if (above_roof(row)) return;
    }
    const Key key{to_string(row.status), row.reason};
    if (!ids.contains(key)) order.push_back(key);
    ids[key].push_back(result.devices.size() > 1 ? fmt::format("{} {}", row.device, row.id) : row.id);
  });
  std::string text;
  for (const Key& key : order) {
    const auto& rows = ids[key];
    text += wrap(fmt::format("{} ({} row{}): {}", key.first, rows.size(), rows.size() == 1 ? "" : "s", key.second),
                 width, 0);
    text += wrap(fmt::format("{}", fmt::join(rows, ", ")), width, 4);
  }
  return text.empty() ? "" : "not in the tables above\n" + text + '\n';
}

std::string notes_text(const Result& result, int width) {
  if (result.notes.empty()) return "";
  std::string text = "notes\n";
  for (const std::string& note : result.notes) text += wrap(note, width, 2);
  return text;
}

}  // namespace

std::string text(const Result& result, int width, std::span<const catalogue::Device> datasheets) {
  width = std::max(width, 40);
  std::string text;
  for (const Group& group : groups_of(result)) {
    text += wrap(heading(result, group), width, 0) + '\n';
    text += compute_table(group, width) + bandwidth_table(group, width) + fixed_cost_table(group, width);
  }
  text += questions::contention_text(result, width);
  for (const catalogue::Device& device : datasheets)
    text += render::text(render::document_of(report::datasheet_answer(device)), width) + '\n';
  text += imported_text(result, width) + points_table(result, width) + census_tables(result, width);
  const auto marked = [](const auto& rows, auto estimate) {
    return std::ranges::any_of(
        rows, [&](const auto& row) { return row.status == Status::ok && was_disturbed(row.*estimate); });
  };
  if (marked(result.ceilings, &Ceiling::value) || marked(result.points, &Point::time))
    text += wrap(std::string(disturbed_note), width, 0) + '\n';
  text += above_roof_text(result, width) + other_outcomes(result, width) + notes_text(result, width);
  return text.empty() ? "The result holds no rows.\n" : text;
}

}  // namespace gable::report
