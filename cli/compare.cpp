#include <algorithm>
#include <array>
#include <filesystem>
#include <variant>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/device/catalogue.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/questions/compare/comparison_answer.hpp"
#include "core/questions/compare/workload.hpp"
#include "core/questions/plan/inference_plan.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/named_machine.hpp"

namespace gable::cli {
namespace {

using questions::Compared;
using questions::CostAssumptions;
using questions::Subject;

double watts(const std::string& option, std::string_view text, const Limits& limits) {
  const double watt = quantity(option, text, "W");
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
    const Limits& limits = questions::utilisation_limits;
    return number_within("utilisation", number, {limits.least * most, limits.most * most}, "") / most;
  } catch (const Error&) {
    throw Error(fmt::format("--utilisation: '{}' is no part of the hours, as 70% or 0.7", text));
  }
}

std::optional<std::string> given(const Options& values, const char* option) {
  return values.has(option) ? std::optional{values.text(option)} : std::nullopt;
}

std::string demanded(const Options& values, const char* option) {
  if (auto text = given(values, option)) return *text;
  throw Error(fmt::format("--capital needs --{}", option));
}

/// Idle power of all subjects or of none, and only where there are hours without work.
void check_idle_power(const CostAssumptions& assumed, const std::vector<Subject>& subjects) {
  if (assumed.idle_power_w.empty()) return;
  if (!(assumed.utilisation < 1))
    throw Error("--idle-power counts in hours without work, and there are none: add --utilisation below 100%");
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (!assumed.idle_power_w[i])
      throw Error(fmt::format("--idle-power: none of {} ({}); state it for all subjects or for none",
                              questions::letter(i), subjects[i].name));
  }
}

void refuse_alone(const Options& values) {
  constexpr std::array options{"years", "tariff",     "pue",          "utilisation",
                               "power", "idle-power", "power-budget", "money-budget"};
  for (const char* option : options) {
    if (values.has(option)) throw Error(fmt::format("--{} goes with --capital", option));
  }
  if (values.has("currency") && !values.has("price")) throw Error("--currency goes with --capital or --price");
}

/// Adds --capital, --years, --tariff, --pue, --utilisation, --power, --idle-power, --power-budget, --money-budget.
void offer_cost(po::options_description& options) {
  auto add = options.add_options();
  add("capital", many("P,…"), "total cost: price of one device, in their order, or NAME=P");
  add("years", one("N"), "of use, for the total cost");
  add("tariff", one("P"), "of a kWh");
  add("currency", one("EUR"), "of all money, shown with thousands apart: 12 000 EUR");
  add("pue", one("X"), "power of the facility over that of its computers (1)");
  add("utilisation", one("PART"), "of the hours in which devices work at their power under load: 70% (100%)");
  add("power", many("W,…"),
      "of one device under load, or NAME=W: in place of that measured, or of the catalogue's TDP");
  add("idle-power", many("W,…"), "of one device between the work, or NAME=W: for all subjects or none (0 W)");
  add("power-budget", one("W"), "of the facility: how many devices fit, and what all of them do");
  add("money-budget", one("M"), "for the total cost of all devices");
}

/// Nothing without --capital. Throws Error with one line: what is missing, out of range, or goes with --capital only.
std::optional<CostAssumptions> cost_assumptions_of(const Options& values, const std::vector<Subject>& subjects) {
  if (!values.has("capital")) {
    refuse_alone(values);
    return {};
  }
  CostAssumptions assumed;
  const auto capital = values_by_subject(values, "capital", subjects, [](std::string_view text) {
    return number_within("capital", text, questions::capital_limits,
                         "price of a device: a positive number without separators in it");
  });
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (!capital[i]) throw Error(fmt::format("--capital: no price of {} ({})", questions::letter(i), subjects[i].name));
    assumed.capital.push_back(*capital[i]);
  }
  for (const char* option : {"power", "idle-power"}) {
    auto& list = option == std::string_view("power") ? assumed.power_w : assumed.idle_power_w;
    list = values_by_subject(values, option, subjects,
                             [&](std::string_view text) { return watts(option, text, questions::power_limits); });
  }
  assumed.currency = values.text("currency");
  assumed.years = number_within("years", demanded(values, "years"), questions::years_limits, "number of years");
  assumed.tariff_per_kwh =
      number_within("tariff", demanded(values, "tariff"), questions::tariff_limits, "price of a kWh");
  if (const auto pue = given(values, "pue"))
    assumed.pue = number_within("pue", *pue, questions::pue_limits, "power usage effectiveness");
  if (const auto part = given(values, "utilisation")) assumed.utilisation = utilisation_of(*part);
  check_idle_power(assumed, subjects);
  if (const auto budget = given(values, "power-budget"))
    assumed.power_budget_w = watts("power-budget", *budget, questions::power_budget_limits);
  if (const auto budget = given(values, "money-budget"))
    assumed.money_budget = number_within("money-budget", *budget, questions::capital_limits, "amount, no separators");
  if (assumed.power_budget_w && assumed.money_budget)
    throw Error("--power-budget and --money-budget exclude each other");
  return assumed;
}

