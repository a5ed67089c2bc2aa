#include "core/worker/item_plan.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/row_item.hpp"
#include "core/sequence.hpp"
#include "core/worker/concurrent_items.hpp"
#include "core/worker/points.hpp"

namespace gable::worker {
namespace {

/// A stream that bounds operators: of main memory, with the stores that they use, and no row beside the main one. None
/// of them only writes.
bool bounds_operators(const Ceiling& row, const std::string& main_memory) {
  return row.kind == CeilingKind::bandwidth && row.name == main_memory && row.stores != Stores::non_temporal &&
         row.access != Access::write && row.at == OperatingPoint::sustained && row.variant.empty();
}

/// Rows that an experiment predicts its points from.
bool bounds_experiments(const Item& item) {
  const auto* row = std::get_if<Ceiling>(&item.planned);
  return row && (row->kind == CeilingKind::compute || row->kind == CeilingKind::bandwidth ||
                 row->kind == CeilingKind::overhead);
}

/// The ceilings that bound operators, then what the experiment runs on this device.
std::vector<Item> experiment_items(Backend& backend, const DeviceInfo& device, Request request,
                                   std::span<const OperatorEntry* const> entries, ExperimentCases cases_of) {
  auto items = backend.ceilings();
  std::erase_if(items, std::not_fn(bounds_experiments));
  const auto specs = mapped(entries, &OperatorEntry::spec);
  request.cases = cases_of(request.experiment, part_of(device, request.scope, request.threads), specs);
  append(items, point_items(backend, device, request, entries));
  return items;
}

}  // namespace

std::vector<Item> streams_among_operators(const std::vector<Item>& ceilings, const DeviceInfo& device) {
  std::vector<Item> items;
  if (device.memory.empty()) return items;
  for (const Item& item : ceilings) {
    const bool planned = item.expected_s > 0;  // rows that cannot be measured say so once
    const auto* ceiling = std::get_if<Ceiling>(&item.planned);
    if (planned && ceiling && bounds_operators(*ceiling, device.memory.back().name))
      items.push_back(as_variant(item, std::string(among_operators), ", once more"));
  }
  return items;
}

std::vector<Item> interleave(std::vector<Item> points, std::vector<Item> streams) {
  const auto measured = [](const Item& item) { return item.expected_s > 0; };
  const auto all = static_cast<std::size_t>(std::ranges::count_if(points, measured));
  std::vector<Item> items;
  std::size_t done = 0, placed = 0;
  for (Item& point : points) {
    if (measured(point)) ++done;
    items.push_back(std::move(point));
    for (; all > 0 && placed < done * streams.size() / all; ++placed) {
      items.push_back(std::move(streams[streams.size() - 1 - placed]));
    }
  }
  return items;
}

std::vector<Item> plan_items(Backend& backend, const DeviceInfo& device, const Request& request,
                             std::span<const OperatorEntry* const> entries, ExperimentCases cases_of) {
  if (!request.experiment.empty()) return experiment_items(backend, device, request, entries, cases_of);
  if (request.concurrent)
    return concurrent_items(backend.ceilings(), device, request.concurrent_devices,
                            [&backend] { return backend.conditions(); });
  std::vector<Item> items;
  if (request.ceilings) items = backend.ceilings();
  auto streams = streams_among_operators(items, device);
  append(items, interleave(point_items(backend, device, request, entries), std::move(streams)));
  return items;
}

}  // namespace gable::worker
