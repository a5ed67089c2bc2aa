#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/acceptance.hpp"
#include "core/model/answer.hpp"

namespace gable::analysis {

/// What is checked, and against what.
struct AcceptanceTest {
  std::vector<Source> files{};
  std::vector<Source> references{};     ///< empty: against none
  double tolerance{default_tolerance};  ///< of the reference
  std::optional<double> datasheet{};    ///< least part of the vendor's figures
  std::vector<AcceptedRange> limits{};
};

struct Checked {
  std::vector<AcceptanceRow> rows;
  std::vector<std::string> remarks;  ///< what a reader should know before the rows

  bool passed() const;
};

/// Throws Error where nothing is judged, and where it is not clear which device of the references is whose.
Checked check(const AcceptanceTest& test);

Answer answer_of(const Checked& checked, bool formulas);
/// Lines that harnesses match: "FOM", name, value with all its digits, unit; each name once.
std::string figures_of_merit(const Checked& checked);

}  // namespace gable::analysis
