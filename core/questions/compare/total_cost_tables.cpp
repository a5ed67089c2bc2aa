#include "core/questions/compare/total_cost.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/enum_names.hpp"
#include "core/model/units.hpp"
#include "core/questions/compare/comparison_answer.hpp"

namespace gable::questions {
namespace {

constexpr auto meter_texts =
    names_up_to<PowerMeter::vendor>("stated", "that of the processors' packages, without memory modules",
                                    "that of the whole board", "a limit, which nobody measured");

/// "measured in 12 of 14 rows, 380 W to 420 W", "TDP of the catalogue", "stated"
std::string basis_text(const DevicePower& power) {
  if (power.basis == PowerBasis::stated) return "stated";
  if (power.basis == PowerBasis::tdp) return "TDP of the catalogue";
  if (power.basis == PowerBasis::power_cap) return "power cap of the file, below the TDP";
  const bool counts = power.basis == PowerBasis::measured;
  std::string text = counts ? "measured" : "median of rows that do not count, measured";
  text += fmt::format(" in {} of {} row{}", power.rows, power.of_rows, power.of_rows == 1 ? "" : "s");
  if (*power.least_w < *power.most_w)
    text += fmt::format(", {} to {}", format_quantity(*power.least_w, "W"), format_quantity(*power.most_w, "W"));
  return text;
}

/// Which power is of what, where it is not the same on all subjects that are ranked; empty where it is.
std::string meters_line(const TotalCost& cost) {
  std::vector<std::string> subjects;
  std::set<PowerMeter> meters;
  for (std::size_t i = 0; i < cost.devices.size(); ++i) {
    if (!cost.devices[i].performance) continue;
    const PowerMeter meter = cost.devices[i].power.meter;
    meters.insert(meter);
    subjects.push_back(fmt::format("{} {}", letter(i), meter_texts[static_cast<std::size_t>(meter)]));
  }
  if (meters.size() < 2) return "";
  return fmt::format(
      "Powers are not of the same parts: {}. Costs of energy differ by that, too; --power states like with like.",
      fmt::join(subjects, ", "));
}

std::string budget_text(const TotalCost& cost) {
  const CostAssumptions& assumed = cost.assumptions;
  return assumed.power_budget_w ? format_quantity(*assumed.power_budget_w, "W")
                                : money_text(*assumed.money_budget, assumed.currency);
}

std::string criterion_text(const TotalCost& cost) {
  if (cost.criterion == Criterion::performance) return "performance";
  if (cost.criterion == Criterion::per_rent) return "performance for the price of an hour";
  if (cost.criterion == Criterion::per_cost) return "performance per total cost";
  return fmt::format("performance within a {}budget of {}", cost.criterion == Criterion::within_power ? "power " : "",
                     budget_text(cost));
}

std::string percent_text(double part) { return fmt::format("{:.4g} %", 100 * part); }

std::string value_text(const BreakEven& one, double value, const std::string& currency) {
  using enum Assumption;
  const auto is = [&](Assumption a, Assumption b) { return one.assumption == a || one.assumption == b; };
  if (is(price, tariff)) return money_text(value, currency);
  if (is(power, idle_power)) return format_quantity(value, "W");
  if (is(utilisation, weight) || one.assumption == efficiency) return percent_text(value);
  return one.assumption == performance ? fmt::format("{:.3g}", value) : fmt::format("{:.4g}", value);
}

std::string name_text(const TotalCost& cost, const BreakEven& one) {
  using enum Assumption;
  const std::string subject = one.subject ? letter(*one.subject) : "";
  if (one.assumption == performance) return fmt::format("performance of {} vs {}", subject, letter(*one.to));
  if (one.assumption == idle_power) return fmt::format("idle power of {}", subject);
  if (one.assumption == pue) return "PUE";
  if (one.assumption == weight)
    return fmt::format("share of {} in {}", one.name, cost.summed ? "A's time" : "the weights");
  const std::string name(to_string(one.assumption));
  return subject.empty() ? name : fmt::format("{} of {}", name, subject);
}

std::string change_text(const BreakEven& one) {
  if (!one.at || !(one.now > 0)) return "";
  const double change = 100 * (*one.at / one.now - 1);
  return change < 999.5 ? fmt::format("{:+.3g} %", change) : fmt::format("{:+.0f} %", change);
}

/// The assumption that has to change by the smallest factor; null where none turns the decision. Performance is
/// measured, not assumed: the lead itself says how far it may change.
const BreakEven* soonest_of(const TotalCost& cost) {
  const BreakEven* soonest = nullptr;
  const auto factor = [](const BreakEven& one) { return std::abs(std::log(*one.at / one.now)); };
  for (const BreakEven& one : cost.break_evens) {
    if (one.assumption == Assumption::performance) continue;
    if (!one.at || !(*one.at > 0 && one.now > 0)) continue;
    if (!soonest || factor(one) < factor(*soonest)) soonest = &one;
  }
  return soonest;
}

/// What the decision rests on: "3 rows of operators: of A's 12 and of B's 50".
std::string rows_line(const Compared& compared, const TotalCost& cost) {
  std::vector<std::string> subjects;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const std::size_t rows = compared.subjects[i].points.size();
    if (rows > 0) subjects.push_back(fmt::format("{}'s {}", letter(i), rows));
  }
  std::string line = fmt::format("It rests on {} row{} of {}, of {}", cost.rows, cost.rows == 1 ? "" : "s",
                                 !compared.bounds ? "operators that all measured subjects have"
                                 : cost.rows == 1 ? "the workload that has a bound on every subject"
                                                  : "the workload that have a bound on every subject",
                                 and_text(subjects));
  if (cost.rows_above_roof > 0)
    line += fmt::format("; {} of them {} above {} roof: a time or a roof is wrong there", cost.rows_above_roof,
                        cost.rows_above_roof == 1 ? "is" : "are", cost.rows_above_roof == 1 ? "its" : "their");
  return line + '.';
}

std::string undecided_line(const Compared& compared, const TotalCost& cost) {
  constexpr auto reasons = names_up_to<Undecided::narrow_scope>(
      "no operator was measured on A, which the others are compared with. Name a measured subject first, or --workload",
      "operators were measured on A alone", "no operator was measured on all subjects in the same sizes",
      "the operators that the subjects share were measured on a part of the device (a core, a socket), and price and "
      "power are of the whole device");
  if (cost.undecided == Undecided::too_small)
    return fmt::format("Nothing is decided: {} does not fit the memory of any subject.", compared.bounds->workload);
  if (cost.undecided == Undecided::budget)
    return fmt::format("Nothing is decided: the budget of {} pays for no device of a subject that was measured.",
                       budget_text(cost));
  if (compared.bounds)
    return fmt::format("Nothing is decided: no work of {} has a bound on {}; what is not compared says why.",
                       compared.bounds->workload,
                       cost.undecided == Undecided::nothing_shared ? "every subject" : "A and another subject");
  return fmt::format("Nothing is decided: {}.", reasons[static_cast<std::size_t>(*cost.undecided)]);
}

/// "B stays ahead of A until the price of A falls below 4982 (now 5000)."
std::string turn_line(const TotalCost& cost, const BreakEven& one) {
  const Lead& lead = *std::ranges::find(cost.leads, *one.to, &Lead::over);
  const char* as = lead.decided() ? "" : lead.ratio->like ? "Without the intervals, " : "By the figures alone, ";
  return fmt::format("{}{} stays ahead of {} until the {} {} {} (now {}).", as, letter(*cost.best), letter(*one.to),
                     name_text(cost, one), *one.at < one.now ? "falls below" : "rises above",
                     value_text(one, *one.at, cost.assumptions.currency),
                     value_text(one, one.now, cost.assumptions.currency));
}

/// What the decision rests on.
std::string basis_words(const Compared& compared, const TotalCost& cost) {
  if (!compared.bounds)
    return fmt::format("the measured times of {} alone", operators_text(cost.operators, cost.of_operators));
  const Bounds& bounds = *compared.bounds;
  std::string at = bounds.assumed_of ? fmt::format("at the efficiency of {}", letter(*bounds.assumed_of)) : "alone";
  if (std::set(bounds.roofs.begin(), bounds.roofs.end()).size() > 1) at += " (datasheets beside measured roofs)";
  return fmt::format("the {} of the bounds of {} {}: nobody measured {}these times", mean_name(compared.options),
                     bounds.workload, at, bounds.assumed_of ? "all of " : "");
}

/// " of those whose memory holds the work (A, C do not)"; empty where every subject does.
std::string left_out_text(const Compared& compared) {
  std::vector<std::string> letters;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i)
    if (compared.subjects[i].misfit) letters.push_back(letter(i));
  if (letters.empty()) return "";
  return fmt::format(" of those whose memory holds the work ({} {} not)", fmt::join(letters, ", "),
                     letters.size() == 1 ? "does" : "do");
}

