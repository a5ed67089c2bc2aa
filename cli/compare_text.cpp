#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/compare_cost.hpp"
#include "cli/compare_parts.hpp"
#include "core/model/units.hpp"
#include "core/report/comparison_tables.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using namespace report;

/// The bandwidths that the ridge points of each side rest on.
std::string ridges_note(const std::vector<CeilingRow>& rows, std::size_t subjects, int width) {
  std::vector<std::string> used;
  for (std::size_t i = 0; i < subjects; ++i) {
    for (const CeilingRow& row : rows) {
      if (!row.cells[i] || !row.cells[i]->bandwidth) continue;
      const std::string text = fmt::format("{} {}{}", letter(i), used_text(*row.cells[i]->bandwidth),
                                           row.key.scope == Scope::node ? "" : " (" + scope_text(row.key.scope) + ")");
      if (std::ranges::count(used, text) == 0) used.push_back(text);
    }
  }
  return used.empty() ? "" : wrap(fmt::format("at {}", fmt::join(used, ", ")), width, 0);
}

std::string means_text(const Compared& compared, int width) {
  std::string text;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (mean) text += wrap(mean_text(*mean, i, compared.options), width, 0);
  }
  return text.empty() ? "" : '\n' + text;
}

std::string wrapped(const std::vector<std::string>& lines, int width) {
  std::string text;
  for (const std::string& line : lines) text += wrap(line, width, 0);
  return text;
}

/// Rows that are on one side only, and rows without a valid figure, by their reason.
std::string rest_text(const Compared& compared, int width) {
  const std::string text = wrapped(rest_lines(compared, Names::first), width);
  return text.empty() ? "" : "\nnot compared\n" + text;
}

/// What ± and brackets mean for these subjects.
std::string legend_text(const Compared& compared, int width) {
  bool within = false, between = false, unlike = false;
  const auto note = [&](const auto& rows) {
    for (const auto& row : rows) {
      for (const auto& cell : row.cells) {
        within = within || (cell && cell->figure.spread == Spread::within_run);
        between = between || (cell && cell->figure.spread == Spread::between_runs);
        unlike = unlike || (cell && !cell->like);
      }
    }
  };
  note(compared.answer.ceilings);
  note(compared.answer.operators);
  std::string text =
      "vs A: how many times as fast (rates B / A, times A / B; ridges B / A). In brackets what both intervals allow; "
      "where "
      "that holds 1, the difference is within noise; else it is beyond these runs, and beyond noise only with 6 runs "
      "or "
      "more on both sides.";
  if (within) text += " ± of one run: half its 95 % interval, which does not speak for other runs.";
  if (between) text += " ± of several runs: half of what holds all runs and their intervals.";
  if (unlike)
    text +=
        " unlike: of another operating point (a datasheet's figure is nobody's measurement), or operators of other "
        "sizes, "
        "whose rates are compared; in no mean.";
  return '\n' + wrap(text, width, 0);
}

}  // namespace

std::string compare_text(const Compared& compared, const std::optional<TotalCost>& cost, int width) {
  const std::size_t count = compared.subjects.size();
  const Comparison& answer = compared.answer;
  return head_text(compared, width) + titled("ceilings", ceilings_table(answer.ceilings, count), width) +
         titled("ridge points at main memory, flop/byte (op/byte for integers)", ceilings_table(answer.ridges, count),
                width) +
         ridges_note(answer.ridges, count, width) +
         titled("operators", operators_table(answer.operators, count), width) + reasons_text(compared, width) +
         means_text(compared, width) + circumstances_text(answer.circumstances, width) + energy_text(compared, width) +
         price_text(compared, width) + (cost ? total_cost_text(compared, *cost, width) : "") +
         rest_text(compared, width) + legend_text(compared, width);
}

std::string repeats_text(const Compared& compared, int width) {
  const Subject& subject = compared.subjects.front();
  std::string text = wrap(fmt::format("{}, {} runs of one device", subject.name, subject.runs.size()), width, 0);
  for (const Run& run : subject.runs)
    text += wrap(fmt::format("{} ({}, started {})", run.source, run.mode, run.started_at), width, 2);
  TextTable table({{"what", false, true},
                   {"scope"},
                   {"at"},
                   {"runs", true},
                   {"median", true},
                   {"smallest", true},
                   {"largest", true},
                   {"spread", true},
                   {"implementation", false, true}});
  const auto add = [&](const auto& quantity, std::string at) {
    const Figure& figure = quantity.figure;
    const bool several = figure.spread == Spread::between_runs;
    const auto shown = [&](double value) { return format_quantity(value, figure.unit); };
    table.add({label_of(quantity.key), scope_text(quantity.key.scope), std::move(at), fmt::format("{}", figure.runs),
               shown(figure.value), several ? shown(figure.smallest) : "", several ? shown(figure.largest) : "",
               several ? fmt::format("{:.1f} %", 100 * (figure.largest - figure.smallest) / figure.value) : "",
               quantity.implementation});
  };
  for (const CeilingQuantity& quantity : subject.ceilings)
    add(quantity, quantity.key.at == OperatingPoint::none ? "" : std::string(to_string(quantity.key.at)));
  for (const PointQuantity& quantity : subject.points) add(quantity, "");
  const std::string left_out = wrapped(left_out_lines(subject, "no figure", Names::first), width);
  return text + '\n' + table.render(width) + circumstances_text(compared.answer.circumstances, width) +
         energy_text(compared, width) + (left_out.empty() ? "" : '\n' + left_out) +
         "\nspread: (largest - smallest) / median. --apart compares the files with each other.\n";
}

std::string compare_formulas() {
  return "\nformulas (docs/compare.md)\n"
         "  figure      one run: its estimate and 95 % interval; several: their median, and what holds all of them\n"
         "              and their intervals\n"
         "  by chance   ranges of a and b runs of one machine are disjoint with 2 a! b! / (a + b)!\n"
         "  vs A        rates: B / A; times: A / B. Interval: low B / high A … high B / low A\n"
         "  roof        the faster of two measurements of one quantity (before, and among the operators)\n"
         "  ridge       P / B at the triad of main memory\n"
         "  why         time A / time B = (roof B / roof A) x (what other roofs make of it) x (fraction B / fraction "
         "A);\n"
         "              fraction = least time that all roofs allow / time\n"
         "  mean        exp(sum of w ln ratio / sum of w); w = 1 for every operator, the time on A x count, or the\n"
         "              weights of a file\n"
         "  energy      (flop/s or byte/s) / W; the power is the one read during that row\n"
         "  cost        time x price / 3600 s; work for a unit of the price: rate x 3600 s / price\n"
         "  total cost  capital + years x 8766 h x (u x power + (1 - u) x idle power) x PUE x tariff; u: utilisation\n"
         "  turns at    where performance A / performance B = total cost A / total cost B (of a power budget: power A "
         "/ "
         "power B)\n";
}

}  // namespace gable::cli
