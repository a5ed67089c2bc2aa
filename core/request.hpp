#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/ceiling.hpp"
#include "core/model/mode.hpp"
#include "core/operator.hpp"

namespace gable {

/// One operator to run, in the sizes, types and manner that the user, a suite, a census or an experiment names.
struct Case {
  std::string op;
  std::vector<Params> params{};   ///< empty: the operator's defaults
  std::vector<DType> dtypes{};    ///< storage types; empty: all that the request wants
  int launches{1};                ///< runs on arrays of their own, one behind another, timed together as one
  bool graph{false};              ///< what a run enqueues is captured in a graph, which is replayed
  std::optional<double> count{};  ///< how often the workload does it
  std::string label{};            ///< for people
  bool must_fit{false};           ///< sizes too large for the memory are bad input instead of a skipped row
};

/// What the user asked of one device. Empty lists mean everything.
struct Request {
  Mode mode{Mode::quick};
  Scope scope{Scope::node};
  int threads{0};  ///< 0: every core of the scope
  std::vector<DType> dtypes{};
  std::vector<Case> cases{};
  std::string experiment{};  ///< plans the cases and the ceilings by the device instead; empty: none
  bool ceilings{true};
  bool points{true};
  /// Only ceilings of resources that several devices share are measured (concurrent_items.hpp), alone and together.
  bool concurrent{false};
  /// Of the devices that take part, this one among them: what a worker is told where `concurrent`.
  std::vector<std::string> concurrent_devices{};
  /// 0: operators are timed. Else each runs so often, no more and no less, in its own kernels and in one batch: what a
  /// profiler that counts beside it can divide by.
  int exact_runs{0};
};

}  // namespace gable
