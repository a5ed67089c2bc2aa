#include <fmt/format.h>

#include "cli/compare_parts.hpp"
#include "core/analysis/cost.hpp"
#include "core/analysis/energy.hpp"
#include "core/model/units.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using namespace report;

std::string at_of(const CeilingRow& row) { return at_text(*row.cells[0]); }
std::string at_of(const OperatorRow&) { return {}; }

/// What `value` gives for a cell (rate per power or price, cost), as `text` writes it, with ratios.
template <class Row, class Value, class Text>
void add_values(TextTable& table, const Row& row, Value&& value, Text&& text) {
  std::vector<std::string> cells{label_of(row.key), scope_text(row.key.scope), at_of(row)};
  std::optional<double> first;
  bool any = false;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const auto& cell = row.cells[i];
    const std::optional<double> figure = cell ? value(*cell, i) : std::nullopt;
    const bool unlike = figure && !cell->like;
    cells.push_back(figure ? text(*figure) + (unlike ? unlike_mark(*cell) : "") : "");
    any = any || figure;
    if (i == 0)
      first = figure;
    else
      cells.push_back(first && figure ? fmt::format("{:.3g}{}", *figure / *first, unlike ? " unlike" : "") : "");
  }
  if (any) table.add(std::move(cells));
}

/// Writes a rate with `suffix` in place of "/s".
auto rate_text(const std::string& unit, const std::string& suffix) {
  return [=](double rate) {
    std::string text = format_quantity(rate, unit);
    return text.replace(text.size() - 2, 2, suffix);
  };
}

bool is_rate(const CeilingRow& row) { return row.cells[0]->figure.unit.ends_with("/s"); }

TextTable rates_table(const Compared& compared) {
  return table_of({{"what", false, true}, {"scope", false, false}, {"at", false, false}}, compared.subjects.size(), {});
}

/// Cost of everything that is on both of two sides, with the counts of a census.
std::string totals_text(const Compared& compared, int width) {
  const auto& prices = compared.options.prices;
  std::string text;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean || mean->scope != Scope::node || !prices[0] || !prices[i]) continue;
    const double of_a = cost_of_time(mean->baseline_s, *prices[0]), of_b = cost_of_time(mean->other_s, *prices[i]);
    text += report::wrap(
        fmt::format("all operators that are on A and {}{} together: {:.3g} on A, {:.3g} on {}: {:.3g}", letter(i),
                    mean->counted ? ", with their counts," : "", of_a, of_b, letter(i), of_b / of_a),
        width, 0);
  }
  return text;
}

}  // namespace

std::string energy_text(const Compared& compared, int width) {
  TextTable table = rates_table(compared);
  const auto per_joule = [](const Cell& cell, double rate) {
    return cell.power_w ? std::optional{work_per_joule(rate, *cell.power_w)} : std::nullopt;
  };
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (!is_rate(row)) continue;
    add_values(
        table, row, [&](const CeilingCell& cell, std::size_t) { return per_joule(cell, cell.figure.value); },
        rate_text(row.cells[0]->figure.unit, "/J"));
  }
  for (const OperatorRow& row : compared.answer.operators) {
    const auto add = [&](double OperatorCell::*work, std::string_view unit) {
      if (!((*row.cells[0]).*work > 0)) return;
      const auto value = [&](const OperatorCell& cell, std::size_t) {
        return per_joule(cell, cell.*work / cell.figure.value);
      };
      add_values(table, row, value, rate_text(std::string(unit), "/J"));
    };
    add(&OperatorCell::flop, rate_unit(row.key.types));
    add(&OperatorCell::byte, "byte/s");
  }
  return table.empty() ? "" : "\nenergy: work per joule, at the power read during each row\n" + table.render(width);
}

std::string price_text(const Compared& compared, int width) {
  const auto& prices = compared.options.prices;
  if (prices.empty()) return "";
  TextTable ceilings = rates_table(compared), results = rates_table(compared);
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (!is_rate(row) || row.key.scope != Scope::node) continue;
    const auto value = [&](const CeilingCell& cell, std::size_t i) {
      return prices[i] ? std::optional{work_per_price(cell.figure.value, *prices[i])} : std::nullopt;
    };
    add_values(ceilings, row, value, rate_text(row.cells[0]->figure.unit, ""));
  }
  for (const OperatorRow& row : compared.answer.operators) {
    add_values(
        results, row, [](const OperatorCell& cell, std::size_t) { return cell.cost; },
        [](double cost) { return fmt::format("{:.3g}", cost); });
  }
  std::string text;
  if (!ceilings.empty()) text += "\nwork per unit of the price\n" + ceilings.render(width);
  if (!results.empty()) text += "\ncost of one run, in units of the price (below 1: cheaper)\n" + results.render(width);
  return text + totals_text(compared, width);
}

}  // namespace gable::cli
