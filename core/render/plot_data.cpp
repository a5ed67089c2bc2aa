#include "core/render/plot_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/model/point.hpp"
#include "core/render/shown_device.hpp"
#include "core/sequence.hpp"

namespace gable::render {
namespace {

constexpr std::size_t most_devices = 10;  ///< the lines of more cannot be told apart

bool wanted(const PlotOptions& options, DType dtype) {
  return options.dtypes.empty() || std::ranges::count(options.dtypes, dtype) != 0;
}

bool is_shown(const Point& point, const ShownDevice& shown, const PlotOptions& options) {
  return point.status == Status::ok && point.device == shown.id && point.scope == shown.scope &&
         has_type_of(point, options) && intensity_of(point) && flop_per_s(point);
}

bool limits_a_point(const Result& result, const ShownDevice& shown, const PlotOptions& options, auto&& is_it) {
  return std::ranges::any_of(result.points,
                             [&](const Point& point) { return is_shown(point, shown, options) && is_it(point); });
}

/// The roof that stands for a level: the ordinary triad, as in Roofline::ridge(), else the nearest mix there is.
const BandwidthRoof* main_roof(const Roofline& roofline, const std::string& level, Stores stores) {
  for (const Access access : {Access::triad, Access::copy, Access::read, Access::write, Access::none}) {
    const auto* best = highest_of(roofline.bandwidth(), &BandwidthRoof::byte_per_s, [&](const BandwidthRoof& roof) {
      const bool same_stores = (roof.stores == Stores::non_temporal) == (stores == Stores::non_temporal);
      return !roof.link && roof.level == level && roof.access == access && same_stores;
    });
    if (best) return best;
  }
  return nullptr;
}

/// Levels that have a roof, innermost first. Those that the device does not list (what lies inside a GPU's
/// multiprocessors) come before those that it does: its last one is the main memory.
std::vector<std::string> levels_of(const Roofline& roofline) {
  auto names = mapped(roofline.levels(), &Level::name);
  std::vector<std::string> inside;
  for (const BandwidthRoof& roof : roofline.bandwidth()) {
    if (!roof.link && std::ranges::count(names, roof.level) + std::ranges::count(inside, roof.level) == 0) {
      inside.push_back(roof.level);
    }
  }
  names.insert(names.begin(), inside.begin(), inside.end());
  std::erase_if(names, [&](const std::string& name) { return !main_roof(roofline, name, Stores::ordinary); });
  return names;
}

void add_slope(PlotData& data, const ShownDevice& shown, const BandwidthRoof& roof, bool main, bool drawn) {
  PlotRoof line;
  line.device = shown.id;
  line.letter = shown.letter;
  line.level = shown.letter + roof.level;
  line.thin = !roof.is_of_streams();
  line.main = main;
  line.drawn = drawn;
  line.label = line.level;
  if (roof.access != Access::none) line.label += fmt::format(" {}", to_string(roof.access));
  if (roof.stores == Stores::non_temporal) line.label += " non-temporal";
  if (shown.is_datasheet()) line.label += " datasheet";
  line.bandwidth = roof;
  line.rate = roof.byte_per_s;
  line.low = roof.low;
  line.high = roof.high;
  line.style = shown.is_datasheet() ? LineStyle::dash_dot : line.thin ? LineStyle::dashed : LineStyle::solid;
  line.width = line.thin ? 0.6 : 1.1;
  line.colour = shown.several ? device_colour(shown.index) : ink;
  data.roofs.push_back(line);
}

/// Of several devices pictures have the main memories and the levels that limit a point.
void add_slopes(PlotData& data, const Result& result, const ShownDevice& shown, const PlotOptions& options) {
  const auto levels = levels_of(shown.roofline);
  const bool all = !shown.several || options.all_roofs;
  for (const std::string& level : levels) {
    const bool limits = limits_a_point(result, shown, options, [&](const Point& point) {
      return point.limit_kind == LimitKind::bandwidth && point.limit_level == level;
    });
    const bool main = level == levels.back();
    add_slope(data, shown, *main_roof(shown.roofline, level, Stores::ordinary), main, all || main || limits);
  }
  for (const std::string& level : levels) {
    const BandwidthRoof* roof = shown.roofline.random(level);
    const auto is_it = [&](const Point& point) { return roof && point.limit == roof->label; };
    if (roof && (options.all_roofs || limits_a_point(result, shown, options, is_it)))
      add_slope(data, shown, *roof, level == levels.back(), true);
  }
  if (levels.empty()) return;
  if (const auto* roof = main_roof(shown.roofline, levels.back(), Stores::non_temporal))
    add_slope(data, shown, *roof, false, all);
}

PlotRoof flat_roof(const ShownDevice& shown, const FlatRoof& flat) {
  const ComputeRoof& roof = flat.roof;
  PlotRoof line;
  line.device = shown.id;
  line.letter = shown.letter;
  std::string type(to_string(roof.dtype));
  if (roof.accumulate != uniform_types(roof.dtype).accumulate) type += fmt::format("->{}", to_string(roof.accumulate));
  line.group = {shown.letter, type, std::string(to_string(roof.unit))};
  if (!flat.instructions.empty()) line.group.unit += " " + flat.instructions;
  line.label =
      fmt::format("{} {}", line.group.text(), roof.at == OperatingPoint::none ? "datasheet" : to_string(roof.at));
  line.flat = true;
  line.compute = roof;
  line.at = roof.at;
  line.rate = roof.flop_per_s;
  line.low = roof.low;
  line.high = roof.high;
  line.style = roof.at == OperatingPoint::sustained ? LineStyle::dashed
               : roof.at == OperatingPoint::library ? LineStyle::dotted
               : roof.at == OperatingPoint::none    ? LineStyle::dash_dot
                                                    : LineStyle::solid;
  line.width = roof.unit == Unit::matrix ? 1.7 : roof.unit == Unit::vector ? 1.2 : 0.7;
  line.colour = shown.several ? device_colour(shown.index) : dtype_colour(roof.dtype);
  return line;
}

/// The fastest implementation of each type, unit and operating point.
void add_flats(PlotData& data, const Result& result, const ShownDevice& shown, const PlotOptions& options) {
  std::map<std::string, PlotRoof> best;
  for (const FlatRoof& flat : shown.flats) {
    const Unit unit = flat.roof.unit;
    const auto is_divided = [&](const Point& point) { return unit == Unit::divide && point.limit_unit == unit; };
    const bool asked = std::ranges::count(options.units, unit) != 0;
    const bool common = options.units.empty() && (is_flop(unit) || (options.all_roofs && unit == Unit::divide));
    if (!wanted(options, flat.roof.dtype) || !(common || asked || limits_a_point(result, shown, options, is_divided)))
      continue;
    PlotRoof line = flat_roof(shown, flat);
    PlotRoof& known = best[line.label];
    if (line.rate > known.rate) known = line;
  }
  for (const auto& [label, line] : best) data.roofs.push_back(line);
}

/// The roof of the outermost level that the device has; null where that level has none, whatever lies inside it.
const BandwidthRoof* memory_roof(const Roofline& roofline) {
  const auto& levels = roofline.levels();
  return levels.empty() ? nullptr : main_roof(roofline, levels.back().name, Stores::ordinary);
}

/// The highest operating point of each group that is a bound meets the outermost level.
void add_ridges(PlotData& data, const ShownDevice& shown) {
  const BandwidthRoof* memory = memory_roof(shown.roofline);
  if (!memory) return;
  std::map<RoofName, const PlotRoof*> top;
  for (const PlotRoof& roof : data.roofs) {
    if (!roof.flat || !is_flop(roof.compute->unit) || roof.at == OperatingPoint::library || roof.device != shown.id)
      continue;
    const PlotRoof*& known = top[roof.group];
    if (!known || roof.rate > known->rate) known = &roof;
  }
  for (const auto& [group, roof] : top) {
    data.ridges.push_back({roof->device, group.text(), roof->rate / memory->byte_per_s, roof->low / memory->high,
                           roof->high / memory->low, roof->rate, roof->colour});
  }
}

/// Cuts the roofs of a device where they cross: slopes end at its highest flat roof, flat ones start at its steepest
/// slope.
void cut_roofs(PlotData& data, const std::string& device) {
  double peak = 0, steepest = 0;
  for (const PlotRoof& roof : data.roofs) {
    if (roof.device != device) continue;
    double& most = roof.flat ? peak : steepest;
    most = std::max(most, roof.rate);
  }
  for (PlotRoof& roof : data.roofs) {
    if (roof.device != device) continue;
    roof.from = data.x.low;
    roof.to = data.x.high;
    if (roof.flat && steepest > 0) roof.from = std::clamp(roof.rate / steepest, data.x.low, data.x.high);
    if (!roof.flat) {
      roof.from = std::clamp(data.y.low / roof.rate, data.x.low, data.x.high);
      roof.to = std::clamp((peak > 0 ? peak : data.y.high) / roof.rate, roof.from, data.x.high);
    }
  }
}

/// The roof that most of a point's work meets; null where the device has none.
const ComputeRoof* roof_of(const Point& point, const Roofline& roofline) {
  const UnitWork* most = nullptr;
  for (const Stage& stage : point.stages) {
    for (const UnitWork& work : stage.work)
      if (is_flop(work.unit) && (!most || work.operations > most->operations)) most = &work;
  }
  return most ? roofline.peak(point.types, most->unit) : nullptr;
}

void add_points(PlotData& data, const Result& result, const ShownDevice& shown, const PlotOptions& options) {
  std::map<std::string, std::vector<std::string>> implementations;
  for (const Point& point : result.points) {
    if (point.status != Status::ok || point.device != shown.id) continue;
    auto& known = implementations[point.op];
    if (std::ranges::count(known, point.implementation) == 0) known.push_back(point.implementation);
  }
  const BandwidthRoof* memory = memory_roof(shown.roofline);
  std::map<std::string, int> names, seen;
  for (std::size_t row = 0; row < result.points.size(); ++row) {
    const Point& point = result.points[row];
    if (!is_shown(point, shown, options)) continue;
    PlotPoint dot;
    dot.row = row;
    dot.device = point.device;
    dot.letter = shown.letter;
    dot.name = point.op;
    if (!data.one_type) dot.name += fmt::format(" {}", to_string(point.types.a));
    const std::string how = manner_of(point);
    const std::string manner = how.empty() ? "" : " " + how;
    const std::string params = point.params.empty() ? "" : " " + point.params;
    dot.detail = shown.letter + dot.name + (is_user(point) ? "" : " " + point.implementation) + params + manner;
    if (implementations[point.op].size() > 1 && point.implementation != "kokkos")
      dot.name += " " + point.implementation;
    dot.name += manner;
    ++names[dot.name];
    dot.label = params;  // until it is known whether it takes them to tell its points apart
    dot.intensity = *intensity_of(point);
    dot.flop_per_s = *flop_per_s(point);
    dot.share = point.fraction_of_limit;
    if (dot.share && *dot.share > 0) dot.limit = dot.flop_per_s / *dot.share;
    const double bound_s = std::min(point.bound_s.value_or(0), point.time.value);
    dot.lost_s = point.count.value_or(1) * (point.time.value - bound_s);
    dot.dtype = point.types.a;
    if (const ComputeRoof* roof = roof_of(point, shown.roofline)) {
      dot.roof = roof->dtype;
      if (memory) dot.ridge = roof->flop_per_s / memory->byte_per_s;
    }
    dot.shape = data.one_type ? static_cast<int>(shown.index % marker_shapes) : dtype_shape(point.types.a);
    dot.colour = shown.several ? device_colour(shown.index) : dtype_colour(point.types.a);
    if (point.imported && point.imported->shortest_s && point.imported->longest_s)
      dot.of_calls = {dot.flop_per_s * point.time.value / *point.imported->longest_s,
                      dot.flop_per_s * point.time.value / *point.imported->shortest_s};
    if (point.imported && point.stages.size() == 1) {
      for (const LevelBytes& level : point.stages.front().inner) {
        if (level.bytes > 0) dot.levels.push_back({level.level, flops(point.stages.front()) / level.bytes});
      }
    }
    data.points.push_back(dot);
  }
  for (PlotPoint& dot : data.points) {
    if (dot.device != shown.id) continue;
    const std::string tail = dot.share ? " " + percent(*dot.share) : "";
    if (names[dot.name] > 1) dot.name += dot.label;
    dot.which = seen[dot.name]++;
    dot.label = dot.letter + dot.name + tail;
    dot.detail += tail;
  }
}

void add_device(PlotData& data, const Result& result, const ShownDevice& shown, bool is_named_once) {
  PlotDevice device;
  device.id = shown.id;
  device.name = shown.name;
  const auto with = [&](const std::string& own, std::initializer_list<std::string_view> names) {
    const auto origin = origin_of(result, shown.id, names);
    return origin.empty() ? own : fmt::format("{} ({})", own, fmt::join(origin, ", "));
  };
  device.title = name_of(result, shown, false);
  device.title = shown.several ? with(device.title, {"file", "host", "run_started_at", "run_mode"})
                               : with(device.title, {"file", "host"});  // the rest is in the line below
  device.key = name_of(result, shown, true);
  if (!is_named_once) device.key = with(device.key, {"file"});
  device.scope = shown.scope;
  if (shown.several) device.letter = shown.letter.substr(0, 1);
  device.colour = device_colour(shown.index);
  device.levels = shown.roofline.levels();
  device.overhead = shown.roofline.overhead();
  data.devices.push_back(std::move(device));
}

void set_titles(PlotData& data, const Result& result, const std::vector<ShownDevice>& devices,
                const PlotOptions& options) {
  data.title = !options.title.empty() ? options.title : data.devices.size() == 1 ? data.devices.front().title : "";
  const bool measured = !std::ranges::all_of(devices, &ShownDevice::is_datasheet);
  std::vector<std::string> parts;
  for (const char* name : {"run_started_at", "run_mode"}) {
    for (const ShownDevice& shown : devices)
      for (const std::string& part : origin_of(result, shown.id, {name}))
        if (std::ranges::count(parts, part) == 0) parts.push_back(part);
  }
  if (parts.empty() && !result.run.started_at.empty()) {
    parts.push_back(result.run.started_at.substr(0, 10));
    parts.push_back(fmt::format("{} run", to_string(result.run.mode)));
  }
  if (measured) parts.emplace_back("bands: 95 % intervals");
  data.subtitle = measured ? fmt::format("{}", fmt::join(parts, ", ")) : "vendors' figures, not measured";
}

/// Where every point, and every type shown of a device without points, is memory-bound, and where compute-bound.
void set_regimes(PlotData& data) {
  const auto include = [&](double ridge) {
    data.memory_bound_until = std::min(data.memory_bound_until.value_or(INFINITY), ridge);
    data.compute_bound_from = std::max(data.compute_bound_from.value_or(0), ridge);
  };
  std::set<std::string> met;
  for (const PlotPoint& point : data.points) {
    if (!point.ridge) continue;
    met.insert(point.device);
    include(*point.ridge);
  }
  for (const PlotRidge& ridge : data.ridges)
    if (!met.contains(ridge.device)) include(ridge.intensity);
}

/// Lays axes around the roofs of a picture, or around all.
PlotData gathered(const Result& result, const PlotOptions& options, bool picture) {
  PlotData data;
  data.width_pt = options.width_in * 72;
  data.height_pt = options.height_in * 72;
  data.theme = options.theme;
  const std::vector<ShownDevice> devices = shown_devices(result, options);
  if (devices.size() > most_devices)
    throw Error(fmt::format("a picture shows at most {} devices, and these are {}: name fewer files, or write csv",
                            most_devices, devices.size()));
  data.several_devices = devices.size() > 1;
  std::set<DType> types;
  for (const ShownDevice& shown : devices) {
    for (const Point& point : result.points)
      if (is_shown(point, shown, options)) types.insert(point.types.a);
  }
  data.one_type = data.several_devices && types.size() == 1;
  for (const ShownDevice& shown : devices) {
    add_device(data, result, shown, std::ranges::count(devices, shown.name, &ShownDevice::name) == 1);
    add_slopes(data, result, shown, options);
    add_flats(data, result, shown, options);
    add_points(data, result, shown, options);
  }
  const std::vector<DType> left_out = choose_roofs(data, options);
  if (picture) std::erase_if(data.roofs, [](const PlotRoof& roof) { return !roof.drawn; });
  for (const ShownDevice& shown : devices) add_ridges(data, shown);
  set_axes(data);
  for (const ShownDevice& shown : devices) cut_roofs(data, shown.id);
  if (std::ranges::all_of(devices, [](const ShownDevice& shown) { return memory_roof(shown.roofline) != nullptr; }))
    set_regimes(data);
  if (picture && !options.all_roofs) join_equal(data.roofs);
  set_titles(data, result, devices, options);
  if (!left_out.empty()) {
    const auto names = mapped(left_out, [](DType type) { return to_string(type); });
    data.subtitle += fmt::format(", without {} (--dtype)", fmt::join(names, ", "));
  }
  return data;
}

}  // namespace

Position PlotData::position(double intensity, double flop_per_s) const {
  const auto along = [](const Range& range, double value) {
    return std::log(value / range.low) / std::log(range.high / range.low);
  };
  return {area.left + area.width() * along(x, intensity), area.bottom + area.height() * along(y, flop_per_s)};
}

bool has_type_of(const Point& point, const PlotOptions& options) {
  return wanted(options, point.types.a) || wanted(options, point.types.compute);
}

PlotData collect_any(const Result& result, const PlotOptions& options) { return gathered(result, options, false); }

PlotData collect(const Result& result, const PlotOptions& options) {
  PlotData data = gathered(result, options, true);
  // a picture of datasheets only would hide that nothing of the measurement is shown
  const bool measured_lost =
      !result.devices.empty() &&
      std::ranges::none_of(data.devices, [](const PlotDevice& device) { return device.scope.has_value(); });
  if (measured_lost || (data.roofs.empty() && data.points.empty()))
    throw Error(
        "nothing to draw: the result has no measured roof and no operator with flops, for these types and this scope");
  return data;
}

std::string percent(double share) { return fmt::format("{:.0f} %", std::min(1.0, share) * 100); }

PlotData plot_data(const Result& result, const PlotOptions& options) {
  PlotData data = collect(result, options);
  lay_out(data);
  return data;
}

}  // namespace gable::render
