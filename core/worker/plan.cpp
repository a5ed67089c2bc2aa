#include "core/worker/plan.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/experiment/experiment.hpp"
#include "core/row_item.hpp"
#include "core/worker/item_id.hpp"
#include "core/worker/points.hpp"

namespace gable::worker {
namespace {

/// A stream that bounds operators: of main memory, with the stores that they use, and no row beside the main one. None
/// of them only writes.
bool bounds_operators(const Ceiling& row, const std::string& main_memory) {
  return row.kind == CeilingKind::bandwidth && row.name == main_memory && row.stores != Stores::non_temporal &&
         row.access != Access::write && row.at == OperatingPoint::sustained && row.variant.empty();
}

Item again(const Item& first) {
  Item item = first;
  const std::string suffix = '/' + std::string(measured_again);
  item.id += suffix;
  item.title += ", once more";
  item.run = [run = first.run, suffix] {
    auto rows = run();
    for (Row& row : rows) {
      auto& ceiling = std::get<Ceiling>(row);
      ceiling.id += suffix;
      ceiling.variant = measured_again;
    }
    return rows;
  };
  return item;
}

/// The ceilings that bound operators, then what the experiment runs on this device.
std::vector<Item> experiment_items(Backend& backend, const DeviceInfo& device, Request request,
                                   std::span<const OperatorEntry* const> entries) {
  constexpr std::string_view bounding[] = {"ceiling/compute/", "ceiling/bandwidth/", "ceiling/overhead/"};
  auto items = backend.ceilings();
  std::erase_if(items, [&](const Item& item) {
    return std::ranges::none_of(bounding, [&](std::string_view begin) { return item.id.starts_with(begin); });
  });
  const auto& wanted = experiment::find_experiment(request.experiment);
  std::vector<const OperatorSpec*> specs;
  for (const OperatorEntry* entry : entries) specs.push_back(entry->spec);
  request.cases = wanted.plan(part_of(device, request.scope, request.threads), specs);
  append(items, point_items(backend, device, request, entries));
  return items;
}

}  // namespace

std::vector<Item> roofs_again(const std::vector<Item>& ceilings, const DeviceInfo& device) {
  std::vector<Item> items;
  if (device.memory.empty()) return items;
  for (const Item& item : ceilings) {
    const bool planned = item.expected_s > 0;  // rows that cannot be measured say so once
    const Row row = outcome_row(item.id, device.id, Status::ok, "");
    const auto* ceiling = std::get_if<Ceiling>(&row);
    if (planned && ceiling && bounds_operators(*ceiling, device.memory.back().name)) items.push_back(again(item));
  }
  return items;
}

std::vector<Item> spread(std::vector<Item> points, std::vector<Item> again) {
  const auto measured = [](const Item& item) { return item.expected_s > 0; };
  const auto all = static_cast<std::size_t>(std::ranges::count_if(points, measured));
  std::vector<Item> items;
  std::size_t done = 0, placed = 0;
  for (Item& point : points) {
    if (measured(point)) ++done;
    items.push_back(std::move(point));
    for (; all > 0 && placed < done * again.size() / all; ++placed) {
      items.push_back(std::move(again[again.size() - 1 - placed]));
    }
  }
  return items;
}

std::vector<Item> plan_items(Backend& backend, const DeviceInfo& device, const Request& request,
                             std::span<const OperatorEntry* const> entries) {
  if (!request.experiment.empty()) return experiment_items(backend, device, request, entries);
  std::vector<Item> items;
  if (request.ceilings) items = backend.ceilings();
  auto again = roofs_again(items, device);
  append(items, spread(point_items(backend, device, request, entries), std::move(again)));
  return items;
}

}  // namespace gable::worker
