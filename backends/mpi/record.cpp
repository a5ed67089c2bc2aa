#include "backends/mpi/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gable::mpi {

std::string of_size(std::string_view what, std::int64_t bytes) { return fmt::format("{}_{}_bytes", what, bytes); }

Ceiling Record::link(std::string name, std::string unit, std::string variant, std::int64_t bytes) const {
  Ceiling row = new_row(device(), Scope::node, device().threads, CeilingKind::link, std::move(name), std::move(unit));
  row.implementation = "mpi";
  row.variant = std::move(variant);
  row.data_pattern = "index";
  if (bytes > 0) row.working_set_bytes = static_cast<double>(bytes);
  return row;
}

Curve Record::curve(std::string name, std::string series, Axis x, Axis y) const {
  Curve curve = new_curve(device(), Scope::node, device().threads, std::move(name), std::move(series), std::move(x),
                          std::move(y));
  curve.id = curve_id(curve);
  return curve;
}

void Record::keep(Ceiling row) {
  if (row.id.empty()) row.id = ceiling_id(row);
  result_.ceilings.push_back(std::move(row));
  tell();
}

void Record::keep(Curve curve) {
  result_.curves.push_back(std::move(curve));
  tell();
}

void Record::add_point(const Curve& curve, double x, double y) {
  auto found = std::ranges::find(result_.curves, curve.id, &Curve::id);
  if (found == result_.curves.end()) found = result_.curves.insert(found, curve);
  const auto at = std::ranges::upper_bound(found->x, x) - found->x.begin();
  found->x.insert(found->x.begin() + at, x);
  found->y.insert(found->y.begin() + at, y);
}

void Record::note(std::string text) {
  result_.notes.push_back(std::move(text));
  tell();
}

}  // namespace gable::mpi
