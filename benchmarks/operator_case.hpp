#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"
#include "benchmarks/goals.hpp"
#include "benchmarks/outcome.hpp"
#include "core/backend.hpp"
#include "core/measure/sampler.hpp"
#include "core/model/ceiling.hpp"
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

/// A roof that takes part in the rounds. rate = per_iteration / time where it is a rate, else the time itself.
struct NativeRoof {
  std::unique_ptr<Member> member;
  double per_iteration{};  ///< flop, op or byte; 0: the figure is the time
};

/// The kernels of the CPU backend behind the rows that needed_roofs() names, each made once. Streams of one level share
/// the setup's memory.
class NativeRoofs {
 public:
  explicit NativeRoofs(openmp::SharedSetup setup);
  /// Null where this CPU has no kernel for it or the level cannot be measured.
  NativeRoof* find(const Ceiling& row);

 private:
  NativeRoof make(const Ceiling& row);
  NativeRoof make_compute(const Ceiling& row);
  NativeRoof make_stream(const Ceiling& row);

  openmp::SharedSetup setup_;
  std::map<std::string, NativeRoof> made_;  ///< by id; without a member where there is none
};

/// What all cases of a run share.
struct Bench {
  Backend& backend;  ///< opened
  const DeviceInfo& device;
  NativeRoofs& roofs;
  std::span<const OperatorEntry* const> entries;
  std::span<const Goal> goals;
  int rounds{7};
};

/// One operator at one size in one type: all implementations that can run it, the roofs that may bound it and what its
/// goals compare it with take short turns in every round. An outcome for every figure: each implementation's fraction
/// of its bound, and what its goals ask. The vendor's library has no goals. Throws Error for sizes that the operator
/// refuses or that take more than a quarter of the memory.
std::vector<Outcome> run_case(const Bench& bench, const OperatorEntry& entry, const Params& params, const Types& types);

}  // namespace gable::bench
