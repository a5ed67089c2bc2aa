#pragma once
#include <optional>
#include <string>

#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/total_cost.hpp"
#include "core/render/document.hpp"

namespace gable::questions {

/// An svg element: how many times as fast as the baseline every other subject does each operator that both have in the
/// same sizes, on a logarithmic axis, with its interval. Empty where there is none.
std::string ratio_chart(const Compared& compared);

/// A comparison for people who decide: who is ahead, by how much and how sure; how that was found; the figures; what
/// else differs; what is not compared and why. Files without their folders, no hosts. Of two subjects or more.
/// `version`: of the program that writes it.
render::Document tender(const Compared& compared, const std::optional<TotalCost>& cost, const std::string& version);

}  // namespace gable::questions
