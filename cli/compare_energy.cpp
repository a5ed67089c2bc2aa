#include <fmt/format.h>

#include "cli/compare_parts.hpp"
#include "core/analysis/cost.hpp"
#include "core/model/units.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using report::TextTable;

/// Rates of work per what `per` gives for a cell (power, price), with ratios; `suffix` replaces "/s".
template <class Row, class Rate>
void add_rates(TextTable& table, const Row& row, const std::string& unit, std::string_view suffix, Rate&& rate) {
  std::vector<std::string> cells{label_of(row.key), scope_text(row.key.scope)};
  std::optional<double> first;
  bool any = false;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::optional<double> value = row.cells[i] ? rate(*row.cells[i], i) : std::nullopt;
    std::string text = value ? format_quantity(*value, unit) : "";
    if (text.ends_with("/s")) text.replace(text.size() - 2, 2, suffix);
    cells.push_back(text);
    any = any || value;
    if (i == 0)
      first = value;
    else
      cells.push_back(first && value ? fmt::format("{:.3g}", *value / *first) : "");
  }
  if (any) table.add(std::move(cells));
}

bool is_rate(const CeilingRow& row) { return row.cells[0]->figure.unit.ends_with("/s"); }

TextTable rates_table(const Compared& compared) {
  return table_of({{"what", false, true}, {"scope", false, false}}, compared.subjects.size(), {});
}

/// Cost of everything that is on both of two sides, with the counts of a census.
std::string totals_text(const Compared& compared, int width) {
  const auto& prices = compared.options.prices;
  std::string text;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean || !prices[0] || !prices[i]) continue;
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
    return cell.power_w ? std::optional{rate / *cell.power_w} : std::nullopt;
  };
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (!is_rate(row)) continue;
    add_rates(table, row, row.cells[0]->figure.unit, "/J",
              [&](const CeilingCell& cell, std::size_t) { return per_joule(cell, cell.figure.value); });
  }
  for (const OperatorRow& row : compared.answer.operators) {
    const auto add = [&](double work, const char* unit) {
      if (work > 0)
        add_rates(table, row, unit, "/J",
                  [&](const OperatorCell& cell, std::size_t) { return per_joule(cell, work / cell.figure.value); });
    };
    add(row.flop, is_integer(row.key.types.a) ? "op/s" : "flop/s");
    add(row.byte, "byte/s");
  }
  return table.empty() ? "" : "\nenergy: work per joule, at the power read during each row\n" + table.render(width);
}

std::string price_text(const Compared& compared, int width) {
  const auto& prices = compared.options.prices;
  if (prices.empty()) return "";
  TextTable ceilings = rates_table(compared), results = rates_table(compared);
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (!is_rate(row) || row.key.scope != Scope::node) continue;
    add_rates(ceilings, row, row.cells[0]->figure.unit, "", [&](const CeilingCell& cell, std::size_t i) {
      return prices[i] ? std::optional{work_per_price(cell.figure.value, *prices[i])} : std::nullopt;
    });
  }
  for (const OperatorRow& row : compared.answer.operators) {
    add_rates(results, row, "1", "", [](const OperatorCell& cell, std::size_t) { return cell.cost; });
  }
  std::string text;
  if (!ceilings.empty()) text += "\nwork per unit of the price\n" + ceilings.render(width);
  if (!results.empty()) text += "\ncost of one run, in units of the price (below 1: cheaper)\n" + results.render(width);
  return text + totals_text(compared, width);
}

}  // namespace gable::cli
