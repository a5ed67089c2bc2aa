#include "cli/compare_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/units.hpp"

namespace gable::cli {

using namespace analysis;
using report::TextTable;

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

TextTable table_of(std::vector<TextTable::Column> first, std::size_t subjects, std::vector<TextTable::Column> last) {
  for (std::size_t i = 0; i < subjects; ++i) {
    first.push_back({letter(i), true, false});
    if (i > 0) first.push_back({letter(i) + " vs A", true, false});
  }
  first.insert(first.end(), last.begin(), last.end());
  return TextTable(std::move(first));
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

}  // namespace gable::cli
