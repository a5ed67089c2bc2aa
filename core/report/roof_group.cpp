#include "core/report/roof_group.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/units.hpp"

namespace gable::report {
namespace {

/// Three significant digits and the prefix: "1.2 T".
std::string prefixed(double rate) {
  const std::string text = format_quantity(rate, "flop/s");
  return text.substr(0, text.find("FLOP/s"));
}

}  // namespace

std::string RoofGroup::first_line() const { return name + " " + prefixed(top); }

std::string RoofGroup::second_line() const {
  std::string text;
  for (const auto& [at, rate] : rates) {
    if (rate == top) continue;
    const char* name_of = at == OperatingPoint::burst       ? "burst"
                          : at == OperatingPoint::sustained ? "sust."
                          : at == OperatingPoint::library   ? "lib."
                                                            : "sheet";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of, prefixed(rate));
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

}  // namespace gable::report
