#include "core/report/comparison_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/analysis/cost.hpp"
#include "core/analysis/energy.hpp"
#include "core/model/units.hpp"
#include "core/report/comparison_words.hpp"

namespace gable::report {

using namespace analysis;

namespace {

/// Between `first` and `last` a column of figures for each subject, each but the first with its ratio.
TextTable table_of(std::vector<TextTable::Column> first, std::size_t subjects, std::vector<TextTable::Column> last) {
  for (std::size_t i = 0; i < subjects; ++i) {
    first.push_back({letter(i), true, false});
    if (i > 0) first.push_back({letter(i) + " vs A", true, false});
  }
  first.insert(first.end(), last.begin(), last.end());
  return TextTable(std::move(first));
}

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

bool has_rate(const CeilingRow& row) { return is_rate(row.cells[0]->figure.unit); }

TextTable rates_table(const Compared& compared) {
  return table_of({{"what", false, true}, {"scope", false, false}, {"at", false, false}}, compared.subjects.size(), {});
}

}  // namespace

TextTable ceilings_table(const std::vector<CeilingRow>& rows, std::size_t subjects) {
  TextTable table = table_of({{"what", false, true}, {"scope", false, false}, {"at", false, false}}, subjects,
                             {{"of datasheet", false, true}, {"implementation", false, true}});
  for (const CeilingRow& row : rows) {
    std::vector<std::string> cells{label_of(row.key), scope_text(row.key.scope), at_text(*row.cells[0])};
    add_figures(cells, row);
    cells.push_back(percents(row));
    cells.push_back(implementations(row.cells));
    table.add(std::move(cells));
  }
  return table;
}

TextTable operators_table(const std::vector<OperatorRow>& rows, std::size_t subjects) {
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
  return table;
}

TextTable energy_table(const Compared& compared) {
  TextTable table = rates_table(compared);
  const auto per_joule = [](const Cell& cell, double rate) {
    return cell.power_w ? std::optional{work_per_joule(rate, *cell.power_w)} : std::nullopt;
  };
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (!has_rate(row)) continue;
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
  return table;
}

TextTable work_per_price_table(const Compared& compared) {
  const auto& prices = compared.options.prices;
  TextTable table = rates_table(compared);
  if (prices.empty()) return table;
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (!has_rate(row) || row.key.scope != Scope::node) continue;
    const auto value = [&](const CeilingCell& cell, std::size_t i) {
      return prices[i] ? std::optional{work_per_price(cell.figure.value, *prices[i])} : std::nullopt;
    };
    add_values(table, row, value, rate_text(row.cells[0]->figure.unit, ""));
  }
  return table;
}

TextTable cost_of_runs_table(const Compared& compared) {
  TextTable table = rates_table(compared);
  if (compared.options.prices.empty()) return table;
  for (const OperatorRow& row : compared.answer.operators) {
    add_values(
        table, row, [](const OperatorCell& cell, std::size_t) { return cell.cost; },
        [](double cost) { return fmt::format("{:.3g}", cost); });
  }
  return table;
}

}  // namespace gable::report
