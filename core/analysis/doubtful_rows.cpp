#include "core/analysis/doubtful_rows.hpp"

#include <algorithm>

#include "core/result/for_each_row.hpp"
#include "core/result/roofs.hpp"
#include "core/result/suspicion.hpp"

namespace gable::analysis {
namespace {

/// The streams that bound operators: where a point is faster than its roof, one of the two is wrong.
bool is_roof_of_main_memory(const Ceiling& row, const Result& result) {
  const auto device = std::ranges::find(result.devices, row.device, &DeviceInfo::id);
  return device != result.devices.end() && !device->memory.empty() && row.kind == CeilingKind::bandwidth &&
         row.name == device->memory.back().name && row.stores != Stores::non_temporal;
}

}  // namespace

worker::Doubtful doubtful_rows(Result result, Mode mode, std::span<const Ceiling> borrowed) {
  result::mark_suspects(result);
  place_points(result, borrowed);
  const bool too_fast = std::ranges::any_of(result.points, [](const Point& point) {
    return point.status == Status::suspect && point.fraction_of_limit.value_or(0) > 1;
  });
  worker::Doubtful doubtful;
  for_each_row(result, [&](const auto& row) {
    if (!worker::wants_another_round(row, mode)) return;
    (row.status == Status::ok ? doubtful.imprecise : doubtful.without_figure).insert(row.id);
  });
  for (const Ceiling& row : result.ceilings) {
    if (too_fast && is_roof_of_main_memory(row, result)) doubtful.without_figure.insert(row.id);
  }
  return doubtful;
}

}  // namespace gable::analysis
