#include "core/verdict/machine_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/device/datasheet.hpp"
#include "core/verdict/roofs.hpp"

namespace gable {

std::string basis_text(Basis basis, std::string_view source) {
  return source.empty() ? std::string(to_string(basis)) : fmt::format("{}, {}", to_string(basis), source);
}

MachineModel machine_of(const catalogue::Device& device) {
  MachineModel machine;
  machine.name = device.name;
  machine.basis = Basis::datasheet;
  machine.source = to_string(device.confidence);
  machine.memory_byte = device.memory_byte;
  machine.link_byte_per_s = device.link_byte_per_s;
  machine.links = device.links;
  machine.linked_devices = device.linked_devices;
  if (!machine.linked_devices && machine.links) machine.linked_devices = *machine.links + 1;
  machine.in_switch_reduction = device.in_switch_reduction;
  machine.power_w = device.tdp_w;
  machine.roofline.set_levels({{device.memory_type, 0}});
  machine.roofline.add(datasheet_roof(device.memory_type, device.memory_byte_per_s));
  for (const TheoreticalPeak& peak : device.peaks) {
    if (const auto unit = parse_unit(peak.name); unit && peak.dtype) machine.roofline.add(datasheet_roof(peak, *unit));
  }
  return machine;
}

MachineModel machine_of(const Result& result, const std::string& device, Scope scope) {
  MachineModel machine;
  machine.roofline = roofline_of(result, device, scope);
  const auto info = std::ranges::find(result.devices, device, &DeviceInfo::id);
  machine.name = info->name;
  machine.is_cpu = is_cpu(*info);
  if (!info->memory.empty()) machine.memory_byte = total_bytes(info->memory.back());
  return machine;
}

std::vector<Ridge> ridges(const MachineModel& machine) {
  const auto& levels = machine.roofline.levels();
  const auto bandwidth = levels.empty() ? std::nullopt : machine.roofline.byte_per_s(levels.back().name);
  std::vector<Ridge> list;
  if (!bandwidth) return list;
  for (const ComputeRoof& roof : machine.roofline.compute()) {
    if (!is_flop(roof.unit)) continue;
    list.push_back({roof, roof.flop_per_s / *bandwidth});
  }
  std::ranges::stable_sort(list, std::greater<>{}, &Ridge::flop_per_byte);
  return list;
}

std::vector<Stage> datasheet_stages(std::vector<Stage> stages, const Types& types, const Roofline& roofline) {
  for (Stage& stage : stages) {
    std::erase_if(stage.work, [&](const UnitWork& work) {
      return !is_flop(work.unit) && roofline.peak(types, work.unit) == nullptr;
    });
  }
  return stages;
}

std::optional<DatasheetBound> datasheet_bound(const Point& point, const DeviceInfo& device) {
  if (point.status != Status::ok || !(point.time.value > 0)) return {};
  if (point.limit_unit && !is_flop(*point.limit_unit)) return {};
  const Roofline roofline = datasheet_roofline(device, point.scope, point.threads);
  const auto stages = datasheet_stages(point.stages, point.types, roofline);
  const auto judgement = roofline.judge(stages, point.types, point.cold);
  const auto& bound = judgement.bound;
  if (!bound) return {};
  const bool compute = point.regime == Regime::compute_bound && bound->limit.kind == LimitKind::compute;
  if (!compute && !judgement.stands()) return {};
  return DatasheetBound{bound->time_s, bound->time_s / point.time.value, bound->limit.label, bound->limit.kind};
}

std::optional<DatasheetBound> datasheet_bound(const Result& result, const Point& point) {
  const auto device = std::ranges::find(result.devices, point.device, &DeviceInfo::id);
  return device == result.devices.end() ? std::nullopt : datasheet_bound(point, *device);
}

}  // namespace gable
