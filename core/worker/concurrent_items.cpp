#include "core/worker/concurrent_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

#include "core/device/device_parts.hpp"
#include "core/model/dtype.hpp"
#include "core/model/work.hpp"
#include "core/row_item.hpp"

namespace gable::worker {
namespace {

constexpr std::string_view with = "with_";
/// The links' rows that use the host's memory, one direction each.
constexpr std::string_view copies[] = {"host_to_device", "device_to_host"};

std::string unit_name(const Ceiling& row) {
  std::string name = fmt::format("{} {}", row.name, to_string(*row.dtype));
  if (row.accumulate && *row.accumulate != uniform_types(*row.dtype).accumulate)
    name += fmt::format("->{}", to_string(*row.accumulate));
  return name;
}

std::optional<std::string> compute_resource(const Ceiling& row) {
  if (row.at != OperatingPoint::sustained || !row.dtype) return {};
  const bool basic = row.dtype == DType::fp64 || row.dtype == DType::fp32;
  if (row.name == to_string(Unit::vector) && basic) return unit_name(row);
  if (row.name == to_string(Unit::matrix)) return fmt::format("{}, {}", unit_name(row), row.implementation);
  return {};
}

/// The copy of an item that is measured together with others.
Item together(const Item& alone, const std::string& variant) {
  Item item = as_variant(alone, variant, ", together");
  item.expected_s *= 2;  // it waits for the others
  return item;
}

bool has_gpu(std::span<const std::string> devices) {
  return std::ranges::any_of(devices, [](const std::string& id) { return id.substr(0, id.find(':')) != "openmp"; });
}

}  // namespace

bool is_together(const Ceiling& row) { return row.variant.starts_with(with); }

std::optional<std::string> resource_of(const Ceiling& row, const DeviceInfo& device) {
  if (is_together(row)) {
    const std::string_view other = std::string_view(row.variant).substr(with.size());
    if (std::ranges::count(copies, other) > 0) return std::string(other);
  } else if (!row.variant.empty()) {
    return {};
  }
  if (row.kind == CeilingKind::compute) return compute_resource(row);
  if (row.kind == CeilingKind::link && std::ranges::count(copies, row.name) > 0) return row.name;
  const bool main_memory = row.kind == CeilingKind::bandwidth && !device.memory.empty() &&
                           row.name == device.memory.back().name && row.at == OperatingPoint::sustained &&
                           row.stores != Stores::non_temporal;
  if (!main_memory || (row.access != Access::read && row.access != Access::triad)) return {};
  return fmt::format("main memory {}", to_string(row.access));
}

std::vector<Item> concurrent_items(const std::vector<Item>& ceilings, const DeviceInfo& device,
                                   std::span<const std::string> devices,
                                   const std::function<Conditions()>& conditions) {
  const std::string variant = fmt::format("{}{}", with, kind_of_devices(devices));
  std::vector<Item> items;
  std::set<std::string> seen;
  for (const Item& ceiling : ceilings) {
    const auto* row = std::get_if<Ceiling>(&ceiling.planned);
    if (!row || row->status != Status::ok) continue;
    const auto resource = resource_of(*row, device);
    if (!resource || !seen.insert(*resource).second) continue;
    Item alone = ceiling;
    alone.title = fmt::format("{}: {}", device.id, ceiling.title);
    alone.run = [conditions, run = ceiling.run] {
      if (conditions) conditions();
      return run();
    };
    items.push_back(alone);
    items.push_back(together(alone, variant));
    if (!is_cpu(device) || !has_gpu(devices) || row->access != Access::read) continue;
    for (const std::string_view copy : copies) items.push_back(together(alone, fmt::format("{}{}", with, copy)));
  }
  return items;
}

}  // namespace gable::worker
