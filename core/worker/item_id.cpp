#include "core/worker/item_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace gable::worker {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find('/', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string unit_of(const Ceiling& row) {
  switch (row.kind) {
    case CeilingKind::compute: {
      const bool flops = row.name != "exp" && row.name != "convert" && !(row.dtype && is_integer(*row.dtype));
      return flops ? "flop/s" : "op/s";
    }
    case CeilingKind::bandwidth:
    case CeilingKind::link:
      return "byte/s";
    default:
      return "s";
  }
}

/// The parts of a ceiling's id are optional and each of its own vocabulary, so each says itself what it is.
Ceiling ceiling_from(const std::vector<std::string>& parts) {
  Ceiling row;
  if (parts.size() > 1) row.kind = parse_ceiling_kind(parts[1]).value_or(CeilingKind::compute);
  if (parts.size() > 2) row.name = parts[2];
  for (std::size_t i = 3; i < parts.size(); ++i) {
    if (const auto dtype = parse_dtype(parts[i])) {
      row.dtype = dtype;
    } else if (const auto access = parse_access(parts[i])) {
      row.access = *access;
    } else if (const auto stores = parse_stores(parts[i])) {
      row.stores = *stores;
    } else if (const auto at = parse_operating_point(parts[i])) {
      row.at = *at;
    } else if (row.implementation.empty()) {
      row.implementation = parts[i];
    } else {
      row.variant = parts[i];
    }
  }
  row.unit = unit_of(row);
  return row;
}

constexpr std::string_view cold_part = "/cold", launches_part = "/launches=", graph_part = "/graph";

/// Takes `part` off the end of the text, if it is there.
bool take_end(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}

/// What stands behind the four parts "point/op/implementation/type/": parameters, which may have slashes in them, and
/// the manner of the run.
void read_manner(std::string_view id, Point& row) {
  for (int part = 0; part < 4; ++part) id.remove_prefix(std::min(id.size(), id.find('/') + 1));
  row.graph = take_end(id, graph_part);
  if (const auto at = id.rfind(launches_part); at != std::string_view::npos) {
    const std::string_view number = id.substr(at + launches_part.size());
    std::from_chars(number.data(), number.data() + number.size(), row.launches);
    id = id.substr(0, at);
  }
  row.cold = take_end(id, cold_part);
  row.params = std::string(id);
}

}  // namespace

Row outcome_row(std::string_view item_id, const std::string& device, Status status, const std::string& reason) {
  const auto parts = split(item_id);
  const auto fill = [&](auto row) -> Row {
    row.id = std::string(item_id);
    row.device = device;
    row.status = status;
    row.reason = reason;
    return row;
  };
  if (parts[0] == "point") {
    Point row;
    if (parts.size() > 1) row.op = parts[1];
    if (parts.size() > 2) row.implementation = parts[2];
    if (parts.size() > 3) row.types = uniform_types(parse_dtype(parts[3]).value_or(DType::fp64));
    read_manner(item_id, row);
    return fill(std::move(row));
  }
  if (parts[0] == "curve") {
    Curve row;
    if (parts.size() > 1) row.name = parts[1];
    if (parts.size() > 2) row.series = parts[2];
    return fill(std::move(row));
  }
  return fill(ceiling_from(parts));
}

void set_scope(Row& row, Scope scope, int threads) {
  std::visit(
      [&](auto& any) {
        any.scope = scope;
        any.threads = threads;
      },
      row);
}

std::string point_id(const Point& point) {
  std::string id =
      fmt::format("point/{}/{}/{}/{}", point.op, point.implementation, to_string(point.types.a), point.params);
  if (point.cold) id += cold_part;
  if (point.launches > 1) id += fmt::format("{}{}", launches_part, point.launches);
  if (point.graph) id += graph_part;
  return id;
}

}  // namespace gable::worker
