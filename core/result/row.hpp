#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/enum_names.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/point.hpp"

namespace gable {

/// What one measured item yields.
using Row = std::variant<Ceiling, Curve, Point>;

/// Which kind a row is of, in the order of Row; its name in files and messages. docs/add-a-row.md says how to add one.
enum class RowKind { ceiling, curve, point };
constexpr auto names_of(RowKind) { return names_up_to<RowKind::point>("ceiling", "curve", "point"); }
static_assert(names_of(RowKind{}).size() == std::variant_size_v<Row>);

/// The kind of the rows of a type.
template <class T>
inline constexpr RowKind kind_of_type = [] {
  const auto index = []<class... Kinds>(std::type_identity<std::variant<Kinds...>>) {
    std::size_t i = 0;
    static_cast<void>(((std::is_same_v<T, Kinds> || (++i, false)) || ...));
    return i;
  }(std::type_identity<Row>{});
  return static_cast<RowKind>(index);
}();
static_assert(kind_of_type<Ceiling> == RowKind::ceiling && kind_of_type<Curve> == RowKind::curve &&
              kind_of_type<Point> == RowKind::point);
template <class T>
constexpr RowKind kind_of(const T&) {
  return kind_of_type<T>;
}

/// A row of this kind that says nothing yet.
Row blank_row(RowKind kind);
/// What the row measured, and its unit; null and empty for a kind of row that is no single figure. Every kind has both
/// functions beside its struct; these take a Row only, so that a kind without them does not compile.
template <std::same_as<Row> R>
const Estimate* estimate_of(const R& row) {
  return std::visit([](const auto& one) -> const Estimate* { return estimate_of(one); }, row);
}
template <std::same_as<Row> R>
Estimate* estimate_of(R& row) {
  return const_cast<Estimate*>(estimate_of(std::as_const(row)));
}
template <std::same_as<Row> R>
std::string_view unit_of(const R& row) {
  return std::visit([](const auto& one) -> std::string_view { return unit_of(one); }, row);
}
inline const std::string& id_of(const Row& row) {
  return std::visit([](const auto& one) -> const std::string& { return one.id; }, row);
}
inline Status status_of(const Row& row) {
  return std::visit([](const auto& one) { return one.status; }, row);
}

/// The planned row as one that has no figure: its identity, what became of it and why.
Row without_figure(Row planned, Status status, std::string reason);

}  // namespace gable
