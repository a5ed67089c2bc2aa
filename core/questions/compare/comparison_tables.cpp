#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/model/units.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/comparison_answer.hpp"

namespace gable::questions {
namespace {

using Value = Answer::Value;

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
    if (!cell || !cell->datasheet || cell->figure.spread == Spread::stated) continue;
    const double share = cell->figure.value / *cell->datasheet;
    parts.push_back(share > 1.005 ? fmt::format("{} above 100 %", letter(i))
                                  : fmt::format("{} {:.0f} %", letter(i), 100 * share));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string at_of(const CeilingKey& key) {
  return key.at == OperatingPoint::none ? "" : std::string(to_string(key.at));
}
std::string at_of(const PointKey&) { return {}; }

/// The operating point; of several that of each subject, but for datasheets beside measured ones.
std::string at_of(const CeilingRow& row) {
  std::vector<std::string> points, lettered;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (!row.cells[i] || row.cells[i]->figure.spread == Spread::stated) continue;
    const std::string at = at_of(row.cells[i]->key);
    if (std::ranges::count(points, at) == 0) points.push_back(at);
    lettered.push_back(fmt::format("{} {}", letter(i), at));
  }
  if (points.empty()) return "datasheet";
  return points.size() == 1 ? points.front() : fmt::format("{}", fmt::join(lettered, ", "));
}
std::string at_of(const OperatorRow&) { return {}; }

Answer::Facts facts_of(const CeilingKey& key) {
  return {{"kind", key.kind},     {"name", key.name},     {"dtype", key.dtype}, {"accumulate", key.accumulate},
          {"access", key.access}, {"stores", key.stores}, {"at", key.at},       {"variant", key.variant},
          {"scope", key.scope}};
}

Answer::Facts facts_of(const PointKey& key) {
  const Types& types = key.types;
  Answer::Facts facts{{"operator", key.op}, {"params", key.params}, {"kernel", named(key.kernel)}};
  facts.add("types", {{"a", types.a},
                      {"b", types.b},
                      {"out", types.out},
                      {"accumulate", types.accumulate},
                      {"compute", types.compute}});
  return facts.add({{"cold", key.cold}, {"launches", key.launches}, {"graph", key.graph}, {"scope", key.scope}});
}

Answer::Facts facts_of(const Figure& figure) {
  const bool several = figure.spread == Spread::between_runs;
  return {{"value", figure.value},
          {"unit", figure.unit},
          {"spread", figure.spread},
          {"runs", figure.runs},
          {"low", figure.low},
          {"high", figure.high},
          {"bound", figure.bound ? Value(true) : Value()},
          {"smallest", several ? Value(figure.smallest) : Value()},
          {"largest", several ? Value(figure.largest) : Value()}};
}

Answer::Facts facts_of(const UsedRoof& roof) {
  if (roof.label.empty()) return {};
  return {{"label", roof.label}, {"value", roof.rate}, {"unit", roof.unit}, {"at", roof.at}};
}

/// A quantity of a device that was measured several times.
template <class Quantity>
Answer::Facts quantity_facts(const Quantity& one) {
  const Figure& figure = one.figure;
  const bool several = figure.spread == Spread::between_runs;
  const auto shown = [&](double value) { return Value(format_quantity(value, figure.unit)); };
  Answer::Facts facts{
      {"", "what", label_of(one.key)}, {"", "scope", scope_text(one.key.scope)}, {"", "at", at_of(one.key)}};
  facts.add(facts_of(one.key)).add(facts_of(figure));
  return facts.add({{"", "runs", figure.runs},
                    {"", "median", shown(figure.value)},
                    {"", "smallest", several ? shown(figure.smallest) : Value()},
                    {"", "largest", several ? shown(figure.largest) : Value()},
                    {"", "spread", several ? Value((figure.largest - figure.smallest) / figure.value) : Value(), "%"},
                    {"implementation", "implementation", one.implementation},
                    {"power_w", power_of(one)}});
}

bool is_rate(const Figure& figure) { return gable::is_rate(figure.unit); }

/// "flop/s" with power: "flop_per_joule".
std::string work_per(const std::string& unit, const char* what) {
  return fmt::format("{}_per_{}", unit.substr(0, unit.find('/')), what);
}

std::optional<double> per_joule(double rate, const std::optional<double>& power_w) {
  return power_w ? std::optional{rate / *power_w} : std::nullopt;
}

/// For a unit of the price of a device of the whole node; nothing without one.
std::optional<double> per_price(const CompareOptions& options, Scope scope, std::size_t subject, double rate) {
  if (scope != Scope::node || options.prices.empty() || !options.prices[subject]) return {};
  return work_per_price(rate, *options.prices[subject]);
}

/// Energy of a run and its work per joule; nothing where no power was read.
Answer::Facts energy_facts(double time_s, const std::optional<double>& power_w, double flop, double byte) {
  if (!power_w) return {};
  return {{"energy_j", time_s * *power_w},
          {"flop_per_joule", flop > 0 ? Value(per_joule(flop / time_s, power_w)) : Value()},
          {"byte_per_joule", byte > 0 ? Value(per_joule(byte / time_s, power_w)) : Value()}};
}

/// What sets an unlike cell apart: the sizes of an operator. The column of operating points tells those of ceilings.
std::string mark_of(const CeilingCell&) { return {}; }
std::string mark_of(const OperatorCell& cell) { return cell.like ? "" : fmt::format(" [{}]", cell.key.params); }

/// Of unlike ceilings noise tells nothing.
std::string ratio_of_cell(const CeilingCell& cell) {
  return cell.like ? ratio_text(*cell.ratio) : interval_text(*cell.ratio);
}
std::string ratio_of_cell(const OperatorCell& cell) { return ratio_text(*cell.ratio) + (cell.like ? "" : " unlike"); }

/// What all cells have; behind the baseline their ratio to it. `text`: the figure for people.
template <class OneCell>
Answer::Facts cell_facts(const OneCell& cell, std::size_t subject, std::string text) {
  Answer::Facts facts{{"subject", subject},
                      {"", "{}", std::move(text)},
                      {"", "{} vs A", cell.ratio ? Value(ratio_of_cell(cell)) : Value()}};
  facts.add(facts_of(cell.figure)).add("ratio", facts_of(cell.ratio));
  return facts.add(
      {{"implementation", cell.implementation}, {"power_w", cell.power_w}, {"like_the_baseline", cell.like}});
}

Answer::Facts facts_of(const CeilingCell& cell, std::size_t subject, Scope scope, const CompareOptions& options) {
  const Figure& figure = cell.figure;
  Answer::Facts facts = cell_facts(cell, subject, figure_text(figure));
  facts.emplace_back("at", cell.key.at);
  if (cell.datasheet) facts.emplace_back("percent_of_datasheet", 100 * figure.value / *cell.datasheet);
  if (!is_rate(figure)) return facts;
  return facts.add({{work_per(figure.unit, "joule"), per_joule(figure.value, cell.power_w)},
                    {work_per(figure.unit, "price_unit"), per_price(options, scope, subject, figure.value)}});
}

Answer::Facts facts_of(const OperatorVerdict& verdict, bool only_bound) {
  Answer::Facts facts{{"", "{} is", only_bound ? std::string(bound_name(verdict.limit_kind)) : regime_text(verdict)}};
  if (!verdict.stands()) return facts.add({{"missing", verdict.missing}});
  return facts.add({{"regime", *verdict.regime},
                    {"limit", verdict.limit},
                    {"bound_s", verdict.bound_s},
                    {"fraction_of_bound", verdict.fraction_of_limit},
                    {"above_the_bound", verdict.above_roof()},
                    {"compared_by_rounds", verdict.compared_rounds > 0 ? Value(true) : Value()}});
}

Answer::Facts facts_of(const Speedup& speedup) {
  Answer::Facts facts{{"roof_of_baseline", roof_name(speedup.roof)},
                      {"like", speedup.like},
                      {"of_roof", speedup.of_roof},
                      {"of_others", speedup.of_others},
                      {"of_fraction", speedup.of_fraction},
                      {"bandwidth_alone", speedup.bandwidth},
                      {"compute_alone", speedup.compute}};
  return facts.add("baseline_roof", facts_of(speedup.of_a)).add("roof", facts_of(speedup.of_b));
}

Answer::Facts facts_of(const OperatorCell& cell, std::size_t subject) {
  Answer::Facts facts = cell_facts(cell, subject, figure_text(cell.figure) + mark_of(cell));
  const bool only_bound = cell.figure.bound && cell.verdict.fraction_of_limit == 1;
  facts.add(facts_of(cell.verdict, only_bound))
      .add({{"params", cell.key.params}, {"flop", cell.flop}, {"byte", cell.byte}});
  if (cell.speedup) facts.add("factors", facts_of(*cell.speedup));
  facts.emplace_back("cost_in_price_units", cell.cost);
  return facts.add(energy_facts(cell.figure.value, cell.power_w, cell.flop, cell.byte));
}

/// The subjects that a row has, by letters for people.
template <class Row, class FactsOf>
Answer::Table figures_of(const Row& row, FactsOf&& facts) {
  Answer::Table table;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (!row.cells[i]) continue;
    table.add(facts(*row.cells[i], i));
    table.labels.push_back(letter(i));
  }
  return table;
}

