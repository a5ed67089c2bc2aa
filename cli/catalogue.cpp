#include "cli/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/machine.hpp"
#include "core/model/units.hpp"
#include "core/report/datasheet_text.hpp"
#include "core/text/text_table.hpp"

namespace gable::cli {
namespace {

using nlohmann::ordered_json;

constexpr int table_width = 170;

/// A column of the table: what is multiplied, in which type it is summed up.
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

/// The highest peak; empty without one.
std::string best(const catalogue::Device& device, const Product& product) {
  double highest = 0;
  for (const Unit unit : {Unit::vector, Unit::matrix}) {
    const auto* peak = catalogue::peak(device, product.dtype, unit, product.accumulate);
    if (peak != nullptr) highest = std::max(highest, peak->value);
  }
  if (highest == 0) return {};
  return format_quantity(highest, rate_unit(Unit::multiply_add, product.dtype));
}

template <class T>
void put(ordered_json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

ordered_json ridges_json(const analysis::Machine& machine) {
  auto list = ordered_json::array();
  for (const auto& [roof, ridge] : analysis::ridges(machine)) {
    const auto operation = operation_name(roof.unit, roof.dtype);
    list.push_back({{"dtype", to_string(roof.dtype)},
                    {"unit", to_string(roof.unit)},
                    {"accumulate", to_string(roof.accumulate)},
                    {fmt::format("peak_{}_per_s", operation), roof.flop_per_s},
                    {fmt::format("ridge_{}_per_byte", operation), ridge}});
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
  std::vector<TextTable::Column> columns{{"device", false, false}, {"memory", true, false}, {"bandwidth", true, false}};
  for (const Product& product : products) columns.push_back({title_of(product), true, false});
  columns.push_back({"power", true, false});
  TextTable table(std::move(columns));
  for (const auto& device : catalogue::devices()) {
    std::vector<std::string> cells{device.name, format_quantity(device.memory_byte, "byte"),
                                   format_quantity(device.memory_byte_per_s, "byte/s")};
    for (const Product& product : products) cells.push_back(best(device, product));
    cells.push_back(device.tdp_w ? fmt::format("{:.0f} W", *device.tdp_w) : "");
    table.add(std::move(cells));
  }
  fmt::print(
      "{}\nDense peaks as vendors print them, the higher of vector and matrix units; fp16 -> fp32: fp16 multiplied and "
      "summed up in fp32.\ngable devices --show NAME has sources and ridge points.\n",
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
  fmt::print("\n{}\n  {:<14} {} ({})\n", report::peaks_table(device, table_width), "source", device.source,
             device.confidence);
  if (!device.unconfirmed.empty()) fmt::print("  {:<14} {}\n", "unconfirmed", text_list(device.unconfirmed));
  if (!device.note.empty()) fmt::print("  {:<14} {}\n", "note", device.note);
}

}  // namespace gable::cli
