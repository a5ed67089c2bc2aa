#include "core/report/ratio_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/report/comparison_words.hpp"
#include "core/report/document.hpp"
#include "core/report/palette.hpp"

namespace gable::report {

using namespace analysis;

namespace {

/// One mark: the ratio of a side in one line of the chart.
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

constexpr double label_width = 330, plot_width = 430, figure_width = 140, top = 30, line_height = 24, bottom = 40;

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
          "<line x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\" stroke=\"{3}\"/>"
          "<text x=\"{0:.1f}\" y=\"{4:.0f}\" text-anchor=\"middle\">{5:g}</text>\n",
          x, top, top + height, value == 1 ? "#333333" : "#dddddd", top + height + 16, value);
    }
  }
  return text;
}

std::string mark_text(const Chart& chart, const Mark& mark, std::size_t sides) {
  const double apart = sides > 2 ? line_height / static_cast<double>(sides) : 0;
  const double y = top + line_height * (mark.line + 0.5) +
                   apart * (static_cast<double>(mark.subject) - static_cast<double>(sides) / 2);
  const std::string colour = fmt::format("#{:06x}", device_colour(mark.subject));
  std::string text;
  if (mark.ratio.low && mark.ratio.high)
    text +=
        fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"2\"/>",
                    x_of(chart, *mark.ratio.low), y, x_of(chart, *mark.ratio.high), y, colour);
  text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>", x_of(chart, mark.ratio.value), y,
                      colour);
  if (sides == 2)
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\">{:.3g}</text>", label_width + plot_width + 12, y + 4,
                        mark.ratio.value);
  return text + '\n';
}

/// Which colour is which side, where there are several.
std::string key_text(std::size_t sides) {
  std::string text;
  for (std::size_t i = 1; i < sides; ++i) {
    const double x = label_width + 80 * static_cast<double>(i - 1);
    text += fmt::format(
        "<circle cx=\"{:.0f}\" cy=\"12\" r=\"4\" fill=\"#{:06x}\"/><text x=\"{:.0f}\" y=\"16\">{} vs A</text>\n", x,
        device_colour(i), x + 8, letter(i));
  }
  return text;
}

}  // namespace

std::string ratio_chart(const Compared& compared) {
  Chart chart = chart_of(compared);
  if (chart.marks.empty()) return "";
  chart.low /= 1.05;
  chart.high *= 1.05;
  const std::size_t sides = compared.subjects.size();
  const double height = line_height * static_cast<double>(chart.labels.size());
  const double width = label_width + plot_width + figure_width, whole = top + height + bottom;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"Ratios of operators\" font-family=\"sans-serif\" "
      "font-size=\"12\" fill=\"#333333\">\n",
      width, whole);
  text += key_text(sides) + ticks(chart, height);
  for (std::size_t i = 0; i < chart.labels.size(); ++i)
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", label_width - 10,
                        top + line_height * (static_cast<double>(i) + 0.5) + 4, escape_html(chart.labels[i]));
  for (const Mark& mark : chart.marks) text += mark_text(chart, mark, sides);
  return text + fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">times as fast as A</text>\n</svg>",
                            label_width + plot_width / 2, whole - 6);
}

}  // namespace gable::report
