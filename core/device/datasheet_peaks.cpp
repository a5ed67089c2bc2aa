#include "core/device/datasheet_peaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/device/catalogue.hpp"
#include "core/device/datasheet.hpp"
#include "core/device/find_product.hpp"

namespace gable {
namespace {

std::string amd(int family, int model) {
  if (family == 0x17) {
    const bool zen1 = model < 0x30 && model != 0x08 && model != 0x18;
    if (model == 0x08 || model == 0x18) return "Zen+";
    return zen1 ? "Zen" : "Zen 2";
  }
  if (family == 0x19) {
    const bool zen4 = (model >= 0x10 && model <= 0x1f) || model >= 0x60;
    return zen4 ? "Zen 4" : "Zen 3";
  }
  if (family != 0x1a || model >= 0x80 || (model >= 0x50 && model <= 0x5f)) return "";
  const bool narrow = (model >= 0x20 && model <= 0x2f) || (model >= 0x60 && model <= 0x6f);
  return narrow ? "Zen 5 (256 bits)" : "Zen 5";
}

/// Empty for a number that is not among them.
std::string name_of(int number, std::span<const std::pair<int, const char*>> names) {
  const auto found = std::ranges::find(names, number, &std::pair<int, const char*>::first);
  return found == names.end() ? "" : found->second;
}

std::string intel(int model, std::span<const std::string> flags, std::string_view name) {
  const auto has = [&](std::string_view flag) { return std::ranges::find(flags, flag) != flags.end(); };
  if (model == 0x55) {
    const auto named = [&](std::string_view word) { return name.find(word) != name.npos; };
    const bool one_unit = named("Bronze") || named("Silver") ||  // the second one is off
                          (named("Gold 5") && !named("Gold 5122") && !named("Gold 5222"));
    if (has("avx512_bf16")) return "Cooper Lake";
    if (named("Xeon(R) D-")) return "Skylake-D";
    const std::string made = has("avx512_vnni") ? "Cascade Lake-SP" : "Skylake-SP";
    return one_unit ? made + " (one AVX-512 FMA unit)" : made;
  }
  constexpr std::pair<int, const char*> names[] = {
      {0x6a, "Ice Lake-SP"},    {0x6c, "Ice Lake-D"},     {0x8f, "Sapphire Rapids"}, {0xcf, "Emerald Rapids"},
      {0xad, "Granite Rapids"}, {0xae, "Granite Rapids"}, {0x3f, "Haswell-EP"},      {0x4f, "Broadwell-EP"},
      {0x56, "Broadwell-EP"},   {0x4e, "Skylake"},        {0x5e, "Skylake"},         {0x7d, "Ice Lake"},
      {0x7e, "Ice Lake"},       {0x8c, "Tiger Lake"},     {0x8d, "Tiger Lake"},      {0x97, "Alder Lake"},
      {0x9a, "Alder Lake"},     {0xb7, "Raptor Lake"},    {0xba, "Raptor Lake"},     {0xbf, "Raptor Lake"}};
  return name_of(model, names);
}

}  // namespace

std::string microarchitecture(std::string_view vendor, int family, int model, std::span<const std::string> flags,
                              std::string_view name) {
  if (vendor == "AuthenticAMD") return amd(family, model);
  if (vendor == "GenuineIntel" && family == 6) return intel(model, flags, name);
  return "";
}

std::string arm_microarchitecture(int implementer, int part) {
  if (implementer == 0x46 && part == 0x001) return "A64FX";
  if (implementer != 0x41) return "";
  constexpr std::pair<int, const char*> names[] = {
      {0xd0c, "Neoverse N1"}, {0xd40, "Neoverse V1"}, {0xd49, "Neoverse N2"}, {0xd4f, "Neoverse V2"}};
  return name_of(part, names);
}

namespace {

using catalogue::Cpu;
using catalogue::CpuRate;
using catalogue::Processor;

/// In lower case between blanks, without the marks of "Intel(R) Xeon(R)".
std::string words_of(std::string_view name) {
  std::string words = fmt::format(" {} ", lower(name));
  for (const std::string_view mark : {"(r)", "(tm)"}) {
    for (auto at = words.find(mark); at != std::string::npos; at = words.find(mark)) words.erase(at, mark.size());
  }
  return words;
}

/// The entry's processor that this device is: its name is in the device's, as whole words. Null if none is.
const Processor* processor_of(const Cpu& cpu, const DeviceInfo& device) {
  const std::string words = words_of(device.name);
  const auto found = std::ranges::find_if(cpu.processors, [&](const Processor& processor) {
    return words.find(words_of(processor.name)) != std::string::npos;
  });
  return found == cpu.processors.end() ? nullptr : &*found;
}

bool has_peak(const DeviceInfo& device, std::string_view name, std::optional<DType> dtype) {
  return std::ranges::any_of(device.peaks,
                             [&](const TheoreticalPeak& peak) { return peak.name == name && peak.dtype == dtype; });
}

void drop_unknown(DeviceInfo& device, std::string_view fact) {
  std::erase_if(device.facts, [&](const Fact& one) { return one.name == fact && one.value == "unknown"; });
}

/// The worker's reason why it gave no bandwidth of main memory; empty where it gave one, or no reason.
std::string_view why_no_bandwidth(const DeviceInfo& device) {
  const auto told = std::ranges::find(device.facts, std::string_view("theoretical DRAM bandwidth"), &Fact::name);
  return told == device.facts.end() ? std::string_view() : told->source;
}

std::string origin_of(const Cpu& cpu) {
  return cpu.by_user ? fmt::format(", '{}' of a devices file", cpu.name) : std::string{};
}

/// Those of the entry's rates that the device has no peak of and that `usable` lets through.
template <class Usable>
void add_rates(DeviceInfo& device, const Cpu& cpu, const Processor* processor, Usable&& usable) {
  const auto clock = peak_clock(device, processor);
  if (!clock || device.cores < 1 || has_kinds_of_cores(device)) return;
  for (const CpuRate& rate : cpu.rates) {
    const std::string unit(to_string(rate.unit));
    if (has_peak(device, unit, rate.dtype) || !usable(rate)) continue;
    TheoreticalPeak peak;
    peak.name = unit;
    peak.dtype = rate.dtype;
    peak.value = device.cores * rate.per_cycle * clock->hz;
    peak.unit = rate_unit(rate.unit, rate.dtype);
    peak.per_core_and_cycle = rate.per_cycle;
    peak.source = fmt::format("{} cores x {:g}/cycle ({}) x {:.3f} GHz ({}); rate: {}{}", device.cores, rate.per_cycle,
                              rate.isa, clock->hz * 1e-9, clock->words, rate.source, origin_of(cpu));
    peak.confidence = rate.confidence;
    device.peaks.push_back(std::move(peak));
    drop_unknown(device, "theoretical peaks");
    drop_unknown(device, "theoretical compute peaks");
    drop_unknown(device, fmt::format("theoretical peak {} {}", unit, to_string(rate.dtype)));
  }
}

/// The used memory nodes are whole sockets: all nodes there are, or all cores of the processor are used, and no socket
/// or die is without memory.
bool has_whole_sockets(const DeviceInfo& device, const Processor& processor) {
  const auto has = [&](std::string_view name, std::string_view ending) {
    return std::ranges::any_of(device.facts,
                               [&](const Fact& fact) { return fact.name == name && fact.value.ends_with(ending); });
  };
  if (has("memory of other nodes", "yes")) return false;
  const bool part = has("memory nodes", " nodes");
  return !part || (processor.cores && *processor.cores * device.sockets == device.cores);
}

void add_memory(DeviceInfo& device, const Cpu& cpu, const Processor& processor) {
  if (device.memory.empty() || has_peak(device, device.memory.back().name, {})) return;
  if (!is_its_memory(device.memory.back(), processor)) return;
  if (why_no_bandwidth(device).find(fewer_nodes) != std::string_view::npos) return;
  drop_unknown(device, "theoretical DRAM bandwidth");
  if (!has_whole_sockets(device, processor)) {
    device.facts.push_back({"theoretical DRAM bandwidth", "unknown",
                            fmt::format("only some memory nodes are used: how many channels of the {} they have is "
                                        "not known",
                                        processor.name)});
    return;
  }
  TheoreticalPeak peak;
  peak.name = device.memory.back().name;
  peak.value = device.sockets * processor.memory_byte_per_s;
  peak.unit = "byte/s";
  peak.source = fmt::format("memory channels of {} socket{} x {:.1f} GB/s ({}, all channels filled; {}{})",
                            device.sockets, device.sockets == 1 ? "" : "s", processor.memory_byte_per_s * 1e-9,
                            processor.memory_type, processor.source, origin_of(cpu));
  peak.confidence = processor.confidence;
  device.peaks.push_back(std::move(peak));
  drop_unknown(device, "theoretical peaks");
}

/// Whether the worker knew which memory the cores use: it gave a bandwidth, or lacked only the processor's entry.
bool knew_its_memory(const DeviceInfo& device) {
  if (device.memory.empty()) return false;
  return has_peak(device, device.memory.back().name, {}) ||
         why_no_bandwidth(device).find(no_entry) != std::string_view::npos;
}

/// What is compiled in of the device's microarchitecture. `before` is the device as it was described.
void add_compiled_in(DeviceInfo& device, const DeviceInfo& before) {
  const Cpu* const cpu = catalogue::find_cpu(device.microarchitecture);
  if (cpu == nullptr || cpu->by_user) return;
  const Processor* processor = numbered_processor(*cpu, device);
  add_rates(device, *cpu, processor, [&](const CpuRate& rate) {
    const std::string flag = needed_flag(rate.isa);
    return flag.empty() || has_peak(before, to_string(rate.unit), rate.dtype) ||
           std::ranges::count(device.isa, flag) != 0;
  });
  if (processor != nullptr && knew_its_memory(before) && has_whole_sockets(device, *processor))
    add_memory(device, *cpu, *processor);
}

/// Of several figures of one type, unit and accumulate type the highest, as the device was described with.
void add_product(DeviceInfo& device) {
  const catalogue::Device* entry = catalogue::find_product(device);
  if (entry == nullptr) return;
  for (const TheoreticalPeak& peak : entry->peaks) {
    const auto unit = parse_unit(peak.name);
    if (!unit || !peak.dtype || compute_peak(device, peak) != nullptr) continue;
    device.peaks.push_back(*catalogue::peak(*entry, *peak.dtype, *unit, peak.accumulate));
  }
  TheoreticalPeak memory;
  memory.name = device.memory.back().name;
  memory.value = entry->memory_byte_per_s;
  memory.unit = "byte/s";
  memory.source = entry->source;
  memory.confidence = entry->confidence;
  device.peaks.push_back(std::move(memory));
}

}  // namespace

const Processor* numbered_processor(const Cpu& cpu, const DeviceInfo& device) {
  const auto found = std::ranges::find_if(cpu.processors, [&](const Processor& processor) {
    const auto number = processor.name.substr(processor.name.rfind(' ') + 1);
    return processor.memory_byte_per_s > 0 && lower(device.name).find(lower(number)) != std::string::npos;
  });
  return found == cpu.processors.end() ? nullptr : &*found;
}

std::optional<PeakClock> peak_clock(const DeviceInfo& device, const Processor* processor) {
  const bool whole =
      processor != nullptr && (!processor->cores || *processor->cores * std::max(1, device.sockets) == device.cores);
  if (whole && processor->clock_hz) return PeakClock{*processor->clock_hz, processor->source};
  if (device.max_clock_hz) return PeakClock{*device.max_clock_hz, "maximum clock, " + device.clock_source};
  if (device.base_clock_hz) return PeakClock{*device.base_clock_hz, "nominal clock, " + device.clock_source};
  return {};
}

const Processor* processor_of(const DeviceInfo& device) {
  for (const bool by_user : {true, false}) {
    for (const Cpu& cpu : catalogue::cpus()) {
      if (cpu.by_user != by_user || (!by_user && cpu.name != device.microarchitecture)) continue;
      const auto* found = by_user ? processor_of(cpu, device) : numbered_processor(cpu, device);
      if (found != nullptr) return found;
    }
  }
  return nullptr;
}

bool is_its_memory(const MemoryLevel& level, const catalogue::Processor& processor) {
  return level.name == "DRAM" || processor.memory_type.starts_with(level.name);
}

std::string needed_flag(std::string_view isa) {
  std::string flag = lower(isa.substr(0, isa.find_first_of(" +")));
  std::ranges::replace(flag, '-', '_');
  if (flag == "avx_512") return "avx512f";
  if (flag == "avx_512bw") return "avx512bw";
  return flag.starts_with("avx") || flag.starts_with("amx") ? flag : "";
}

void use_todays_peaks(DeviceInfo& device) {
  const DeviceInfo before = device;
  device.peaks.clear();
  if (is_cpu(device)) {
    add_users_peaks(device);
    add_compiled_in(device, before);
  } else {
    add_product(device);
  }
  for (const TheoreticalPeak& peak : before.peaks) {
    if (compute_peak(device, peak) == nullptr) device.peaks.push_back(peak);
  }
}

void add_users_peaks(DeviceInfo& device) {
  if (!is_cpu(device)) return;
  for (const Cpu& cpu : catalogue::cpus()) {
    if (!cpu.by_user) continue;
    const Processor* processor = processor_of(cpu, device);
    if (processor == nullptr && lower(cpu.name) != lower(device.microarchitecture)) continue;
    add_rates(device, cpu, processor, [](const CpuRate&) { return true; });
    if (processor != nullptr) add_memory(device, cpu, *processor);
  }
}

}  // namespace gable
