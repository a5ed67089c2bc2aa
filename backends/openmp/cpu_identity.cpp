#include "backends/openmp/cpu_identity.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <sstream>

#include "backends/openmp/clock.hpp"
#include "backends/openmp/cpuid_caches.hpp"
#include "backends/openmp/system_file.hpp"
#include "core/sequence.hpp"
#include "core/text/csv_table.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gable::openmp {
namespace {

constexpr std::array<std::string_view, 33> known_sets{
    "sse2",          "sse4_2",   "avx",      "f16c",        "fma",         "avx2",        "avx512f",
    "avx512dq",      "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16", "avx_vnni",
    "avx_vnni_int8", "avx10",    "amx_tile", "amx_bf16",    "amx_int8",    "amx_fp16",    "asimd",
    "fphp",          "asimdhp",  "asimddp",  "bf16",        "i8mm",        "sve",         "sve2",
    "svebf16",       "svei8mm",  "sme",      "sme2",        "sme_f16f16"};

using Lines = std::map<std::string, std::string>;

/// Decimal or 0x… number; 0 for anything else.
int number(const std::string& text) { return static_cast<int>(std::strtol(text.c_str(), nullptr, 0)); }

/// "key : value" lines of a cpu, or of the first if the file does not list it.
Lines processor(int cpu, const std::string& root) {
  Lines first, values;
  const auto take = [&] {  // at the end of a processor's lines: is it the one?
    const auto id = values.find("processor");
    if (id != values.end() && number(id->second) == cpu) return true;
    if (first.empty()) first = values;
    values.clear();
    return false;
  };
  for (const auto& line : lines_of(root + "/proc/cpuinfo")) {
    if (trimmed(line).empty() && take()) return values;
    const auto colon = line.find(':');
    if (colon != std::string::npos) values.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return take() ? values : first;
}

struct Megahertz {
  double base{}, max{};
};

/// Leaf 0x16, which Intel fills since Skylake; zeros elsewhere and in most virtual machines.
Megahertz cpuid_megahertz() {
#if defined(__x86_64__)
  unsigned eax{}, ebx{}, ecx{}, edx{};
  if (__get_cpuid(0x16u, &eax, &ebx, &ecx, &edx) != 0) {
    return {static_cast<double>(eax & 0xFFFFu), static_cast<double>(ebx & 0xFFFFu)};
  }
#endif
  return {};
}

}  // namespace

CpuIdentity cpu_identity(int number_of_cpu, const std::string& root) {
  auto values = processor(number_of_cpu, root);
  CpuIdentity cpu;
  const bool arm = values.count("CPU implementer") != 0;
  for (const char* key : {"model name", "Model Name", "cpu", "uarch"}) {  // x86, LoongArch, POWER, RISC-V
    if (cpu.name.empty()) cpu.name = values[key];
  }
  cpu.vendor = arm ? values["CPU implementer"] : values["vendor_id"];
  cpu.family = number(arm ? values["CPU architecture"] : values["cpu family"]);
  cpu.model = number(arm ? values["CPU part"] : values["model"]);
  cpu.microcode = values["microcode"];
  std::istringstream flags(arm ? values["Features"] : values["flags"]);
  for (std::string flag; flags >> flag;) cpu.flags.push_back(flag);
  return cpu;
}

std::vector<std::string> instruction_sets(const CpuIdentity& cpu) {
  const auto sets = filtered(known_sets, [&](std::string_view name) { return cpu.has(name); });
  return {sets.begin(), sets.end()};
}

ClockLimits clock_limits(int cpu, const std::string& root) {
  ClockLimits limits;
  const auto folder = fmt::format("{}/sys/devices/system/cpu/cpu{}/cpufreq/", root, cpu);
  if (const auto max = number_in(folder + "cpuinfo_max_freq")) {
    limits.max_hz = *max * 1e3;
    limits.source = "cpufreq";
    if (const auto base = number_in(folder + "base_frequency")) limits.base_hz = *base * 1e3;
    // Older kernels' acpi-cpufreq knows the listed frequencies only, and the boost is above them.
    const bool boosts = number_in(root + "/sys/devices/system/cpu/cpufreq/boost").value_or(0.0) > 0;
    if (boosts && number_in(folder + "scaling_available_frequencies") == max) {
      limits.base_hz = limits.max_hz;
      limits.max_hz.reset();
      limits.source = "cpufreq, which does not tell the boost";
    }
    return limits;
  }
  const auto megahertz = cpuid_megahertz();
  if (megahertz.max > 0.0) {
    limits.max_hz = megahertz.max * 1e6;
    if (megahertz.base > 0.0) limits.base_hz = megahertz.base * 1e6;
    limits.source = "CPUID leaf 0x16";
  } else if (const auto tsc = tsc_hz()) {
    limits.base_hz = tsc;
    limits.source = "nominal, from TSC";
  } else {
    limits.source = "unknown: no cpufreq, no CPUID leaf 0x16, no invariant TSC";
  }
  return limits;
}

void cross_check_caches(std::vector<MemoryLevel>& levels, bool virtual_machine) {
  const auto caches = cpuid_caches();
  for (auto& level : levels) {
    if (level.name.size() != 2 || level.name[0] != 'L') continue;
    const auto cache = std::find_if(caches.begin(), caches.end(),
                                    [&](const CpuidCache& entry) { return entry.level == level.name[1] - '0'; });
    if (cache != caches.end() && cache->size_bytes == level.size_bytes) {
      level.source += ", confirmed by CPUID";
    } else if (cache != caches.end() && level.unequal.empty()) {  // else CPUID tells of one of them
      level.source += fmt::format("; CPUID says {:.0f} KiB", cache->size_bytes / 1024.0);
    }
    if (virtual_machine) level.source += "; as the hypervisor presents it";
  }
}

}  // namespace gable::openmp
