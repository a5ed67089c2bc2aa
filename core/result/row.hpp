#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/model/ceiling.hpp"
#include "core/model/point.hpp"

namespace gable {

/// What one measured item yields.
using Row = std::variant<Ceiling, Curve, Point>;

/// Which kind a row is of; its name in files and messages.
enum class RowKind { ceiling, curve, point };
std::string_view to_string(RowKind kind);
std::optional<RowKind> parse_row_kind(std::string_view text);
inline auto name_parser(std::type_identity<RowKind>) { return &parse_row_kind; }

constexpr RowKind kind_of(const Ceiling&) { return RowKind::ceiling; }
constexpr RowKind kind_of(const Curve&) { return RowKind::curve; }
constexpr RowKind kind_of(const Point&) { return RowKind::point; }

/// A row of this kind that says nothing yet.
Row blank_row(RowKind kind);
const std::string& id_of(const Row& row);
Status status_of(const Row& row);

/// The planned row as one that has no figure: its identity, what became of it and why.
Row without_figure(Row planned, Status status, std::string reason);

}  // namespace gable
