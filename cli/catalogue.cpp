#include "cli/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/analysis/machine.hpp"
#include "core/model/units.hpp"
#include "core/report/text_table.hpp"

namespace gable::cli {
namespace {

using nlohmann::ordered_json;

constexpr int table_width = 160;

double best(const catalogue::Device& device, DType dtype) {
  double highest = 0;
  for (const Unit unit : {Unit::vector, Unit::matrix}) {
    if (const auto* peak = catalogue::peak(device, dtype, unit)) highest = std::max(highest, peak->value);
  }
  return highest;
}

std::string cell(double value, std::string_view unit) {
  return value > 0 ? format_quantity(value, unit) : std::string{};
}

template <class T>
void put(ordered_json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

ordered_json ridges_json(const analysis::Machine& machine) {
  auto list = ordered_json::array();
  for (const auto& [roof, ridge] : analysis::ridges(machine)) {
    const bool integer = is_integer(roof.dtype);
    list.push_back({{"dtype", to_string(roof.dtype)},
                    {"unit", to_string(roof.unit)},
                    {"accumulate", to_string(roof.accumulate)},
                    {integer ? "peak_op_per_s" : "peak_flop_per_s", roof.flop_per_s},
                    {integer ? "ridge_op_per_byte" : "ridge_flop_per_byte", ridge}});
  }
  return list;
}

ordered_json entry_json(const catalogue::Device& device) {
  ordered_json json{{"name", device.name},
                    {"vendor", device.vendor},
                    {"architecture", device.architecture},
                    {"memory_type", device.memory_type},
                    {"memory_byte", device.memory_byte},
                    {"memory_byte_per_s", device.memory_byte_per_s}};
  put(json, "compute_units", device.compute_units);
  put(json, "clock_hz", device.clock_hz);
  put(json, "l2_byte", device.l2_byte);
  put(json, "infinity_cache_byte", device.infinity_cache_byte);
  if (!device.link.empty()) json["link"] = device.link;
  put(json, "link_byte_per_s", device.link_byte_per_s);
  put(json, "tdp_w", device.tdp_w);
  json["peaks"] = ridges_json(analysis::machine_of(device));
  json["source"] = device.source;
  json["confidence"] = device.confidence;
  json["unconfirmed"] = device.unconfirmed;
  json["note"] = device.note;
  return json;
}

void print_facts(const catalogue::Device& device) {
  const auto line = [](std::string_view name, const std::string& value) {
    if (!value.empty()) fmt::print("  {:<14} {}\n", name, value);
  };
  line("architecture", fmt::format("{} {}", device.vendor, device.architecture));
  if (device.compute_units) line("units", fmt::format("{}", *device.compute_units));
  if (device.clock_hz) line("clock", format_quantity(*device.clock_hz, "Hz"));
  line("memory", fmt::format("{} {}, {}", format_quantity(device.memory_byte, "byte"), device.memory_type,
                             format_quantity(device.memory_byte_per_s, "byte/s")));
  if (device.l2_byte) line("L2", format_quantity(*device.l2_byte, "byte"));
  if (device.infinity_cache_byte) line("Infinity Cache", format_quantity(*device.infinity_cache_byte, "byte"));
  if (device.link_byte_per_s) {
    line("link",
         fmt::format("{}, {} (both directions)", device.link, format_quantity(*device.link_byte_per_s, "byte/s")));
  }
  if (device.tdp_w) line("power", fmt::format("{:.0f} W", *device.tdp_w));
}

std::string text_list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
  return text;
}

}  // namespace

void print_catalogue(bool as_json) {
  if (as_json) {
    auto list = ordered_json::array();
    for (const auto& device : catalogue::devices()) list.push_back(entry_json(device));
    fmt::print("{}\n", ordered_json{{"catalogue", std::move(list)}}.dump(2));
    return;
  }
  report::TextTable table({{"device", false, false},
                           {"memory", true, false},
                           {"bandwidth", true, false},
                           {"fp64", true, false},
                           {"fp32", true, false},
                           {"fp16", true, false},
                           {"bf16", true, false},
                           {"int8", true, false},
                           {"power", true, false}});
  for (const auto& device : catalogue::devices()) {
    table.add({device.name, format_quantity(device.memory_byte, "byte"),
               format_quantity(device.memory_byte_per_s, "byte/s"), cell(best(device, DType::fp64), "flop/s"),
               cell(best(device, DType::fp32), "flop/s"), cell(best(device, DType::fp16), "flop/s"),
               cell(best(device, DType::bf16), "flop/s"), cell(best(device, DType::int8), "op/s"),
               device.tdp_w ? fmt::format("{:.0f} W", *device.tdp_w) : ""});
  }
  fmt::print(
      "{}\nDense peaks as vendors print them, the higher of vector and matrix units; gable devices --show NAME has "
      "sources and ridge points.\n",
      table.render(table_width));
}

void print_catalogue_entry(const std::string& name, bool as_json) {
  const auto& device = catalogue::find_device(name);
  if (as_json) {
    fmt::print("{}\n", entry_json(device).dump(2));
    return;
  }
  fmt::print("{}\n", device.name);
  print_facts(device);
  report::TextTable table({{"unit", false, false},
                           {"multiplies", false, false},
                           {"accumulates", false, false},
                           {"peak", true, false},
                           {"ridge", true, false}});
  for (const auto& [roof, ridge] : analysis::ridges(analysis::machine_of(device))) {
    const bool integer = is_integer(roof.dtype);
    table.add({std::string(to_string(roof.unit)), std::string(to_string(roof.dtype)),
               std::string(to_string(roof.accumulate)), format_quantity(roof.flop_per_s, integer ? "op/s" : "flop/s"),
               fmt::format("{:.4g} {}", ridge, integer ? "op/byte" : "flop/byte")});
  }
  fmt::print("\n{}\n  {:<14} {} ({})\n", table.render(table_width), "source", device.source, device.confidence);
  if (!device.unconfirmed.empty()) fmt::print("  {:<14} {}\n", "unconfirmed", text_list(device.unconfirmed));
  if (!device.note.empty()) fmt::print("  {:<14} {}\n", "note", device.note);
}

}  // namespace gable::cli
