#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/render/palette.hpp"
#include "core/render/plot_data.hpp"

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
  std::vector<DType> order;
  for (const auto& [type, roofs] : types) order.push_back(type);
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

}  // namespace gable::render
