#include "core/report/comparison_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/model/units.hpp"

namespace gable::report {

using namespace analysis;

namespace {
std::string quantity_text(double value, const std::string& unit) {
  return unit.ends_with("op/byte") ? fmt::format("{:.4g}", value) : format_quantity(value, unit);
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

std::string ratio_text(const Ratio& ratio) {
  std::string text = fmt::format("{:.3g}", ratio.value);
  if (!ratio.low || !ratio.high) return text + " (no interval)";
  const auto difference = ratio.difference();
  if (!difference) return text;
  text += fmt::format(" ({:.3g}…{:.3g})", *ratio.low, *ratio.high);
  return text + ' ' + difference_text(*difference);
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

std::string regime_text(const Placement& placement) {
  if (!placement.placed()) return fmt::format("missing: {}", fmt::join(placement.missing, ", "));
  std::string text(to_string(placement.regime));
  std::ranges::replace(text, '_', text.ends_with("bound") ? '-' : ' ');
  if (placement.standing == Standing::above_roof) return text + ", suspect: above its roof";
  if (placement.standing == Standing::at_roof) return text + ", at its roof";
  return fmt::format("{} {:.0f} %", text, 100 * placement.fraction);
}

std::vector<std::string> circumstance_lines(const Circumstances& circumstances) {
  std::vector<std::string> lines;
  const auto sides_of = [](const Circumstance& one) {
    std::vector<std::string> sides;
    for (std::size_t i = 0; i < one.told.size(); ++i) {
      if (one.told[i].empty()) continue;
      const std::string side = one.told.size() == 1 ? "" : letter(i) + ' ';
      sides.push_back(side + joined_text(one.told[i]));
    }
    return fmt::format("{}", fmt::join(sides, one.told.size() == 1 ? "; " : ", "));
  };
  for (const Circumstance& one : circumstances.differing)
    lines.push_back(fmt::format("{}: {}", one.name, sides_of(one)));
  constexpr std::size_t most = 12;  // a CPU and a GPU tell of other things
  std::vector<std::string> some;
  for (const Circumstance& one : circumstances.told_by_some)
    some.push_back(fmt::format("{} ({})", one.name, sides_of(one)));
  if (some.size() > most) {
    const std::size_t more = some.size() - most;
    some.resize(most);
    some.push_back(fmt::format("… {} more (--json names all)", more));
  }
  if (!some.empty()) lines.push_back(fmt::format("told by some sides only: {}", fmt::join(some, ", ")));
  return lines;
}

}  // namespace gable::report
