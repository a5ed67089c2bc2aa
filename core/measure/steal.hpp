#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace gable::measure {

/// Time that a hypervisor has kept these cpus from running although they had work ("steal" in /proc/stat, see proc(5)),
/// since the boot, CPU seconds: the sum over the cpus, or of the whole system where the span is empty or one of them
/// has no line. In steps of 10 ms on most systems. Nothing where the system does not tell. `root` replaces "/" in
/// tests.
std::optional<double> stolen_s(std::span<const int> cpus = {}, const std::string& root = "/");

/// What was stolen from some cpus while a piece of work ran. A reading takes some 10 µs with a few cpus.
class StealWatch {
 public:
  /// The cpus must outlive it; none: the whole system.
  explicit StealWatch(std::span<const int> cpus = {}) : cpus_(cpus), start_s_(stolen_s(cpus)) {}
  /// CPU seconds since it was made; nothing where the system does not tell.
  std::optional<double> since() const;

 private:
  std::span<const int> cpus_;
  std::optional<double> start_s_;
};

/// Share of the time of all of this machine's CPUs that a hypervisor took since it was made.
class StolenShare {
 public:
  /// 0 to 1; nothing where the system does not tell.
  std::optional<double> since() const;

 private:
  StealWatch steal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace gable::measure
