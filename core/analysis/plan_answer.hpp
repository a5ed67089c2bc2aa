#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/inference_plan.hpp"
#include "core/analysis/plan_cases.hpp"
#include "core/model/answer.hpp"
#include "core/result/result.hpp"

namespace gable::analysis {

/// A file that tells what operators of the plan really take.
struct PlanMeasurement {
  std::string file, device;
  Result result;
  bool own_roofs{};  ///< the plan's roofs are of this device, or stated: times may be compared with them
};

/// A plan in other types.
struct PlanAlternative {
  Inference what;
  InferencePlan plan;
};

/// What `gable plan` was asked, and what comes of it.
struct PlanAnswer {
  const Transformer* model{};
  Machine machine;
  Inference what;
  InferencePlan plan;
  bool prefill{true}, decode{true};  ///< phases that are wanted
  std::vector<SweptBatch> sweep;
  std::vector<PlanAlternative> alternatives;  ///< the plan itself first; empty where nothing is to be compared
  std::optional<PlanMeasurement> measurement;
  std::string suite_file;  ///< empty: none was written
  PlanCases suite;
  bool formulas{};
};

/// Whether the machine is the measured device: one of the catalogue, or of another file, is where it has its name or is
/// its product.
bool has_roofs_of(const PlanMeasurement& measurement, const Machine& machine);
/// Plans the first of `all`, in batches that grow where `sweep`, and the others beside it. Takes model and machine of
/// the answer.
void make_plans(PlanAnswer& answer, std::span<const Inference> all, bool sweep);

Answer answer_of(const PlanAnswer& plan);
/// The models that are known.
Answer models_answer();

}  // namespace gable::analysis
