#include "backends/hip/hwmon.hpp"

#include <algorithm>
#include <vector>

#include "backends/hip/system_facts.hpp"
#include "core/text/posix_file.hpp"

namespace gable::gpu {
namespace {

namespace fs = std::filesystem;

constexpr double micro = 1e-6;
constexpr double milli = 1e-3;

}  // namespace

Hwmon::Hwmon(const fs::path& root, const std::string& pci_bus) {
  const auto device = pci_folder(root, pci_bus);
  const auto sensors = device.empty() ? std::vector<fs::path>() : listing_of(device / "hwmon");
  if (sensors.empty()) {
    missing_ = "the driver has no hwmon folder for the device at " + (pci_bus.empty() ? "(no address)" : pci_bus);
  } else {
    folder_ = sensors.front();
  }
}

std::optional<double> Hwmon::number(const char* file, double scale) const {
  if (folder_.empty()) return {};
  const auto value = number_in(folder_ / file);
  if (!value || *value <= 0) return {};
  return scale * *value;
}

std::optional<double> Hwmon::power_w() const {
  const auto now = number("power1_input", micro);
  return now ? now : number("power1_average", micro);
}

bool Hwmon::power_is_of_the_moment() const { return number("power1_input", micro).has_value(); }

std::optional<double> Hwmon::power_cap_w() const { return number("power1_cap", micro); }

std::optional<double> Hwmon::temperature_c() const {
  std::optional<double> highest;
  if (folder_.empty()) return highest;
  for (const auto& file : listing_of(folder_)) {
    const auto name = file.filename().string();
    constexpr std::string_view ending = "_input";
    if (!name.starts_with("temp") || !name.ends_with(ending)) continue;
    const auto value = number_in(file);
    if (!value) continue;
    const auto label = name.substr(0, name.size() - ending.size()) + "_label";
    if (word_in(folder_ / label) == "junction") return milli * *value;
    highest = std::max(highest.value_or(milli * *value), milli * *value);
  }
  return highest;
}

std::optional<double> Hwmon::clock_hz() const { return number("freq1_input", 1.0); }

}  // namespace gable::gpu
