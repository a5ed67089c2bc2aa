#include "core/report/plot_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/units.hpp"

namespace gable::report {
std::string RoofGroup::first_line() const { return name + " " + format_prefixed(top); }

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

std::vector<RoofGroup> merged(const std::vector<RoofGroup>& groups, bool several_devices) {
  struct Name {
    std::string before, type, behind;
  };
  const auto split = [&](const std::string& name) {
    const std::size_t begin = several_devices ? name.find(' ') + 1 : 0, end = name.find(' ', begin);
    return Name{name.substr(0, begin), name.substr(begin, end - begin), name.substr(std::min(end, name.size()))};
  };
  std::vector<RoofGroup> list;
  for (const RoofGroup& group : groups) {
    const Name name = split(group.name);
    const auto same = std::ranges::find_if(list, [&](const RoofGroup& other) {
      const Name there = split(other.name);
      return there.before == name.before && there.behind == name.behind && other.top == group.top &&
             other.rates.size() == 1 && group.rates.size() == 1;
    });
    if (same == list.end()) {
      list.push_back(group);
      continue;
    }
    const Name there = split(same->name);
    same->name = there.before + there.type + "/" + name.type + there.behind;
  }
  return list;
}

}  // namespace gable::report
