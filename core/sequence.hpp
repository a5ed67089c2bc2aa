#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"

/// What is asked of lists all over: `make`, `wanted` and `figure` are functions of an entry or members of it.
namespace gable {

/// What is made of every entry: mapped(devices, &DeviceInfo::id).
template <std::ranges::input_range List, class Make>
auto mapped(List&& list, Make make) {
  std::vector<std::remove_cvref_t<std::invoke_result_t<Make&, std::ranges::range_reference_t<List>>>> all;
  for (auto&& entry : list) all.push_back(std::invoke(make, entry));
  return all;
}

/// Copies of the entries that are wanted.
template <std::ranges::input_range List, class Wanted>
auto filtered(List&& list, Wanted wanted) {
  std::vector<std::ranges::range_value_t<List>> all;
  std::ranges::copy_if(list, std::back_inserter(all), wanted);
  return all;
}

/// The figures of those entries that have one: `figure` gives an optional.
template <std::ranges::input_range List, class Figure>
auto told_by(List&& list, Figure figure) {
  std::vector<double> all;
  for (auto&& entry : list) {
    if (const std::optional<double> told = std::invoke(figure, entry)) all.push_back(*told);
  }
  return all;
}

/// The sum of a figure over all entries, added up in their order.
template <std::ranges::input_range List, class Figure>
double sum_over(List&& list, Figure figure) {
  double sum = 0;
  for (auto&& entry : list) sum += std::invoke(figure, entry);
  return sum;
}

/// The first entry whose member is the key; null where there is none. The list is no temporary.
template <std::ranges::forward_range List, class Key, class Member>
auto find_by(List& list, const Key& key, Member member) {
  const auto found = std::ranges::find(list, key, member);
  return found == std::ranges::end(list) ? nullptr : &*found;
}

/// The first of the wanted entries whose figure is the highest; null where none is wanted. The list is no temporary.
template <std::ranges::forward_range List, class Figure, class Wanted>
auto highest_of(List& list, Figure figure, Wanted wanted) {
  auto some = list | std::views::filter(std::move(wanted));
  const auto best = std::ranges::max_element(some, {}, std::move(figure));
  return best == some.end() ? nullptr : &*best;
}

/// The entry whose member is the name. Throws Error "unknown model 'x'; known: a, b" of what it is called.
template <std::ranges::forward_range List, class Member>
auto& find_known(List& list, std::string_view name, Member member, std::string_view what) {
  if (auto* found = find_by(list, name, member)) return *found;
  throw Error(fmt::format("unknown {} '{}'; known: {}", what, name, fmt::join(mapped(list, member), ", ")));
}

}  // namespace gable
