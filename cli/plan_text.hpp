#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/inference_plan.hpp"
#include "core/analysis/machine.hpp"
#include "core/analysis/plan_cases.hpp"
#include "core/result/result.hpp"

namespace gable::cli {

/// A file that tells what operators of the plan really take.
struct Measurement {
  std::string file, device;
  Result result;
  bool own_roofs{};  ///< the plan's roofs are of this device, or stated: times may be compared with them
};

/// A plan in other types.
struct Alternative {
  analysis::Inference what;
  analysis::InferencePlan plan;
};

/// What `plan` was asked, and its answer.
struct PlanAnswer {
  const analysis::Transformer* model{};
  analysis::Machine machine;
  analysis::Inference what;
  analysis::InferencePlan plan;
  bool prefill{true}, decode{true};  ///< phases that are wanted
  std::vector<analysis::SweptBatch> sweep;
  std::vector<Alternative> alternatives;  ///< the plan itself first; empty where nothing is to be compared
  std::optional<Measurement> measurement;
  std::string suite_file;  ///< empty: none was written
  analysis::PlanCases suite;
};

/// The row of a phase that takes longest, the first where no roof is there.
const analysis::PlannedOperator& longest(const analysis::PhasePlan& phase);
/// "memory-bound: DRAM read", or which roofs are missing.
std::string regime_of(const analysis::PlannedOperator& op);

void print_plan(const PlanAnswer& answer);
void print_plan_formulas();
void print_plan_json(const PlanAnswer& answer);

}  // namespace gable::cli
