#include "core/questions/compare/comparison_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/render/answer.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// What the interval of a ratio lets a reader say of the two subjects.
std::string certainty(std::size_t subject, const Ratio& ratio) {
  const auto difference = ratio.difference();
  if (!difference) return "There is no interval, so it is not decided which is faster.";
  if (*difference == Difference::within_noise)
    return fmt::format("What the intervals allow holds 1: these measurements do not tell {} from A.", letter(subject));
  const auto faster =
      fmt::format("{} is {} than A by more than", letter(subject), ratio.value > 1 ? "faster" : "slower");
  if (*difference == Difference::beyond_noise)
    return fmt::format("{} the runs of either subject differ among themselves.", faster);
  return fmt::format(
      "{} the noise within the runs; fewer than {} runs of each subject were compared, so a difference from run to run "
      "may have a part in it.",
      faster, enough_runs);
}

/// A table whose columns are the subjects, "A Node Alpha", behind one of what their rows are.
TextTable subjects_table(const Compared& compared, const char* first) {
  std::vector<TextTable::Column> columns{{first}};
  for (std::size_t i = 0; i < compared.subjects.size(); ++i)
    columns.push_back({fmt::format("{} {}", letter(i), compared.subjects[i].name)});
  return TextTable(std::move(columns));
}

/// "2.1 ms; x 1.9 (1.8…2)"
template <class OneCell>
std::string cell_text(const OneCell& cell, const std::string& more) {
  std::string text = figure_text(cell.figure) + more;
  return cell.ratio ? fmt::format("{}; x {}", text, interval_text(*cell.ratio)) : text;
}

void add_verdict(render::Document& document, const Compared& compared, const std::optional<TotalCost>& cost,
                 const std::string& picture) {
  auto& blocks = document.blocks;
  blocks.push_back(render::Paragraph{conclusion(compared, cost), true});
  if (!picture.empty())
    blocks.push_back(render::Picture{
        fmt::format("The roofline of each subject: what its best unit of one type and its main memory allow{}.",
                    datasheets_note(compared).empty() ? "" : "; dash-dotted what only a datasheet states"),
        picture});
  TextTable subjects = subjects_table(compared, "compared");
  std::vector<std::string> devices{"device"}, bases{"figures are"}, files{"files"}, days{"from"},
      rents{"an hour costs"};
  for (const auto& price : compared.options.prices)
    rents.push_back(price ? money_text(*price, compared.options.currency) : "");
  rents.resize(compared.subjects.size() + 1);
  for (const Subject& subject : compared.subjects) {
    devices.push_back(subject.device.name.empty() ? subject.device.id : subject.device.name);
    if (!subject.runs.empty()) devices.back() += ", " + threads_text(subject.device, subject.device.cores);
    bases.push_back(basis_text(subject.basis, subject.source));
    std::vector<std::string> names, dates;
    for (const Run& run : subject.runs) {
      names.push_back(fmt::format("{} ({})", run.source, to_string(run.mode)));
      const std::string day = run.started_at.substr(0, run.started_at.find('T'));
      if (std::ranges::count(dates, day) == 0) dates.push_back(day);
    }
    files.push_back(fmt::format("{}", fmt::join(names, ", ")));
    days.push_back(fmt::format("{}", fmt::join(dates, ", ")));
  }
  for (auto* row : {&devices, &rents, &bases, &files, &days}) {
    if (std::any_of(row->begin() + 1, row->end(), [](const std::string& cell) { return !cell.empty(); }))
      subjects.add(std::move(*row));
  }
  blocks.push_back(render::Table{"What is compared", std::move(subjects)});
}

void add_summary(render::Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  document.blocks.push_back(render::Heading{"Summary"});
  std::vector<std::string> points;
  if (cost) {
    points = decision_lines(compared, *cost);
    points.erase(points.begin());  // the conclusion stands above
  }
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (compared.subjects.front().misfit || compared.subjects[i].misfit) continue;
    if (!mean) {
      points.push_back(
          fmt::format("{} against A: no {} on both in the same sizes; only ceilings and figures of the datasheet stand "
                      "side by side.",
                      name_of(compared, i), compared.bounds ? "work has a bound" : "operator was measured"));
      continue;
    }
    const std::string ends = cost ? "" : far_ends_text(*mean);
    const std::string over = fmt::format("over {} row{} of {}", mean->rows, mean->rows == 1 ? "" : "s",
                                         operators_text(mean->operators, mean->of_operators));
    std::string point =
        mean->ratio.like
            ? fmt::format("{}: {} times as fast as {} {}{}{}.", name_of(compared, i), interval_text(mean->ratio),
                          name_of(compared, 0), over, ends.empty() ? "" : ", from ", ends)
            : fmt::format("{} and {} {}. The two bounds are not comparable: ratio of the figures {}.",
                          name_of(compared, i), name_of(compared, 0), over, factor_text(mean->ratio.value));
    if (!compared.bounds) point += " " + certainty(i, mean->ratio);
    if (cost && cost->best && cost->rows != mean->rows)
      point += fmt::format(" The decision rests on {} of these rows, which all subjects have.", cost->rows);
    points.push_back(std::move(point));
  }
  for (std::string& line : cost_totals(compared)) points.push_back(std::move(line) + ".");
  for (const Subject& subject : compared.subjects)
    if (subject.misfit) points.push_back(misfit_text(subject));
  document.blocks.push_back(render::List{std::move(points)});
}