/// Subjects in the order in which the command line names them first.
std::vector<Subject> subjects_named(const std::vector<std::string>& names, bool apart) {
  std::vector<std::variant<NamedResult, Subject>> named;
  for (const std::string& name : names) {
    const auto file = file_named(name);
    if (!file) {
      named.emplace_back(questions::subject_of(catalogue_device(name)));
      continue;
    }
    Result result = load_result(file->path);
    questions::use_todays_catalogue(result);
    named.emplace_back(NamedResult{name, std::move(result), file->device});
  }
  return questions::subjects_in_order(std::move(named), apart);
}

/// What the user calls them. Names are told apart by letters, but two of one name would be a slip.
void set_names(const Options& values, std::vector<Subject>& subjects) {
  for (const std::string& text : texts(values, "name")) {
    if (text.find('=') == std::string::npos || text.ends_with('='))
      throw Error(fmt::format("--name: '{}' is no A=TEXT", text));
    auto [named, given_name] = text_of_subject("name", subjects, text);
    Subject& subject = subjects[named];
    if (!subject.given_name.empty())
      throw Error(fmt::format("--name: '{}' names a device that is {} already", text, subject.given_name));
    subject.given_name = given_name;
    if (std::ranges::count(subjects, subject.given_name, &Subject::given_name) > 1)
      throw Error(fmt::format("--name: two devices are called '{}'", subject.given_name));
  }
  for (Subject& subject : subjects) {
    if (!subject.given_name.empty()) subject.name = subject.given_name;
  }
}

/// "2.5" or "2.5/h".
double price_of(std::string_view text) {
  std::string_view number = text;
  if (number.ends_with("/h")) number.remove_suffix(2);
  return number_within("price", number, questions::price_limits, "price of a device-hour, as 2.5 or 2.5/h");
}

/// How the means are weighted: "operator", "time", or a file of weights.
void set_weights(questions::CompareOptions& options, const std::string& weights) {
  if (weights == "operator") return;
  if (weights == "time")
    options.by_time = true;
  else if (weights == "sum")
    options.summed = true;
  else if (weights.ends_with(".json") || std::filesystem::is_regular_file(weights))
    options.weights = questions::read_weights(weights);
  else
    throw Error(fmt::format("--weights: unknown '{}'; known: operator, time, sum, FILE.json", weights));
}

/// Weights are of operators that the baseline and another subject were measured with.
void check_weights(const Options& values, const std::vector<Subject>& subjects) {
  if (!values.is_stated("weights") || subjects.size() < 2) return;
  const auto has_operators = [](const Subject& subject) { return !subject.points.empty(); };
  if (has_operators(subjects.front()) && std::ranges::count_if(subjects, has_operators) > 1) return;
  throw Error(
      "--weights weighs operators of the first subject and of another: here only their ceilings or datasheets are "
      "compared; --workload names work");
}

/// If there is only one device, its runs are compared, and options that need two devices are refused.
void check_repeats(const Options& values, const Subject& only) {
  if (only.runs.size() < 2)
    throw Error(fmt::format("compare needs two devices, or several runs of one: {} is only {}",
                            texts(values, "side").front(), only.name));
  if (values.has("price") || values.has("capital") || values.is_stated("weights"))
    throw Error("--price, --weights and --capital compare devices: these are runs of one");
  if (values.has("report")) throw Error("--report compares devices: these are runs of one");
}

