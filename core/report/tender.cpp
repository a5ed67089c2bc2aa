#include "core/report/tender.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "core/report/answer.hpp"
#include "core/report/comparison_tables.hpp"
#include "core/report/comparison_words.hpp"
#include "core/report/ratio_chart.hpp"
#include "core/report/total_cost_tables.hpp"

namespace gable::report {

using namespace analysis;

namespace {

std::string side_text(const Compared& compared, std::size_t i) {
  return fmt::format("{} ({})", letter(i), compared.subjects[i].name);
}

/// What the interval of a ratio lets a reader say of the two sides.
std::string certainty(std::size_t side, const Ratio& ratio) {
  const auto difference = ratio.difference();
  if (!difference) return "There is no interval, so it is not decided which is faster.";
  const auto faster = fmt::format("{} is {} than A", letter(side), ratio.value > 1 ? "faster" : "slower");
  switch (*difference) {
    case Difference::within_noise:
      return fmt::format("What the intervals allow holds 1: these measurements do not tell {} from A.", letter(side));
    case Difference::beyond_these_runs:
      return fmt::format(
          "{} by more than the noise within the runs; fewer than {} runs of each side were compared, so "
          "a difference from run to run may have a part in it.",
          faster, enough_runs);
    case Difference::beyond_noise:
      break;
  }
  return fmt::format("{} by more than the runs of either side differ among themselves.", faster);
}

void add_summary(Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  blocks.push_back(Heading{"Summary"});
  std::vector<std::string> points;
  if (cost) points = decision_lines(compared, *cost);
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean) {
      points.push_back(
          fmt::format("{} against A: no operator was measured on both in the same sizes; only ceilings and "
                      "figures of the datasheet stand side by side.",
                      side_text(compared, i)));
      continue;
    }
    std::string point =
        fmt::format("{}: {} times as fast as {} over {} row{} of {} operator{}. {}", side_text(compared, i),
                    interval_text(mean->ratio), side_text(compared, 0), mean->rows, mean->rows == 1 ? "" : "s",
                    mean->operators, mean->operators == 1 ? "" : "s", certainty(i, mean->ratio));
    if (cost && cost->best && cost->rows != mean->rows)
      point += fmt::format(" The decision about the total cost rests on {} of these rows, which all sides have.",
                           cost->rows);
    points.push_back(std::move(point));
  }
  blocks.push_back(List{std::move(points)});
  TextTable sides({{"side"}, {"device"}, {"figures are"}, {"files"}, {"from"}});
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const Subject& subject = compared.subjects[i];
    std::vector<std::string> files, days;
    for (const Run& run : subject.runs) {
      files.push_back(fmt::format("{} ({})", run.source, run.mode));
      const std::string day = run.started_at.substr(0, run.started_at.find('T'));
      if (std::ranges::count(days, day) == 0) days.push_back(day);
    }
    sides.add({letter(i), subject.name, analysis::basis_text(subject.basis, subject.source),
               fmt::format("{}", fmt::join(files, ", ")), fmt::format("{}", fmt::join(days, ", "))});
  }
  blocks.push_back(Table{"What is compared", std::move(sides)});
}

void add_method(Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  blocks.push_back(Heading{"Method"});
  blocks.push_back(
      Paragraph{"A ceiling is the most that a device was measured to do, or of a datasheet what its vendor states: its "
                "arithmetic "
                "for each type of numbers, its bandwidth for each level of its memory. An operator is a piece of a "
                "real workload. Its time is compared, and held against "
                "the least time that the ceilings allow (the roofline model): that tells what limits it."});
  std::vector<std::string> rules{
      "Figures: of one run its estimate with its 95 % interval; of several runs of one device their median, with an "
      "interval that holds every run and every run's own interval.",
      "Ratios: how many times as fast a side is as A; rates B / A, times A / B. The brackets hold the ratio wherever "
      "both "
      "intervals hold the true figures: low B / high A to high B / low A.",
      fmt::format("Within noise: the brackets hold 1. Beyond these runs: they do not, but one side has fewer than {0} "
                  "runs. Beyond noise: they do not, with {0} runs or more on both sides: ranges of so many runs of one "
                  "and the same machine are disjoint in {1:.1g} % of cases only.",
                  enough_runs, 100 * chance_of_disjoint_ranges(enough_runs, enough_runs)),
      "Like with like: only rows of the same operator, sizes, types, scope and manner count in the mean. What stands "
      "beside something else is marked unlike.",
      "A datasheet's figure is nobody's measurement and always unlike beside a measured one."};
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    if (compared.answer.means[i]) rules.push_back(mean_text(*compared.answer.means[i], i, compared.options));
  }
  blocks.push_back(List{std::move(rules)});
  if (!cost) return;
  blocks.push_back(Paragraph{"Total cost of one device, money in the currency of the prices:"});
  blocks.push_back(List{cost_assumptions(compared, *cost)});
  blocks.push_back(Paragraph{
      "8766 h are the hours of a year. Power under load is what was read during the rows that count, or else what the "
      "table says. Not in it: interest, staff, floor space, repairs, and what of a host neither price nor power holds. "
      "An assumption turns the decision where the two sides come level, everything else as it is and without rounding "
      "to whole devices."});
}

