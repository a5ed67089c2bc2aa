#pragma once
#include <cmath>

#include "core/analysis/comparison.hpp"

namespace gable::analysis {

/// Weighted geometric mean of ratios and of the ends of their intervals: exp(sum of w ln ratio / sum of w). Where each
/// interval holds its true ratio, that of the mean holds the true mean. It has none where one of them has none.
class GeometricMean {
 public:
  void add(const Ratio& ratio, double weight) {
    weights_ += weight;
    value_ += weight * std::log(ratio.value);
    repeated_ = repeated_ && ratio.repeated;
    bounded_ = bounded_ && ratio.low && ratio.high;
    if (!bounded_) return;
    low_ += weight * std::log(*ratio.low);
    high_ += weight * std::log(*ratio.high);
  }
  Ratio get() const {
    Ratio mean{std::exp(value_ / weights_), {}, {}, repeated_};
    if (bounded_) mean.low = std::exp(low_ / weights_), mean.high = std::exp(high_ / weights_);
    return mean;
  }

 private:
  double weights_{}, value_{}, low_{}, high_{};
  bool bounded_{true}, repeated_{true};
};

}  // namespace gable::analysis
