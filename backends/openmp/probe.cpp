#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "backends/openmp/binding.hpp"
#include "backends/openmp/core_kinds.hpp"
#include "backends/openmp/cpu_identity.hpp"
#include "backends/openmp/cpuid_caches.hpp"
#include "backends/openmp/facts.hpp"
#include "backends/openmp/memory.hpp"
#include "backends/openmp/pinned_threads.hpp"
#include "backends/openmp/system_file.hpp"
#include "backends/openmp/topology.hpp"
#include "core/device/datasheet_peaks.hpp"
#include "core/error.hpp"
#include "core/text/environment.hpp"

namespace gable::openmp {
namespace {

/// If memory was added at run time (virtual machines), the nodes' figures may be older than the system's. The node that
/// got it is not known, so nothing is corrected if only some nodes may be used. What only hwloc leaves out (memory of
/// GPUs that is a node) is not the processors'.
void correct_main_memory(MemoryLevel& level, const Topology& topology) {
  const double total = total_memory_bytes();
  const double nodes = topology.machine.memory_bytes;
  if (total <= nodes || !nodes_lack_memory()) return;
  if (static_cast<int>(topology.numa.size()) < topology.machine.memory_nodes) return;
  level.size_bytes = total / level.instances;
  level.unequal.clear();
  level.source = fmt::format("/proc/meminfo; hwloc's nodes have {:.1f} of {:.1f} GiB", nodes / 0x1p30, total / 0x1p30);
}

/// Where the system shows the L3 of a whole package as that of each core.
void correct_l3(DeviceInfo& device, int model) {
  const auto package_bytes = package_l3_bytes();
  const auto l3 = std::ranges::find(device.memory, "L3", &MemoryLevel::name);
  if (!package_bytes || l3 == device.memory.end() || !l3->unequal.empty()) return;
  if (auto level = l3_of_complexes(*l3, *package_bytes, device.microarchitecture, model, device.cores))
    *l3 = *std::move(level);
}

/// Of the first core, where all are of its kind.
void set_clocks(DeviceInfo& device, const Topology& topology) {
  if (const std::string kinds = kinds_in_words(topology); !kinds.empty()) {
    device.clock_source = kinds + ", each with clocks of its own";
    return;
  }
  const auto clocks = clock_limits(topology.cores.front().cpus.front());
  device.base_clock_hz = clocks.base_hz;
  device.max_clock_hz = clocks.max_hz;
  device.clock_source = clocks.source;
}

std::string identify(const CpuIdentity& cpu) {
  if (cpu.is_arm())
    return arm_microarchitecture(static_cast<int>(std::strtol(cpu.vendor.c_str(), nullptr, 16)), cpu.model);
  return microarchitecture(cpu.vendor, cpu.family, cpu.model, cpu.flags, cpu.name);
}

std::string binding_settings() {
  return set_variables({"OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"});
}

/// How threads wait, which code libraries run and what memory allocators do: all of it changes times.
std::string remark_on_settings() {
  return remark_on_timing({"OMP_WAIT_POLICY", "OMP_THREAD_LIMIT", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY",
                           "OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE", "MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR", "MKL_DYNAMIC",
                           "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "LD_PRELOAD",
                           "KOKKOS_TOOLS_LIBS"});
}

/// What the environment does to this process before it begins: OpenMP's runtime binds the first thread, while the
/// program that started it has all cpus. Empty if it changes nothing.
std::string effect_of_environment() {
  std::vector<std::string> effects;
  const auto allowed = cpus_of(::getppid());
  const auto& left = usable_cpus();
  const std::string binding = binding_settings();
  if (left.size() < allowed.size() && !binding.empty())
    effects.push_back(fmt::format("{} leave {} of {} cpus", binding, left.size(), allowed.size()));
  if (const char* threads = std::getenv("OMP_NUM_THREADS"))
    effects.push_back(fmt::format("OMP_NUM_THREADS={} is not used, --threads is", threads));
  if (std::string timing = remark_on_settings(); !timing.empty()) effects.push_back(std::move(timing));
  return fmt::format("{}", fmt::join(effects, "; "));
}

/// Throws Error where the system has none of the cpus that this process may use, naming the setting that says so.
Topology topology_of_usable_cpus() {
  try {
    return read_topology();
  } catch (const Error& error) {
    const std::string binding = binding_settings();
    throw Error(binding.empty() ? std::string(error.what()) : fmt::format("{}: {}", binding, error.what()));
  }
}

}  // namespace

Probe probe() {
  const auto topology = topology_of_usable_cpus();
  const int first = topology.cores.front().cpus.front();
  const auto cpu = cpu_identity(first);
  DeviceInfo device;
  device.id = device.backend = "openmp";
  device.microarchitecture = identify(cpu);
  device.name = !cpu.name.empty()                   ? cpu.name
                : !device.microarchitecture.empty() ? device.microarchitecture
                : cpu.is_arm()                      ? fmt::format("CPU {} {:#x}", cpu.vendor, cpu.model)
                                                    : "CPU";
  device.vendor = cpu.vendor;
  device.isa = instruction_sets(cpu);
  device.sockets = topology.sockets;
  device.cores = static_cast<int>(topology.cores.size());
  for (const auto& core : topology.cores) {
    device.threads += static_cast<int>(core.cpus.size());
    device.cpus.push_back(core.cpus.front());
  }
  set_clocks(device, topology);
  device.memory = topology.memory;
  cross_check_caches(device.memory, cpu.has("hypervisor"));
  correct_l3(device, cpu.model);
  correct_main_memory(device.memory.back(), topology);
  device.numa = topology.numa;
  device.free_memory_bytes = available_memory_bytes(device.numa);
  device.facts = host_facts(first);
  device.facts.push_back({"memory policy", memory_policy(), "get_mempolicy"});
  for (auto& fact : binding_facts(topology, cpu_quota())) device.facts.push_back(std::move(fact));
  add_peaks(device, cpu, topology);
  return {{device}, effect_of_environment()};
}

}  // namespace gable::openmp
