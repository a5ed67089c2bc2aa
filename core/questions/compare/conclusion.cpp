#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/measure/statistics.hpp"
#include "core/questions/compare/comparison_answer.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// "1.8 times the memory bandwidth of A and 2.1 to 40 times its peaks by type and 3 times its price"
std::string ceilings_text(const Compared& compared, std::size_t subject) {
  const Comparison& found = compared.answer;
  std::vector<std::string> parts;
  for (const CeilingRow& row : found.ceilings) {
    const auto& cell = row.cells[subject];
    const bool memory = row.key.kind == CeilingKind::bandwidth && row.key.name == main_memory_role;
    if (!memory || !cell || !cell->ratio || !parts.empty()) continue;
    parts.push_back(fmt::format("{} times the memory bandwidth of A", factor_text(cell->ratio->value)));
  }
  std::vector<double> peaks;
  for (const CeilingRow& row : found.best_units) {
    const auto own = [&](const std::optional<CeilingCell>& cell) {
      return cell && (cell->key.dtype == row.key.dtype || cell->key.dtype == other_flavour(*row.key.dtype));
    };
    const auto& cell = row.cells[subject];
    if (own(row.cells[0]) && own(cell) && cell->ratio) peaks.push_back(cell->ratio->value);
  }
  if (!peaks.empty()) {
    const auto [least, most] = std::ranges::minmax(peaks);
    const std::string low = factor_text(least), high = factor_text(most);
    parts.push_back(fmt::format("{}{} times its peaks by type", low == high ? "" : low + " to ", high));
  }
  const auto& prices = compared.options.prices;
  if (!parts.empty() && !prices.empty() && prices[0] && prices[subject])
    parts.push_back(fmt::format("{} times its price of an hour", factor_text(*prices[subject] / *prices[0])));
  return parts.empty() ? "" : fmt::format("{} has {}", letter(subject), fmt::join(parts, " and "));
}

/// "ceilings by 1.2 % in the median, 8 % at most"
template <class Quantities>
void add_spread(std::vector<std::string>& parts, const char* what, const Quantities& quantities) {
  std::vector<double> spreads;
  for (const auto& one : quantities) {
    const Figure& figure = one.figure;
    if (figure.runs > 1) spreads.push_back(100 * (figure.largest - figure.smallest) / figure.value);
  }
  if (!spreads.empty())
    parts.push_back(fmt::format("{} by {:.3g} % in the median, {:.3g} % at most", what, measure::median(spreads),
                                std::ranges::max(spreads)));
}

/// "B (Fast) is 2.5 (2.45…2.55) times as fast as A (Slow) over 10 of 14 operators, from 1.2 (softmax …) to 4.1 (gemm
/// …), beyond these runs, 3 in other sizes left out"
std::string mean_conclusion(const Compared& compared, std::size_t subject, const Mean& mean) {
  const auto difference = mean.ratio.difference();
  const std::string b = name_of(compared, subject), a = name_of(compared, 0), ratio = interval_text(mean.ratio);
  std::string over = compared.options.summed ? "by the sum of times over " : "over ";
  over += operators_text(mean.operators, mean.of_operators);
  if (const std::string ends = far_ends_text(mean); !ends.empty()) over += ", from " + ends;
  if (mean.other_sizes > 0) over += fmt::format(", {} in other sizes left out", mean.other_sizes);
  if (difference == Difference::within_noise)
    return fmt::format("{} and {} are level within noise: {} vs A {} {}", b, a, letter(subject), ratio, over);
  return fmt::format("{} is {} times as fast as {} {}{}", b, ratio, a, over,
                     difference ? ", " + difference_text(*difference) : "");
}

}  // namespace

std::string name_of(const Compared& compared, std::size_t subject) {
  return fmt::format("{} ({})", letter(subject), compared.subjects[subject].name);
}

