#pragma once
#include <string>

#include "core/analysis/comparison.hpp"

namespace gable::cli {

using analysis::Compared;

/// Tables and sentences for people, columns cut to the width.
std::string compare_text(const Compared& compared, int width);
/// One subject of several runs: every quantity's median, smallest and largest, and its energy.
std::string repeats_text(const Compared& compared, int width);
std::string compare_formulas();

/// The whole answer with full digits; a unit stands beside each figure or in its key.
std::string compare_json(const Compared& compared);
std::string repeats_json(const analysis::Subject& subject);

}  // namespace gable::cli
