#include "backends/openmp/facts.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "backends/openmp/core_kinds.hpp"
#include "backends/openmp/system_file.hpp"
#include "core/device/catalogue.hpp"
#include "core/device/datasheet_peaks.hpp"
#include "core/sequence.hpp"

namespace gable::openmp {
namespace {

void add_fact(DeviceInfo& device, std::string name, std::string value, std::string source) {
  device.facts.push_back({std::move(name), std::move(value), std::move(source)});
}

void add_compute_peaks(DeviceInfo& device, const CpuIdentity& cpu, const catalogue::Cpu& entry,
                       const Topology& topology) {
  if (has_kinds_of_cores(device)) {
    return add_fact(device, "theoretical compute peaks", "unknown",
                    kinds_in_words(topology) + ": rate and clock of one kind are not those of all");
  }
  if (entry.rates.empty()) {
    return add_fact(device, "theoretical compute peaks", "unknown", "the catalogue has no rates for " + entry.name);
  }
  const auto clock = peak_clock(device, numbered_processor(entry, device));
  if (!clock) return add_fact(device, "theoretical compute peaks", "unknown", "no clock: " + device.clock_source);
  for (const auto& rate : entry.rates) {
    const auto flag = needed_flag(rate.isa);
    if (!flag.empty() && !cpu.has(flag)) {
      add_fact(device, fmt::format("theoretical peak {} {}", to_string(rate.unit), to_string(rate.dtype)), "unknown",
               fmt::format("the catalogue's rate needs {}, which this system does not show", rate.isa));
      continue;
    }
    TheoreticalPeak peak;
    peak.name = std::string(to_string(rate.unit));
    peak.dtype = rate.dtype;
    peak.value = device.cores * rate.per_cycle * clock->hz;
    peak.unit = rate_unit(rate.unit, rate.dtype);
    peak.per_core_and_cycle = rate.per_cycle;
    peak.source = fmt::format("{} cores x {:g}/cycle ({}, {}) x {:.3f} GHz ({}); rate: {}", device.cores,
                              rate.per_cycle, rate.isa, rate.basis, clock->hz * 1e-9, clock->words,
                              rate.source.empty() ? "catalogue" : rate.source);
    peak.confidence = rate.confidence;
    device.peaks.push_back(peak);
  }
}

/// "memory channels of 0.25 sockets (NUMA node 2)": the memory that a bandwidth belongs to.
std::string channels(const Topology& topology, double sockets) {
  auto text = fmt::format("memory channels of {:g} socket{}", sockets, sockets == 1.0 ? "" : "s");
  if (topology.machine.memory_nodes > 1)
    text += fmt::format(" (NUMA node {})", cpu_list(mapped(topology.numa, &NumaNode::id)));
  return text;
}

/// Main-memory bandwidth only where the model name is one the catalogue knows: channels and speed belong to the
/// machine, not to the microarchitecture. It is that of the memory these cores use, even if other cores share it.
void add_memory_peak(DeviceInfo& device, const CpuIdentity& cpu, const catalogue::Cpu& entry,
                     const Topology& topology) {
  const auto unknown = [&](const std::string& why) { add_fact(device, "theoretical DRAM bandwidth", "unknown", why); };
  MemoryLevel level;
  level.name = "DRAM";
  if (!device.memory.empty()) level = device.memory.back();
  if (!(memory_sockets(topology) > 0.0)) return unknown("the memory that may be used is not that of a socket's cores");
  if (cpu.has("hypervisor") && topology.machine.sockets > topology.machine.memory_nodes)
    return unknown(fmt::format("the hypervisor shows {} {}", topology.machine.sockets, fewer_nodes));
  const auto* processor = numbered_processor(entry, device);
  if (processor == nullptr)
    return unknown(fmt::format("channels and memory speed cannot be read, and {} '{}'", no_entry, device.name));
  if (!is_its_memory(level, *processor))
    return unknown(fmt::format("the memory that may be used is {}, not the {} of the {}", level.name,
                               processor->memory_type, processor->name));
  const double sockets = memory_sockets(topology, processor->memory_dies);
  TheoreticalPeak peak;
  peak.name = level.name;
  peak.value = sockets * processor->memory_byte_per_s;
  peak.unit = "byte/s";
  peak.source = fmt::format("{} x {:.1f} GB/s ({}, all channels filled; {})", channels(topology, sockets),
                            processor->memory_byte_per_s * 1e-9, processor->memory_type, processor->source);
  peak.confidence = processor->confidence;
  device.peaks.push_back(peak);
}

}  // namespace

void add_peaks(DeviceInfo& device, const CpuIdentity& cpu, const Topology& topology) {
  const auto* entry = catalogue::find_cpu(device.microarchitecture);
  if (entry == nullptr) {
    const auto who = fmt::format("{} family {} model {}", cpu.vendor, cpu.family, cpu.model);
    const auto reason = device.microarchitecture.empty() ? "microarchitecture not known: " + who
                                                         : "the catalogue has no rates for " + device.microarchitecture;
    return add_fact(device, "theoretical peaks", "unknown", reason);
  }
  add_compute_peaks(device, cpu, *entry, topology);
  add_memory_peak(device, cpu, *entry, topology);
}

}  // namespace gable::openmp
