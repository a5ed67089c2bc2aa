#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/analysis/explanation.hpp"

namespace gable::analysis {

/// A device and what its points lose, most first.
struct MachineExplained {
  std::string title{};            ///< "AMD EPYC (openmp), node"
  std::string catalogue_entry{};  ///< empty where no product is known
  Machine machine{};
  std::vector<Explanation> points{};
  std::vector<std::string> without{};  ///< points without a verdict, and why
};
/// Every point of a device of the result.
MachineExplained explain_device(const Result& result, const std::string& device, Operators operators,
                                std::span<const Machine> other);
/// The one that `id` names (find_point()).
MachineExplained explain_point(const Result& result, const std::string& device, const std::string& id,
                               Operators operators, std::span<const Machine> other);

}  // namespace gable::analysis
