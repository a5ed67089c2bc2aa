#include "core/report/total_cost_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/model/units.hpp"
#include "core/report/comparison_words.hpp"

namespace gable::report {

using namespace analysis;

namespace {

/// "measured in 12 rows", "TDP of the catalogue", "stated"
std::string basis_text(const OwnedDevice& device) {
  switch (device.power.basis) {
    case PowerBasis::stated:
      return "stated";
    case PowerBasis::tdp:
      return "TDP of the catalogue";
    case PowerBasis::measured:
      break;
  }
  return fmt::format("measured in {} row{}", device.power.rows, device.power.rows == 1 ? "" : "s");
}

std::string criterion_text(const TotalCost& cost) {
  const CostAssumptions& assumed = cost.assumptions;
  switch (cost.criterion) {
    case Criterion::within_power:
      return fmt::format("performance within a power budget of {}", format_quantity(*assumed.power_budget_w, "W"));
    case Criterion::within_money:
      return fmt::format("performance within a budget of {}", money_text(*assumed.money_budget));
    case Criterion::per_cost:
      break;
  }
  return "performance per total cost";
}

std::string percent_text(double part) { return fmt::format("{:.4g} %", 100 * part); }

std::string value_text(const BreakEven& one, double value) {
  switch (one.assumption) {
    case Assumption::price:
    case Assumption::tariff:
      return money_text(value);
    case Assumption::power:
      return format_quantity(value, "W");
    case Assumption::utilisation:
    case Assumption::weight:
      return percent_text(value);
    case Assumption::years:
    case Assumption::pue:
      break;
  }
  return fmt::format("{:.4g}", value);
}

std::string name_text(const BreakEven& one) {
  switch (one.assumption) {
    case Assumption::price:
    case Assumption::power:
      return fmt::format("{} of {}", to_string(one.assumption), letter(*one.subject));
    case Assumption::pue:
      return "PUE";
    case Assumption::weight:
      return fmt::format("share of {} in the weights", one.name);
    case Assumption::tariff:
    case Assumption::years:
    case Assumption::utilisation:
      break;
  }
  return std::string(to_string(one.assumption));
}

std::string change_text(const BreakEven& one) {
  if (!one.at || !(one.now > 0)) return "";
  return fmt::format("{:+.3g} %", 100 * (*one.at / one.now - 1));
}

/// The assumption that has to change by the smallest factor; null where none turns the decision.
const BreakEven* soonest_of(const TotalCost& cost) {
  const BreakEven* soonest = nullptr;
  const auto factor = [](const BreakEven& one) { return std::abs(std::log(*one.at / one.now)); };
  for (const BreakEven& one : cost.break_evens) {
    if (!one.at || !(*one.at > 0 && one.now > 0)) continue;
    if (!soonest || factor(one) < factor(*soonest)) soonest = &one;
  }
  return soonest;
}

std::string weights_text(const Compared& compared) {
  const CompareOptions& options = compared.options;
  if (options.weights.empty()) return options.by_time ? "weighted by A's time" : "every operator weighted the same";
  double sum = 0;
  for (const NamedWeight& one : options.weights) sum += one.weight;
  std::vector<std::string> parts;
  for (const NamedWeight& one : options.weights)
    parts.push_back(fmt::format("{} {}", one.name, percent_text(one.weight / sum)));
  return fmt::format("weighted {}", fmt::join(parts, ", "));
}

}  // namespace

std::string money_text(double amount) {
  return std::abs(amount) >= 1000 ? fmt::format("{:.0f}", amount) : fmt::format("{:.4g}", amount);
}

std::vector<std::string> cost_assumptions(const Compared& compared, const TotalCost& cost) {
  const CostAssumptions& assumed = cost.assumptions;
  const double u = assumed.utilisation;
  const std::string power =
      u < 1 ? fmt::format("({:.4g} x power under load + {:.4g} x idle power)", u, 1 - u) : "power under load";
  std::vector<std::string> lines{fmt::format("total = capital + {:.4g} year{} x 8766 h x {} x PUE {:.4g} x {} per kWh",
                                             assumed.years, assumed.years == 1 ? "" : "s", power, assumed.pue,
                                             money_text(assumed.tariff_per_kwh))};
  if (u < 1 && std::ranges::any_of(cost.devices, [](const OwnedDevice& one) { return one.idle_power_w == 0; }))
    lines.emplace_back(
        "Idle power that is not stated counts as 0 W, because nobody measured it: the energy is then a lower bound.");
  if (cost.rows > 0)
    lines.push_back(
        fmt::format("performance: geometric mean over {} row{} of operators that all measured sides have, "
                    "{}; n devices do n times the work of one",
                    cost.rows, cost.rows == 1 ? "" : "s", weights_text(compared)));
  return lines;
}

TextTable cost_table(const TotalCost& cost) {
  TextTable table({{"side"},
                   {"capital", true},
                   {"power", true},
                   {"power is"},
                   {"idle", true},
                   {"kWh", true},
                   {"energy", true},
                   {"total", true},
                   {"performance vs A", true},
                   {"per cost vs A", true},
                   {"per watt vs A", true},
                   {"devices", true},
                   {"all of them, in A's", true}});
  const auto ratio = [](const std::optional<Ratio>& one) { return one ? interval_text(*one) : std::string{}; };
  for (std::size_t i = 0; i < cost.devices.size(); ++i) {
    const OwnedDevice& one = cost.devices[i];
    std::string all = one.whole ? fmt::format("{:.4g}", one.whole->value) : "";
    if (one.whole && one.whole->low && one.whole->high && *one.whole->low < *one.whole->high)
      all += fmt::format(" ({:.4g}…{:.4g})", *one.whole->low, *one.whole->high);
    table.add({letter(i), money_text(one.capital), format_quantity(one.power.watt, "W"), basis_text(one),
               one.idle_power_w > 0 ? format_quantity(one.idle_power_w, "W") : "",
               fmt::format("{:.0f}", one.energy_kwh), money_text(one.energy_cost), money_text(one.total),
               ratio(one.performance), ratio(one.per_cost), ratio(one.per_watt),
               one.devices ? fmt::format("{:.0f}", *one.devices) : "", std::move(all)});
  }
  return table;
}

std::vector<std::string> decision_lines(const Compared& compared, const TotalCost& cost) {
  if (!cost.best)
    return {
        "Nothing is decided: performance needs operators that were measured on A and on another side, in the same "
        "sizes."};
  const bool noise = std::ranges::any_of(
      cost.leads, [](const Lead& lead) { return lead.ratio && lead.ratio->difference() == Difference::within_noise; });
  std::vector<std::string> lines{fmt::format("The most {}: {} ({}){}.", criterion_text(cost), letter(*cost.best),
                                             compared.subjects[*cost.best].name,
                                             noise ? ", but not before every side by more than noise" : "")};
  for (const Lead& lead : cost.leads) {
    const std::string over = letter(lead.over);
    if (!lead.ratio) {
      lines.push_back(fmt::format("The budget pays for no {}.", over));
      continue;
    }
    std::string line = fmt::format("{} vs {}: {}", letter(*cost.best), over, ratio_text(*lead.ratio));
    if (lead.by_rounding) line += "; only because whole devices are bought: without rounding the other is before it";
    lines.push_back(line + ".");
  }
  if (const BreakEven* soonest = soonest_of(cost))
    lines.push_back(fmt::format("It turns soonest with the {}: at {} instead of {}.", name_text(*soonest),
                                value_text(*soonest, *soonest->at), value_text(*soonest, soonest->now)));
  lines.emplace_back("Intervals are those of the measured times; prices and powers have none.");
  return lines;
}

TextTable break_even_table(const TotalCost& cost) {
  TextTable table({{"assumption", false, true}, {"now", true}, {"turns at", true}, {"change", true}, {"to"}});
  for (const BreakEven& one : cost.break_evens) {
    table.add({name_text(one), value_text(one, one.now), one.at ? value_text(one, *one.at) : "never", change_text(one),
               one.to ? letter(*one.to) : ""});
  }
  return table;
}

}  // namespace gable::report