/// A row of what `value` gives for each cell (rate per power or price, cost), with ratios; none where it gives nothing.
template <class Row, class Of, class Text>
void add_values(Answer::Table& table, const Row& row, Of&& value, Text&& text) {
  Answer::Table figures;
  std::optional<double> first;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const auto& cell = row.cells[i];
    const std::optional<double> figure = cell ? value(*cell, i) : std::nullopt;
    if (i == 0) first = figure;
    if (!figure) continue;
    const bool compared = i > 0 && first;
    const std::string mark = mark_of(*cell);
    const std::string ratio = compared ? fmt::format("{:.3g}{}", *figure / *first, mark.empty() ? "" : " unlike") : "";
    figures.add({{"", "{}", text(*figure) + mark}, {"", "{} vs A", ratio}});
    figures.labels.push_back(letter(i));
  }
  if (figures.rows.empty()) return;
  table.add({{"", "what", label_of(row.key)},
             {"", "scope", scope_text(row.key.scope)},
             {"", "at", at_of(row)},
             {"", "{}", std::move(figures)}});
}

/// Writes a rate with `suffix` in place of "/s".
auto rate_text(const std::string& unit, const std::string& suffix) {
  return [=](double rate) {
    std::string text = format_quantity(rate, unit);
    return text.replace(text.size() - 2, 2, suffix);
  };
}

}  // namespace

