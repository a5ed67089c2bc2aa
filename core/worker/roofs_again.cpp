#include "core/worker/roofs_again.hpp"

#include <utility>

#include "core/worker/item_id.hpp"

namespace gable::worker {
namespace {

/// A stream that bounds operators: of main memory, with the stores that they use, and no row beside the main one.
bool bounds_operators(const Ceiling& row, const std::string& main_memory) {
  return row.kind == CeilingKind::bandwidth && row.name == main_memory && row.stores != Stores::non_temporal &&
         row.at == OperatingPoint::sustained && row.variant.empty();
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
  std::vector<Item> items;
  const std::size_t parts = again.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    items.push_back(std::move(points[i]));
    // How many of the streams are due behind the first i + 1 points, and how many were before this one.
    const std::size_t due = (i + 1) * parts / points.size();
    for (std::size_t j = i * parts / points.size(); j < due; ++j) items.push_back(std::move(again[parts - 1 - j]));
  }
  return items;
}

}  // namespace gable::worker
