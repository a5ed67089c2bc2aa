#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "cli/compare_parts.hpp"
#include "core/model/units.hpp"
#include "core/report/text_table.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using namespace report;

/// "native", or "A avx2, B wgmma" where they differ.
template <class Cells>
std::string implementations(const Cells& cells) {
  std::vector<std::string> names, lettered;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i] || cells[i]->implementation.empty()) continue;
    if (std::ranges::count(names, cells[i]->implementation) == 0) names.push_back(cells[i]->implementation);
    lettered.push_back(fmt::format("{} {}", letter(i), cells[i]->implementation));
  }
  return names.size() == 1 ? names.front() : fmt::format("{}", fmt::join(lettered, ", "));
}

/// "A 97 %, B 81 %" of what vendors print for the same quantity; nothing for a datasheet itself.
std::string percents(const CeilingRow& row) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const auto& cell = row.cells[i];
    if (cell && cell->datasheet && cell->figure.spread != Spread::stated)
      parts.push_back(fmt::format("{} {:.0f} %", letter(i), 100 * cell->figure.value / *cell->datasheet));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Every side's figure, behind the baseline with its ratio: the columns of table_of().
template <class ComparedRow>
void add_figures(std::vector<std::string>& cells, const ComparedRow& row) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const auto& cell = row.cells[i];
    std::string figure = cell ? figure_text(cell->figure) : "";
    if (cell && !cell->like) figure += unlike_mark(*cell);
    cells.push_back(figure);
    if (i > 0) cells.push_back(cell ? ratio_text(*cell->ratio) + (cell->like ? "" : " unlike") : "");
  }
}

std::string ceilings_text(const char* title, const std::vector<CeilingRow>& rows, std::size_t subjects, int width) {
  TextTable table = table_of({{"what", false, true}, {"scope", false, false}, {"at", false, false}}, subjects,
                             {{"of datasheet", false, true}, {"implementation", false, true}});
  for (const CeilingRow& row : rows) {
    std::vector<std::string> cells{label_of(row.key), scope_text(row.key.scope), at_text(*row.cells[0])};
    add_figures(cells, row);
    cells.push_back(percents(row));
    cells.push_back(implementations(row.cells));
    table.add(std::move(cells));
  }
  return table.empty() ? "" : fmt::format("\n{}\n{}", title, table.render(width));
}

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
  return used.empty() ? "" : report::wrap(fmt::format("at {}", fmt::join(used, ", ")), width, 0);
}

std::string operators_text(const std::vector<OperatorRow>& rows, std::size_t subjects, int width) {
  std::vector<TextTable::Column> last;
  for (std::size_t i = 0; i < subjects; ++i) last.push_back({letter(i) + " is", false, true});
  last.push_back({"implementation", false, true});
  TextTable table = table_of({{"operator", false, true}, {"scope", false, false}}, subjects, std::move(last));
  for (const OperatorRow& row : rows) {
    std::vector<std::string> cells{label_of(row.key), scope_text(row.key.scope)};
    add_figures(cells, row);
    for (const auto& cell : row.cells) cells.push_back(cell ? regime_text(cell->placement) : "");
    cells.push_back(implementations(row.cells));
    table.add(std::move(cells));
  }
  return table.empty() ? "" : fmt::format("\noperators\n{}", table.render(width));
}

std::string mean_text(const Mean& mean, std::size_t subject, bool by_time) {
  std::string text = fmt::format("{} vs A, geometric mean: {} over {} row{} of {} operator{}; ", letter(subject),
                                 ratio_text(mean.ratio), mean.rows, mean.rows == 1 ? "" : "s", mean.operators,
                                 mean.operators == 1 ? "" : "s");
  if (mean.scope != Scope::node) text += fmt::format("of one {}; ", to_string(mean.scope));
  text += by_time ? "rows weighted by A's time"
                  : "rows of one operator averaged first, then every operator counts the same";
  if (by_time && mean.counted) text += " x count";
  return text + fmt::format(". All together{} take {} on A, {} on {}: {:.3g}x",
                            mean.counted ? ", with their counts," : "", format_quantity(mean.baseline_s, "s"),
                            format_quantity(mean.other_s, "s"), letter(subject), mean.baseline_s / mean.other_s);
}

std::string means_text(const Compared& compared, int width) {
  std::string text;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (mean) text += report::wrap(mean_text(*mean, i, compared.options.by_time), width, 0);
  }
  return text.empty() ? "" : '\n' + text;
}

/// "a, b and 30 more", so that a datasheet of two figures does not drown in what it lacks.
std::string some_of(const std::vector<std::string>& names, std::string_view separator) {
  constexpr std::size_t most = 12;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, separator));
  return fmt::format("{}{}… {} more (--json names all)", fmt::join(names.begin(), names.begin() + most, separator),
                     separator, names.size() - most);
}

/// Rows without a valid figure, by their reason; those of several runs once.
std::string left_out_text(const Subject& subject, const std::string& heading, int width) {
  std::map<std::string, std::vector<std::string>> ids;
  for (const LeftOut& row : subject.left_out) {
    auto& known = ids[fmt::format("{}: {}", to_string(row.status), row.reason)];
    if (std::ranges::count(known, row.id) == 0) known.push_back(row.id);
  }
  std::string text;
  for (const auto& [reason, rows] : ids)
    text += report::wrap(fmt::format("{}, {}: {}", heading, reason, some_of(rows, ", ")), width, 0);
  return text;
}

/// Rows that are on one side only, and rows without a valid figure, by their reason.
std::string rest_text(const Compared& compared, int width) {
  std::string text;
  for (const Unpaired& list : compared.answer.unpaired) {
    text += report::wrap(
        fmt::format("only {} has ({}): {}", letter(list.subject), list.labels.size(), some_of(list.labels, "; ")),
        width, 0);
  }
  for (std::size_t i = 0; i < compared.subjects.size(); ++i)
    text += left_out_text(compared.subjects[i], "no figure of " + letter(i), width);
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
  return '\n' + report::wrap(text, width, 0);
}

}  // namespace

std::string compare_text(const Compared& compared, int width) {
  const std::size_t count = compared.subjects.size();
  const Comparison& answer = compared.answer;
  return head_text(compared, width) + ceilings_text("ceilings", answer.ceilings, count, width) +
         ceilings_text("ridge points at main memory, flop/byte (op/byte for integers)", answer.ridges, count, width) +
         ridges_note(answer.ridges, count, width) + operators_text(answer.operators, count, width) +
         reasons_text(compared, width) + means_text(compared, width) + circumstances_text(answer.circumstances, width) +
         energy_text(compared, width) + price_text(compared, width) + rest_text(compared, width) +
         legend_text(compared, width);
}

std::string repeats_text(const Compared& compared, int width) {
  const Subject& subject = compared.subjects.front();
  std::string text =
      report::wrap(fmt::format("{}, {} runs of one device", subject.name, subject.runs.size()), width, 0);
  for (const Run& run : subject.runs)
    text += report::wrap(fmt::format("{} ({}, started {})", run.source, run.mode, run.started_at), width, 2);
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
  const std::string left_out = left_out_text(subject, "no figure", width);
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
         "  mean        exp(sum of w ln ratio / sum of w); w = 1 for every operator, or the time on A x count\n"
         "  energy      (flop/s or byte/s) / W; the power is the one read during that row\n"
         "  cost        time x price / 3600 s; work for a unit of the price: rate x 3600 s / price\n";
}

}  // namespace gable::cli