/// Who is ahead, by how much, and whether that is decided: the conclusion.
std::string headline(const Compared& compared, const TotalCost& cost) {
  std::map<LeadState, std::vector<std::string>> over;
  std::vector<std::string> ahead, why;
  for (const Lead& lead : cost.leads) {
    over[lead.state()].push_back(letter(lead.over));
    if (lead.decided() && lead.ratio)
      ahead.push_back(fmt::format("{:.3g} times that of {}", lead.ratio->value, letter(lead.over)));
  }
  std::string text =
      fmt::format("{} has the most {}{}", name_of(compared, *cost.best), criterion_text(cost), left_out_text(compared));
  if (!ahead.empty()) text += fmt::format(", {}", fmt::join(ahead, ", "));
  constexpr auto forms = names_up_to<LeadState::unlike>("", "it is level with", "it is within noise of",
                                                        "there is no interval against", "it cannot be compared with");
  for (const auto& [state, letters] : over) {
    if (state == LeadState::ahead) continue;
    why.push_back(fmt::format("{} {}", forms[static_cast<std::size_t>(state)], and_text(letters)));
    if (state == LeadState::unlike) why.back() += unlike_text(*compared.bounds);
  }
  if (why.empty()) return fmt::format("{}, by {}.", text, basis_words(compared, cost));
  return fmt::format("Not decided: {}, but {}, by {}.", text, fmt::join(why, ", and "), basis_words(compared, cost));
}

