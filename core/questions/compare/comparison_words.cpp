#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <utility>

#include "core/model/units.hpp"
#include "core/questions/compare/comparison_answer.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

std::string quantity_text(double value, const std::string& unit) {
  return is_intensity(unit) ? fmt::format("{:.4g}", value) : format_quantity(value, unit);
}

/// A reason with "…" in place of its numbers: "needs 12 GB, 3.5 GB are free" is of one kind with other sizes.
std::string kind_of(const std::string& reason) {
  static const std::regex number(R"(\b[0-9][0-9.]*(e[+-]?[0-9]+)?)");
  return std::regex_replace(reason.substr(0, 1000), number, "…");  // a regex takes stack by the letter
}

/// Calls visit(cell, subject) for every ceiling and operator of every subject.
template <class Visit>
void each_cell(const Comparison& answer, Visit&& visit) {
  const auto each = [&](const auto& rows) {
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        if (row.cells[i]) visit(*row.cells[i], i);
    }
  };
  each(answer.ceilings);
  each(answer.operators);
}

/// How many runs are behind the rows of each subject, and what that is too few for.
std::string repeats_note(const Compared& compared) {
  std::vector<int> runs(compared.subjects.size());
  each_cell(compared.answer, [&](const auto& cell, std::size_t i) { runs[i] = std::max(runs[i], cell.figure.runs); });
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

/// "DRAM triad (ordinary) 24 GB/s"
std::string used_text(const UsedRoof& roof) {
  return fmt::format("{} {}", roof.label, format_quantity(roof.rate, roof.unit));
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

std::string listed(const std::vector<std::string>& names, std::string_view separator, Names shown) {
  const std::size_t most = shown == Names::few ? 5 : 12;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, separator));
  return fmt::format("{}{}… {} more{}",
                     fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most), separator), separator,
                     names.size() - most, shown == Names::first ? " (--json names all)" : "");
}

