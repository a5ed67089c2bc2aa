#pragma once
#include <map>
#include <memory>
#include <string>

#include "backends/openmp/ceilings/setup.hpp"
#include "benchmarks/member.hpp"
#include "core/model/ceiling.hpp"

namespace gable::bench {

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

}  // namespace gable::bench
