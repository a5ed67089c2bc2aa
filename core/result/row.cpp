#include "core/result/row.hpp"

#include <utility>

#include "core/enum_names.hpp"

namespace gable {
namespace {

constexpr auto kinds =
    enum_names<RowKind>({{RowKind::ceiling, "ceiling"}, {RowKind::curve, "curve"}, {RowKind::point, "point"}});

}  // namespace

std::string_view to_string(RowKind kind) { return kinds.name(kind); }
std::optional<RowKind> parse_row_kind(std::string_view text) { return kinds.parse(text); }

Row blank_row(RowKind kind) {
  if (kind == RowKind::curve) return Curve{};
  if (kind == RowKind::point) return Point{};
  return Ceiling{};
}

const std::string& id_of(const Row& row) {
  return std::visit([](const auto& one) -> const std::string& { return one.id; }, row);
}

Status status_of(const Row& row) {
  return std::visit([](const auto& one) { return one.status; }, row);
}

Row without_figure(Row planned, Status status, std::string reason) {
  std::visit(
      [&](auto& one) {
        one.status = status;
        one.reason = std::move(reason);
      },
      planned);
  return planned;
}

}  // namespace gable
