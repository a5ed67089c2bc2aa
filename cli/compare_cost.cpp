#include "cli/compare_cost.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/side_values.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/report/comparison_words.hpp"

namespace gable::cli {
namespace {

using analysis::CostAssumptions;
using analysis::Subject;

double number_within(std::string_view option, std::string_view text, const analysis::Limits& limits,
                     std::string_view what) {
  return cli::number_within(option, text, limits.least, limits.most, what);
}

double watts(const std::string& option, std::string_view text, const analysis::Limits& limits) {
  double watt = 0;
  try {
    watt = parse_quantity(text, "W");
  } catch (const Error& error) {
    throw Error(fmt::format("--{}: {}", option, error.what()));
  }
  if (limits.hold(watt)) return watt;
  throw Error(fmt::format("--{}: '{}' is not within {} and {}", option, text, format_quantity(limits.least, "W"),
                          format_quantity(limits.most, "W")));
}

/// "70%" or "0.7".
double utilisation_of(std::string_view text) {
  const bool percent = text.ends_with('%');
  const std::string_view number = percent ? text.substr(0, text.size() - 1) : text;
  const double most = percent ? 100 : 1;
  try {
    const analysis::Limits& limits = analysis::utilisation_limits;
    return cli::number_within("utilisation", number, limits.least * most, limits.most * most, "") / most;
  } catch (const Error&) {
    throw Error(fmt::format("--utilisation: '{}' is no part of the hours, as 70% or 0.7", text));
  }
}

std::optional<std::string> given(const po::variables_map& values, const char* option) {
  return values.count(option) != 0 ? std::optional{values[option].as<std::string>()} : std::nullopt;
}

std::string demanded(const po::variables_map& values, const char* option) {
  if (auto text = given(values, option)) return *text;
  throw Error(fmt::format("--capital needs --{}", option));
}

/// Idle power of all sides or of none, and only where there are hours without work.
void check_idle_power(const CostAssumptions& assumed, const std::vector<Subject>& subjects) {
  if (assumed.idle_power_w.empty()) return;
  if (!(assumed.utilisation < 1))
    throw Error("--idle-power counts in hours without work, and there are none: add --utilisation below 100%");
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (!assumed.idle_power_w[i])
      throw Error(fmt::format("--idle-power: none of {} ({}); state it for all sides or for none", report::letter(i),
                              subjects[i].name));
  }
}

void refuse_alone(const po::variables_map& values) {
  constexpr std::array options{"years", "tariff",     "pue",          "utilisation",
                               "power", "idle-power", "power-budget", "money-budget"};
  for (const char* option : options) {
    if (values.count(option) != 0) throw Error(fmt::format("--{} goes with --capital", option));
  }
}

}  // namespace

void offer_cost(po::options_description& options) {
  const auto strings = [](const char* name) {
    return po::value<std::vector<std::string>>()->composing()->value_name(name);
  };
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = options.add_options();
  add("capital", strings("P,…"), "total cost: price of one device, in their order, or NAME=P");
  add("years", text("N"), "of use, for the total cost");
  add("tariff", text("P"), "of a kWh");
  add("pue", text("X"), "power of the facility over that of its computers (1)");
  add("utilisation", text("PART"), "of the hours in which devices work at their power under load: 70% (100%)");
  add("power", strings("W,…"),
      "of one device under load, or NAME=W: in place of that measured, or of the catalogue's TDP");
  add("idle-power", strings("W,…"), "of one device between the work, or NAME=W: for all sides or none (0 W)");
  add("power-budget", text("W"), "of the facility: how many devices fit, and what all of them do");
  add("money-budget", text("M"), "for the total cost of all devices");
}

std::optional<CostAssumptions> cost_assumptions_of(const po::variables_map& values,
                                                   const std::vector<Subject>& subjects) {
  if (values.count("capital") == 0) {
    refuse_alone(values);
    return {};
  }
  CostAssumptions assumed;
  const auto capital = values_by_side(values, "capital", subjects, [](std::string_view text) {
    return number_within("capital", text, analysis::capital_limits,
                         "price of a device: a positive number without separators in it");
  });
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (!capital[i]) throw Error(fmt::format("--capital: no price of {} ({})", report::letter(i), subjects[i].name));
    assumed.capital.push_back(*capital[i]);
  }
  for (const char* option : {"power", "idle-power"}) {
    auto& list = option == std::string_view("power") ? assumed.power_w : assumed.idle_power_w;
    list = values_by_side(values, option, subjects,
                          [&](std::string_view text) { return watts(option, text, analysis::power_limits); });
  }
  assumed.years = number_within("years", demanded(values, "years"), analysis::years_limits, "number of years");
  assumed.tariff_per_kwh =
      number_within("tariff", demanded(values, "tariff"), analysis::tariff_limits, "price of a kWh");
  if (const auto pue = given(values, "pue"))
    assumed.pue = number_within("pue", *pue, analysis::pue_limits, "power usage effectiveness, which is 1 or more");
  if (const auto part = given(values, "utilisation")) assumed.utilisation = utilisation_of(*part);
  check_idle_power(assumed, subjects);
  if (const auto budget = given(values, "power-budget"))
    assumed.power_budget_w = watts("power-budget", *budget, analysis::power_budget_limits);
  if (const auto budget = given(values, "money-budget"))
    assumed.money_budget = number_within("money-budget", *budget, analysis::capital_limits, "amount of money");
  if (assumed.power_budget_w && assumed.money_budget)
    throw Error("--power-budget and --money-budget exclude each other");
  return assumed;
}

}  // namespace gable::cli
