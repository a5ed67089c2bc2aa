#pragma once
#include <cstddef>
#include <span>

#include "core/measure/block.hpp"
#include "core/measure/estimate.hpp"
#include "core/measure/sampler.hpp"
#include "core/measure/statistics.hpp"

namespace gable::measure {

/// Probability of missing the true value that all looks at one quantity share.
inline constexpr double overall_miss = 0.05;

/// The planned looks at one growing sample. Looking L times at 95 % intervals and stopping when one is narrow misses
/// more often than 5 %. So look i of L may spend up to i/L of the 5 %, less what the looks before it spent; an
/// order-statistic interval spends its exact probability, and what it leaves over goes to the next. By the union bound
/// some interval of the series misses with probability 5 % at most, whichever one the sampling stops at (error
/// spending: Lan & DeMets, Biometrika 70(3), 1983).
class Looks {
 public:
  Looks(const Quantity& quantity, const Policy& policy);

  /// Estimate from the blocks so far; all but Estimate::stop. The last look spends whatever is left.
  Estimate look(std::span<const Block> blocks, bool last);

 private:
  /// Error probability that look `taken_` may spend.
  double allowance(double spent, bool last) const;
  void estimate_ceiling(Estimate& estimate, std::span<const Block> blocks, bool last);

  bool larger_is_slower_;
  Policy policy_;
  std::size_t taken_{};
  double median_spent_{};
  double value_spent_{};
};

}  // namespace gable::measure
