#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// ERT, the Empirical Roofline Tool: `roofline.json`, with "empirical" (measured) and "spec" (stated) figures in GB/s
/// and GFLOP/s. Only the measured ones are ceilings.
namespace gable::interchange {
namespace {

using nlohmann::json;
constexpr double giga = 1e9;

bool recognises(std::string_view text) {
  return trimmed(text).starts_with('{') && text.find("\"empirical\"") != text.npos;
}

/// Calls `take(label, figure)` with the entries of {"data": [["L1", 800.5], …]}.
template <class Take>
void each_entry(const json& empirical, const char* list, Take&& take) {
  const auto found = empirical.find(list);
  if (found == empirical.end()) return;
  if (!found->is_object() || !found->contains("data") || !(*found)["data"].is_array())
    throw Error(fmt::format("/empirical/{}: expected an object with an array \"data\"", list));
  std::size_t i = 0;
  for (const json& entry : (*found)["data"]) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
      throw Error(fmt::format("/empirical/{}/data/{}: expected a name and a number", list, i));
    if (entry[1].get<double>() < 0) throw Error(fmt::format("/empirical/{}/data/{}: is negative", list, i));
    take(entry[0].get<std::string>(), entry[1].get<double>());
    ++i;
  }
}

Contents read(const Source& source, const Target& target) {
  const json document = parse_json(source.text);
  const auto found = document.is_object() ? document.find("empirical") : document.end();
  if (found == document.end() || !found->is_object()) throw Error("/empirical: expected an object");
  const json& empirical = *found;
  Contents contents;
  each_entry(empirical, "gflops", [&](const std::string& label, double figure) {
    const auto dtype = type_in_label(label) ? type_in_label(label) : target.dtype;
    Ceiling row = dtype ? compute_ceiling(unit_in_label(label), *dtype, {}, figure * giga, label)
                        : ceiling_of(CeilingKind::compute, label, figure * giga, label);
    if (dtype && label_has(label, "FMA")) row.variant = "FMA";
    contents.ceilings.push_back(std::move(row));
  });
  each_entry(empirical, "gbytes", [&](const std::string& label, double figure) {
    const bool main_memory = label == "DRAM" || label == "HBM";
    contents.ceilings.push_back(
        ceiling_of(CeilingKind::bandwidth, main_memory ? target.main_memory() : label, figure * giga, label));
  });
  if (contents.ceilings.empty()) throw Error("/empirical: no figures in \"gflops\" or \"gbytes\"");
  return contents;
}

}  // namespace

const Format ert{"ERT roofline.json", "ert", &recognises, &read, nullptr, WrittenAs::json};

}  // namespace gable::interchange
