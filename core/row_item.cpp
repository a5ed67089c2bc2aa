#include "core/row_item.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/model/types.hpp"

namespace gable {
namespace {

void append(std::string& id, std::string_view part) {
  if (part.empty() || part == "none") return;
  id += '/';
  id += part;
}

/// A busy machine takes longer than expected; a hung one much longer.
double limit_of(double expected_s) { return std::max(30.0, 20.0 * expected_s); }

}  // namespace

Ceiling new_row(const DeviceInfo& device, Scope scope, int threads, CeilingKind kind, std::string name,
                std::string unit) {
  Ceiling row;
  row.device = device.id;
  row.scope = scope;
  row.threads = threads;
  row.kind = kind;
  row.name = std::move(name);
  row.unit = std::move(unit);
  return row;
}

void append(std::vector<Item>& items, std::vector<Item> more) {
  items.insert(items.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string ceiling_id(const Ceiling& row) {
  std::string id = "ceiling";
  append(id, to_string(row.kind));
  append(id, row.name);
  if (row.dtype) append(id, to_string(*row.dtype));
  if (row.dtype && row.accumulate && *row.accumulate != uniform_types(*row.dtype).accumulate) {
    append(id, fmt::format("in_{}", to_string(*row.accumulate)));
  }
  append(id, to_string(row.access));
  append(id, to_string(row.stores));
  append(id, to_string(row.at));
  append(id, row.implementation);
  append(id, row.variant);
  return id;
}

std::string curve_id(const Curve& curve) {
  std::string id = "curve";
  append(id, curve.name);
  append(id, curve.series);
  return id;
}

Item row_item(Ceiling row, std::string title, double expected_s, std::function<void(Ceiling&)> fill,
              std::function<Conditions()> conditions) {
  row.id = ceiling_id(row);
  Item item{row.id, std::move(title), expected_s, limit_of(expected_s), {}};
  if (row.status != Status::ok) {
    item.expected_s = 0.0;
    item.run = [row = std::move(row)] { return std::vector<Row>{row}; };
    return item;
  }
  item.run = [row = std::move(row), fill = std::move(fill), conditions = std::move(conditions)] {
    Ceiling measured = row;
    fill(measured);
    if (conditions) {
      auto now = conditions();
      now.clock_hz = measured.conditions.clock_hz;
      now.clock_source = measured.conditions.clock_source;
      measured.conditions = std::move(now);
    }
    if (measured.status != Status::ok) return std::vector<Row>{measured};
    measured.reason = implausible(measured);
    if (!measured.reason.empty()) measured.status = Status::suspect;
    return std::vector<Row>{measured};
  };
  return item;
}

Item curve_item(Curve curve, std::string title, double expected_s, std::function<void(Curve&)> fill) {
  curve.id = curve_id(curve);
  Item item{curve.id, std::move(title), expected_s, limit_of(expected_s), {}};
  item.run = [curve = std::move(curve), fill = std::move(fill)] {
    Curve measured = curve;
    if (measured.status == Status::ok) fill(measured);
    return std::vector<Row>{measured};
  };
  return item;
}

}  // namespace gable
