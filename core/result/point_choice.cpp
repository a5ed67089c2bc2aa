#include "core/result/point_choice.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/error.hpp"

namespace gable {
namespace {

bool fits(const std::string& pattern, const Point& point) {
  const auto matches = [&](const std::string& name) { return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0; };
  return matches(point.id) || matches(point.op) || (point.imported && matches(point.imported->name));
}

/// Of all its runs, s; below 0 where it has no time.
double total_s(const Point& point) {
  return point.status == Status::ok || point.time.value > 0 ? point.count.value_or(1) * point.time.value : -1;
}

}  // namespace

void keep_points(Result& result, const PointChoice& choice) {
  for (const std::string& pattern : choice.only) {
    if (std::ranges::none_of(result.points, [&](const Point& point) { return fits(pattern, point); }))
      throw Error(fmt::format("--only: no operator or kernel is called '{}'; without --only they are listed", pattern));
  }
  if (!choice.only.empty()) {
    std::erase_if(result.points, [&](const Point& point) {
      return std::ranges::none_of(choice.only, [&](const std::string& pattern) { return fits(pattern, point); });
    });
  }
  if (!choice.top || std::cmp_greater_equal(*choice.top, result.points.size())) return;
  std::ranges::stable_sort(result.points, std::ranges::greater{}, total_s);
  result.points.resize(static_cast<std::size_t>(*choice.top));
}

}  // namespace gable
