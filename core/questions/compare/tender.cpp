#include "core/questions/compare/comparison_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "core/render/answer.hpp"
#include "core/render/palette.hpp"
#include "core/text/safe_text.hpp"

namespace gable::questions {
namespace {

/// One mark: the ratio of a subject in one line of the chart.
struct Mark {
  double line{};
  std::size_t subject{};
  Ratio ratio;
};

struct Chart {
  std::vector<std::string> labels;  ///< of lines
  std::vector<Mark> marks;
  double low{0.9}, high{1.1};  ///< of the axis
};

constexpr double label_width = 330, plot_width = 430, figure_width = 140, top = 30, tender_line = 24, bottom = 40;

bool has_ratio(const OperatorRow& row, std::size_t subject) {
  const auto& cell = row.cells[subject];
  return subject > 0 && cell && cell->like && cell->ratio;
}

/// Rows that a subject has in the baseline's sizes; of many the first of each operator before its others.
struct ChosenRows {
  std::vector<const OperatorRow*> rows;
  std::size_t left_out{};
};
ChosenRows chosen_rows(const Compared& compared) {
  constexpr std::size_t most = 10;
  std::map<std::string, int> seen;
  std::vector<std::pair<int, const OperatorRow*>> numbered;
  for (const OperatorRow& row : compared.answer.operators) {
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      if (!has_ratio(row, i)) continue;
      numbered.emplace_back(seen[row.key.op]++, &row);
      break;
    }
  }
  std::ranges::stable_sort(numbered, {}, &std::pair<int, const OperatorRow*>::first);
  ChosenRows chosen;
  for (const auto& [number, row] : numbered)
    (chosen.rows.size() < most ? chosen.rows.push_back(row) : void(++chosen.left_out));
  std::ranges::sort(chosen.rows);  // as they stand in the answer
  return chosen;
}

Chart chart_of(const std::vector<const OperatorRow*>& rows) {
  Chart chart;
  for (const OperatorRow* row : rows) {
    for (std::size_t i = 1; i < row->cells.size(); ++i) {
      if (!has_ratio(*row, i)) continue;
      const Ratio& ratio = *row->cells[i]->ratio;
      chart.marks.push_back({static_cast<double>(chart.labels.size()), i, ratio});
      chart.low = std::min(chart.low, ratio.low.value_or(ratio.value));
      chart.high = std::max(chart.high, ratio.high.value_or(ratio.value));
    }
    const std::string scope = scope_text(row->key.scope);
    chart.labels.push_back(shorten(label_of(row->key) + (scope.empty() ? "" : " (" + scope + ")"), 46));
  }
  return chart;
}

double x_of(const Chart& chart, double ratio) {
  return label_width + plot_width * std::log(ratio / chart.low) / std::log(chart.high / chart.low);
}

/// Round figures of every decade that the axis holds; more of them on a short axis.
std::string ticks(const Chart& chart, double height) {
  const std::vector<double> few{1, 2, 5}, many{1, 1.5, 2, 3, 5, 7};
  std::string text;
  for (int decade = -6; decade <= 6; ++decade) {
    for (const double step : chart.high / chart.low > 20 ? few : many) {
      const double value = step * std::pow(10, decade);
      if (value < chart.low || value > chart.high) continue;
      const double x = x_of(chart, value);
      text += fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\" stroke=\"{3}\"/><text x=\"{0:.1f}\" "
          "y=\"{4:.0f}\" text-anchor=\"middle\">{5:g}</text>\n",
          x, top, top + height, value == 1 ? "#333333" : "#dddddd", top + height + 16, value);
    }
  }
  return text;
}

