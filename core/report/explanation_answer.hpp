#pragma once
#include "core/analysis/device_explanation.hpp"
#include "core/model/answer.hpp"

namespace gable::report {

/// How `gable explain` tells people: in plain words or one line a fact, and with its formulas.
struct ExplanationStyle {
  bool terse{}, formulas{};
};

/// The device, its ridges, and what limits its points; of the one point alone that was asked for, if `one_point`.
Answer explanation_answer(const analysis::MachineExplained& summary, bool one_point, const ExplanationStyle& style);

}  // namespace gable::report
