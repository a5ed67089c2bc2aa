#include "core/render/plot_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/units.hpp"
#include "core/render/point_key.hpp"

namespace gable::render {
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
