#include "core/questions/compare/comparison_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "core/model/units.hpp"

namespace gable::questions {

namespace {
std::string quantity_text(double value, const std::string& unit) {
  return is_intensity(unit) ? fmt::format("{:.4g}", value) : format_quantity(value, unit);
}

/// "a, b, … 30 more": shortens long lists, because a datasheet lacks most quantities of a measured device.
std::string listed(const std::vector<std::string>& names, std::string_view separator, Names shown) {
  constexpr std::size_t most = 12;
  if (names.size() <= most || shown == Names::all) return fmt::format("{}", fmt::join(names, separator));
  return fmt::format("{}{}… {} more (--json names all)", fmt::join(names.begin(), names.begin() + most, separator),
                     separator, names.size() - most);
}

/// A reason with "…" in place of its numbers: "needs 12 GB, 3.5 GB are free" is of one kind with other sizes.
std::string kind_of(const std::string& reason) {
  static const std::regex number(R"(\b[0-9][0-9.]*(e[+-]?[0-9]+)?)");
  return std::regex_replace(reason, number, "…");
}
}  // namespace

std::string scope_text(Scope scope) { return scope == Scope::node ? std::string{} : std::string(to_string(scope)); }

std::string figure_text(const Figure& figure) {
  std::string text = quantity_text(figure.value, figure.unit);
  if (figure.low && figure.high && figure.spread != Spread::stated)
    text += fmt::format(" ±{:.1f} %", 50 * (*figure.high - *figure.low) / figure.value);
  return text;
}

std::string at_text(const CeilingCell& cell) {
  if (cell.figure.spread == Spread::stated) return "datasheet";
  return cell.key.at == OperatingPoint::none ? "" : std::string(to_string(cell.key.at));
}

std::string unlike_mark(const CeilingCell& cell) { return fmt::format(" [{}]", at_text(cell)); }
std::string unlike_mark(const OperatorCell& cell) { return fmt::format(" [{}]", cell.key.params); }

std::string difference_text(Difference difference) {
  std::string text(to_string(difference));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string interval_text(const Ratio& ratio) {
  const std::string text = fmt::format("{:.3g}", ratio.value);
  if (!ratio.low || !ratio.high) return text + " (no interval)";
  return ratio.difference() ? fmt::format("{} ({:.3g}…{:.3g})", text, *ratio.low, *ratio.high) : text;
}

std::string ratio_text(const Ratio& ratio) {
  const auto difference = ratio.difference();
  return interval_text(ratio) + (difference ? ' ' + difference_text(*difference) : "");
}

std::string used_text(const UsedRoof& roof) {
  return fmt::format("{} {}", roof.label, format_quantity(roof.rate, roof.unit));
}

std::string_view roof_name(LimitKind kind) {
  switch (kind) {
    case LimitKind::compute:
      return "compute";
    case LimitKind::bandwidth:
      return "bandwidth";
    case LimitKind::link:
      return "link";
    case LimitKind::overhead:
    case LimitKind::none:
      break;
  }
  return "launch";
}

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

std::string mean_text(const Mean& mean, std::size_t subject, const CompareOptions& options) {
  std::string text = fmt::format("{} vs A, geometric mean: {} over {} row{} of {} operator{}; ", letter(subject),
                                 ratio_text(mean.ratio), mean.rows, mean.rows == 1 ? "" : "s", mean.operators,
                                 mean.operators == 1 ? "" : "s");
  if (mean.scope != Scope::node) text += fmt::format("of one {}; ", to_string(mean.scope));
  if (!options.weights.empty())
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

}  // namespace gable::questions