/// "12 (11…13)": work of all devices that the budget pays for.
std::string whole_text(const OwnedDevice& one) {
  if (!one.whole) return {};
  std::string all = fmt::format("{:.4g}", one.whole->value);
  if (one.whole->low && one.whole->high && *one.whole->low < *one.whole->high)
    all += fmt::format(" ({:.4g}…{:.4g})", *one.whole->low, *one.whole->high);
  return all;
}

/// The work of all devices. Its difference is from that of all of the baseline's, one device of which is the unit.
Answer::Facts whole_facts(const OwnedDevice& one, const OwnedDevice& baseline) {
  Answer::Facts facts = facts_of(one.whole);
  if (facts.size() < 2) return facts;
  facts.pop_back();
  if (*baseline.devices > 0) facts.emplace_back("difference", one.whole->times(1 / *baseline.devices).difference());
  return facts;
}

std::string weights_text(const Compared& compared) {
  const CompareOptions& options = compared.options;
  if (options.summed) return "which follow one another";
  if (options.weights.empty()) return options.by_time ? "weighted by A's time" : "every operator weighted the same";
  double sum = 0;
  for (const NamedWeight& one : options.weights) sum += one.weight;
  std::vector<std::string> parts;
  for (const NamedWeight& one : options.weights)
    parts.push_back(fmt::format("{} {}", one.name, percent_text(one.weight / sum)));
  return fmt::format("weighted {}", fmt::join(parts, ", "));
}

}  // namespace

std::string money_text(double amount, const std::string& currency) {
  std::string text = std::abs(amount) >= 1000 ? fmt::format("{:.0f}", amount) : fmt::format("{:.4g}", amount);
  if (currency.empty()) return text;
  const bool whole = std::abs(amount) >= 1000;
  for (std::size_t i = text.size(); whole && i > 3 + (amount < 0 ? 1u : 0u); i -= 3) text.insert(i - 3, " ");
  return fmt::format("{} {}", text, currency);
}

