#include "core/analysis/datasheet_bound.hpp"

#include <algorithm>
#include <vector>

#include "core/device/datasheet.hpp"

namespace gable::analysis {

std::vector<Stage> printed(std::vector<Stage> stages, const Types& types, const Roofline& roofline) {
  for (Stage& stage : stages) {
    std::erase_if(stage.work, [&](const UnitWork& work) {
      return !is_flop(work.unit) && roofline.peak(types, work.unit) == nullptr;
    });
  }
  return stages;
}

std::optional<DatasheetBound> datasheet_bound(const Point& point, const DeviceInfo& device) {
  if (point.status != Status::ok || !(point.time.value > 0)) return {};
  if (const auto unit = unit_of_limit(point.limit); unit && !is_flop(*unit)) return {};
  const Roofline roofline = datasheet_roofline(device, point.scope, point.threads);
  const auto stages = printed(point.stages, point.types, roofline);
  const auto judgement = roofline.judge(stages, point.types, point.cold);
  const auto& bound = judgement.bound;
  if (!bound) return {};
  const bool compute = point.regime == Regime::compute_bound && bound->limit.kind == LimitKind::compute;
  if (!compute && !judgement.stands()) return {};
  return DatasheetBound{bound->time_s, bound->time_s / point.time.value, bound->limit.label};
}

std::optional<DatasheetBound> datasheet_bound(const Result& result, const Point& point) {
  const auto device = std::ranges::find(result.devices, point.device, &DeviceInfo::id);
  return device == result.devices.end() ? std::nullopt : datasheet_bound(point, *device);
}

}  // namespace gable::analysis