/// A subject a column, a figure a row; what no subject has is left out.
TextTable turned(const Compared& compared, const TextTable& table) {
  TextTable columns = subjects_table(compared, "of one device");
  for (std::size_t c = 1; c < table.columns().size(); ++c) {
    std::vector<std::string> cells{table.columns()[c].title};
    for (const auto& row : table.rows()) cells.push_back(row[c]);
    if (std::any_of(cells.begin() + 1, cells.end(), [](const std::string& cell) { return !cell.empty(); }))
      columns.add(std::move(cells));
  }
  return columns;
}

/// Assumptions that turn the decision, those that have to change least first, and how many are not shown, and why.
void add_break_evens(render::Document& document, TotalCost cost) {
  constexpr std::size_t most = 10;
  const auto change = [](const BreakEven& one) {
    return one.now > 0 && *one.at > 0 ? std::abs(std::log(*one.at / one.now)) : HUGE_VAL;
  };
  const std::size_t never = std::erase_if(cost.break_evens, [](const BreakEven& one) { return !one.at; });
  std::ranges::stable_sort(cost.break_evens, {}, change);
  const std::size_t shown = std::min(most, cost.break_evens.size()), more = cost.break_evens.size() - shown;
  cost.break_evens.resize(shown);
  document.blocks.push_back(render::Table{"What would turn the decision", render::text_table(break_even_table(cost))});
  if (more > 0)
    document.blocks.push_back(render::Paragraph{fmt::format("{} more would have to change by more than these.", more)});
  if (never > 0)
    document.blocks.push_back(render::Paragraph{
        fmt::format("{} other assumption{} it at no possible value.", never, never == 1 ? " turns" : "s turn")});
}

/// The best unit of each type and the main memory, a cell a subject.
TextTable ceilings_of_subjects(const Compared& compared) {
  TextTable table = subjects_table(compared, "best unit");
  const auto add = [&](const std::string& what, const CeilingRow& row, const auto& more) {
    std::vector<std::string> cells{what};
    for (const auto& cell : row.cells) cells.push_back(cell ? cell_text(*cell, more(*cell)) : "");
    table.add(std::move(cells));
  };
  for (const CeilingRow& row : compared.answer.best_units) {
    if (row.key.scope != Scope::node) continue;
    add(std::string(to_string(*row.key.dtype)), row,
        [&](const CeilingCell& cell) { return " " + unit_text(cell, *row.key.dtype); });
  }
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (is_main_stream(row.key)) add("main memory", row, [](const CeilingCell&) { return ""; });
  }
  return table;
}

void add_figures(render::Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  blocks.push_back(render::Heading{"Figures"});
  if (cost && is_owned(cost->criterion))
    blocks.push_back(render::Table{"Total cost", turned(compared, render::text_table(cost_table(*cost)))});
  if (cost && !cost->break_evens.empty()) add_break_evens(document, *cost);
  blocks.push_back(render::Table{"The best unit of each type, and times A", ceilings_of_subjects(compared)});
  if (std::string chart = ratio_chart(compared); !chart.empty())
    blocks.push_back(
        render::Picture{"Operators: times as fast as A, with what both intervals allow; at 1 the subjects are level",
                        std::move(chart)});
  const ChosenRows chosen = chosen_rows(compared);
  TextTable operators = subjects_table(compared, "operator");
  for (const OperatorRow* row : chosen.rows) {
    std::vector<std::string> cells{label_of(row->key)};
    if (const auto weight = chosen.weights.find(row); weight != chosen.weights.end()) {
      const auto& [of, share, name, summed] = weight->second;
      cells[0] += fmt::format(" ({}{:.3g} %)", name == row->key.op ? "" : name + ", ", 100 * share);
    }
    for (const auto& cell : row->cells) cells.push_back(cell && cell->like ? cell_text(*cell, "") : "");
    operators.add(std::move(cells));
  }
  blocks.push_back(
      render::Table{fmt::format("{}, and times as fast as A{}", compared.bounds ? "Least times" : "Operators",
                                chosen.weights.empty() ? "" : "; in brackets each one's part of the decision"),
                    std::move(operators)});
  if (chosen.left_out > 0)
    blocks.push_back(render::Paragraph{
        fmt::format("{} more rows of operators count in the mean; gable compare prints them.", chosen.left_out)});
}