std::string and_text(const std::vector<std::string>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string scope_text(Scope scope) { return scope == Scope::node ? std::string{} : std::string(to_string(scope)); }

std::string figure_text(const Figure& figure) {
  std::string text = quantity_text(figure.value, figure.unit);
  if (figure.low && figure.high && figure.spread != Spread::stated)
    text += fmt::format(" ±{:.1f} %", 50 * (*figure.high - *figure.low) / figure.value);
  return text;
}

std::string difference_text(Difference difference) {
  std::string text(to_string(difference));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string factor_text(double factor) {
  return factor < 999.5 ? fmt::format("{:.3g}", factor) : fmt::format("{:.0f}", factor);
}

std::string interval_text(const Ratio& ratio) {
  const std::string text = factor_text(ratio.value);
  if (!ratio.low || !ratio.high) return text + (ratio.like ? " (no interval)" : " (not comparable)");
  return ratio.difference() ? fmt::format("{} ({}…{})", text, factor_text(*ratio.low), factor_text(*ratio.high)) : text;
}

std::string unit_text(const CeilingCell& cell, DType of_row) {
  const CeilingKey& key = cell.key;
  std::string unit = key.name;
  if (key.dtype != of_row) unit += fmt::format(" {}", to_string(*key.dtype));
  if (key.accumulate != uniform_types(*key.dtype).accumulate) unit += fmt::format(" ->{}", to_string(*key.accumulate));
  return unit;
}

std::string operators_text(std::size_t operators, std::size_t of_operators) {
  return fmt::format("{} of {} operator{}", operators, of_operators, of_operators == 1 ? "" : "s");
}

std::string far_ends_text(const Mean& mean) {
  if (factor_text(mean.worst.ratio) == factor_text(mean.best.ratio)) return "";
  const auto text = [](const Mean::FarEnd& end) { return fmt::format("{} ({})", factor_text(end.ratio), end.label); };
  return fmt::format("{} to {}", text(mean.worst), text(mean.best));
}

std::string ratio_text(const Ratio& ratio) {
  const auto difference = ratio.difference();
  return interval_text(ratio) + (difference ? ' ' + difference_text(*difference) : "");
}

std::string_view roof_name(LimitKind kind) { return kind == LimitKind::overhead ? "launch" : to_string(kind); }

std::string letter(std::size_t subject) {
  return subject < 26 ? std::string(1, static_cast<char>('A' + subject)) : fmt::format("{}", subject + 1);
}

std::string regime_text(const OperatorVerdict& verdict) {
  if (!verdict.stands()) return fmt::format("missing: {}", fmt::join(verdict.missing, ", "));
  std::string text(to_string(*verdict.regime));
  std::ranges::replace(text, '_', verdict.regime == Regime::below_roof ? ' ' : '-');
  if (verdict.standing == Standing::above_roof) return text + ", suspect: above its roof";
  if (verdict.standing == Standing::at_roof) return text + ", at its roof";
  return fmt::format("{} {:.0f} %", text, 100 * *verdict.fraction_of_limit);
}

std::vector<std::string> circumstance_lines(const Circumstances& circumstances, Names names) {
  std::vector<std::string> lines;
  const auto subjects_of = [](const Circumstance& one) {
    std::vector<std::string> subjects;
    for (std::size_t i = 0; i < one.told.size(); ++i) {
      if (one.told[i].empty()) continue;
      const std::string subject = one.told.size() == 1 ? "" : letter(i) + ' ';
      subjects.push_back(subject + joined_text(one.told[i]));
    }
    return fmt::format("{}", fmt::join(subjects, one.told.size() == 1 ? "; " : ", "));
  };
  for (const Circumstance& one : circumstances.differing)
    lines.push_back(fmt::format("{}: {}", one.name, subjects_of(one)));
  std::vector<std::string> some;  // a CPU and a GPU have different facts
  for (const Circumstance& one : circumstances.told_by_some)
    some.push_back(fmt::format("{} ({})", one.name, subjects_of(one)));
  if (!some.empty()) lines.push_back("told by some subjects only: " + listed(some, ", ", names));
  return lines;
}

std::string_view mean_name(const CompareOptions& options) { return options.summed ? "sum" : "geometric mean"; }

std::string mean_text(const Mean& mean, std::size_t subject, const CompareOptions& options) {
  std::string text = fmt::format("{} vs A, {}{}: {} over {} row{} of {}; ", letter(subject), mean_name(options),
                                 options.summed ? " of times" : "", ratio_text(mean.ratio), mean.rows,
                                 mean.rows == 1 ? "" : "s", operators_text(mean.operators, mean.of_operators));
  if (mean.scope != Scope::node) text += fmt::format("of one {}; ", to_string(mean.scope));
  if (options.summed)
    text += "rows follow one another";
  else if (!options.weights.empty())
    text += "weighted by name";
  else
    text += options.by_time ? "rows weighted by A's time"
                            : "rows of one operator averaged first, then every operator counts the same";
  if (options.weights.empty() && options.by_time && mean.counted) text += " x count";
  return text + fmt::format(". All together{} take {} on A, {} on {}: {:.3g}x",
                            mean.counted ? ", with their counts," : "", format_quantity(mean.baseline_s, "s"),
                            format_quantity(mean.other_s, "s"), letter(subject), mean.baseline_s / mean.other_s);
}

std::vector<std::string> left_out_lines(const Subject& subject, const std::string& heading, Names names) {
  struct Kind {
    Status status{};
    std::set<std::string> reasons;
    std::vector<std::string> labels;
  };
  std::map<std::string, Kind> kinds;
  for (const LeftOut& row : subject.left_out) {
    Kind& kind = kinds[fmt::format("{}: {}", to_string(row.status), kind_of(row.reason))];
    kind.status = row.status;
    kind.reasons.insert(row.reason);
    if (std::ranges::count(kind.labels, row.label) == 0) kind.labels.push_back(row.label);
  }
  std::vector<std::string> lines;
  for (const auto& [name, kind] : kinds) {
    const bool one = kind.reasons.size() == 1;
    const std::string reason = one ? fmt::format("{}: {}", to_string(kind.status), *kind.reasons.begin()) : name;
    lines.push_back(
        fmt::format("{}, {} ({}): {}", heading, reason, kind.labels.size(), listed(kind.labels, "; ", names)));
  }
  return lines;
}

std::vector<std::string> rest_lines(const Compared& compared, Names names) {
  std::vector<std::string> lines;
  for (const Unpaired& list : compared.answer.unpaired)
    lines.push_back(fmt::format("only {} has ({}): {}", letter(list.subject), list.labels.size(),
                                listed(list.labels, "; ", names)));
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    for (std::string& line : left_out_lines(compared.subjects[i], "no figure of " + letter(i), names))
      lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> subject_lines(const Compared& compared) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const Subject& subject = compared.subjects[i];
    const auto files =
        mapped(subject.runs, [](const Run& run) { return fmt::format("{} ({})", run.source, to_string(run.mode)); });
    const bool measured = subject.basis == Basis::measured && subject.device.cores > 0;
    const std::string own = subject.given_name.empty() ? "" : fmt::format(" ({})", subject.device.name);
    std::string line = fmt::format("{}: {}{}, {}{}", letter(i), subject.name, own,
                                   measured ? threads_text(subject.device, subject.device.cores) + ", " : "",
                                   basis_text(subject.basis, subject.source));
    if (files.size() > 1) line += fmt::format(", {} runs", files.size());
    if (!files.empty()) line += fmt::format(": {}", fmt::join(files, ", "));
    if (!compared.options.prices.empty() && compared.options.prices[i])
      line += fmt::format("; {} an hour", money_text(*compared.options.prices[i], compared.options.currency));
    lines.push_back(std::move(line));
  }
  if (std::string note = repeats_note(compared); !note.empty()) lines.push_back(std::move(note));
  if (std::string note = memory_note(compared); !note.empty()) lines.push_back(std::move(note));
  return lines;
}

std::vector<std::string> reason_lines(const Compared& compared, std::size_t subject) {
  const auto has_figure = [&](const OperatorRow& row) { return row.cells[subject].has_value(); };
  return mapped(compared.answer.operators | std::views::filter(has_figure),
                [&](const OperatorRow& row) { return reason_text(row, subject); });
}

std::vector<std::string> cost_totals(const Compared& compared) {
  const auto& prices = compared.options.prices;
  std::vector<std::string> lines;
  if (prices.empty() || !compared.options.weights.empty()) return lines;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean || mean->scope != Scope::node || !prices[0] || !prices[i]) continue;
    const double of_a = cost_of_time(mean->baseline_s, *prices[0]), of_b = cost_of_time(mean->other_s, *prices[i]);
    lines.push_back(fmt::format("all operators that are on A and {}{} together: {} on A, {} on {}: {:.3g}", letter(i),
                                mean->counted ? ", with their counts," : "",
                                money_text(of_a, compared.options.currency),
                                money_text(of_b, compared.options.currency), letter(i), of_b / of_a));
  }
  return lines;
}