std::vector<std::string> cost_assumptions(const Compared& compared, const TotalCost& cost) {
  const CostAssumptions& assumed = cost.assumptions;
  const double u = assumed.utilisation;
  const std::string power =
      u < 1 ? fmt::format("({:.4g} x power under load + {:.4g} x idle power)", u, 1 - u) : "power under load";
  std::vector<std::string> lines{
      fmt::format("total = capital + {:.4g} year{} x 8766 h x {} x PUE {:.4g} x {} per kWh", assumed.years,
                  assumed.years == 1 ? "" : "s", power, assumed.pue,
                  money_text(assumed.tariff_per_kwh, assumed.currency)),
      "Price, power and performance are of one device: of one GPU, or of all processors of a machine. What of a host "
      "is bought with it, belongs to its price and its power."};
  if (u < 1 && std::ranges::any_of(cost.devices, [](const OwnedDevice& one) { return one.idle_power_w == 0; }))
    lines.emplace_back(
        "Idle power that is not stated counts as 0 W, because nobody measured it: the energy is then a lower bound.");
  if (cost.rows > 0)
    lines.push_back(
        fmt::format("performance: {} over {} row{} of {}, {}; n devices do n times the work of one",
                    mean_name(compared.options), cost.rows, cost.rows == 1 ? "" : "s",
                    compared.bounds ? "the workload, by their bounds" : "operators that all measured subjects have",
                    weights_text(compared)));
  return lines;
}

Answer::Table cost_table(const TotalCost& cost) {
  using Value = Answer::Value;
  const std::string unit = letter(cost.baseline);
  Answer::Table table;
  for (std::size_t i = 0; i < cost.devices.size(); ++i) {
    const OwnedDevice& one = cost.devices[i];
    const DevicePower& power = one.power;
    Answer::Facts facts{{"subject", i}, {"", "subject", letter(i)}};
    const auto add_money = [&](const char* key, const char* title, double amount) {
      facts.add({{key, amount}, {"", title, money_text(amount, cost.assumptions.currency)}});
    };
    const auto add_ratio = [&](const char* key, const std::string& title, const std::optional<Ratio>& ratio) {
      facts.add(key, facts_of(ratio))
          .emplace_back("", title,
                        ratio       ? Value(interval_text(*ratio))
                        : cost.best ? Value("not ranked")
                                    : Value());
    };
    add_money("capital", "capital", one.capital);
    facts.add({{"power_w", "power", power.watt, "W"},
               {"power_is", power.basis},
               {"power_meter", power.meter},
               {"", "power is", basis_text(power)},
               {"idle_power_w", one.idle_power_w},
               {"", "idle", one.idle_power_w > 0 ? Value(one.idle_power_w) : Value(), "W"},
               {"energy_kwh", one.energy_kwh},
               {"", "kWh", fmt::format("{:.0f}", one.energy_kwh)}});
    if (power.rows > 0)
      facts.add({{"power_rows", power.rows},
                 {"power_of_rows", power.of_rows},
                 {"least_power_w", power.least_w},
                 {"most_power_w", power.most_w}});
    add_money("energy_cost", "energy", one.energy_cost);
    add_money("total", "total", one.total);
    add_ratio("performance_vs_baseline", "performance vs " + unit, one.performance);
    add_ratio("performance_per_cost_vs_baseline", "per cost vs " + unit, one.per_cost);
    add_ratio("performance_per_watt_vs_baseline", "per watt vs " + unit, one.per_watt);
    facts.emplace_back("devices", cost.assumptions.money_budget ? "devices: budget / total" : "devices", one.devices);
    facts.add("performance_of_all_in_baseline_devices", whole_facts(one, cost.devices[cost.baseline]));
    facts.emplace_back("", "work of all, in devices of " + unit, whole_text(one));
    table.add(std::move(facts));
  }
  return table;
}

