#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// Frequency of the time-stamp counter in Hz, calibrated once against steady_clock (about 20 ms). Nothing on other than
/// x86 or where the counter is not invariant.
std::optional<double> tsc_hz();

/// Power, temperature and what held the clock back, as far as the system lets this process read them: RAPL package
/// energy under /sys/class/powercap, CPU temperature under /sys/class/hwmon, and the counts of throttling that Intel's
/// CPUs have under /sys/devices/system/cpu/cpu*/thermal_throttle. `root` is for tests.
class Telemetry {
 public:
  explicit Telemetry(const std::string& root = "/sys");
  /// power_w: mean of all packages since the previous call (absent in the first); temperature_c: the hottest sensor;
  /// clock_limits: "temperature", "power limit" where a count of any cpu moved since the previous call. The clock is
  /// left out: kernels take it themselves.
  Conditions now();

 private:
  struct Package {
    std::string energy_file;
    double range_j{};  ///< the counter wraps here
    double last_j{};
  };
  std::vector<Package> packages_;
  struct Count {
    std::string file;
    const char* limit;
    double last{};
  };
  std::vector<std::string> temperatures_;
  std::vector<Count> throttled_;
  double last_s_{-1.0};
};

}  // namespace gable::openmp
