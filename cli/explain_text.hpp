#pragma once
#include <string>
#include <vector>

#include "core/analysis/explanation.hpp"
#include "core/analysis/machine.hpp"

namespace gable::cli {

/// A device and what its points lose, most first.
struct MachineExplained {
  std::string title{};            ///< "AMD EPYC (openmp), node, 2 threads"
  std::string catalogue_entry{};  ///< empty where no product is known
  analysis::Machine machine{};
  std::vector<analysis::Explanation> points{};
  std::vector<std::string> without{};  ///< points without a verdict, and why
};

/// In plain words, each term explained where it first stands.
std::string plain_text(const analysis::Explanation& answer, const MachineExplained& summary);
std::string plain_text(const MachineExplained& summary);
/// One line a fact, "name: value".
std::string terse_text(const analysis::Explanation& answer);
std::string terse_text(const MachineExplained& summary);
/// The formulas behind them.
std::string formulas_of_explain();

}  // namespace gable::cli