std::vector<std::string> bounds_lines(const Compared& compared) {
  const Bounds& bounds = *compared.bounds;
  std::vector<std::string> lines{
      fmt::format("{}: the least time of each work by the roofs of each subject, everything from main memory. What "
                  "vendors do not print (launches, exponentials) bounds nothing on a datasheet.",
                  bounds.workload)};
  std::vector<std::string> stated;
  for (std::size_t i = 0; i < bounds.roofs.size(); ++i)
    if (bounds.roofs[i] == Basis::datasheet) stated.push_back(letter(i));
  if (bounds.assumed_of)
    lines.push_back(
        fmt::format("Assumed: subjects that were not measured reach of their bounds what {} reaches of its own{}, in "
                    "each operator that it ran, else by what bounds the work, and launch as fast; those that were, "
                    "what they reach themselves.",
                    name_of(compared, *bounds.assumed_of),
                    stated.empty() ? "" : fmt::format(", {} by datasheets", and_text(stated))));
  else
    lines.emplace_back(
        "No subject reaches its bounds, and a datasheet's are further off than measured ones: --efficiency A assumes "
        "what A was measured to reach.");
  lines.insert(lines.end(), bounds.notes.begin(), bounds.notes.end());
  for (const Subject& subject : compared.subjects)
    if (subject.misfit) lines.push_back(misfit_text(subject));
  return lines;
}

std::string unlike_text(const Bounds& bounds) {
  if (!bounds.assumed_of) return " without --efficiency (one is a datasheet, the other measured)";
  const auto of = bounds.of_datasheet ? std::array{"its datasheet", "measured roofs"}
                                      : std::array{"its measured roofs", "a datasheet"};
  return fmt::format(" ({}'s efficiency is of {}, and is assumed of {})", letter(*bounds.assumed_of), of[0], of[1]);
}

std::string misfit_text(const Subject& subject) {
  const auto& [needed, memory, devices, why_none] = *subject.misfit;
  return fmt::format("One {} does not hold the model (needs {}, has {}){}.", subject.name,
                     format_quantity(needed, "byte"), format_quantity(memory, "byte"),
                     devices ? fmt::format("; {} would", *devices) : ", and no number of them does: " + why_none);
}

Answer::Table efficiency_table(const Compared& compared) {
  return table_of(compared.bounds->efficiency.by_class, [](const auto& one) -> Answer::Facts {
    const auto& [of, part] = one;
    return {{"class", "bound by", of},
            {"median", "reached of the bound", part.median, "%"},
            {"least", "least", part.least, "%"},
            {"most", "most", part.most, "%"},
            {"rows", "operators", part.rows}};
  });
}

std::string conclusion(const Compared& compared, const std::optional<TotalCost>& cost) {
  const bool only_rents = cost && cost->criterion == Criterion::per_rent && !compared.bounds;
  if (cost && (cost->best || !only_rents)) return decision_lines(compared, *cost).front();
  std::vector<std::pair<double, std::string>> measured;
  std::vector<std::string> others, letters;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    if (const auto& mean = compared.answer.means[i])
      measured.emplace_back(mean->ratio.value, mean_conclusion(compared, i, *mean));
    else if (std::string text = ceilings_text(compared, i); !text.empty())
      others.push_back(std::move(text)), letters.push_back(letter(i));
  }
  std::ranges::stable_sort(measured, std::greater<>{}, &std::pair<double, std::string>::first);
  auto parts = mapped(measured, &std::pair<double, std::string>::second);
  if (!others.empty())
    parts.push_back(fmt::format("{} operator was measured on both A and {}, so that ceilings alone are compared: {}",
                                parts.empty() ? "No" : "no", fmt::join(letters, " or "), fmt::join(others, "; ")));
  if (parts.empty()) return "Nothing can be compared: no operator and no ceiling is on A and another subject.";
  return fmt::format("{}.", fmt::join(parts, "; "));
}

std::string conclusion(const Subject& repeated) {
  std::vector<std::string> parts;
  add_spread(parts, "ceilings", repeated.ceilings);
  add_spread(parts, "operators", repeated.points);
  return parts.empty() ? "No row is in several runs."
                       : fmt::format("From run to run differ {}.", fmt::join(parts, "; "));
}

}  // namespace gable::questions
