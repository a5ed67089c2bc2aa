#include <fmt/format.h>

#include "core/model/units.hpp"
#include "core/questions/report/report.hpp"
#include "core/questions/report/row_facts.hpp"

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

Answer::Facts imported_facts(const Ceiling& theirs, const Ceiling* ours) {
  std::string what = theirs.name;
  if (theirs.access != Access::none) what += fmt::format(" {}", to_string(theirs.access));
  if (!theirs.variant.empty()) what += fmt::format(", {}", theirs.variant);
  Answer::Facts facts{{"", "device", theirs.device},
                      {"", "tool", theirs.imported->tool},
                      {"", "what", what},
                      {"", "type", type_text(theirs)},
                      {"", "theirs", format_quantity(theirs.value.value, theirs.unit)}};
  if (!ours) return facts;
  const bool plain = ours->at == OperatingPoint::none;
  return facts.add({{"", "gable's", format_quantity(ours->value.value, ours->unit)},
                    {"", "theirs / gable's", fmt::format("{:.2f}", theirs.value.value / ours->value.value)},
                    {"", "gable's kernel",
                     plain ? ours->implementation : fmt::format("{}, {}", ours->implementation, to_string(ours->at))}});
}

}  // namespace

void add_imported(Answer& answer, const Result& result) {
  Answer::Table table;
  for (const Ceiling& row : result.ceilings)
    if (row.imported && row.status == Status::ok) table.add(imported_facts(row, measured_here(result, row)));
  answer.show_table("ceilings of other tools: listed, no roofs", std::move(table));
}

}  // namespace gable::report
