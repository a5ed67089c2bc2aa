#include "core/render/plot_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/units.hpp"

namespace gable::render {
std::string RoofName::text() const { return device + type + " " + unit; }

std::string RoofGroup::first_line() const { return name.text() + " " + format_prefixed(top); }

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
  return groups;
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