void add_method(render::Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  blocks.push_back(render::Heading{"Method"});
  std::vector<std::string> rules{
      "A ceiling is the most that a device was measured to do, or of a datasheet what its vendor states; beside a "
      "measured one no difference is judged. An operator is a piece of a real workload; ceilings allow it a least time "
      "(the roofline model).",
      "Figures: of one run its estimate with its 95 % interval; of several runs of one device their median, with an "
      "interval that holds every run and every run's own interval. Ratios: rates B / A, times A / B; the brackets hold "
      "the ratio wherever both intervals hold the true figures.",
      fmt::format("Within noise: the brackets hold 1. Beyond these runs: they do not, but one subject has fewer than "
                  "{0} runs. Beyond noise: they do not, with {0} runs or more of both subjects.",
                  enough_runs),
      "Only rows of the same operator, sizes, types, scope and manner count in a mean."};
  if (compared.bounds) std::ranges::move(bounds_lines(compared), std::back_inserter(rules));
  for (std::size_t i = 1; i < compared.subjects.size() && !cost; ++i) {
    if (compared.answer.means[i]) rules.push_back(mean_text(*compared.answer.means[i], i, compared.options));
  }
  if (cost && is_owned(cost->criterion)) {
    std::ranges::move(cost_assumptions(compared, *cost), std::back_inserter(rules));
    rules.emplace_back(
        "8766 h are the hours of a year. Not in the cost: interest, staff, floor space, repairs. An assumption turns "
        "the "
        "decision where the two subjects come level, everything else as it is and without rounding to whole devices.");
  }
  blocks.push_back(render::List{std::move(rules)});
  if (compared.bounds && !compared.bounds->efficiency.by_class.empty())
    blocks.push_back(render::Table{"The efficiency assumed", render::text_table(efficiency_table(compared))});
}

void add_list(render::Document& document, const char* heading, const char* nothing, std::vector<std::string> lines) {
  constexpr std::size_t most = 6;
  document.blocks.push_back(render::Heading{heading});
  if (lines.size() > most) {
    const std::size_t rest = lines.size() - most;
    lines.resize(most);
    lines.push_back(fmt::format("… {} more, which gable compare prints.", rest));
  }
  if (lines.empty())
    document.blocks.push_back(render::Paragraph{nothing});
  else
    document.blocks.push_back(render::List{std::move(lines)});
}

/// Operators of other sizes, and subjects that nothing was measured of.
std::vector<std::string> unlike_lines(const Compared& compared) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    if (compared.subjects[i].runs.empty())
      lines.push_back(
          fmt::format("{} was not measured: its figures are those of the datasheet.", name_of(compared, i)));
    const auto is_unlike = [i](const OperatorRow& row) { return row.cells[i] && !row.cells[i]->like; };
    const auto sizes = mapped(compared.answer.operators | std::views::filter(is_unlike),
                              [](const OperatorRow& row) { return label_of(row.key); });
    if (!sizes.empty())
      lines.push_back(fmt::format("{} has {} operator{} in other sizes than A only, left out of tables and means: {}.",
                                  letter(i), sizes.size(), sizes.size() == 1 ? "" : "s",
                                  listed(sizes, "; ", Names::few)));
  }
  return lines;
}

}  // namespace

Compared without_places(Compared compared) {
  for (Subject& subject : compared.subjects) {
    subject.name = !subject.given_name.empty()   ? subject.given_name
                   : subject.device.name.empty() ? subject.device.id
                                                 : subject.device.name;
    subject.host.clear();
    for (Run& run : subject.runs) run.source = std::filesystem::path(run.source).filename().string();
  }
  name_apart(compared.subjects);
  return compared;
}

render::Document tender(const Compared& placed, const std::optional<TotalCost>& cost, const TenderParts& parts) {
  const Compared compared = without_places(placed);
  render::Document document;
  document.for_print = true;
  const auto names = mapped(compared.subjects, &Subject::name);
  document.title = parts.title.empty() ? fmt::format("Comparison of {}", fmt::join(names, ", ")) : parts.title;
  add_verdict(document, compared, cost, parts.picture);
  add_summary(document, compared, cost);
  add_figures(document, compared, cost);
  add_method(document, compared, cost);
  constexpr int most_width = 260;  // of what flags and instruction sets differ
  std::vector<std::string> lines = circumstance_lines(compared.answer.circumstances, Names::few);
  for (std::string& line : lines) line = shorten(line, most_width);
  add_list(document, "What else differs", "The files tell of nothing else that differs between the subjects.",
           std::move(lines));
  lines = unlike_lines(compared);
  for (std::string& line : rest_lines(compared, Names::few)) lines.push_back(std::move(line));
  add_list(document, "What is not comparable, and why", "Everything that was measured has its partner.",
           std::move(lines));
  document.blocks.push_back(render::Paragraph{fmt::format("Written by gable {}.", parts.version)});
  return document;
}

}  // namespace gable::questions
