#include "core/questions/compare/comparison_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

Chart chart_of(const Compared& compared) {
  Chart chart;
  for (const OperatorRow& row : compared.answer.operators) {
    const auto line = static_cast<double>(chart.labels.size());
    bool any = false;
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      const auto& cell = row.cells[i];
      if (!cell || !cell->like || !cell->ratio) continue;
      any = true;
      chart.marks.push_back({line, i, *cell->ratio});
      chart.low = std::min(chart.low, cell->ratio->low.value_or(cell->ratio->value));
      chart.high = std::max(chart.high, cell->ratio->high.value_or(cell->ratio->value));
    }
    if (any) {
      const std::string scope = scope_text(row.key.scope);
      chart.labels.push_back(shorten(label_of(row.key) + (scope.empty() ? "" : " (" + scope + ")"), 46));
    }
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

void add_summary(render::Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  blocks.push_back(render::Heading{"Summary"});
  std::vector<std::string> points;
  if (cost) points = decision_lines(compared, *cost);
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean) {
      points.push_back(
          fmt::format("{} against A: no operator was measured on both in the same sizes; only ceilings and figures of "
                      "the datasheet stand side by side.",
                      name_of(compared, i)));
      continue;
    }
    std::string point =
        fmt::format("{}: {} times as fast as {} over {} row{} of {} operator{}. {}", name_of(compared, i),
                    interval_text(mean->ratio), name_of(compared, 0), mean->rows, mean->rows == 1 ? "" : "s",
                    mean->operators, mean->operators == 1 ? "" : "s", certainty(i, mean->ratio));
    if (cost && cost->best && cost->rows != mean->rows)
      point += fmt::format(" The decision about the total cost rests on {} of these rows, which all subjects have.",
                           cost->rows);
    points.push_back(std::move(point));
  }
  blocks.push_back(render::List{std::move(points)});
  TextTable subjects({{"subject"}, {"device"}, {"figures are"}, {"files"}, {"from"}});
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const Subject& subject = compared.subjects[i];
    std::vector<std::string> files, days;
    for (const Run& run : subject.runs) {
      files.push_back(fmt::format("{} ({})", run.source, to_string(run.mode)));
      const std::string day = run.started_at.substr(0, run.started_at.find('T'));
      if (std::ranges::count(days, day) == 0) days.push_back(day);
    }
    subjects.add({letter(i), subject.name, basis_text(subject.basis, subject.source),
                  fmt::format("{}", fmt::join(files, ", ")), fmt::format("{}", fmt::join(days, ", "))});
  }
  blocks.push_back(render::Table{"What is compared", std::move(subjects)});
}

void add_method(render::Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  blocks.push_back(render::Heading{"Method"});
  blocks.push_back(render::Paragraph{
      "A ceiling is the most that a device was measured to do, or of a datasheet what its vendor states: its "
      "arithmetic for each type of numbers, its bandwidth for each level of its memory. An operator is a "
      "piece of a real workload. Its time is compared, and held against the least time that the ceilings "
      "allow (the roofline model): that tells what limits it."});
  std::vector<std::string> rules{
      "Figures: of one run its estimate with its 95 % interval; of several runs of one device their median, with an "
      "interval that holds every run and every run's own interval.",
      "Ratios: how many times as fast a subject is as A; rates B / A, times A / B. The brackets hold the ratio "
      "wherever both intervals hold the true figures: low B / high A to high B / low A.",
      fmt::format("Within noise: the brackets hold 1. Beyond these runs: they do not, but one subject has fewer than "
                  "{0} runs. Beyond noise: they do not, with {0} runs or more of both subjects: ranges of so many runs "
                  "of one and the same machine are disjoint in {1:.1g} % of cases only.",
                  enough_runs, 100 * chance_of_disjoint_ranges(enough_runs, enough_runs)),
      "Like with like: only rows of the same operator, sizes, types, scope and manner count in the mean. What stands "
      "beside something else is marked unlike.",
      "A datasheet's figure is nobody's measurement and always unlike beside a measured one."};
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    if (compared.answer.means[i]) rules.push_back(mean_text(*compared.answer.means[i], i, compared.options));
  }
  blocks.push_back(render::List{std::move(rules)});
  if (!cost) return;
  blocks.push_back(render::Paragraph{"Total cost of one device, money in the currency of the prices:"});
  blocks.push_back(render::List{cost_assumptions(compared, *cost)});
  blocks.push_back(render::Paragraph{
      "8766 h are the hours of a year. Power under load is what was read during the rows that count, or else "
      "what the table says. Not in it: interest, staff, floor space, repairs, and what of a host neither "
      "price nor power holds. An assumption turns the decision where the two subjects come level, everything "
      "else as it is and without rounding to whole devices."});
}

