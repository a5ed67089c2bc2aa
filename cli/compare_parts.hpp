#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/compare_output.hpp"
#include "core/report/text_table.hpp"

/// Parts of what `gable compare` prints for people.
namespace gable::cli {

/// Empty for the whole node.
std::string scope_text(Scope scope);
/// "128 GFLOP/s ±0.4 %"
std::string figure_text(const analysis::Figure& figure);
/// "burst", "datasheet"; empty for what has no operating point.
std::string at_text(const analysis::CeilingCell& cell);
/// What sets an unlike cell apart: " [sustained]", " [n=4096]".
std::string unlike_mark(const analysis::CeilingCell& cell);
std::string unlike_mark(const analysis::OperatorCell& cell);
/// "within noise", "beyond these runs", "beyond noise"
std::string difference_text(analysis::Difference difference);
/// "2.87 (2.81…2.93)", and what that says.
std::string ratio_text(const analysis::Ratio& ratio);
/// "DRAM triad (ordinary) 24 GB/s"
std::string used_text(const analysis::UsedRoof& roof);
/// "bandwidth", "compute", "link", "launch"
std::string_view roof_name(LimitKind kind);
/// Between `first` and `last` a column of figures for each subject, each but the first with its ratio.
report::TextTable table_of(std::vector<report::TextTable::Column> first, std::size_t subjects,
                           std::vector<report::TextTable::Column> last);

/// What the sides are, and how often each was measured.
std::string head_text(const Compared& compared, int width);
/// Where the ratios of operators come from, a sentence each.
std::string reasons_text(const Compared& compared, int width);
/// Work per joule; empty where no power was read.
std::string energy_text(const Compared& compared, int width);
/// Work per unit of the price and cost of a result; empty without prices.
std::string price_text(const Compared& compared, int width);

}  // namespace gable::cli
