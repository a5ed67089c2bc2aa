#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/measure/sampler.hpp"
#include "core/operator.hpp"

namespace gable::bench {

/// One of the things that take turns within a round: a roof's kernel or an operator. A turn is one batch of at least 4
/// ms; those of all members alternate, so that each sees the same moments of a machine whose speed moves.
class Member {
 public:
  explicit Member(std::unique_ptr<measure::Benchmark> benchmark);
  /// Batches a round: five, fewer when one iteration is longer than a batch; about 25 ms together or one iteration. The
  /// first call finds out.
  int turns();
  void take_turn();
  /// Median time of one iteration, s, over the turns since the last call.
  double finish_round();

 private:
  void calibrate();

  std::unique_ptr<measure::Benchmark> benchmark_;
  std::uint64_t iterations_{0};
  int turns_{1};
  std::vector<double> times_s_;
};

/// Runs of an operator and one fence: wall time of the thread that launches them. The instance must outlive it.
std::unique_ptr<measure::Benchmark> runs_of(OperatorInstance& instance);

}  // namespace gable::bench
