#pragma once
#include <string>
#include <vector>

#include "core/model/answer.hpp"
#include "core/questions/compare/total_cost.hpp"
#include "core/text/text_table.hpp"

/// What a total cost is made of and what it decides, in words and tables.
namespace gable::questions {

/// "1234567", "0.25": an amount in whatever currency the prices are.
std::string money_text(double amount);
/// The formula with the figures that are assumed, and what is assumed of idle power and of the weights.
std::vector<std::string> cost_assumptions(const Compared& compared, const TotalCost& cost);
/// A row for each subject: what it costs, what it does for that, and how many of it a budget pays for.
Answer::Table cost_table(const TotalCost& cost);
/// Which subject is before the others, by how much and how sure; or why nothing is decided.
std::vector<std::string> decision_lines(const Compared& compared, const TotalCost& cost);
/// A row for each assumption: at which value another subject comes level. Empty where nothing is decided.
Answer::Table break_even_table(const TotalCost& cost);

/// All of it.
void add_total_cost(Answer& answer, const Compared& compared, const TotalCost& cost);

}  // namespace gable::questions
