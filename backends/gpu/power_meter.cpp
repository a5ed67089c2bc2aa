#include "backends/gpu/power_meter.hpp"

#include <algorithm>

namespace gable::gpu {

void PowerMeter::read() {
  constexpr double first_s = 0.1, apart_s = 4e-3;
  const double now = clock_->now();
  if (!energy_j_ || now - begin_s_ < first_s || now - asked_s_ < apart_s) return;
  const auto joule = energy_j_();
  if (!joule) return;
  if (joule_ && *joule != *joule_) {
    const double latest = clock_->now();
    steps_.push_back({*joule, (asked_s_ + latest) / 2, (latest - asked_s_) / 2});
  }
  joule_ = joule;
  asked_s_ = now;
}

std::optional<double> PowerMeter::mean_w() const {
  constexpr double longest_s = 0.35, error = 0.15;
  if (steps_.empty()) return {};
  const Step& last = steps_.back();
  const auto first = std::ranges::lower_bound(steps_, last.at_s - longest_s, {}, &Step::at_s);
  const double apart_s = last.at_s - first->at_s;
  if (first->error_s + last.error_s > error * apart_s || last.joule <= first->joule) return {};
  return (last.joule - first->joule) / apart_s;
}

}  // namespace gable::gpu