std::string mark_text(const Chart& chart, const Mark& mark, std::size_t subjects) {
  const double apart = subjects > 2 ? tender_line / static_cast<double>(subjects) : 0;
  const double y = top + tender_line * (mark.line + 0.5) +
                   apart * (static_cast<double>(mark.subject) - static_cast<double>(subjects) / 2);
  const std::string colour = fmt::format("#{:06x}", render::device_colour(mark.subject));
  std::string text;
  if (mark.ratio.low && mark.ratio.high)
    text +=
        fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"2\"/>",
                    x_of(chart, *mark.ratio.low), y, x_of(chart, *mark.ratio.high), y, colour);
  text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>", x_of(chart, mark.ratio.value), y,
                      colour);
  if (subjects == 2)
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\">{:.3g}</text>", label_width + plot_width + 12, y + 4,
                        mark.ratio.value);
  return text + '\n';
}

/// Which colour is which subject, where there are several.
std::string key_text(std::size_t subjects) {
  std::string text;
  for (std::size_t i = 1; i < subjects; ++i) {
    const double x = label_width + 80 * static_cast<double>(i - 1);
    text += fmt::format(
        "<circle cx=\"{:.0f}\" cy=\"12\" r=\"4\" fill=\"#{:06x}\"/><text x=\"{:.0f}\" y=\"16\">{} vs A</text>\n", x,
        render::device_colour(i), x + 8, letter(i));
  }
  return text;
}

