#include "backends/gpu/telemetry.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "backends/hip/hwmon.hpp"

namespace gable::gpu {

struct Telemetry::Handle {
  Hwmon hwmon;
};

Telemetry::Telemetry(const DeviceFacts& device)
    : handle_(std::make_unique<Handle>(Handle{Hwmon("/sys", device.pci_bus)})) {}

Telemetry::~Telemetry() = default;

/// What held the clock back is left out: the driver's table of it differs between releases and chips.
Conditions Telemetry::now() const {
  Conditions conditions{.clock_hz = handle_->hwmon.clock_hz(),
                        .power_w = handle_->hwmon.power_w(),
                        .temperature_c = handle_->hwmon.temperature_c()};
  if (conditions.clock_hz) conditions.clock_source = "the driver's freq1_input, read while the device worked";
  return conditions;
}

/// The files of the driver's hwmon count none.
std::optional<double> Telemetry::energy_j() const { return {}; }

std::vector<Fact> Telemetry::facts() const {
  const auto& hwmon = handle_->hwmon;
  if (!hwmon.missing().empty()) return {{"sensors", "unknown", hwmon.missing()}};
  std::vector<Fact> facts;
  const auto add = [&](const char* name, bool known, std::string value, const char* file) {
    facts.push_back({name, known ? std::move(value) : "unknown", fmt::format("{} of the driver's hwmon", file)});
  };
  const auto cap = hwmon.power_cap_w();
  add("power cap", cap.has_value(), fmt::format("{:.0f} W", cap.value_or(0)), "power1_cap");
  const bool instantaneous = hwmon.power_is_of_the_moment();
  add("power of rows", hwmon.power_w().has_value(), instantaneous ? "of the moment" : "an average of the driver's",
      instantaneous ? "power1_input" : "power1_average");
  facts.push_back({"clock limits", "unknown", "not asked of the driver"});
  return facts;
}

}  // namespace gable::gpu
