#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/openmp/affinity.hpp"
#include "backends/openmp/cgroup.hpp"
#include "backends/openmp/cpu_identity.hpp"
#include "backends/openmp/facts.hpp"
#include "backends/openmp/memory.hpp"
#include "backends/openmp/team.hpp"
#include "backends/openmp/topology.hpp"
#include "core/device/catalogue.hpp"
#include "core/device/entry_name.hpp"
#include "core/device/microarchitecture.hpp"

namespace gable::openmp {
namespace {

bool has_flag(const CpuIdentity& cpu, std::string_view flag) {
  return std::find(cpu.flags.begin(), cpu.flags.end(), flag) != cpu.flags.end();
}

/// The flag that a rate of the catalogue needs, from its instruction set: "AVX2+FMA" avx2, "AVX-512 (double-pumped)"
/// avx512f, "AVX512_VNNI" avx512_vnni, "AMX-BF16" amx_bf16; empty where the microarchitecture always has it.
std::string needed_flag(const std::string& isa) {
  std::string flag = catalogue::lower(isa.substr(0, isa.find_first_of(" +")));
  std::replace(flag.begin(), flag.end(), '-', '_');
  if (flag == "avx_512") return "avx512f";
  return flag.compare(0, 3, "avx") == 0 || flag.compare(0, 3, "amx") == 0 ? flag : "";
}

const catalogue::Cpu* find_cpu(const std::string& microarchitecture) {
  const auto& all = catalogue::cpus();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& cpu) { return cpu.name == microarchitecture; });
  return found == all.end() ? nullptr : &*found;
}

void add_fact(DeviceInfo& device, std::string name, std::string value, std::string source) {
  device.facts.push_back({std::move(name), std::move(value), std::move(source)});
}

void add_compute_peaks(DeviceInfo& device, const CpuIdentity& cpu, const catalogue::Cpu& entry) {
  const auto clock = device.max_clock_hz ? device.max_clock_hz : device.base_clock_hz;
  if (!clock) return add_fact(device, "theoretical compute peaks", "unknown", "no clock: " + device.clock_source);
  const char* which = device.max_clock_hz ? "maximum" : "nominal";
  for (const auto& rate : entry.rates) {
    const auto flag = needed_flag(rate.isa);
    if (!flag.empty() && !has_flag(cpu, flag)) {
      add_fact(device, fmt::format("theoretical peak {} {}", to_string(rate.unit), to_string(rate.dtype)), "unknown",
               fmt::format("the catalogue's rate needs {}, which this system does not show", rate.isa));
      continue;
    }
    TheoreticalPeak peak;
    peak.name = std::string(to_string(rate.unit));
    peak.dtype = rate.dtype;
    peak.value = device.cores * rate.per_cycle * *clock;
    peak.unit = is_integer(rate.dtype) ? "op/s" : "flop/s";
    peak.per_core_and_cycle = rate.per_cycle;
    peak.source = fmt::format("{} cores x {:g}/cycle ({}, {}) x {:.3f} GHz ({} clock, {}); rate: {}", device.cores,
                              rate.per_cycle, rate.isa, rate.basis, *clock * 1e-9, which, device.clock_source,
                              rate.source.empty() ? "catalogue" : rate.source);
    peak.confidence = rate.confidence;
    device.peaks.push_back(peak);
  }
}

/// Main-memory bandwidth only where the model name is one the catalogue knows: channels and speed belong to the
/// machine, not to the microarchitecture.
void add_memory_peak(DeviceInfo& device, const catalogue::Cpu& entry) {
  for (const auto& processor : entry.processors) {
    // "Xeon Platinum 8490H" is matched by its last word, "EPYC 7763" too: the number is what is unique.
    const auto number = processor.name.substr(processor.name.rfind(' ') + 1);
    if (processor.memory_byte_per_s <= 0.0 ||
        catalogue::lower(device.name).find(catalogue::lower(number)) == std::string::npos)
      continue;
    TheoreticalPeak peak;
    peak.name = "DRAM";
    peak.value = device.sockets * processor.memory_byte_per_s;
    peak.unit = "byte/s";
    peak.source = fmt::format("{} sockets x {:.1f} GB/s ({}, all channels filled; {})", device.sockets,
                              processor.memory_byte_per_s * 1e-9, processor.memory_type, processor.source);
    peak.confidence = processor.confidence;
    device.peaks.push_back(peak);
    return;
  }
  add_fact(device, "theoretical DRAM bandwidth", "unknown",
           fmt::format("channels and memory speed cannot be read, and the catalogue has no '{}'", device.name));
}