/// A decode step of a language model; nothing where --workload names none.
std::optional<questions::Workload> model_workload(const Options& values, const std::vector<DType>& dtypes) {
  using namespace questions;
  const std::string name = values.text("workload");
  if (!catalogue::has_name(transformers(), name)) {
    if (values.is_stated("batch") || values.is_stated("context"))
      throw Error("--batch and --context are of a model that --workload names");
    return {};
  }
  const Transformer& model = find_transformer(name);
  Inference what{.batch = positive_number<Count>("batch", values.text("batch")),
                 .context = positive_number<Count>("context", values.text("context"))};
  if (dtypes.size() > 1) throw Error("--dtype: a model is compared in one type");
  if (dtypes.empty()) what = as_published(model, what);
  for (const DType dtype : dtypes) what.weights = what.cache = what.activations = dtype;
  const auto misfit_of = [&model, what](const Subject& subject) -> std::optional<Misfit> {
    const MachineModel machine = machine_of(subject, Scope::node);
    const InferencePlan plan = plan_inference(model, machine, what);
    if (plan.fits.value_or(true) || !(machine.memory_byte > 0)) return {};
    return Misfit{plan.weights_byte + plan.cache_byte, *machine.memory_byte, plan.devices_needed, plan.why_none};
  };
  return Workload{fmt::format("a decode step of {} at batch {}, context {} and {}", model.name, what.batch,
                              what.context, types_text(what)),
                  points_of(model, what),
                  {},
                  misfit_of};
}

/// Bounds of stated work in place of the operators measured.
void use_workload(const Options& values, Compared& compared) {
  if (!values.has("workload")) {
    for (const char* option : {"efficiency", "batch", "context"}) {
      if (values.is_stated(option)) throw Error(fmt::format("--{} goes with --workload", option));
    }
    return;
  }
  if (compared.subjects.size() == 1) throw Error("--workload ranks devices: these are runs of one");
  auto& dtypes = compared.options.dtypes;
  const auto model = model_workload(values, dtypes);
  const auto workload = model ? *model : questions::read_workload(values.text("workload"), dtypes, operator_specs());
  if (model) dtypes.clear();  // its residual stream may be of another one
  std::optional<std::size_t> assumed_of;
  if (values.has("efficiency")) assumed_of = subject_named("efficiency", compared.subjects, values.text("efficiency"));
  if (!values.is_stated("weights")) compared.options.summed = workload.counted();
  compared.bounds =
      questions::use_bounds(compared.subjects, workload.name, workload.points, assumed_of, workload.misfit_of);
  if (workload.weights.empty()) return;
  if (values.is_stated("weights")) throw Error("--weights and the weights of --workload exclude each other");
  compared.options.weights = workload.weights;
}

/// What plans the devices that hold what one of a subject does not.
std::vector<std::string> plan_commands(const Options& values, const std::vector<Subject>& subjects) {
  std::vector<std::string> commands;
  std::string more;
  for (const char* option : {"batch", "context"}) more += fmt::format(" --{} {}", option, values.text(option));
  for (const DType dtype : dtypes_of(values, "dtype"))
    more += fmt::format(" --weights {0} --cache {0} --activations {0}", to_string(dtype));
  for (const char* option : {"devices-file", "models-file"})
    for (const std::string& file : texts(values, option)) more += fmt::format(" --{} {}", option, for_shell(file));
  for (const Subject& subject : subjects)
    if (subject.misfit && subject.misfit->devices_needed)
      commands.push_back(
          fmt::format("gable plan {} --on {} --devices {}{}", for_shell(values.text("workload")),
                      for_shell(subject.runs.empty() ? subject.device.name : subject.runs.front().source),
                      *subject.misfit->devices_needed, more));
  return commands;
}

bool is_html(const std::filesystem::path& output) { return output.extension() == ".html"; }

/// Checked before anything is computed: the report can be written, and replaces no existing file and no input.
void check_report(const Options& values) {
  if (!values.has("report")) {
    if (values.is_on("force")) throw Error("--force goes with --report");
    if (values.has("title")) throw Error("--title goes with --report");
    return;
  }
  namespace fs = std::filesystem;
  const fs::path output = values.text("report");
  if (!is_html(output) && output.extension() != ".md")
    throw Error(fmt::format("--report: '{}' ends neither in .html nor in .md", output.string()));
  refuse_inputs(values, "report", output);
  check_new_file("report", output, values.is_on("force"));
}

