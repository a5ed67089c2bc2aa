#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/analysis/comparison.hpp"

/// Sentences beside the tables of a comparison.
namespace gable::report {

/// What the sides are, how often each was measured, and what each calls its main memory.
std::vector<std::string> subject_lines(const analysis::Compared& compared);
/// The bandwidths that the ridge points of each side rest on; empty where there are none.
std::string ridges_note(const std::vector<analysis::CeilingRow>& rows, std::size_t subjects);
/// Where the ratios of operators of a side come from, a sentence each.
std::vector<std::string> reason_lines(const analysis::Compared& compared, std::size_t subject);
/// Cost of everything that is on both of two sides, with the counts of a census.
std::vector<std::string> cost_totals(const analysis::Compared& compared);
/// What ± and brackets mean for these subjects.
std::string legend(const analysis::Compared& compared);

}  // namespace gable::report
