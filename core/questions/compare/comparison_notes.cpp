#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/comparison_words.hpp"

namespace gable::questions {

namespace {

/// How many runs are behind the rows of each subject, and what that is too few for.
std::string repeats_note(const Compared& compared) {
  std::vector<int> runs(compared.subjects.size());
  const auto note = [&](const auto& rows) {
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        if (row.cells[i]) runs[i] = std::max(runs[i], row.cells[i]->figure.runs);
    }
  };
  note(compared.answer.ceilings);
  note(compared.answer.operators);
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (compared.subjects[i].runs.empty() || runs[i] == 0 || runs[i] >= enough_runs) continue;
    text += runs[i] == 1 ? fmt::format("{} was not repeated. ", letter(i))
                         : fmt::format("Only {} runs of {}. ", runs[i], letter(i));
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[0] > 1 && runs[i] > 1 && std::min(runs[0], runs[i]) < enough_runs)
      text += fmt::format("Of one machine, ranges of {} and {} runs are disjoint in {:.2g} % of cases. ", runs[0],
                          runs[i], 100 * chance_of_disjoint_ranges(runs[0], runs[i]));
  }
  if (text.empty()) return "";
  return text +
         fmt::format("Such a difference may come from one run to the next: measure each subject {} times to decide.",
                     enough_runs);
}

/// The outermost level by each subject's own name.
std::string memory_note(const Compared& compared) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const auto& memory = compared.subjects[i].device.memory;
    if (!memory.empty()) names.push_back(fmt::format("{} {}", letter(i), memory.back().name));
  }
  return names.empty() ? "" : fmt::format("memory: {}", fmt::join(names, ", "));
}

/// "memory-bound", or "below its memory-bound roof" where the bound explains less than half of the time.
std::string binding(const OperatorVerdict& verdict) {
  const auto name = bound_name(verdict.limit_kind);
  return verdict.regime == Regime::below_roof ? fmt::format("below the roof ({} at best)", name) : std::string(name);
}

/// Where the ratio comes from, in words.
std::string reason_text(const OperatorRow& row, std::size_t subject) {
  const auto &a = *row.cells[0], &b = *row.cells[subject];
  const std::string name = letter(subject);
  const std::string sizes = b.like ? "" : fmt::format(" against {}, rates", b.key.params);
  const auto difference = b.ratio->difference();
  std::string text = fmt::format("{}{}: {:.3g}x{}: ", label_of(row.key), sizes, b.ratio->value,
                                 difference ? ", " + difference_text(*difference) : "");
  if (!b.speedup) {
    for (const std::size_t i : {std::size_t{0}, subject}) {
      const auto& missing = row.cells[i]->verdict.missing;
      if (!missing.empty()) text += fmt::format("no reason, missing on {}: {}. ", letter(i), fmt::join(missing, ", "));
    }
    return text;
  }
  const std::string of_a = binding(a.verdict), of_b = binding(b.verdict);
  text += of_a == of_b ? fmt::format("{} on both", of_a) : fmt::format("{} on A, {} on {}", of_a, of_b, name);
  text += fmt::format("; {} {:.3g}x", roof_name(b.speedup->roof), b.speedup->of_roof);
  if (!b.speedup->of_a.label.empty() && !b.speedup->of_b.label.empty())
    text += fmt::format(" (A {}, {} {}{})", used_text(b.speedup->of_a), name, used_text(b.speedup->of_b),
                        b.speedup->like ? "" : "; unlike");
  if (std::abs(b.speedup->of_others - 1) > 0.005) {
    const LimitKind other = b.verdict.limit_kind;
    text += other == b.speedup->roof ? fmt::format(", other costs {:.3g}x", b.speedup->of_others)
                                     : fmt::format(", which {}'s {} roof limits to {:.3g} of it", name,
                                                   roof_name(other), b.speedup->of_others);
  }
  text += fmt::format("; reached of the bound {:.3g} % -> {:.3g} % gives {:.3g}x", 100 * *a.verdict.fraction_of_limit,
                      100 * *b.verdict.fraction_of_limit, b.speedup->of_fraction);
  if (a.verdict.above_roof() || b.verdict.above_roof())
    text += "; above 100 %: a roof was measured low, and these factors do not hold";
  return text;
}

}  // namespace

std::vector<std::string> subject_lines(const Compared& compared) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const Subject& subject = compared.subjects[i];
    std::vector<std::string> files;
    for (const Run& run : subject.runs) files.push_back(fmt::format("{} ({})", run.source, to_string(run.mode)));
    std::string line = fmt::format("{}: {}, {}", letter(i), subject.name, basis_text(subject.basis, subject.source));
    if (files.size() > 1) line += fmt::format(", {} runs", files.size());
    if (!files.empty()) line += fmt::format(": {}", fmt::join(files, ", "));
    if (!compared.options.prices.empty() && compared.options.prices[i])
      line += fmt::format("; {:g} an hour", *compared.options.prices[i]);
    lines.push_back(std::move(line));
  }
  if (std::string note = repeats_note(compared); !note.empty()) lines.push_back(std::move(note));
  if (std::string note = memory_note(compared); !note.empty()) lines.push_back(std::move(note));
  return lines;
}

std::string ridges_note(const std::vector<CeilingRow>& rows, std::size_t subjects) {
  std::vector<std::string> used;
  for (std::size_t i = 0; i < subjects; ++i) {
    for (const CeilingRow& row : rows) {
      if (!row.cells[i] || !row.cells[i]->bandwidth) continue;
      const std::string text = fmt::format("{} {}{}", letter(i), used_text(*row.cells[i]->bandwidth),
                                           row.key.scope == Scope::node ? "" : " (" + scope_text(row.key.scope) + ")");
      if (std::ranges::count(used, text) == 0) used.push_back(text);
    }
  }
  return used.empty() ? "" : fmt::format("at {}", fmt::join(used, ", "));
}

std::vector<std::string> reason_lines(const Compared& compared, std::size_t subject) {
  std::vector<std::string> lines;
  for (const OperatorRow& row : compared.answer.operators) {
    if (row.cells[subject]) lines.push_back(reason_text(row, subject));
  }
  return lines;
}

std::vector<std::string> cost_totals(const Compared& compared) {
  const auto& prices = compared.options.prices;
  std::vector<std::string> lines;
  if (prices.empty()) return lines;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean || mean->scope != Scope::node || !prices[0] || !prices[i]) continue;
    const double of_a = cost_of_time(mean->baseline_s, *prices[0]), of_b = cost_of_time(mean->other_s, *prices[i]);
    lines.push_back(fmt::format("all operators that are on A and {}{} together: {:.3g} on A, {:.3g} on {}: {:.3g}",
                                letter(i), mean->counted ? ", with their counts," : "", of_a, of_b, letter(i),
                                of_b / of_a));
  }
  return lines;
}

std::string legend(const Compared& compared) {
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
      "where that holds 1, the difference is within noise; else it is beyond these runs, and beyond noise only with 6 "
      "runs or more of both subjects.";
  if (within) text += " ± of one run: half its 95 % interval, which does not speak for other runs.";
  if (between) text += " ± of several runs: half of what holds all runs and their intervals.";
  if (unlike)
    text +=
        " unlike: of another operating point (a datasheet's figure is nobody's measurement), or operators of other "
        "sizes, whose rates are compared; in no mean.";
  return text;
}

}  // namespace gable::questions
