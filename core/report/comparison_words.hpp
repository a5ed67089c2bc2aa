#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/comparison.hpp"

/// How tables and sentences of comparisons write figures.
namespace gable::report {

/// "A" for the first subject, "B", … ; beyond "Z" numbers.
std::string letter(std::size_t subject);
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
/// "2.87 (2.81…2.93)"
std::string interval_text(const analysis::Ratio& ratio);
/// interval_text(), and what that says.
std::string ratio_text(const analysis::Ratio& ratio);
/// "DRAM triad (ordinary) 24 GB/s"
std::string used_text(const analysis::UsedRoof& roof);
/// "bandwidth", "compute", "link", "launch"
std::string_view roof_name(LimitKind kind);
/// "memory-bound 97 %", or which roofs are missing.
std::string regime_text(const analysis::Placement& placement);

/// "B vs A, geometric mean: 2.5 (2.45…2.55) …", over what, and how it is weighted.
std::string mean_text(const analysis::Mean& mean, std::size_t subject, const analysis::CompareOptions& options);
/// How many names a line has: those that a terminal shows before it says how many more there are, or all.
enum class Names { first, all };

/// Rows of a subject without a valid figure, a line for each status and kind of reason with their number: reasons that
/// differ in numbers alone are of one kind. What several runs, or several rows of one label, tell is there once.
std::vector<std::string> left_out_lines(const analysis::Subject& subject, const std::string& heading, Names names);
/// What only one side has, then left_out_lines() of every side.
std::vector<std::string> rest_lines(const analysis::Compared& compared, Names names);

/// "compiler: A GNU 12.2.0; B Clang 16.0.6", a line for each that differs, then one of what only some sides tell.
/// Without letters where there is one subject.
std::vector<std::string> circumstance_lines(const analysis::Circumstances& circumstances, Names names);

}  // namespace gable::report