Answer::Facts facts_of(const std::optional<Ratio>& ratio) {
  if (!ratio) return {};
  if (!ratio->like) return {{"value", ratio->value}, {"like", false}};
  if (!ratio->low || !ratio->high) return {{"value", ratio->value}};
  return {{"value", ratio->value}, {"low", ratio->low}, {"high", ratio->high}, {"difference", ratio->difference()}};
}

Answer::Table ceilings_table(const std::vector<CeilingRow>& rows, const CompareOptions& options) {
  return table_of(rows, [&](const CeilingRow& row) {
    const auto of_subject = [&](const CeilingCell& cell, std::size_t i) {
      return facts_of(cell, i, row.key.scope, options);
    };
    Answer::Facts facts{
        {"", "what", label_of(row.key)}, {"", "scope", scope_text(row.key.scope)}, {"", "at", at_of(row)}};
    return facts.add(facts_of(row.key))
        .add({{"higher_is_better", row.cells[0]->figure.higher_is_better},
              {"figures", "{}", figures_of(row, of_subject)},
              {"", "of datasheet", percents(row)},
              {"", "implementation", implementations(row.cells)}});
  });
}

Answer::Table best_units_table(const std::vector<CeilingRow>& rows) {
  return table_of(rows, [](const CeilingRow& row) {
    const auto of_subject = [&](const CeilingCell& cell, std::size_t i) {
      const CeilingKey& key = cell.key;
      const std::string text = fmt::format("{} {}", figure_text(cell.figure), unit_text(cell, *row.key.dtype));
      Answer::Facts facts = cell_facts(cell, i, text);
      return facts.add(
          {{"name", key.name},
           {"dtype", key.dtype},
           {"accumulate", key.accumulate},
           {"at", key.at},
           {"ridge_flop_per_byte", cell.ridge},
           {"", "{} ridge", cell.ridge ? Value(fmt::format("{:.3g}", *cell.ridge)) : Value()},
           {"percent_of_datasheet", cell.datasheet ? Value(100 * cell.figure.value / *cell.datasheet) : Value()}});
    };
    return Answer::Facts{{"", "type", std::string(to_string(*row.key.dtype))},
                         {"", "scope", scope_text(row.key.scope)},
                         {"", "at", at_of(row)},
                         {"dtype", row.key.dtype},
                         {"scope", row.key.scope},
                         {"figures", "{}", figures_of(row, of_subject)},
                         {"", "of datasheet", percents(row)}};
  });
}

