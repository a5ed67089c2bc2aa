#pragma once
#include <string>
#include <vector>

#include "core/analysis/comparison.hpp"

namespace gable::cli {

/// What `gable compare` was asked and what it answers.
struct Compared {
  std::vector<analysis::Subject> subjects;  ///< the first is the baseline
  analysis::CompareOptions options;
  analysis::Comparison answer;
};

/// "A" for the first subject, "B", … ; beyond "Z" numbers.
std::string letter(std::size_t subject);

/// Tables and sentences for people, columns cut to the width.
std::string compare_text(const Compared& compared, int width);
/// One subject of several runs: every quantity's median, smallest and largest.
std::string repeats_text(const analysis::Subject& subject, int width);
std::string compare_formulas();

/// The whole answer with full digits; a unit stands beside each figure or in its key.
std::string compare_json(const Compared& compared);
std::string repeats_json(const analysis::Subject& subject);

}  // namespace gable::cli
