#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/inference_plan.hpp"
#include "core/backend.hpp"
#include "core/operator.hpp"
#include "core/result/result.hpp"

namespace gable::analysis {

/// What of a plan can be run: one case for each distinct operator, size and type, with how often the phases do it.
struct PlanCases {
  std::vector<Case> cases;
  std::vector<std::string> left_out;  ///< "decode: experts: no operator for …"
};

/// Adds the operators of a phase to the cases. An operator that the build does not have, or not in these types, is left
/// out, and so are sizes that it refuses.
void add_cases(PlanCases& list, const std::string& phase_name, const PhasePlan& phase, Operators operators);

/// How a planned operator ran.
struct MeasuredRun {
  double time_s{};  ///< of one
  std::optional<double> low_s, high_s;
  std::string implementation;
  bool cold{};  ///< its data came from main memory, as in the plan
};

/// The measured point of the same operator, sizes and types on the device: of the implementations the fastest, of cold
/// and hot runs the cold one. Nothing where there is none that is ok.
std::optional<MeasuredRun> measured_run(const OperatorRun& run, const Result& result, const std::string& device);

}  // namespace gable::analysis
