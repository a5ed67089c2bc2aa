#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/questions/compare/comparison_answer.hpp"
#include "core/render/palette.hpp"
#include "core/sequence.hpp"
#include "core/text/safe_text.hpp"
#include "core/text/text_table.hpp"

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

constexpr double label_width = 400, plot_width = 430, figure_width = 140, top = 30, tender_line = 24, bottom = 40;

bool is_beside(const OperatorRow& row, std::size_t subject) {
  const auto& cell = row.cells[subject];
  return subject > 0 && cell && cell->like;
}

Chart chart_of(const std::vector<const OperatorRow*>& rows) {
  Chart chart;
  for (const OperatorRow* row : rows) {
    for (std::size_t i = 1; i < row->cells.size(); ++i) {
      if (!is_beside(*row, i) || !row->cells[i]->ratio || !row->cells[i]->ratio->like) continue;
      const Ratio& ratio = *row->cells[i]->ratio;
      chart.marks.push_back({static_cast<double>(chart.labels.size()), i, ratio});
      chart.low = std::min(chart.low, ratio.low.value_or(ratio.value));
      chart.high = std::max(chart.high, ratio.high.value_or(ratio.value));
    }
    if (chart.marks.empty() || chart.marks.back().line < static_cast<double>(chart.labels.size())) continue;
    const std::string scope = scope_text(row->key.scope);
    chart.labels.push_back(shorten(label_of(row->key) + (scope.empty() ? "" : " (" + scope + ")"), 60));
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
std::string key_text(const Chart& chart, std::size_t subjects) {
  std::string text;
  for (std::size_t i = 1; i < subjects; ++i) {
    if (std::ranges::count(chart.marks, i, &Mark::subject) == 0) continue;
    const double x = label_width + 80 * static_cast<double>(i - 1);
    text += fmt::format(
        "<circle cx=\"{:.0f}\" cy=\"12\" r=\"4\" fill=\"#{:06x}\"/><text x=\"{:.0f}\" y=\"16\">{} vs A</text>\n", x,
        render::device_colour(i), x + 8, letter(i));
  }
  return text;
}

/// Rows that a subject has beside the baseline, the first of each operator before its others.
std::vector<const OperatorRow*> by_operator(const std::vector<OperatorRow>& rows) {
  std::map<std::string, int> seen;
  std::vector<std::pair<int, const OperatorRow*>> numbered;
  for (const OperatorRow& row : rows) {
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      if (!is_beside(row, i)) continue;
      numbered.emplace_back(seen[row.key.op]++, &row);
      break;
    }
  }
  std::ranges::stable_sort(numbered, {}, &std::pair<int, const OperatorRow*>::first);
  return mapped(numbered, &std::pair<int, const OperatorRow*>::second);
}

/// Those that the decision rests on, heaviest first.
std::vector<RowWeight> by_weight(const Compared& compared) {
  const auto shared = rows_of_all(compared.answer.operators, with_operators(compared.subjects));
  auto weights = row_weights(shared, compared.options);
  std::ranges::stable_sort(weights, std::greater(), &RowWeight::share);
  return weights;
}

}  // namespace

ChosenRows chosen_rows(const Compared& compared) {
  constexpr std::size_t most = 10;
  ChosenRows chosen;
  if (compared.options.weights.empty() && !compared.options.summed) {
    chosen.rows = by_operator(compared.answer.operators);
  } else {
    for (const RowWeight& one : by_weight(compared)) {
      chosen.rows.push_back(one.row);
      chosen.weights[one.row] = one;
    }
  }
  chosen.left_out = chosen.rows.size() - std::min(most, chosen.rows.size());
  chosen.rows.resize(chosen.rows.size() - chosen.left_out);
  std::ranges::sort(chosen.rows);  // as they stand in the answer
  return chosen;
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
  text += key_text(chart, subjects) + ticks(chart, height);
  for (std::size_t i = 0; i < chart.labels.size(); ++i)
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", label_width - 10,
                        top + tender_line * (static_cast<double>(i) + 0.5) + 4, for_markup(chart.labels[i]));
  for (const Mark& mark : chart.marks) text += mark_text(chart, mark, subjects);
  return text + fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">times as fast as A</text>\n</svg>",
                            label_width + plot_width / 2, whole - 6);
}

}  // namespace gable::questions
