#include "backends/openmp/clock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <set>
#include <thread>
#include <utility>

#include "backends/openmp/system_file.hpp"
#include "core/text/posix_file.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace gable::openmp {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

#if defined(__x86_64__)
bool tsc_is_invariant() {
  unsigned eax{}, ebx{}, ecx{}, edx{};
  return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
}

/// A clock pair read as close together as an undisturbed try allows.
struct Stamp {
  std::uint64_t ticks{};
  double seconds{};
};

Stamp stamp() {
  Stamp best;
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = __rdtsc();
    const double seconds = seconds_now();
    const std::uint64_t after = __rdtsc();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, seconds};
  }
  return best;
}

std::optional<double> calibrate() {
  if (!tsc_is_invariant()) return {};
  const Stamp start = stamp();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Stamp stop = stamp();
  return static_cast<double>(stop.ticks - start.ticks) / (stop.seconds - start.seconds);
}
#else
std::optional<double> calibrate() { return {}; }
#endif

constexpr std::array<std::pair<const char*, const char*>, 4> throttle_counts{
    {{"core_throttle_count", "temperature"},
     {"package_throttle_count", "temperature"},
     {"core_power_limit_count", "power limit"},
     {"package_power_limit_count", "power limit"}}};

}  // namespace

std::optional<double> tsc_hz() {
  static const std::optional<double> frequency = calibrate();
  return frequency;
}

Telemetry::Telemetry(const std::string& root) {
  for (const auto& path : listing_of(root + "/class/powercap")) {
    // "intel-rapl:0" named package-0 on Intel and AMD; the DRAM and core domains below it are parts or extras.
    const auto name = first_line((path / "name").string()).value_or("");
    const auto energy = (path / "energy_uj").string();
    if (!name.starts_with("package") || !number_in(energy)) continue;
    packages_.push_back({energy, number_in((path / "max_energy_range_uj").string()).value_or(0.0) * 1e-6, 0.0});
  }
  for (const auto& path : listing_of(root + "/class/hwmon")) {
    const auto name = first_line((path / "name").string()).value_or("");
    if (name != "coretemp" && name != "k10temp" && name != "zenpower" && name != "cpu_thermal") continue;
    for (const auto& file : listing_of(path)) {
      const auto sensor = file.filename().string();
      const bool input = sensor.starts_with("temp") && sensor.find("_input") != std::string::npos;
      if (input && number_in(file.string())) temperatures_.push_back(file.string());
    }
  }
  for (const auto& cpu : listing_of(root + "/devices/system/cpu")) {
    for (const auto& [name, limit] : throttle_counts) {
      const auto file = (cpu / "thermal_throttle" / name).string();
      if (const auto count = number_in(file)) throttled_.push_back({file, limit, *count});
    }
  }
}

Conditions Telemetry::now() {
  Conditions conditions;
  const double seconds = seconds_now();
  double used_j = 0.0;
  bool complete = !packages_.empty();
  for (auto& package : packages_) {
    const auto microjoules = number_in(package.energy_file);
    if (!microjoules) {
      complete = false;
      continue;
    }
    const double energy = *microjoules * 1e-6;
    used_j += energy >= package.last_j ? energy - package.last_j : energy + package.range_j - package.last_j;
    package.last_j = energy;
  }
  if (complete && last_s_ >= 0.0 && seconds > last_s_) conditions.power_w = used_j / (seconds - last_s_);
  last_s_ = seconds;
  for (const auto& file : temperatures_) {
    const auto millidegrees = number_in(file);
    if (!millidegrees) continue;
    conditions.temperature_c = std::max(conditions.temperature_c.value_or(-300.0), *millidegrees * 1e-3);
  }
  std::set<std::string> limits;
  for (Count& count : throttled_) {
    const double now = number_in(count.file).value_or(count.last);
    if (now > count.last) limits.insert(count.limit);
    count.last = now;
  }
  if (!throttled_.empty()) conditions.clock_limits = fmt::format("{}", fmt::join(limits, ", "));
  return conditions;
}

}  // namespace gable::openmp
