#include "core/questions/explain/time_spent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/model/units.hpp"

namespace gable::questions {
namespace {

/// The roof that limits a point, without the mix of its reads and writes: "DRAM", "fp32 vector".
std::string limit_name(const Point& point) {
  if (point.limit_unit && point.limit_dtype)
    return fmt::format("{} {}", to_string(*point.limit_dtype), to_string(*point.limit_unit));
  return point.limit_level;
}

std::string regime_name(Regime regime) {
  if (regime == Regime::below_roof) return "below every roof";
  std::string name(to_string(regime));
  std::ranges::replace(name, '_', '-');
  return name;
}

double sum_of(const std::map<std::string, double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0, [](double sum, const auto& one) { return sum + one.second; });
}

}  // namespace

void TimeSpent::add(const Explanation& one) {
  if (one.invalid) return;
  const Point& point = one.point;
  const double s = point.time.value * point.count.value_or(1);
  ++points_;
  s_ += s;
  limits_[*point.regime][limit_name(point)] += s;
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
  const auto [regime, parts] =
      *std::ranges::max_element(limits_, {}, [](const auto& one) { return sum_of(one.second); });
  const auto [name, s] = *std::ranges::max_element(parts, {}, [](const auto& one) { return one.second; });
  const auto percent = [&](double part) { return fmt::format("{:.0f} %", 100 * part / s_); };
  std::string text = fmt::format("{} of the {} of {} operator{} is {}", percent(sum_of(parts)),
                                 format_quantity(s_, "s"), points_, points_ == 1 ? "" : "s", regime_name(regime));
  if (!name.empty() && regime != Regime::below_roof)
    text += fmt::format(" ({}{})", parts.size() > 1 ? "mostly by " : "by ", name);
  if (levers_.empty()) return text + ".";
  const auto& [lever, saving] = *std::ranges::max_element(levers_, {}, [](const auto& one) { return one.second.s; });
  return fmt::format("{}; best lever: {}, at most {} less time ({}).", text, lever, percent(saving.s), saving.most);
}

}  // namespace gable::questions
