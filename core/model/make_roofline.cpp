#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/model/roofline.hpp"

namespace gable {
namespace {

std::string compute_label(const Ceiling& row, DType accumulate) {
  std::string label = fmt::format("{} {}", row.name, to_string(*row.dtype));
  if (accumulate != *row.dtype) label += fmt::format(" -> {}", to_string(accumulate));
  if (row.at != OperatingPoint::none) label += fmt::format(" ({})", to_string(row.at));
  return label;
}

std::string bandwidth_label(const Ceiling& row) {
  std::string label = row.name;
  if (row.access != Access::none) label += fmt::format(" {}", to_string(row.access));
  if (row.stores == Stores::ordinary) label += " (ordinary)";
  if (row.stores == Stores::non_temporal) label += " (non-temporal)";
  return label;
}

/// Nothing where the row names no unit that roofs have.
std::optional<ComputeRoof> compute_roof(const Ceiling& row) {
  const auto unit = parse_unit(row.name);
  if (!unit || *unit == Unit::multiply_add || !row.dtype) return {};
  const DType accumulate = row.accumulate.value_or(uniform_types(*row.dtype).accumulate);
  const double value = row.value.value;
  return ComputeRoof{.unit = *unit,
                     .dtype = *row.dtype,
                     .accumulate = accumulate,
                     .at = row.at,
                     .flop_per_s = value,
                     .low = row.value.low(),
                     .high = row.value.high(),
                     .label = compute_label(row, accumulate)};
}

/// Adds a lower bound on the unit's rate from a variant or a disturbed row: other work only slows a kernel that stays
/// in registers. A suspect row without an interval gives none.
void add_reached(Roofline& roofline, const Ceiling& row) {
  if (row.status != Status::ok && !(row.status == Status::suspect && row.value.ci_low)) return;
  auto rate = compute_roof(row);
  if (!rate) return;
  if (row.theory_at_clock) rate->low = std::min(rate->low, *row.theory_at_clock);
  if (std::isfinite(rate->low) && rate->low > 0) roofline.add_reached(std::move(*rate));
}

}  // namespace

BandwidthRoof bandwidth_roof(const Ceiling& row) {
  return {.level = row.name,
          .access = row.access,
          .stores = row.stores,
          .byte_per_s = row.value.value,
          .low = row.value.low(),
          .high = row.value.high(),
          .label = bandwidth_label(row),
          .link = row.kind == CeilingKind::link};
}

Roofline make_roofline(std::span<const Ceiling> ceilings, std::string_view device, Scope scope,
                       std::vector<Level> levels) {
  Roofline roofline;
  roofline.set_levels(std::move(levels));
  for (const Ceiling& row : ceilings) {
    if (row.device != device || row.scope != scope || row.imported) continue;
    if (row.status != Status::ok || !row.variant.empty()) {
      if (row.kind == CeilingKind::compute) add_reached(roofline, row);
      continue;
    }
    if (row.kind == CeilingKind::compute) {
      if (auto roof = compute_roof(row)) roofline.add(std::move(*roof));
    }
    if ((row.kind == CeilingKind::bandwidth || row.kind == CeilingKind::link) && row.unit == "byte/s") {
      roofline.add(bandwidth_roof(row));
    }
    if (is_launch(row)) {
      roofline.set_overhead({.seconds = row.value.value,
                             .synchronous = row.name == awaited_launch,
                             .label = "Kokkos launch",
                             .low = row.value.ci_low});
    }
  }
  return roofline;
}

}  // namespace gable
