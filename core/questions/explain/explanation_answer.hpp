#pragma once
#include <string>

#include "core/model/answer.hpp"
#include "core/questions/explain/explanation.hpp"

/// An explanation in plain words, each term explained where it first stands.
namespace gable::questions {

std::string limit_words(const Explanation& answer);
std::string distance_words(const Explanation& answer);
/// How sure its time is.
std::string trust_words(const Explanation& answer);

/// How `gable explain` tells people: in plain words or one line a fact, and with its formulas.
struct ExplanationStyle {
  bool terse{}, formulas{};
};

/// The device, its ridges, and what limits its points; of the one point alone that was asked for, if `one_point`.
Answer explanation_answer(const MachineExplained& summary, bool one_point, const ExplanationStyle& style);

}  // namespace gable::questions