std::vector<std::string> decision_lines(const Compared& compared, const TotalCost& cost) {
  if (!cost.best) return {undecided_line(compared, cost)};
  std::vector<std::string> lines{headline(compared, cost), rows_line(compared, cost)};
  const auto add = [&](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  for (std::size_t i = 0; i < compared.answer.means.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    const std::string ends = mean && mean->ratio.like ? far_ends_text(*mean) : "";
    if (!ends.empty()) add(fmt::format("{} is {} times as fast as A.", letter(i), ends));
    if (mean && mean->other_sizes > 0)
      add(fmt::format("{} has {} of A's operators in other sizes: they are left out.", letter(i), mean->other_sizes));
  }
  if (std::ranges::any_of(cost.leads, [](const Lead& lead) { return lead.ratio && lead.ratio->difference(); }))
    add(fmt::format(
        "In brackets what the intervals of the measured {} allow: within noise where that holds 1, else beyond "
        "these runs, of which another may differ by as much, and beyond noise with {} runs or more.",
        compared.bounds ? "roofs" : "times", enough_runs));
  for (const Lead& lead : cost.leads) {
    const std::string over = letter(lead.over);
    if (!lead.ratio) {
      add(fmt::format("The budget pays for no {}.", over));
      continue;
    }
    std::string line = fmt::format("{} vs {}: {}", letter(*cost.best), over, ratio_text(*lead.ratio));
    if (lead.by_rounding) line += "; only because whole devices are bought: without rounding the other is before it";
    add(line + '.');
  }
  if (const BreakEven* soonest = soonest_of(cost)) add(turn_line(cost, *soonest));
  add(meters_line(cost));
  if (!compared.bounds) add("Intervals are those of the measured times; prices and powers have none.");
  return lines;
}

Answer::Table break_even_table(const TotalCost& cost) {
  using Value = Answer::Value;
  const std::string& currency = cost.assumptions.currency;
  return table_of(cost.break_evens, [&](const BreakEven& one) -> Answer::Facts {
    const std::string at = one.at ? value_text(one, *one.at, currency) : "never";
    return {{"assumption", one.assumption},
            {"", "assumption", name_text(cost, one)},
            {"subject", one.subject},
            {"name", named(one.name)},
            {"now", one.now},
            {"", "now", value_text(one, one.now, currency)},
            {"turns_at", one.at},
            {"", "turns at", at + (one.within_interval ? ", within its interval" : "")},
            {"", "change", change_text(one)},
            {"within_interval", one.assumption == Assumption::performance ? Value(one.within_interval) : Value()},
            {"to", one.to},
            {"", "to", one.to ? Value(letter(*one.to)) : Value()}};
  });
}

void add_total_cost(Answer& answer, const Compared& compared, const TotalCost& cost) {
  const CostAssumptions& assumed = cost.assumptions;
  Answer::Facts facts{{"baseline", cost.baseline},
                      {"rows", cost.rows},
                      {"rows_above_roof", cost.rows_above_roof},
                      {"undecided", cost.undecided}};
  answer.add_facts("total_cost", "",
                   facts.add("assumptions", {{"currency", named(assumed.currency)},
                                             {"years", assumed.years},
                                             {"tariff_per_kwh", assumed.tariff_per_kwh},
                                             {"pue", assumed.pue},
                                             {"utilisation", assumed.utilisation},
                                             {"power_budget_w", assumed.power_budget_w},
                                             {"money_budget", assumed.money_budget}}));
  answer.add_table("total_cost/devices", "total cost of one device", cost_table(cost)).notes =
      cost_assumptions(compared, cost);
  add_decision(answer, compared, cost);
}

void add_decision(Answer& answer, const Compared& compared, const TotalCost& cost) {
  const std::string path = is_owned(cost.criterion) ? "total_cost" : "ranking";
  std::vector<std::string> lines = decision_lines(compared, cost);
  lines.erase(lines.begin());  // the conclusion, with which the answer begins
  answer.add_notes("decision", std::move(lines));
  if (!is_owned(cost.criterion)) answer.add_facts(path, "", {{"undecided", cost.undecided}});
  if (!cost.best) return;
  answer.add_facts(
      path + "/decision", "",
      {{"by", cost.criterion}, {"best", *cost.best}, {"decided", std::ranges::all_of(cost.leads, &Lead::decided)}});
  const auto lead_facts = [](const Lead& lead) {
    return Answer::Facts{{"over", lead.over}, {"state", lead.state()}, {"only_by_rounding", lead.by_rounding}}.add(
        "ratio", facts_of(lead.ratio));
  };
  answer.add_table(path + "/decision/leads", "", table_of(cost.leads, lead_facts));
  answer.add_table(path + "/break_evens", "what would turn it, everything else as it is", break_even_table(cost));
}

}  // namespace gable::questions
