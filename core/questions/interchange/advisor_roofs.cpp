#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// Intel Advisor: the roofs that it measured, `--report=roofs --format=csv`, in byte/s and flop/s. Their names say all
/// else: "Scalar L1 bandwidth (single-threaded)", "DP Vector FMA Peak".
namespace gable::interchange {
namespace {

constexpr std::string_view columns_of_roofs = "Name,Bandwidth,Type";

bool recognises_roofs(std::string_view text) { return early_line_has(text, {{columns_of_roofs}}); }

Ceiling roof_of(const std::string& name, double value, bool of_memory, const Target& target) {
  const auto bracket = std::min(name.find(" ("), name.size());
  const std::string_view label = std::string_view(name).substr(0, bracket);
  std::vector<std::string_view> variant;
  for (const std::string_view word : {"Scalar", "FMA", "Add"}) {
    if (label_has(label, word) && (of_memory || word != "Scalar")) variant.push_back(word);
  }
  if (bracket < name.size()) {
    const std::string_view inside = std::string_view(name).substr(bracket + 2);
    variant.push_back(inside.substr(0, inside.find(')')));
  }
  std::string_view level = label.starts_with("Scalar ") ? label.substr(label.find(' ') + 1) : label;
  level = level.substr(0, level.find(' '));
  const auto dtype = type_in_label(label);
  Ceiling row = of_memory ? ceiling_of(CeilingKind::bandwidth,
                                       level == "DRAM" ? target.main_memory() : std::string(level), value, name)
                : dtype   ? compute_ceiling(unit_in_label(label), *dtype, {}, value, name)
                          : ceiling_of(CeilingKind::compute, std::string(label), value, name);
  row.variant = fmt::format("{}", fmt::join(variant, ", "));
  return row;
}

Contents read_roofs(const Source& source, const Target& target) {
  const Sheet sheet(std::string_view(source.text).substr(source.text.find(columns_of_roofs)));
  const std::size_t name = sheet.column("Name"), figure = sheet.column("Bandwidth"), type = sheet.column("Type");
  Numbers numbers;
  for (const CsvRecord& row : sheet) numbers.see(row.cells[figure], row.line);
  Contents contents;
  int integer = 0;
  for (const CsvRecord& row : sheet) {
    const std::string_view label = trimmed(row.cells[name]);
    if (label.starts_with("Int")) {
      ++integer;
      continue;
    }
    const auto value = numbers.value(row.cells[figure], row.line);
    if (value)
      contents.ceilings.push_back(roof_of(std::string(label), *value, trimmed(row.cells[type]) == "memory", target));
  }
  if (integer > 0) say(contents.notes, "{} peaks of integers, whose operations are not told, are left out", integer);
  if (contents.ceilings.empty()) throw Error("no roof has a figure");
  return contents;
}

}  // namespace

const Format advisor_roofs{"Intel Advisor roofs", "advisor", &recognises_roofs, &read_roofs, nullptr, WrittenAs::table};

}  // namespace gable::interchange
