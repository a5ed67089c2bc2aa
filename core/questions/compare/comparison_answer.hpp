#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/answer.hpp"
#include "core/questions/compare/total_cost.hpp"
#include "core/render/document.hpp"

/// A comparison in words, tables and documents.
namespace gable::questions {

/// What the comparison decides, in one sentence: who is ahead, of what, by how much and how sure; or why nobody is.
std::string conclusion(const Compared& compared, const std::optional<TotalCost>& cost);
/// What stated work is compared by, and what is assumed of it: sentences, then the efficiency that is assumed, a row
/// for each class.
std::vector<std::string> bounds_lines(const Compared& compared);
/// "One T4 does not hold the model (needs 142 GB, has 16 GB); 16 would." Of one with a misfit.
std::string misfit_text(const Subject& subject);
/// Why two bounds cannot be compared.
std::string unlike_text(const Bounds& bounds);
Answer::Table efficiency_table(const Compared& compared);

/// Of one subject of several runs: by how much they differ.
std::string conclusion(const Subject& repeated);

/// Subjects side by side, and what they cost over their years where that was asked.
Answer comparison_answer(const Compared& compared, const std::optional<TotalCost>& cost, bool formulas);
/// One subject of several runs: every quantity's median, smallest and largest, and its energy.
Answer repeats_answer(const Compared& compared, bool formulas);

/// The comparison without hosts and folders: a report goes to people outside, who need neither.
Compared without_places(Compared compared);

/// What a report has beside the comparison.
struct TenderParts {
  std::string version;    ///< of the program that writes it
  std::string title{};    ///< empty: the names of the subjects
  std::string picture{};  ///< an svg element: comparison_roofline(); may be empty
};
/// A comparison for people who decide, of three printed pages at most: who is ahead, by how much and how sure, beside a
/// picture; the figures; how that was found; what else differs; what is not compared and why. Long lists are cut, and
/// say by how many. Files without their folders, no hosts. Of two subjects or more.
render::Document tender(const Compared& compared, const std::optional<TotalCost>& cost, const TenderParts& parts);
/// An svg element: the best unit of one type and the main memory of every subject, drawn by gnuplot. The type is the
/// one of --dtype, else that of most operators, else the widest. Empty where no two subjects have a unit of one type.
/// Throws Error where gnuplot is missing or fails.
std::string comparison_roofline(const Compared& compared);
/// Rows that a subject has in the baseline's sizes; of many the first of each operator before its others. With weights,
/// or where times are summed, those that most of the decision rests on, with their part of it.
struct ChosenRows {
  std::vector<const OperatorRow*> rows;
  std::map<const OperatorRow*, RowWeight> weights;  ///< empty where all operators count the same
  std::size_t left_out{};
};
ChosenRows chosen_rows(const Compared& compared);
/// An svg element: how many times as fast as the baseline every other subject does operators that both have in the same
/// sizes, the first of each operator before others, on a logarithmic axis, with its interval. Empty where there is
/// none.
std::string ratio_chart(const Compared& compared);

/// "B (H200 SXM 141GB)"
std::string name_of(const Compared& compared, std::size_t subject);
/// "A" for the first subject, "B", … ; beyond "Z" numbers.
std::string letter(std::size_t subject);
/// Empty for the whole node.
std::string scope_text(Scope scope);
/// "128 GFLOP/s ±0.4 %"
std::string figure_text(const Figure& figure);
/// "matrix", "matrix ->fp16", "vector fp32" where it stands in for another type's.
std::string unit_text(const CeilingCell& cell, DType of_row);
/// "10 of 14 operators"
std::string operators_text(std::size_t operators, std::size_t of_operators);
/// "0.8 (softmax …) to 4.1 (gemm …)"; empty where they are the same.
std::string far_ends_text(const Mean& mean);
/// "within noise", "beyond these runs", "beyond noise"
std::string difference_text(Difference difference);
/// "2.87", "1234"
std::string factor_text(double factor);
/// "2.87 (2.81…2.93)"
std::string interval_text(const Ratio& ratio);
/// interval_text(), and what that says.
std::string ratio_text(const Ratio& ratio);
/// "bandwidth", "compute", "link", "launch"
std::string_view roof_name(LimitKind kind);
/// "memory-bound 97 %", or which roofs are missing.
std::string regime_text(const OperatorVerdict& verdict);

/// How many names a line has: those that a terminal shows before it says how many more there are and which option names
/// them, or fewer for a reader who has no options.
enum class Names { first, few };
/// "a, b, … 30 more"
std::string listed(const std::vector<std::string>& names, std::string_view separator, Names shown);
/// "a, b and c"
std::string and_text(const std::vector<std::string>& names);
/// What the subjects are, how often each was measured, and what each calls its main memory.
std::vector<std::string> subject_lines(const Compared& compared);
/// Where the ratios of operators of a subject come from, a sentence each.
std::vector<std::string> reason_lines(const Compared& compared, std::size_t subject);
/// "geometric mean", "sum": what performance() is.
std::string_view mean_name(const CompareOptions& options);
/// "B vs A, geometric mean: 2.5 (2.45…2.55) …", over what, and how it is weighted.
std::string mean_text(const Mean& mean, std::size_t subject, const CompareOptions& options);
/// Cost of everything that is on both of two subjects, with the counts of a census.
std::vector<std::string> cost_totals(const Compared& compared);
/// "compiler: A GNU 12.2.0; B Clang 16.0.6", a line for each that differs, then one of what only some subjects tell.
/// Without letters where there is one subject.
std::vector<std::string> circumstance_lines(const Circumstances& circumstances, Names names);
/// Rows of a subject without a valid figure, a line for each status and kind of reason with their number: reasons that
/// differ in numbers alone are of one kind. What several runs, or several rows of one label, tell is there once.
std::vector<std::string> left_out_lines(const Subject& subject, const std::string& heading, Names names);
/// What only one subject has, then left_out_lines() of every subject.
std::vector<std::string> rest_lines(const Compared& compared, Names names);
/// What ± and brackets mean for these subjects.
std::string legend(const Compared& compared);

/// A ratio, its interval and what that says; nothing where there is none.
Answer::Facts facts_of(const std::optional<Ratio>& ratio);
/// Ceilings, with what vendors print for the same quantity. As all tables of a comparison: a row for
/// each quantity; for people a column for each subject and its ratio to the baseline.
Answer::Table ceilings_table(const std::vector<CeilingRow>& rows, const CompareOptions& options);
/// The best unit of each type, its ridge and what vendors print for it.
Answer::Table best_units_table(const std::vector<CeilingRow>& rows);
/// Which subjects are datasheets beside measured ones; empty where there are none.
std::string datasheets_note(const Compared& compared);
/// Times, and under which roof each subject is.
Answer::Table operators_table(const std::vector<OperatorRow>& rows);
/// Every quantity of a device that was measured several times.
Answer::Table ceilings_table(const std::vector<CeilingQuantity>& quantities);
Answer::Table operators_table(const std::vector<PointQuantity>& quantities);
/// Work per joule, for people; empty where no power was read.
Answer::Table energy_table(const Compared& compared);
/// Work of a ceiling for a unit of the price, and what one run of an operator costs; empty without prices.
Answer::Table work_per_price_table(const Compared& compared);
Answer::Table cost_of_runs_table(const Compared& compared);

}  // namespace gable::questions
