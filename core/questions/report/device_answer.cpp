#include "core/questions/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/json/parse.hpp"
#include "core/model/units.hpp"
#include "core/result/json.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::report {
namespace {

using Device = catalogue::Device;
using Value = Answer::Value;

std::string clock_text(const DeviceInfo& device) {
  std::vector<std::string> parts;
  if (device.base_clock_hz) parts.push_back("base " + format_quantity(*device.base_clock_hz, "Hz"));
  if (device.max_clock_hz) parts.push_back("max " + format_quantity(*device.max_clock_hz, "Hz"));
  const std::string text = parts.empty() ? "unknown" : fmt::format("{}", fmt::join(parts, ", "));
  return device.clock_source.empty() ? text : fmt::format("{} ({})", text, device.clock_source);
}

std::string topology_text(const DeviceInfo& device) {
  if (!is_cpu(device)) return threads_text(device, device.cores);
  const auto counted = [](auto number, std::string_view noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
  };
  return fmt::format("{}, {}, {}, {}", counted(device.sockets, "socket"), counted(device.cores, "core"),
                     counted(device.threads, "thread"), counted(device.numa.size(), "NUMA node"));
}

/// "4.2 MB"; "8 x 1.31 MB, 2 x 2.1 MB" of unequal instances.
Value size_of(const MemoryLevel& level) {
  if (level.unequal.empty()) return format_quantity(level.size_bytes, "byte");
  std::vector<std::string> parts;
  for (auto at = level.unequal.begin(); at != level.unequal.end();) {
    const auto end = std::find_if(at, level.unequal.end(),
                                  [&](const LevelInstance& other) { return other.size_bytes != at->size_bytes; });
    parts.push_back(fmt::format("{} x {}", end - at, format_quantity(at->size_bytes, "byte")));
    at = end;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// With the clock it is at, where that is no datasheet's.
std::string figure_of(const TheoreticalPeak& peak) {
  const auto at = [&](std::string_view clock) { return peak.source.find(clock) != std::string::npos; };
  return format_quantity(peak.value, peak.unit) + (at("GHz (nominal clock")   ? " at the nominal clock"
                                                   : at("GHz (maximum clock") ? " at the clock of one core"
                                                                              : "");
}

void add_device(Answer& answer, const DeviceInfo& device) {
  const Value free =
      device.free_memory_bytes > 0 ? Value(format_quantity(device.free_memory_bytes, "byte")) : Value("unknown");
  answer.add_facts("", fmt::format("{}: {}", device.id, device.name),
                   {{"", "core", device.microarchitecture},
                    {"", "topology", topology_text(device)},
                    {"", "clock", clock_text(device)},
                    {"", "isa", fmt::format("{}", fmt::join(device.isa, " "))},
                    {"", "free memory", free}});
  answer.show_table("", table_of(device.memory, [](const MemoryLevel& level) -> Answer::Facts {
                      return {{"", "memory", level.name},
                              {"", "size", size_of(level)},
                              {"", "instances", level.instances},
                              {"", "cores sharing one", level.shared_by},
                              {"", "line", level.line_bytes > 0 ? Value(level.line_bytes) : Value(), "byte"},
                              {"", "source", level.source}};
                    }));
  answer.show_table("", table_of(device.peaks, [](const TheoreticalPeak& peak) -> Answer::Facts {
                      return {{"", "theoretical peak", peak.name},
                              {"", "type", peak.dtype},
                              {"", "figure", figure_of(peak)},
                              {"", "source", peak.source},
                              {"", "confidence", peak.confidence}};
                    }));
  answer.show_table("", table_of(device.facts, [](const Fact& fact) -> Answer::Facts {
                      return {{"", "fact", fact.name}, {"", "value", fact.value}, {"", "source", fact.source}};
                    }));
}

/// A column of the catalogue: what is multiplied, in which type it is summed up.
struct Product {
  DType dtype, accumulate;
};
constexpr std::array<Product, 6> products{{{DType::fp64, DType::fp64},
                                           {DType::fp32, DType::fp32},
                                           {DType::fp16, DType::fp32},
                                           {DType::fp16, DType::fp16},
                                           {DType::bf16, DType::fp32},
                                           {DType::int8, DType::int32}}};

/// "fp32"; "fp16 -> fp32" and "fp16 -> fp16" of a type that is summed up in several.
std::string title_of(const Product& product) {
  const bool only = std::ranges::count(products, product.dtype, &Product::dtype) == 1;
  if (only && product.dtype == product.accumulate) return std::string(to_string(product.dtype));
  return fmt::format("{} -> {}", to_string(product.dtype), to_string(product.accumulate));
}

/// The highest peak; nothing without one.
Value best(const Device& device, const Product& product) {
  double highest = 0;
  for (const Unit unit : {Unit::vector, Unit::matrix}) {
    const auto* peak = catalogue::peak(device, product.dtype, unit, product.accumulate);
    if (peak != nullptr) highest = std::max(highest, peak->value);
  }
  return highest > 0 ? Value(highest) : Value();
}

Answer::Table peaks_table(const Device& device) {
  return table_of(ridges(machine_of(device)), [](const Ridge& one) -> Answer::Facts {
    const ComputeRoof& roof = one.roof;
    const std::string work(operation_name(roof.unit, roof.dtype)),
        of_integers = is_integer(roof.dtype) ? " of integers" : "";
    return {{"unit", "unit", roof.unit},
            {"dtype", "multiplies", roof.dtype},
            {"accumulate", "accumulates", roof.accumulate},
            {"peak_" + work + "_per_s", "peak" + of_integers, roof.flop_per_s, work + "/s"},
            {"ridge_" + work + "_per_byte", "ridge" + of_integers, one.flop_per_byte, work + "/byte"}};
  });
}

Answer::Facts entry_facts(const Device& device) {
  return {{"name", "device", device.name},
          {"vendor", "vendor", device.vendor},
          {"architecture", "architecture", device.architecture},
          {"compute_units", "units", device.compute_units},
          {"clock_hz", "clock", device.clock_hz, "Hz"},
          {"memory_byte", "memory", device.memory_byte, "byte"},
          {"", "memory in GiB", fmt::format("{:.4g}", device.memory_byte / 0x1p30)},
          {"memory_type", "type of memory", device.memory_type},
          {"memory_byte_per_s", "bandwidth", device.memory_byte_per_s, "byte/s"},
          {"l2_byte", "L2", device.l2_byte, "byte"},
          {"infinity_cache_byte", "Infinity Cache", device.infinity_cache_byte, "byte"},
          {"link", "link", named(device.link)},
          {"link_byte_per_s", "link, both directions", device.link_byte_per_s, "byte/s"},
          {"tdp_w", "power", device.tdp_w, "W"},
          {"peaks", peaks_table(device)},
          {"source", device.source},
          {"confidence", device.confidence},
          {"unconfirmed", device.unconfirmed},
          {"", "unconfirmed", named(fmt::format("{}", fmt::join(device.unconfirmed, ", ")))},
          {"note", "note", device.note}};
}

/// The line of a device in the list of all.
Answer::Facts line_facts(const Device& device) {
  constexpr std::array shown{"name", "memory_byte", "memory_byte_per_s", "tdp_w"};
  Answer::Facts facts = entry_facts(device);
  for (Answer::Fact& fact : facts) {
    if (std::ranges::count(shown, fact.key) == 0) fact.title.clear();
  }
  for (const Product& product : products)
    facts.emplace_back("", title_of(product), best(device, product),
                       std::string(rate_unit(Unit::multiply_add, product.dtype)));
  return facts;
}

}  // namespace

Answer devices_answer(std::span<const DeviceInfo> devices, const std::vector<std::string>& problems) {
  Answer answer;
  answer.add_table("devices", "", table_of(devices, [](const DeviceInfo& device) -> Answer::Facts {
                     return {{".", Answer::Object{dump_json(result::to_json(device), -1)}},
                             {"id", device.id},
                             {"name", device.name},
                             {"cores", device.cores},
                             {"threads", device.threads}};
                   }));
  for (const DeviceInfo& device : devices) add_device(answer, device);
  answer.add_facts("", "", {{"problems", problems}}).notes = problems;
  return answer;
}

Answer catalogue_answer() {
  Answer answer;
  answer.add_table("catalogue", "", table_of(catalogue::devices(), line_facts)).notes = {
      "Dense peaks as vendors print them, the higher of vector and matrix units; fp16 -> fp32: fp16 multiplied and "
      "summed up in fp32.",
      "gable devices --show NAME has sources and ridge points."};
  return answer;
}

Answer datasheet_answer(const Device& device) {
  Answer answer{.title = device.name + " (datasheet): its vendor's figures, not measured"};
  Answer::Facts facts = entry_facts(device);
  facts.front().title.clear();  // it is the title's
  answer.add_facts("", "", std::move(facts));
  answer.show_table("", peaks_table(device)).notes = {
      fmt::format("source: {} ({})", device.source, to_string(device.confidence))};
  return answer;
}

}  // namespace gable::report
