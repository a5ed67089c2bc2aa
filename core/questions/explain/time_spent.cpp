#include "core/questions/explain/time_spent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/model/units.hpp"

namespace gable::questions {
namespace {

/// The roof that limits a point, without the mix of its reads and writes: "DRAM", "fp32 vector".
std::string limit_name(const Point& point) {
  if (!point.limit_unit || !point.limit_dtype) return point.limit_level;
  return fmt::format("{} {}", to_string(*point.limit_dtype), to_string(*point.limit_unit));
}

double seconds(const std::map<std::string, double>& roofs) {
  return std::accumulate(roofs.begin(), roofs.end(), 0.0, [](double s, const auto& one) { return s + one.second; });
}

}  // namespace

void TimeSpent::add(const Explanation& one) {
  if (one.invalid) return;
  const Point& point = one.point;
  const double s = point.time.value * point.count.value_or(1);
  operators_.insert(point.op);
  s_ += s;
  limits_[*point.regime][limit_name(point)] += s;
  const Lever* best = best_lever(one);
  std::map<std::string, const Lever*> largest;  // of each name
  for (const Lever& lever : one.levers) {
    if (lever.factor.value_or(0) < least_gain) continue;
    const Lever*& known = largest[lever.name];
    if (!known || *lever.factor > *known->factor) known = &lever;
  }
  for (const auto& [name, lever] : largest) {
    Saving& saving = levers_[name];
    const double saved = s * (1 - 1 / *lever->factor);
    saving.s += saved;
    if (point.types.a != DType::fp64 || !lever->narrower || best->name == name) saving.advised_s += saved;
    if (saved <= saving.most_s) continue;
    saving.most_s = saved;
    saving.most = fmt::format("{} {}, {:.3g}x", point.op, to_string(point.types.a), *lever->factor);
  }
}

std::string TimeSpent::words() const {
  if (!(s_ > 0)) return {};
  const auto& [regime, roofs] =
      *std::ranges::max_element(limits_, {}, [](const auto& one) { return seconds(one.second); });
  const std::string& roof = std::ranges::max_element(roofs, {}, [](const auto& one) { return one.second; })->first;
  std::string limit(regime == Regime::below_roof ? "below every roof" : to_string(regime));
  std::ranges::replace(limit, '_', '-');
  if (regime != Regime::below_roof && !roof.empty())
    limit += fmt::format(" ({}{})", roofs.size() > 1 ? "mostly " : "", roof);
  std::string text = fmt::format("{:.0f} % of the {} of {} operator{} is {}", 100 * seconds(roofs) / s_,
                                 format_quantity(s_, "s"), operators_.size(), operators_.size() == 1 ? "" : "s", limit);
  if (levers_.empty()) return text + ".";
  const auto& [lever, saving] =
      *std::ranges::max_element(levers_, {}, [](const auto& one) { return one.second.advised_s; });
  return fmt::format("{}; best lever: {}, at most {:.0f} % less time ({}).", text, lever, 100 * saving.s / s_,
                     saving.most);
}

}  // namespace gable::questions