void add_figures(render::Document& document, const Compared& compared, const std::optional<TotalCost>& cost) {
  auto& blocks = document.blocks;
  const auto add = [&](const char* caption, const Answer::Table& table) {
    blocks.push_back(render::Table{caption, render::text_table(table)});
  };
  blocks.push_back(render::Heading{"Figures"});
  if (cost) {
    add("Total cost of one device", cost_table(*cost));
    add("What would turn the decision", break_even_table(*cost));
  }
  if (std::string chart = ratio_chart(compared); !chart.empty())
    blocks.push_back(
        render::Picture{"Operators: times as fast as A, with what both intervals allow; at 1 the subjects are level",
                        std::move(chart)});
  add("Operators", operators_table(compared.answer.operators));
  add("Ceilings", ceilings_table(compared.answer.ceilings, compared.options));
  add("Ridge points at main memory, flop/byte (op/byte for integers)", ceilings_table(compared.answer.ridges, {}));
  add("Energy: work per joule, at the power read during each row", energy_table(compared));
  add("Work per unit of the price", work_per_price_table(compared));
  add("Cost of one run, in units of the price", cost_of_runs_table(compared));
}

void add_list(render::Document& document, const char* heading, const char* nothing, std::vector<std::string> lines) {
  document.blocks.push_back(render::Heading{heading});
  if (lines.empty())
    document.blocks.push_back(render::Paragraph{nothing});
  else
    document.blocks.push_back(render::List{std::move(lines)});
}

/// Rows that stand beside something else, and subjects that nothing was measured of.
std::vector<std::string> unlike_lines(const Compared& compared) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    if (compared.subjects[i].runs.empty())
      lines.push_back(
          fmt::format("{} was not measured: its figures are those of the datasheet.", name_of(compared, i)));
  }
  for (const OperatorRow& row : compared.answer.operators) {
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      if (row.cells[i] && !row.cells[i]->like)
        lines.push_back(
            fmt::format("{}:{} on {} only beside it, of other sizes: rates are compared, and it is in no mean.",
                        label_of(row.key), unlike_mark(*row.cells[i]), letter(i)));
    }
  }
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

std::string ratio_chart(const Compared& compared) {
  Chart chart = chart_of(compared);
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

render::Document tender(const Compared& placed, const std::optional<TotalCost>& cost, const std::string& version) {
  const Compared compared = without_places(placed);
  render::Document document;
  std::vector<std::string> names;
  for (const Subject& subject : compared.subjects) names.push_back(subject.name);
  document.title = fmt::format("Comparison of {}", fmt::join(names, ", "));
  add_summary(document, compared, cost);
  add_method(document, compared, cost);
  add_figures(document, compared, cost);
  add_list(document, "What else differs", "The files tell of nothing else that differs between the subjects.",
           circumstance_lines(compared.answer.circumstances, Names::all));
  std::vector<std::string> lines = unlike_lines(compared);
  for (std::string& line : rest_lines(compared, Names::all)) lines.push_back(std::move(line));
  add_list(document, "What is not comparable, and why", "Everything that was measured has its partner.",
           std::move(lines));
  document.blocks.push_back(render::Paragraph{fmt::format("Written by gable {}.", version)});
  return document;
}

}  // namespace gable::questions