std::string legend(const Compared& compared) {
  bool within = false, between = false, unlike = false;
  for (const OperatorRow& row : compared.answer.operators)
    unlike = unlike || std::ranges::any_of(row.cells, [](const auto& cell) { return cell && !cell->like; });
  each_cell(compared.answer, [&](const auto& cell, std::size_t) {
    within = within || cell.figure.spread == Spread::within_run;
    between = between || cell.figure.spread == Spread::between_runs;
  });
  std::string text =
      "vs A: how many times as fast (rates B / A, times A / B). In brackets what both intervals allow; "
      "where that holds 1, the difference is within noise; else it is beyond these runs, and beyond noise only with 6 "
      "runs or more of both subjects.";
  if (within) text += " ± of one run: half its 95 % interval, which does not speak for other runs.";
  if (between) text += " ± of several runs: half of what holds all runs and their intervals.";
  if (unlike) text += " unlike: operators of other sizes, whose rates are compared; in no mean.";
  return text;
}

std::string datasheets_note(const Compared& compared) {
  std::vector<std::string> stated;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    if (compared.subjects[i].runs.empty()) stated.push_back(letter(i));
  }
  if (stated.empty() || stated.size() == compared.subjects.size()) return "";
  return fmt::format(
      "{}: the datasheet's figures, which nobody measured; beside measured ceilings no difference of ceilings is "
      "judged",
      fmt::join(stated, ", "));
}

}  // namespace gable::questions
