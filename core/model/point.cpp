#include "core/model/point.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace gable {
namespace {
std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  return above && below ? figure(*above / *below) : std::nullopt;
}
}  // namespace

bool Verdict::has_verdict() const {
  const bool compared = compared_rounds == 0 || (fraction_low && fraction_high);
  return regime && limit_kind != LimitKind::none && bound_s && overhead_s && fraction_of_limit && compared;
}

bool is_user(const Point& point) { return point.implementation == user_implementation; }
bool ran_here(const Point& point) { return !is_user(point) && !point.imported; }

int launches_of_run(const Point& point) {
  int launches = 0;
  for (const Stage& stage : point.stages) launches += stage.launches;
  return launches / std::max(1, point.launches);
}

std::optional<double> figure(double value) {
  return std::isfinite(value) && value > 0 ? std::optional{value} : std::nullopt;
}

std::optional<double> flops_of(const Point& point) { return figure(flops(point.stages)); }
std::optional<double> bytes_of(const Point& point) { return figure(bytes(point.stages)); }
std::optional<double> intensity_of(const Point& point) { return ratio(flops_of(point), bytes_of(point)); }
std::optional<double> flop_per_s(const Point& point) { return ratio(flops_of(point), figure(point.time.value)); }
std::optional<double> byte_per_s(const Point& point) { return ratio(bytes_of(point), figure(point.time.value)); }

std::string manner_of(const Point& point) {
  std::vector<std::string> parts;
  if (point.cold && ran_here(point)) parts.emplace_back("cold");
  if (point.launches > 1) parts.push_back(fmt::format("{} launches", point.launches));
  if (point.graph) parts.emplace_back("graph");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace gable
