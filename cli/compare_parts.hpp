#pragma once
#include <string>
#include <string_view>

#include "cli/compare_output.hpp"
#include "core/report/comparison_words.hpp"
#include "core/text/text_table.hpp"

/// Parts of what `gable compare` prints for people.
namespace gable::cli {

/// The table under a title and behind an empty line; nothing for an empty one.
std::string titled(std::string_view title, const TextTable& table, int width);

/// What the sides are, and how often each was measured.
std::string head_text(const Compared& compared, int width);
/// What else differs between sides, or between the runs of one; empty where nothing does.
std::string circumstances_text(const analysis::Circumstances& circumstances, int width);
/// Where the ratios of operators come from, a sentence each.
std::string reasons_text(const Compared& compared, int width);
/// Work per joule; empty where no power was read.
std::string energy_text(const Compared& compared, int width);
/// Work per unit of the price and cost of a result; empty without prices.
std::string price_text(const Compared& compared, int width);

}  // namespace gable::cli
