#include "core/row_item.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "core/model/dtype.hpp"

namespace gable {
namespace {

void append(std::string& id, std::string_view part) {
  if (part.empty() || part == "none") return;
  id += '/';
  id += part;
}

/// Takes over what nobody said yet.
void complete(Conditions& conditions, const Conditions& now) {
  if (!conditions.clock_hz) {
    conditions.clock_hz = now.clock_hz;
    conditions.clock_source = now.clock_source;
  }
  if (!conditions.power_w) conditions.power_w = now.power_w;
  if (!conditions.temperature_c) conditions.temperature_c = now.temperature_c;
  if (!conditions.clock_limits) conditions.clock_limits = now.clock_limits;
  if (!conditions.huge_page_fraction) conditions.huge_page_fraction = now.huge_page_fraction;
}

/// A busy machine takes longer than expected; a hung one much longer.
double limit_of(double expected_s) { return std::max(30.0, 20.0 * expected_s); }

}  // namespace

Ceiling new_row(const DeviceInfo& device, Scope scope, int threads, CeilingKind kind, std::string name,
                std::string unit) {
  return Ceiling{.device = device.id,
                 .scope = scope,
                 .threads = threads,
                 .kind = kind,
                 .name = std::move(name),
                 .unit = std::move(unit)};
}

Curve new_curve(const DeviceInfo& device, Scope scope, int threads, std::string name, std::string series, Axis x,
                Axis y) {
  return Curve{.device = device.id,
               .scope = scope,
               .threads = threads,
               .name = std::move(name),
               .series = std::move(series),
               .x_name = std::move(x.name),
               .x_unit = std::move(x.unit),
               .y_name = std::move(y.name),
               .y_unit = std::move(y.unit)};
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

std::string ceiling_id_with(Ceiling row, std::string variant) {
  row.variant = std::move(variant);
  return ceiling_id(row);
}

std::string curve_id(const Curve& curve) {
  std::string id = "curve";
  append(id, curve.name);
  append(id, curve.series);
  return id;
}

std::string point_id(const Point& point) {
  std::string id =
      fmt::format("point/{}/{}/{}/{}", point.op, point.implementation, to_string(point.types.a), point.params);
  if (point.cold) id += "/cold";
  if (point.launches > 1) id += fmt::format("/launches={}", point.launches);
  if (point.graph) id += "/graph";
  return id;
}

Item row_item(Ceiling row, std::string title, double expected_s, std::function<void(Ceiling&)> fill,
              std::function<Conditions()> conditions) {
  row.id = ceiling_id(row);
  Item item{row, std::move(title), expected_s, limit_of(expected_s), {}};
  if (row.status != Status::ok) {
    item.expected_s = 0.0;
    item.run = [row = std::move(row)] { return std::vector<Row>{row}; };
    return item;
  }
  item.run = [row = std::move(row), fill = std::move(fill), conditions = std::move(conditions)] {
    Ceiling measured = row;
    fill(measured);
    if (conditions) {
      complete(measured.conditions, conditions());
    }
    return std::vector<Row>{measured};
  };
  return item;
}

Item curve_item(Curve curve, std::string title, double expected_s, std::function<void(Curve&)> fill) {
  curve.id = curve_id(curve);
  Item item{curve, std::move(title), expected_s, limit_of(expected_s), {}};
  item.run = [curve = std::move(curve), fill = std::move(fill)] {
    Curve measured = curve;
    if (measured.status == Status::ok) fill(measured);
    return std::vector<Row>{measured};
  };
  return item;
}

Item as_variant(const Item& item, const std::string& variant, std::string_view words) {
  const auto mark = [variant](Row& row) {
    auto& ceiling = std::get<Ceiling>(row);
    ceiling.variant = variant;
    ceiling.id = ceiling_id(ceiling);
  };
  Item copy = item;
  mark(copy.planned);
  copy.title += words;
  copy.run = [run = item.run, mark] {
    auto rows = run();
    std::ranges::for_each(rows, mark);
    return rows;
  };
  return copy;
}

}  // namespace gable