/// What the interval of a ratio lets a reader say of the two subjects.
std::string certainty(std::size_t subject, const Ratio& ratio) {
  const auto difference = ratio.difference();
  if (!difference) return "There is no interval, so it is not decided which is faster.";
  const auto faster = fmt::format("{} is {} than A", letter(subject), ratio.value > 1 ? "faster" : "slower");
  switch (*difference) {
    case Difference::within_noise:
      return fmt::format("What the intervals allow holds 1: these measurements do not tell {} from A.",
                         letter(subject));
    case Difference::beyond_these_runs:
      return fmt::format(
          "{} by more than the noise within the runs; fewer than {} runs of each subject were compared, so a "
          "difference from run to run may have a part in it.",
          faster, enough_runs);
    case Difference::beyond_noise:
      break;
  }
  return fmt::format("{} by more than the runs of either subject differ among themselves.", faster);
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
  std::vector<std::string> devices{"device"}, bases{"figures are"}, files{"files"}, days{"from"};
  for (const Subject& subject : compared.subjects) {
    devices.push_back(subject.device.name.empty() ? subject.device.id : subject.device.name);
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
  for (auto* row : {&devices, &bases, &files, &days}) {
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
    if (!mean) {
      points.push_back(
          fmt::format("{} against A: no operator was measured on both in the same sizes; only ceilings and figures of "
                      "the datasheet stand side by side.",
                      name_of(compared, i)));
      continue;
    }
    std::string point = fmt::format("{}: {} times as fast as {} over {} row{} of {} operator{}.", name_of(compared, i),
                                    interval_text(mean->ratio), name_of(compared, 0), mean->rows,
                                    mean->rows == 1 ? "" : "s", mean->operators, mean->operators == 1 ? "" : "s");
    if (!compared.bounds) point += " " + certainty(i, mean->ratio);
    if (cost && cost->best && cost->rows != mean->rows)
      point += fmt::format(" The decision rests on {} of these rows, which all subjects have.", cost->rows);
    points.push_back(std::move(point));
  }
  for (std::string& line : cost_totals(compared)) points.push_back(std::move(line) + ".");
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

/// Assumptions that turn the decision, those that have to change least first, and how many turn nothing.
void add_break_evens(
    std::vector<std::variant<render::Heading, render::Paragraph, render::List, render::Table, render::Picture>>& blocks,
    TotalCost cost) {
  constexpr std::size_t most = 10;
  const auto change = [](const BreakEven& one) {
    return one.now > 0 && *one.at > 0 ? std::abs(std::log(*one.at / one.now)) : HUGE_VAL;
  };
  const std::size_t all = cost.break_evens.size();
  std::erase_if(cost.break_evens, [](const BreakEven& one) { return !one.at; });
  std::ranges::stable_sort(cost.break_evens, {}, change);
  if (cost.break_evens.size() > most) cost.break_evens.resize(most);
  blocks.push_back(render::Table{"What would turn the decision", render::text_table(break_even_table(cost))});
  if (const std::size_t rest = all - cost.break_evens.size(); rest > 0)
    blocks.push_back(render::Paragraph{
        fmt::format("{} other assumption{} would have to change by more, or {} it at no possible value.", rest,
                    rest == 1 ? "" : "s", rest == 1 ? "turns" : "turn")});
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
    add(std::string(to_string(*row.key.dtype)), row, [](const CeilingCell& cell) { return " " + cell.key.name; });
  }
  for (const CeilingRow& row : compared.answer.ceilings) {
    const CeilingKey& key = row.key;
    const bool stream = key.access == Access::triad || key.access == Access::none;
    if (key.kind == CeilingKind::bandwidth && key.name == main_memory_role && key.scope == Scope::node && stream &&
        key.variant.empty() && key.stores != Stores::non_temporal)
      add("main memory", row, [](const CeilingCell&) { return ""; });
  }
  return table;
}

void add_figures(render::Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  blocks.push_back(render::Heading{"Figures"});
  if (cost && cost->criterion != Criterion::performance)
    blocks.push_back(render::Table{"Total cost", turned(compared, render::text_table(cost_table(*cost)))});
  if (cost && cost->best) add_break_evens(blocks, *cost);
  blocks.push_back(render::Table{"The best unit of each type, and times A", ceilings_of_subjects(compared)});
  if (std::string chart = ratio_chart(compared); !chart.empty())
    blocks.push_back(
        render::Picture{"Operators: times as fast as A, with what both intervals allow; at 1 the subjects are level",
                        std::move(chart)});
  const ChosenRows chosen = chosen_rows(compared);
  TextTable operators = subjects_table(compared, "operator");
  for (const OperatorRow* row : chosen.rows) {
    std::vector<std::string> cells{label_of(row->key)};
    for (const auto& cell : row->cells) cells.push_back(cell && cell->like ? cell_text(*cell, "") : "");
    operators.add(std::move(cells));
  }
  blocks.push_back(
      render::Table{compared.bounds ? "Least times, and times as fast as A" : "Operators, and times as fast as A",
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
  if (cost && cost->criterion != Criterion::performance) {
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
    std::vector<std::string> sizes;
    for (const OperatorRow& row : compared.answer.operators) {
      if (row.cells[i] && !row.cells[i]->like) sizes.push_back(label_of(row.key));
    }
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
  return compared;
}

std::string ratio_chart(const Compared& compared) {
  Chart chart = chart_of(chosen_rows(compared).rows);
  if (chart.marks.empty()) return "";
  chart.low /= 1.05;
  chart.high *= 1.05;
  const std::size_t subjects = compared.subjects.size();
  const double height = tender_line * static_cast<double>(chart.labels.size());
  const double width = label_width + plot_width + figure_width, whole = top + height + bottom;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"Ratios of operators\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333333\">\n",
      width, whole);
  text += key_text(subjects) + ticks(chart, height);
  for (std::size_t i = 0; i < chart.labels.size(); ++i)
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", label_width - 10,
                        top + tender_line * (static_cast<double>(i) + 0.5) + 4, for_markup(chart.labels[i]));
  for (const Mark& mark : chart.marks) text += mark_text(chart, mark, subjects);
  return text + fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">times as fast as A</text>\n</svg>",
                            label_width + plot_width / 2, whole - 6);
}

render::Document tender(const Compared& placed, const std::optional<TotalCost>& cost, const TenderParts& parts) {
  const Compared compared = without_places(placed);
  render::Document document;
  document.for_print = true;
  std::vector<std::string> names;
  for (const Subject& subject : compared.subjects) names.push_back(subject.name);
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