Answer::Table operators_table(const std::vector<OperatorRow>& rows) {
  return table_of(rows, [](const OperatorRow& row) {
    const auto of_subject = [](const OperatorCell& cell, std::size_t i) { return facts_of(cell, i); };
    Answer::Facts facts{{"", "operator", label_of(row.key)}, {"", "scope", scope_text(row.key.scope)}};
    return facts.add(facts_of(row.key))
        .add({{"count", row.count},
              {"figures", "{}", figures_of(row, of_subject)},
              {"", "implementation", implementations(row.cells)}});
  });
}

Answer::Table ceilings_table(const std::vector<CeilingQuantity>& quantities) {
  return table_of(quantities, [](const CeilingQuantity& one) {
    Answer::Facts facts = quantity_facts(one);
    if (is_rate(one.figure))
      facts.emplace_back(work_per(one.figure.unit, "joule"), per_joule(one.figure.value, power_of(one)));
    return facts;
  });
}

Answer::Table operators_table(const std::vector<PointQuantity>& quantities) {
  return table_of(quantities, [](const PointQuantity& one) {
    const auto& stages = one.rows.front().stages;
    return quantity_facts(one).add(energy_facts(one.figure.value, power_of(one), flops(stages), bytes(stages)));
  });
}

Answer::Table energy_table(const Compared& compared) {
  Answer::Table table;
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (!is_rate(row.cells[0]->figure)) continue;
    add_values(
        table, row, [](const CeilingCell& cell, std::size_t) { return per_joule(cell.figure.value, cell.power_w); },
        rate_text(row.cells[0]->figure.unit, "/J"));
  }
  for (const OperatorRow& row : compared.answer.operators) {
    const auto add = [&](double OperatorCell::*work, std::string_view unit) {
      if (!((*row.cells[0]).*work > 0)) return;
      const auto value = [&](const OperatorCell& cell, std::size_t) {
        return per_joule(cell.*work / cell.figure.value, cell.power_w);
      };
      add_values(table, row, value, rate_text(std::string(unit), "/J"));
    };
    add(&OperatorCell::flop, rate_unit(row.key.types));
    add(&OperatorCell::byte, "byte/s");
  }
  return table;
}

Answer::Table work_per_price_table(const Compared& compared) {
  Answer::Table table;
  for (const CeilingRow& row : compared.answer.ceilings) {
    if (!is_rate(row.cells[0]->figure)) continue;
    const auto value = [&](const CeilingCell& cell, std::size_t i) {
      return per_price(compared.options, row.key.scope, i, cell.figure.value);
    };
    add_values(table, row, value, rate_text(row.cells[0]->figure.unit, ""));
  }
  return table;
}

Answer::Table cost_of_runs_table(const Compared& compared) {
  Answer::Table table;
  for (const OperatorRow& row : compared.answer.operators) {
    add_values(
        table, row, [](const OperatorCell& cell, std::size_t) { return cell.cost; },
        [](double cost) { return fmt::format("{:.3g}", cost); });
  }
  return table;
}

}  // namespace gable::questions
