#include "core/device/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "core/device/find_product.hpp"
#include "core/json/parse.hpp"
#include "core/json/strict_reader.hpp"
#include "core/model/figure_limits.hpp"

namespace gable::catalogue {

namespace {

/// A figure in flop, or in op where the type is an integer, under one of two keys.
struct Figure {
  std::optional<double> flop, op;
};

struct PeakEntry {
  std::string dtype, instructions, source;
  std::optional<Confidence> confidence;
  Unit unit{};
  std::optional<DType> accumulate;
  Figure per_s;
};

struct DeviceEntry {
  Device device;
  std::vector<PeakEntry> peaks;
};

struct RateEntry {
  CpuRate rate;
  Figure per_cycle;
};

struct CpuEntry {
  Cpu cpu;
  std::vector<RateEntry> rates;
};

struct Document {
  std::string about;
  std::vector<DeviceEntry> devices;
  std::vector<CpuEntry> cpus;
};

template <class Archive, SameStruct<PeakEntry> S>
void fields(Archive& a, S& s) {
  a.field("dtype", s.dtype);
  a.field("unit", s.unit);
  a.field("accumulate", s.accumulate);
  a.field("peak_flop_per_s", s.per_s.flop);
  a.field("peak_op_per_s", s.per_s.op);
  a.unusual_field("instructions", s.instructions, std::string{});
  a.unusual_field("source", s.source, std::string{});
  a.field("confidence", s.confidence);
}

template <class Archive, SameStruct<DeviceEntry> S>
void fields(Archive& a, S& s) {
  auto& d = s.device;
  a.field("name", d.name);
  a.unusual_field("vendor", d.vendor, std::string{});
  a.unusual_field("architecture", d.architecture, std::string{});
  a.unusual_field("isa", d.isa, std::string{});
  a.field("compute_units", d.compute_units);
  a.field("clock_hz", d.clock_hz);
  a.field("matrix_clock_hz", d.matrix_clock_hz);
  a.field("memory_type", d.memory_type);
  a.field("memory_byte", d.memory_byte);
  a.field("memory_byte_per_s", d.memory_byte_per_s);
  a.field("l2_byte", d.l2_byte);
  a.field("infinity_cache_byte", d.infinity_cache_byte);
  a.field("l1_byte_per_unit", d.l1_byte_per_unit);
  a.field("shared_byte_per_unit", d.shared_byte_per_unit);
  a.unusual_field("link", d.link, std::string{});
  a.field("link_byte_per_s", d.link_byte_per_s);
  a.field("links", d.links);
  a.field("linked_devices", d.linked_devices);
  a.unusual_field("in_switch_reduction", d.in_switch_reduction, false);
  a.field("pcie_generation", d.pcie_generation);
  a.field("tdp_w", d.tdp_w);
  a.field("source", d.source);
  a.unusual_field("confidence", d.confidence, Confidence::stated);
  a.unusual_field("unconfirmed", d.unconfirmed, std::vector<std::string>{});
  a.unusual_field("note", d.note, std::string{});
  a.field("peaks", s.peaks);
}

template <class Archive, SameStruct<RateEntry> S>
void fields(Archive& a, S& s) {
  a.field("dtype", s.rate.dtype);
  a.field("unit", s.rate.unit);
  a.field("flop_per_cycle", s.per_cycle.flop);
  a.field("op_per_cycle", s.per_cycle.op);
  a.field("isa", s.rate.isa);
  a.unusual_field("basis", s.rate.basis, std::string{});
  a.field("source", s.rate.source);
  a.unusual_field("confidence", s.rate.confidence, Confidence::stated);
}

template <class Archive, SameStruct<CpuEntry> S>
void fields(Archive& a, S& s) {
  a.field("name", s.cpu.name);
  a.unusual_field("vendor", s.cpu.vendor, std::string{});
  a.unusual_field("note", s.cpu.note, std::string{});
  a.unusual_field("rates", s.rates, std::vector<RateEntry>{});
  a.unusual_field("processors", s.cpu.processors, std::vector<Processor>{});
}

template <class Archive, SameStruct<Document> S>
void fields(Archive& a, S& s) {
  a.unusual_field("about", s.about, std::string{});
  a.unusual_field("devices", s.devices, std::vector<DeviceEntry>{});
  a.unusual_field("cpus", s.cpus, std::vector<CpuEntry>{});
}

/// What a peak is told by: storage type, unit, accumulate type, instructions.
bool same_roof(const PeakEntry& a, const PeakEntry& b) {
  const auto accumulate = [](const PeakEntry& entry, DType dtype) {
    return entry.accumulate.value_or(uniform_types(dtype).accumulate);
  };
  if (a.dtype != b.dtype || a.unit != b.unit || a.instructions != b.instructions) return false;
  const auto dtype = parse_dtype(a.dtype);
  return dtype ? accumulate(a, *dtype) == accumulate(b, *dtype) : a.accumulate == b.accumulate;
}

// What is smaller was meant in thousands or millions: 460.8 GB/s, 1410 MHz. No device for computing has so little.
constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double least_bytes = 1e6, least_rate = 1e6, least_clock = 1e6;
constexpr FigureLimits cycle_limits{0, 1e9, "no core does a billion operations in a cycle"};

double positive(double value, const JsonLocation& place, std::string_view key) {
  if (!(value > 0)) place.fail(fmt::format("{} must be positive", key));
  return value;
}

double possible(double value, const JsonLocation& place, std::string_view key, const FigureLimits& limits,
                double least = 0) {
  positive(value, place, key);
  if (value < least)
    place.fail(
        fmt::format("{} is {:g}, and no device has less than {:g}: figures are in byte, flop and Hz, not in GB "
                    "or MHz",
                    key, value, least));
  if (const std::string why = why_impossible(value, limits); !why.empty())
    place.fail(fmt::format("{} is {}", key, why));
  return value;
}

/// The one of the two keys that belongs to the type.
double figure(const Figure& figure, bool integer, std::string_view flop_key, std::string_view op_key,
              const JsonLocation& place, const FigureLimits& limits, double least = 0) {
  const auto& wanted = integer ? figure.op : figure.flop;
  if (!wanted || figure.flop.has_value() == figure.op.has_value()) {
    place.fail(fmt::format("this type needs {}, and only that", integer ? op_key : flop_key));
  }
  return possible(*wanted, place, integer ? op_key : flop_key, limits, least);
}

void check_unit(Unit unit, const JsonLocation& place) {
  if (unit != Unit::vector && unit != Unit::matrix)
    place.fail(fmt::format("unit '{}' is neither vector nor matrix", to_string(unit)));
}

TheoreticalPeak peak_of(const PeakEntry& entry, const Device& device, const JsonLocation& place) {
  check_unit(entry.unit, place);
  const auto dtype = parse_dtype(entry.dtype);
  if (!dtype) place.fail(fmt::format("type '{:.60}' is not known here", entry.dtype));
  TheoreticalPeak peak;
  peak.name = to_string(entry.unit);
  peak.dtype = dtype;
  peak.accumulate = entry.accumulate;
  peak.value = figure(entry.per_s, !is_flop(entry.unit, *dtype), "peak_flop_per_s", "peak_op_per_s", place,
                      flop_rate_limits, least_rate);
  peak.unit = rate_unit(entry.unit, *dtype);
  peak.source = entry.source.empty() ? device.source : entry.source;
  peak.instructions = entry.instructions;
  if (!entry.instructions.empty()) peak.source += fmt::format(" ({} instructions)", entry.instructions);
  peak.confidence = entry.confidence.value_or(device.confidence);
  return peak;
}

Device device_of(DeviceEntry entry, const JsonLocation& place) {
  Device device = std::move(entry.device);
  if (device.name.empty()) place.fail("the name is empty");
  possible(device.memory_byte, place, "memory_byte", size_limits, least_bytes);
  possible(device.memory_byte_per_s, place, "memory_byte_per_s", byte_rate_limits, least_rate);
  const auto optional = [&](const std::optional<double>& figure, std::string_view key, const FigureLimits& limits,
                            double least) {
    if (figure) possible(*figure, place, key, limits, least);
  };
  optional(device.clock_hz, "clock_hz", clock_limits, least_clock);
  optional(device.matrix_clock_hz, "matrix_clock_hz", clock_limits, least_clock);
  optional(device.l2_byte, "l2_byte", size_limits, 0);
  optional(device.infinity_cache_byte, "infinity_cache_byte", size_limits, 0);
  optional(device.l1_byte_per_unit, "l1_byte_per_unit", size_limits, 0);
  optional(device.shared_byte_per_unit, "shared_byte_per_unit", size_limits, 0);
  optional(device.link_byte_per_s, "link_byte_per_s", byte_rate_limits, least_rate);
  optional(device.tdp_w, "tdp_w", power_limits, 0);
  if (device.compute_units) positive(*device.compute_units, place, "compute_units");
  if (device.links) positive(*device.links, place, "links");
  if (device.linked_devices && *device.linked_devices < 2) place.fail("linked_devices must be at least 2");
  if (device.links && device.linked_devices && *device.linked_devices > *device.links + 1)
    place.fail(fmt::format("{} links, each to one other device, join at most {}: linked_devices is {}", *device.links,
                           *device.links + 1, *device.linked_devices));
  const JsonLocation peaks(place, "peaks", place.value().at("peaks"));
  if (entry.peaks.empty()) peaks.fail("there are no peaks in it");
  for (std::size_t i = 0; i < entry.peaks.size(); ++i) {
    const JsonLocation at(peaks, i, peaks.value()[i]);
    for (std::size_t other = 0; other < i; ++other) {
      if (same_roof(entry.peaks[i], entry.peaks[other]))
        at.fail(fmt::format("a {} {} peak of the same types is there already, {}", entry.peaks[i].dtype,
                            to_string(entry.peaks[i].unit), other));
    }
    device.peaks.push_back(peak_of(entry.peaks[i], device, at));
  }
  return device;
}

CpuRate rate_of(RateEntry entry, const JsonLocation& place) {
  CpuRate rate = std::move(entry.rate);
  check_unit(rate.unit, place);
  rate.per_cycle =
      figure(entry.per_cycle, !is_flop(rate.unit, rate.dtype), "flop_per_cycle", "op_per_cycle", place, cycle_limits);
  return rate;
}

/// Transfers in a second of "DDR5-6400"; nothing for memory whose channels are not 8 byte wide.
std::optional<double> transfers_per_s(const std::string& memory_type) {
  const auto dash = memory_type.find('-');
  if (!memory_type.starts_with("DDR") || dash == std::string::npos) return {};
  double millions = 0;
  const char* end = memory_type.data() + memory_type.size();
  const auto [stop, error] = std::from_chars(memory_type.data() + dash + 1, end, millions);
  if (error != std::errc{} || stop != end) return {};
  return millions * 1e6;
}

void check_processor(const Processor& processor, const JsonLocation& place) {
  if (processor.name.empty()) place.fail("the name is empty");
  if (processor.cores) positive(*processor.cores, place, "cores");
  if (processor.memory_channels) positive(*processor.memory_channels, place, "memory_channels");
  if (processor.memory_dies) positive(*processor.memory_dies, place, "memory_dies");
  if (processor.clock_hz) possible(*processor.clock_hz, place, "clock_hz", clock_limits, least_clock);
  if (processor.boost_clock_hz) possible(*processor.boost_clock_hz, place, "boost_clock_hz", clock_limits, least_clock);
  if (processor.boost_clock_hz.value_or(unbounded) < processor.clock_hz.value_or(0))
    place.fail("boost_clock_hz, of one core, is less than clock_hz, of all");
  possible(processor.memory_byte_per_s, place, "memory_byte_per_s", byte_rate_limits, least_rate);
  const auto transfers = transfers_per_s(processor.memory_type);
  if (!transfers || !processor.memory_channels) return;
  const double all = *processor.memory_channels * *transfers * 8;
  constexpr double rounding = 0.01;
  if (std::abs(processor.memory_byte_per_s / all - 1) > rounding)
    place.fail(fmt::format("{} channels of {} have {:.1f} GB/s, not {:.1f}", *processor.memory_channels,
                           processor.memory_type, all * 1e-9, processor.memory_byte_per_s * 1e-9));
}

Cpu cpu_of(CpuEntry entry, const JsonLocation& place) {
  Cpu cpu = std::move(entry.cpu);
  if (cpu.name.empty()) place.fail("the name is empty");
  if (entry.rates.empty() && cpu.processors.empty()) place.fail("it has neither rates nor processors");
  for (std::size_t i = 0; i < entry.rates.size(); ++i) {
    const JsonLocation rates(place, "rates", place.value().at("rates"));
    const JsonLocation at(rates, i, rates.value()[i]);
    CpuRate rate = rate_of(std::move(entry.rates[i]), at);
    if (std::ranges::any_of(cpu.rates,
                            [&](const CpuRate& other) { return other.dtype == rate.dtype && other.unit == rate.unit; }))
      at.fail(fmt::format("a {} {} rate is there already", to_string(rate.dtype), to_string(rate.unit)));
    cpu.rates.push_back(std::move(rate));
  }
  for (std::size_t i = 0; i < cpu.processors.size(); ++i) {
    const JsonLocation processors(place, "processors", place.value().at("processors"));
    check_processor(cpu.processors[i], JsonLocation(processors, i, processors.value()[i]));
  }
  return cpu;
}

template <class Entry, class Make>
auto converted(std::vector<Entry> entries, const JsonLocation& root, const char* key, Make make) {
  std::vector<decltype(make(Entry{}, root))> list;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const JsonLocation all(root, key, root.value().at(key));
    const JsonLocation place(all, i, all.value()[i]);
    auto one = make(std::move(entries[i]), place);
    if (has_name(list, one.name)) place.fail(fmt::format("'{}' is there twice", one.name));
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

template <class Archive, SameStruct<Processor> S>
void fields(Archive& a, S& s) {
  a.field("name", s.name);
  a.field("cores", s.cores);
  a.field("memory_channels", s.memory_channels);
  a.field("memory_dies", s.memory_dies);
  a.field("clock_hz", s.clock_hz);
  a.field("boost_clock_hz", s.boost_clock_hz);
  a.field("memory_type", s.memory_type);
  a.field("memory_byte_per_s", s.memory_byte_per_s);
  a.field("source", s.source);
  a.unusual_field("confidence", s.confidence, Confidence::stated);
}

Entries parse_entries(std::string_view text) {
  const auto json = parse_json(text);
  const JsonLocation root(json);
  Document document;
  read_json_strictly(root, document);
  return {converted(std::move(document.devices), root, "devices", device_of),
          converted(std::move(document.cpus), root, "cpus", cpu_of)};
}

Entries parse_users_entries(std::string_view text) {
  Entries entries = parse_entries(text);
  if (entries.devices.empty() && entries.cpus.empty()) throw Error("there are no devices and no cpus in it");
  for (Cpu& cpu : entries.cpus) cpu.by_user = true;
  return entries;
}

}  // namespace gable::catalogue
