#include "backends/openmp/ceilings/row.hpp"

#include <algorithm>

namespace gable::openmp {
namespace {

void append(std::string& id, std::string_view part) {
  if (part.empty() || part == "none") return;
  id += '/';
  id += part;
}

/// A busy machine takes longer than expected; a hung one much longer.
double limit_of(double expected_s) { return std::max(30.0, 20.0 * expected_s); }

}  // namespace

std::string ceiling_id(const Ceiling& row) {
  std::string id = "ceiling";
  append(id, to_string(row.kind));
  append(id, row.name);
  if (row.dtype) append(id, to_string(*row.dtype));
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

Ceiling new_row(const Setup& setup, CeilingKind kind, std::string name, std::string unit) {
  Ceiling row;
  row.device = setup.device.id;
  row.scope = setup.request.scope;
  row.threads = setup.threads();
  row.kind = kind;
  row.name = std::move(name);
  row.unit = std::move(unit);
  return row;
}

Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(Setup&, Ceiling&)> fill) {
  row.id = ceiling_id(row);
  Item item{row.id, std::move(title), expected_s, limit_of(expected_s), {}};
  if (row.status != Status::ok) {
    item.expected_s = 0.0;
    item.run = [row = std::move(row)] { return std::vector<Row>{row}; };
    return item;
  }
  item.run = [setup = std::move(setup), row = std::move(row), fill = std::move(fill)] {
    Ceiling measured = row;
    fill(*setup, measured);
    if (setup->conditions) {
      const auto now = setup->conditions();
      measured.conditions.power_w = now.power_w;
      measured.conditions.temperature_c = now.temperature_c;
      measured.conditions.huge_page_fraction = now.huge_page_fraction;
    }
    measured.reason = implausible(measured);
    if (!measured.reason.empty()) measured.status = Status::suspect;
    return std::vector<Row>{measured};
  };
  return item;
}

Item curve_item(SharedSetup setup, Curve curve, std::string title, double expected_s,
                std::function<void(Setup&, Curve&)> fill) {
  curve.id = curve_id(curve);
  curve.device = setup->device.id;
  curve.scope = setup->request.scope;
  curve.threads = setup->threads();
  Item item{curve.id, std::move(title), expected_s, limit_of(expected_s), {}};
  item.run = [setup = std::move(setup), curve = std::move(curve), fill = std::move(fill)] {
    Curve measured = curve;
    if (measured.status == Status::ok) fill(*setup, measured);
    return std::vector<Row>{measured};
  };
  return item;
}

}  // namespace gable::openmp
