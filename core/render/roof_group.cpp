#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/units.hpp"
#include "core/render/palette.hpp"
#include "core/render/plot_data.hpp"
#include "core/render/point_key.hpp"
#include "core/sequence.hpp"

/// Which roofs a picture has, and which of them share a line or a label.
namespace gable::render {
namespace {

/// Whether two roofs are the same but for their devices, and less apart than a line's width on an axis of some decades.
/// Figures that vendors state have no noise: they are equal or not.
bool lie_on_each_other(const PlotRoof& a, const PlotRoof& b) {
  const auto kind = [](const PlotRoof& one) { return std::pair(one.style, one.label.substr(one.letter.size())); };
  const bool stated = a.low == a.high && b.low == b.high;
  return a.device != b.device && kind(a) == kind(b) && std::abs(std::log(a.rate / b.rate)) < (stated ? 1e-6 : 0.015);
}

/// How many labels stand beside the axes without being led far from their lines.
std::size_t label_budget(const PlotData& data) {
  return static_cast<std::size_t>(0.3 * data.height_pt / line_height(small_font(base_font(data.width_pt))));
}

}  // namespace

void join_equal(std::vector<PlotRoof>& roofs) {
  std::vector<PlotRoof> list;
  for (const PlotRoof& roof : roofs) {
    const auto same = std::ranges::find_if(list, [&](const PlotRoof& one) { return lie_on_each_other(one, roof); });
    if (same == list.end()) {
      list.push_back(roof);
      continue;
    }
    const std::size_t own = same->letter.size();
    same->letter = same->letter.substr(0, own - 1) + "," + roof.letter;  // "A " and "B ": "A,B "
    same->label = same->letter + same->label.substr(own);
    if (!roof.flat) same->level = same->letter + roof.bandwidth->level;
    same->group.device = same->letter;
    same->from = std::min(same->from, roof.from);
    same->to = std::max(same->to, roof.to);
    same->colour = ink;
  }
  roofs = std::move(list);
}

std::vector<DType> choose_roofs(PlotData& data, const PlotOptions& options) {
  if (!data.several_devices || options.all_roofs) return {};
  /// The highest bound of each type on a device and, where units are asked for, unit.
  std::map<DType, std::map<std::pair<std::string, std::string>, PlotRoof*>> types;
  for (PlotRoof& roof : data.roofs) {
    if (!roof.flat || !is_flop(roof.compute->unit)) continue;  // one of no flops limits a point, or was asked for
    roof.drawn = false;
    PlotRoof*& known = types[roof.compute->dtype][{roof.device, options.units.empty() ? "" : roof.group.unit}];
    const auto rank = [](const PlotRoof& one) {
      const bool usual = one.compute->accumulate == uniform_types(one.compute->dtype).accumulate;
      return std::tuple(one.at != OperatingPoint::library, usual, one.rate);
    };
    if (!known || rank(roof) > rank(*known)) known = &roof;
  }
  std::map<DType, std::size_t> met;
  for (const PlotPoint& point : data.points)
    if (point.roof && types.contains(*point.roof)) ++met[*point.roof];
  const auto worth = [&](DType type) { return met.empty() ? types[type].size() : met.contains(type) ? met[type] : 0; };
  auto order = mapped(types, [](const auto& one) { return one.first; });
  std::ranges::stable_sort(order, std::greater<>{}, worth);
  std::size_t labels = 0;
  std::vector<DType> left_out;
  for (const DType type : order) {
    const bool has_room = labels == 0 || labels + types[type].size() <= label_budget(data);
    const bool matters = met.empty() ? worth(type) == worth(order.front()) : worth(type) > 0;
    if (options.dtypes.empty() && matters && !has_room) left_out.push_back(type);
    if (options.dtypes.empty() && !(has_room && matters)) continue;
    labels += types[type].size();
    for (const auto& [key, roof] : types[type]) roof->drawn = true;
  }
  return left_out;
}

std::string RoofName::text() const { return device + type + " " + unit; }

std::string RoofGroup::first_line(double font_pt, double width) const {
  const std::string figure = " " + format_prefixed(top);
  const double room = width - text_extent(figure, font_pt);
  RoofName brief = name;
  if (const auto others = std::ranges::count(name.type, '/'); others > 0 && text_extent(name.text(), font_pt) > room)
    brief.type = fmt::format("{} +{}", name.type.substr(0, name.type.find('/')), others);
  return fitted(brief.text(), font_pt, room) + figure;
}

std::string RoofGroup::second_line() const {
  std::string text;
  for (const auto& [at, rate] : rates) {
    if (rate == top) continue;
    const char* name_of = at == OperatingPoint::burst       ? "burst"
                          : at == OperatingPoint::sustained ? "sust."
                          : at == OperatingPoint::library   ? "lib."
                                                            : "sheet";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of, format_prefixed(rate));
  }
  return text;
}

std::vector<RoofGroup> roof_groups(const PlotData& data) {
  std::vector<RoofGroup> groups;
  for (const PlotRoof& roof : data.roofs) {
    if (!roof.flat) continue;
    auto group = std::ranges::find(groups, roof.group, &RoofGroup::name);
    if (group == groups.end()) group = groups.insert(group, {roof.group, {}, 0, roof.colour});
    group->rates[roof.at] = roof.rate;
    group->top = std::max(group->top, roof.rate);
  }
  for (const PlotRoof& slope : data.roofs) {
    if (!is_below_a_group(data, slope)) continue;
    const auto top = [&](const RoofGroup& group) {
      return group.name.device.find(slope.letter.front()) == std::string::npos ? 0 : group.top;
    };
    std::ranges::max_element(groups, {}, top)->memories.push_back(slope_text(slope));
  }
  return groups;
}

bool is_below_a_group(const PlotData& data, const PlotRoof& slope) {
  return data.several_devices && slope.main && !slope.thin &&
         std::ranges::any_of(data.roofs, [&](const PlotRoof& roof) {
           return roof.flat && roof.letter.find(slope.letter.front()) != std::string::npos;
         });
}

std::vector<RoofGroup> merged(const std::vector<RoofGroup>& groups) {
  std::vector<RoofGroup> list;
  for (const RoofGroup& group : groups) {
    const auto same = std::ranges::find_if(list, [&](const RoofGroup& other) {
      return other.name.device == group.name.device && other.name.unit == group.name.unit && other.top == group.top &&
             other.rates.size() == 1 && group.rates.size() == 1;
    });
    if (same == list.end())
      list.push_back(group);
    else
      same->name.type += "/" + group.name.type;
  }
  return list;
}

}  // namespace gable::render