void add_figures(Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  const auto add = [&](const char* caption, const Answer::Table& table) {
    blocks.push_back(Table{caption, text_table(table)});
  };
  blocks.push_back(Heading{"Figures"});
  if (cost) {
    add("Total cost of one device", cost_table(*cost));
    add("What would turn the decision", break_even_table(*cost));
  }
  if (std::string chart = ratio_chart(compared); !chart.empty())
    blocks.push_back(Picture{"Operators: times as fast as A, with what both intervals allow; at 1 the sides are level",
                             std::move(chart)});
  add("Operators", operators_table(compared.answer.operators));
  add("Ceilings", ceilings_table(compared.answer.ceilings, compared.options));
  add("Ridge points at main memory, flop/byte (op/byte for integers)", ceilings_table(compared.answer.ridges, {}));
  add("Energy: work per joule, at the power read during each row", energy_table(compared));
  add("Work per unit of the price", work_per_price_table(compared));
  add("Cost of one run, in units of the price", cost_of_runs_table(compared));
}

void add_list(Document& document, const char* heading, const char* nothing, std::vector<std::string> lines) {
  document.blocks.push_back(Heading{heading});
  if (lines.empty())
    document.blocks.push_back(Paragraph{nothing});
  else
    document.blocks.push_back(List{std::move(lines)});
}

/// Rows that stand beside something else, and sides that nothing was measured of.
std::vector<std::string> unlike_lines(const Compared& compared) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    if (compared.subjects[i].runs.empty())
      lines.push_back(
          fmt::format("{} was not measured: its figures are those of the datasheet.", side_text(compared, i)));
  }
  const auto note = [&](const auto& rows, const char* why) {
    for (const auto& row : rows) {
      for (std::size_t i = 1; i < row.cells.size(); ++i) {
        if (row.cells[i] && !row.cells[i]->like)
          lines.push_back(fmt::format("{}:{} on {} only beside it, {}", label_of(row.key), unlike_mark(*row.cells[i]),
                                      letter(i), why));
      }
    }
  };
  note(compared.answer.ceilings, "of another operating point or a datasheet's.");
  note(compared.answer.operators, "of other sizes: rates are compared, and it is in no mean.");
  return lines;
}

/// The comparison without hosts and folders: a report goes to people outside, who need neither.
Compared without_places(Compared compared) {
  for (Subject& subject : compared.subjects) {
    subject.name = subject.device.name.empty() ? subject.device.id : subject.device.name;
    subject.host.clear();
    for (Run& run : subject.runs) run.source = std::filesystem::path(run.source).filename().string();
  }
  return compared;
}

}  // namespace

Document tender(const Compared& placed, const std::optional<TotalCost>& cost, const std::string& version) {
  const Compared compared = without_places(placed);
  Document document;
  std::vector<std::string> names;
  for (const Subject& subject : compared.subjects) names.push_back(subject.name);
  document.title = fmt::format("Comparison of {}", fmt::join(names, ", "));
  add_summary(document, compared, cost);
  add_method(document, compared, cost);
  add_figures(document, compared, cost);
  add_list(document, "What else differs", "The files tell of nothing else that differs between the sides.",
           circumstance_lines(compared.answer.circumstances, Names::all));
  std::vector<std::string> lines = unlike_lines(compared);
  for (std::string& line : rest_lines(compared, Names::all)) lines.push_back(std::move(line));
  add_list(document, "What is not comparable, and why", "Everything that was measured has its partner.",
           std::move(lines));
  document.blocks.push_back(Paragraph{fmt::format("Written by gable {}.", version)});
  return document;
}

}  // namespace gable::report
