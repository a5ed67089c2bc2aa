#include "core/questions/campaign/cause.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "core/model/units.hpp"

namespace gable::campaign {
namespace {

/// From here on a clock is lower, a power is another, and a device is hotter.
constexpr double least_clock_loss = 0.01, least_power_change = 0.05, least_heat_c = 5;

}  // namespace

std::string cause_of(const Sensors& node, const Sensors& fleet, double loss) {
  std::vector<std::string> texts;
  bool told = false;
  if (!node.clock_limits.empty()) {
    texts.push_back(node.clock_limits == fleet.clock_limits
                        ? fmt::format("its clock is held back by {}, as most nodes' are", node.clock_limits)
                        : fmt::format("its clock is held back by {}", node.clock_limits));
  }
  if (node.clock_hz && fleet.clock_hz) {
    told = true;
    const double lower = 1 - *node.clock_hz / *fleet.clock_hz;
    if (lower > least_clock_loss)
      texts.push_back(fmt::format("clock {:.1f} % lower ({}, fleet {}): {} of the loss", 100 * lower,
                                  format_quantity(*node.clock_hz, "Hz"), format_quantity(*fleet.clock_hz, "Hz"),
                                  lower > loss / 2 ? "most" : "a part"));
  }
  if (node.temperature_c && fleet.temperature_c) {
    told = true;
    if (*node.temperature_c >= *fleet.temperature_c + least_heat_c)
      texts.push_back(fmt::format("{:.0f} degrees, fleet {:.0f}", *node.temperature_c, *fleet.temperature_c));
  }
  if (node.power_w && fleet.power_w) {
    told = true;
    const double change = *node.power_w / *fleet.power_w - 1;
    if (std::abs(change) >= least_power_change)
      texts.push_back(
          fmt::format("{}, fleet {}", format_quantity(*node.power_w, "W"), format_quantity(*fleet.power_w, "W")));
  }
  if (!texts.empty()) return fmt::format("{}", fmt::join(texts, "; "));
  return told ? "clock, power and temperature are the fleet's" : "no clock, power or temperature was read";
}

}  // namespace gable::campaign