void add_peaks(DeviceInfo& device, const CpuIdentity& cpu) {
  const auto* entry = device.microarchitecture.empty() ? nullptr : find_cpu(device.microarchitecture);
  if (!entry) {
    const auto who = fmt::format("{} family {} model {}", cpu.vendor, cpu.family, cpu.model);
    const auto reason = device.microarchitecture.empty() ? "microarchitecture not known: " + who
                                                         : "the catalogue has no rates for " + device.microarchitecture;
    return add_fact(device, "theoretical peaks", "unknown", reason);
  }
  add_compute_peaks(device, cpu, *entry);
  add_memory_peak(device, *entry);
}

void add_placement_facts(DeviceInfo& device, const Topology& topology) {
  add_fact(device, "usable cpus", fmt::format("{} hardware threads on {} cores", device.threads, device.cores),
           "affinity mask and cgroup quota");
  if (const auto quota = cpu_quota()) {
    add_fact(device, "cores under the cpu quota", std::to_string(device.cores),
             fmt::format("cgroup allows {:.2f} cpus; no more whole cores are used", *quota));
  }
  if (topology.nested_numa) {
    add_fact(device, "memory kinds", "more than one memory node per core",
             "hwloc; memory goes to the node of the first touch, by the system's policy");
  }
}

/// The nodes' figures may be older than the system's where memory was added at run time (virtual machines).
void correct_main_memory(MemoryLevel& level) {
  const double total = total_memory_bytes();
  const double nodes = level.size_bytes * level.instances;
  if (total <= nodes) return;
  level.size_bytes = total / level.instances;
  level.source = fmt::format("/proc/meminfo; hwloc's nodes have {:.1f} of {:.1f} GiB", nodes / 0x1p30, total / 0x1p30);
}

std::string identify(const CpuIdentity& cpu) {
  const bool arm = cpu.vendor.compare(0, 2, "0x") == 0;
  if (arm) return arm_microarchitecture(static_cast<int>(std::strtol(cpu.vendor.c_str(), nullptr, 16)), cpu.model);
  return microarchitecture(cpu.vendor, cpu.family, cpu.model, cpu.flags);
}

/// What settings of OpenMP do to this process before it begins: its runtime binds the first thread, while the program
/// that started it has all cpus. Empty if they change nothing.
std::string effect_of_openmp_settings() {
  std::vector<std::string> effects;
  const auto allowed = cpus_of(::getppid());
  const auto& left = usable_cpus();
  if (left.size() < allowed.size()) {
    std::vector<std::string> settings;
    for (const char* name : {"OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
      if (const char* value = std::getenv(name)) settings.push_back(fmt::format("{}={}", name, value));
    }
    if (!settings.empty())
      effects.push_back(
          fmt::format("{} leave {} of {} cpus", fmt::join(settings, " and "), left.size(), allowed.size()));
  }
  if (const char* threads = std::getenv("OMP_NUM_THREADS"))
    effects.push_back(fmt::format("OMP_NUM_THREADS={} is not used, --threads is", threads));
  return fmt::format("{}", fmt::join(effects, "; "));
}

}  // namespace

Probe probe() {
  const auto cpu = cpu_identity();
  const auto topology = read_topology();
  DeviceInfo device;
  device.id = device.backend = "openmp";
  device.microarchitecture = identify(cpu);
  device.name = !cpu.name.empty() ? cpu.name : !device.microarchitecture.empty() ? device.microarchitecture : "CPU";
  device.vendor = cpu.vendor;
  device.isa = instruction_sets(cpu);
  device.sockets = topology.sockets;
  device.cores = static_cast<int>(topology.cores.size());
  for (const auto& core : topology.cores) {
    device.threads += static_cast<int>(core.cpus.size());
    device.cpus.push_back(core.cpus.front());
  }
  const auto clocks = clock_limits();
  device.base_clock_hz = clocks.base_hz;
  device.max_clock_hz = clocks.max_hz;
  device.clock_source = clocks.source;
  device.memory = topology.memory;
  cross_check_caches(device.memory, has_flag(cpu, "hypervisor"));
  correct_main_memory(device.memory.back());
  device.numa = topology.numa;
  device.free_memory_bytes = available_memory_bytes();
  device.facts = host_facts();
  add_placement_facts(device, topology);
  add_peaks(device, cpu);
  return {{device}, effect_of_openmp_settings()};
}

}  // namespace gable::openmp
