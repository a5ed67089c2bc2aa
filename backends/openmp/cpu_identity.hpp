#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_info.hpp"

namespace gable::openmp {

/// Who the CPU says it is.
struct CpuIdentity {
  std::string name;    ///< marketing name, or the core's (POWER, RISC-V); may be empty on Arm
  std::string vendor;  ///< as the hardware spells it: GenuineIntel, AuthenticAMD, 0x41 …
  int family{};
  int model{};  ///< Arm: MIDR part number
  std::string microcode;
  std::vector<std::string> flags;

  bool is_arm() const { return vendor.starts_with("0x"); }
  bool has(std::string_view flag) const { return std::ranges::find(flags, flag) != flags.end(); }
};

/// Of one cpu, because the cores of a machine need not be of one kind, out of /proc/cpuinfo; of the first processor
/// there if that has no such one. `root` replaces "/" in tests.
CpuIdentity cpu_identity(int cpu, const std::string& root = "/");

/// The flags that kernels ask for, in the order of their age.
std::vector<std::string> instruction_sets(const CpuIdentity& cpu);

/// Clock limits of a cpu with their source: cpufreq, else CPUID leaf 0x16, else the time-stamp counter as nominal
/// clock.
struct ClockLimits {
  std::optional<double> base_hz, max_hz;
  std::string source;
};
ClockLimits clock_limits(int cpu, const std::string& root = "/");

/// Adds to every cache's source whether CPUID's cache leaf gives the same size (x86 only): virtual machines may show
/// another cache than there is.
void cross_check_caches(std::vector<MemoryLevel>& levels, bool virtual_machine);

}  // namespace gable::openmp