void write_report(const Options& values, const Compared& compared, const std::optional<questions::TotalCost>& cost) {
  const std::filesystem::path output = values.text("report");
  questions::TenderParts parts{result::this_build().version, values.text("title")};
  if (is_html(output)) {
    try {
      parts.picture = questions::comparison_roofline(compared);
    } catch (const Error& error) {
      say(printable(fmt::format("gable: {} has no roofline picture: {}", output.string(), error.what())) + '\n');
    }
  }
  const render::Document document = questions::tender(compared, cost, parts);
  result::write_file_atomically(output, is_html(output) ? render::html(document) : render::markdown(document),
                                values.is_on("force"));
}

Usage compare_usage() {
  Usage usage{.synopsis = "compare A B … [options]",
              .summary =
                  "Ceilings, ridge points and operators side by side: by what factor, why, and whether it is more "
                  "than noise. A and B are result files (FILE.json:DEVICE) or devices of the catalogue; A is the "
                  "baseline. Several files of one device are repeats of it.",
              .example = "gable compare epyc.json h200.json --dtype fp32,fp64 --price 0.4,3.2"};
  auto add = usage.options.add_options();
  add("dtype", many("TYPE,…"), "only these types of ceilings and operators");
  add("weights", one("BY")->default_value("operator"),
      "of the mean: operator (each the same), time (of the baseline, with a census' counts), FILE.json of names and "
      "weights; or sum: no mean, all times with their counts");
  add("workload", one("FILE"),
      "rank by the bounds of stated work, measured or not: a suite, a census, a result's points, names with weights, "
      "or a decode step of a model (gable plan --list)");
  add("batch", one("N")->default_value("1"), "of such a model: sequences side by side");
  add("context", one("N")->default_value("4096"), "of such a model: tokens of each sequence");
  add("efficiency", one("A"), "assume that what was not measured reaches as much of its bounds as this subject does");
  add("price", many("P,…"), "of a device-hour, in the order of the devices, or NAME=P: cost of results");
  offer_cost(usage.options);
  add("apart", po::bool_switch(), "files of one device are compared, not taken as repeats");
  add("report", one("FILE"), "also write a report for decision makers: .html or .md by its ending");
  add("title", one("TEXT"), "of the report (the names of the devices)");
  add("name", many("A=TEXT"), "what a device is called, by its letter or a part of its name; may be repeated");
  add("force", po::bool_switch(), "replace an existing file of --report");
  add("explain", po::bool_switch(), "print the formulas");
  offer_format(usage.options);
  add("side", many("A"), "what is compared, instead of the first words");
  offer_devices_files(usage.options);
  offer_models_files(usage.options);
  usage.positional.add("side", -1);
  return usage;
}

}  // namespace

int compare(const Arguments& arguments) {
  const auto values = parse(compare_usage(), arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  add_models_files(*values);
  const auto names = texts(*values, "side");
  if (names.empty()) throw Error("compare needs result files or devices of the catalogue: two, or repeats of one");
  check_report(*values);
  Compared compared{subjects_named(names, values->is_on("apart")), {}, {}};
  set_names(*values, compared.subjects);
  compared.options.dtypes = dtypes_of(*values, "dtype");
  set_weights(compared.options, values->text("weights"));
  use_workload(*values, compared);
  check_weights(*values, compared.subjects);
  compared.options.prices = values_by_subject(*values, "price", compared.subjects, price_of);
  compared.options.currency = values->text("currency");
  const auto assumptions = cost_assumptions_of(*values, compared.subjects);
  const bool repeats = compared.subjects.size() == 1;
  if (repeats) check_repeats(*values, compared.subjects.front());
  compared.answer = questions::compare(compared.subjects, compared.options);
  const bool formulas = values->is_on("explain");
  if (repeats) {
    fmt::print("{}", written(questions::repeats_answer(compared, formulas), *values));
    return exit_ok;
  }
  std::optional<questions::TotalCost> cost;
  if (assumptions)
    cost = questions::total_cost(compared, *assumptions);
  else if (compared.bounds || questions::are_rented(compared.options))
    cost = questions::ranking(compared);
  if (values->has("report")) write_report(*values, compared, cost);
  Answer answer = questions::comparison_answer(compared, cost, formulas);
  answer.add_notes("plans of several devices", plan_commands(*values, compared.subjects));
  fmt::print("{}", written(answer, *values));
  return exit_ok;
}

}  // namespace gable::cli
