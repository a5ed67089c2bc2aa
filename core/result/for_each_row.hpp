#pragma once
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/result/result.hpp"
#include "core/result/row.hpp"

namespace gable {

/// The list of one kind of row: rows_of<Point>(result) is result.points.
template <class T>
std::vector<T>& rows_of(Result& result) {
  return std::get<std::vector<T>&>(row_lists(result));
}
template <class T>
const std::vector<T>& rows_of(const Result& result) {
  return std::get<const std::vector<T>&>(row_lists(result));
}

/// Calls `f(list)` with each list of rows.
template <class AnyResult, class F>
void for_each_row_list(AnyResult& result, F&& f) {
  std::apply([&](auto&... lists) { (f(lists), ...); }, row_lists(result));
}

/// Calls `f(row)` with every row of a result (const or not): ceilings, then curves, then points. `f` takes any kind of
/// row: all have id, device, scope, threads, status and reason.
template <class AnyResult, class F>
void for_each_row(AnyResult& result, F&& f) {
  for_each_row_list(result, [&](auto& rows) {
    for (auto& row : rows) f(row);
  });
}

/// Adds a row to the list of its kind.
inline void add_row(Result& result, const Row& row) {
  std::visit([&](const auto& one) { rows_of<std::decay_t<decltype(one)>>(result).push_back(one); }, row);
}

}  // namespace gable
