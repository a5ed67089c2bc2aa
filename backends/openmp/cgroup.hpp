#pragma once
#include <optional>
#include <string>

namespace gable::openmp {

/// Limits of the control groups this process is in (versions 1 and 2), the tightest on the way to the top. `root`
/// replaces
/// "/" in tests.

/// CPUs worth of time per second that may be used, e.g. 1.5; nothing without a limit.
std::optional<double> cpu_quota(const std::string& root = "/");
/// Memory limit in byte; nothing without a limit.
std::optional<double> memory_limit_bytes(const std::string& root = "/");
/// What is left of the memory limit in byte; nothing without a limit.
std::optional<double> memory_left_bytes(const std::string& root = "/");

}  // namespace gable::openmp
