#include "core/questions/explain/time_spent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/units.hpp"

namespace gable::questions {
namespace {

/// "memory-bound (DRAM)", "compute-bound (fp32 vector)": its roof without the mix of reads and writes.
std::string limit_name(const Point& point) {
  if (point.regime == Regime::below_roof) return "below every roof";
  std::string name(to_string(*point.regime));
  std::ranges::replace(name, '_', '-');
  if (point.limit_unit && point.limit_dtype)
    return fmt::format("{} ({} {})", name, to_string(*point.limit_dtype), to_string(*point.limit_unit));
  return point.limit_level.empty() ? name : fmt::format("{} ({})", name, point.limit_level);
}

}  // namespace

void TimeSpent::add(const Explanation& one) {
  if (one.invalid) return;
  const Point& point = one.point;
  const double s = point.time.value * point.count.value_or(1);
  ++points_;
  s_ += s;
  limits_[limit_name(point)] += s;
  const Lever* lever = best_lever(one);
  if (!lever) return;
  Saving& saving = levers_[lever->name];
  const double saved = s * (1 - 1 / *lever->factor);
  saving.s += saved;
  if (saved <= saving.most_s) return;
  saving.most_s = saved;
  saving.most = fmt::format("{} {}, {:.3g}x", point.op, to_string(point.types.a), *lever->factor);
}

std::string TimeSpent::words() const {
  if (!(s_ > 0)) return {};
  const auto& [limit, limited_s] = *std::ranges::max_element(limits_, {}, [](const auto& one) { return one.second; });
  std::string text = fmt::format("{:.0f} % of the {} of {} operator{} is {}", 100 * limited_s / s_,
                                 format_quantity(s_, "s"), points_, points_ == 1 ? "" : "s", limit);
  if (levers_.empty()) return text + ".";
  const auto& [lever, saving] = *std::ranges::max_element(levers_, {}, [](const auto& one) { return one.second.s; });
  return fmt::format("{}; best lever: {}, at most {:.0f} % less time ({}).", text, lever, 100 * saving.s / s_,
                     saving.most);
}

}  // namespace gable::questions
