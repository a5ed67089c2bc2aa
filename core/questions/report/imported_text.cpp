#include "core/questions/report/imported_text.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/model/units.hpp"
#include "core/text/text_table.hpp"

namespace gable::report {
namespace {

/// Whether gable's row is of what the other tool measured. A tool that does not tell its mix of reads and writes is
/// compared with the highest of all mixes.
bool same_quantity(const Ceiling& theirs, const Ceiling& ours) {
  const bool alike = ours.device == theirs.device && ours.kind == theirs.kind && ours.name == theirs.name &&
                     ours.dtype == theirs.dtype && ours.scope == theirs.scope && ours.unit == theirs.unit;
  const bool sums_alike = !theirs.accumulate || !ours.accumulate || theirs.accumulate == ours.accumulate;
  return alike && sums_alike && (theirs.access == Access::none || theirs.access == ours.access);
}

const Ceiling* measured_here(const Result& result, const Ceiling& theirs) {
  const Ceiling* best = nullptr;
  for (const Ceiling& row : result.ceilings) {
    const bool good = !row.imported && row.status == Status::ok && row.variant.empty() && same_quantity(theirs, row);
    if (good && (!best || row.value.value > best->value.value)) best = &row;
  }
  return best;
}

std::string type_of(const Ceiling& row) {
  if (!row.dtype) return "";
  const bool plain = !row.accumulate || row.accumulate == row.dtype;
  return plain ? std::string(to_string(*row.dtype))
               : fmt::format("{}->{}", to_string(*row.dtype), to_string(*row.accumulate));
}

}  // namespace

std::string imported_text(const Result& result, int width) {
  TextTable table({{"device"},
                   {"tool"},
                   {"what", false, true},
                   {"type"},
                   {"theirs", true},
                   {"gable's", true},
                   {"theirs / gable's", true},
                   {"gable's kernel", false, true}});
  for (const Ceiling& row : result.ceilings) {
    if (!row.imported || row.status != Status::ok) continue;
    std::string what = row.access == Access::none ? row.name : fmt::format("{} {}", row.name, to_string(row.access));
    if (!row.variant.empty()) what += fmt::format(", {}", row.variant);
    const Ceiling* const ours = measured_here(result, row);
    const std::string kernel = !ours ? ""
                               : ours->at == OperatingPoint::none
                                   ? ours->implementation
                                   : fmt::format("{}, {}", ours->implementation, to_string(ours->at));
    table.add({row.device, row.imported->tool, what, type_of(row), format_quantity(row.value.value, row.unit),
               ours ? format_quantity(ours->value.value, ours->unit) : "",
               ours ? fmt::format("{:.2f}", row.value.value / ours->value.value) : "", kernel});
  }
  if (table.empty()) return {};
  return "ceilings of other tools: listed, no roofs\n" + table.render(width) + '\n';
}

}  // namespace gable::report
