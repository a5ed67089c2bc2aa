#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/questions/compare/total_cost.hpp"
#include "core/questions/plan/inference_plan.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/result/store.hpp"
#include "core/text/text_table.hpp"
#include "core/verdict/named_machine.hpp"
#include "core/workload/suite.hpp"

namespace gable::cli {
namespace {

using questions::Count;
using questions::Inference;
using questions::PlanAnswer;
using questions::PlanMeasurement;

/// For every pair of the named types of weights (else those that the model is published in) and of cache, in the order
/// of the command line.
std::vector<Inference> read_inferences(const Options& values, const questions::Transformer& model) {
  const auto count_of = [&](const std::string& option) { return positive_number<Count>(option, values.text(option)); };
  Inference what{.batch = count_of("batch"), .context = count_of("context")};
  what.activations = dtype_of("activations", values.text("activations"));
  if (values.has("residual")) what.residual = dtype_of("residual", values.text("residual"));
  what.devices = count_of("devices");
  std::vector<Inference> weights, all;
  for (const DType type : dtypes_of(values, "weights")) weights.emplace_back(what).weights = type;
  if (weights.empty()) weights = {questions::as_published(model, what)};
  const auto caches = dtypes_of(values, "cache");
  for (const Inference& one : weights) {
    if (caches.empty()) all.push_back(one);
    for (const DType cache : caches) all.emplace_back(one).cache = cache;
  }
  return all;
}

/// --link: a quantity, or the result of a network (or what is named of it). Each counts between any two of the plan's
/// devices.
void set_link(const std::string& text, MachineModel& machine, Count devices) {
  const bool added = std::exchange(machine.in_switch_reduction, false);
  machine.links.reset();
  machine.linked_devices.reset();
  if (const auto file = file_named(text)) {
    machine.link_byte_per_s.reset();
    questions::set_network(machine, result::load(file->path), file->path, file->device, devices);
  } else {
    machine.link_byte_per_s = quantity("link", text, "byte/s", "900GB/s");
    machine.notes.push_back(fmt::format("link of {} as stated, both directions together{}",
                                        format_quantity(*machine.link_byte_per_s, "byte/s"),
                                        added ? "; what its own switches add does not count beside it" : ""));
  }
}

/// The roofs: of --on or of stated figures, else those of the file that is measured against.
std::vector<MachineModel> read_machines(const Options& values, std::span<const std::vector<Inference>> all) {
  std::vector<Types> types;
  for (const auto& of_model : all) {
    for (const Inference& what : of_model) std::ranges::copy(questions::types_of(what), std::back_inserter(types));
  }
  auto machines = machines_of(values, types);
  if (machines.empty() && values.has("measured")) machines.push_back(machine_named(values.text("measured")));
  if (machines.empty()) throw Error("plan needs --on DEVICE or --on RESULT.json, or --peak and --bandwidth");
  const auto subjects = questions::subjects_of(machines);
  const auto memory = texts_by_subject(values, "memory", subjects, true),
             link = texts_by_subject(values, "link", subjects, true);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    MachineModel& machine = machines[i];
    if (auto lasting = questions::sustained(machine)) {
      machine = *std::move(lasting);
      machine.notes.emplace_back("arithmetic at what its units sustain, where that was measured: serving lasts");
    }
    if (!memory.empty() && memory[i]) {
      machine.memory_byte = quantity("memory", *memory[i], "byte", "80GB");
      machine.notes.push_back(fmt::format("memory of {} as stated", format_quantity(*machine.memory_byte, "byte")));
    }
    if (!link.empty() && link[i]) set_link(*link[i], machine, all.front().front().devices);
  }
  return machines;
}

/// Price of a device-hour of each machine: --price, or what owning it costs (total_cost.hpp) over the hours of work.
std::vector<std::optional<double>> hour_costs(const Options& values, const std::vector<MachineModel>& machines) {
  const auto subjects = questions::subjects_of(machines);
  const auto number_of = [&](const std::string& option, const Limits& limits, const char* what) {
    if (!values.has(option)) throw Error(fmt::format("--capital needs --{}", option));
    return number_within(option, values.text(option), limits, what);
  };
  const auto money = [&](const std::string& option) {
    return values_by_subject(values, option, subjects, [&](std::string_view text) {
      return number_within(option, text, questions::capital_limits,
                           "amount of money: a positive number without separators in it");
    });
  };
  auto costs = money("price");
  const auto capital = money("capital");
  if (!costs.empty() && !capital.empty()) throw Error("--price and --capital exclude each other");
  costs.resize(machines.size());
  if (capital.empty()) {
    for (const char* option : {"years", "tariff", "pue", "utilisation", "power"}) {
      if (values.has(option)) throw Error(fmt::format("--{} goes with --capital", option));
    }
    return costs;
  }
  questions::CostAssumptions assumed{.years = number_of("years", questions::years_limits, "number of years"),
                                     .tariff_per_kwh = number_of("tariff", questions::tariff_limits, "price of a kWh")};
  if (values.has("pue")) assumed.pue = number_of("pue", questions::pue_limits, "power usage effectiveness");
  if (values.has("utilisation")) assumed.utilisation = fraction(values, "utilisation", 1);
  auto power =
      values_by_subject(values, "power", subjects, [](std::string_view text) { return quantity("power", text, "W"); });
  power.resize(machines.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    assumed.capital.push_back(capital[i].value_or(0));
    if (!capital[i]) continue;
    const auto watt = power[i] ? power[i] : machines[i].power_w;
    if (!watt) throw Error(fmt::format("no power of {} is known; --power states it", machines[i].name));
    costs[i] = questions::owned_device({.watt = *watt}, i, assumed).total /
               (assumed.years * questions::hours_of_year * assumed.utilisation);
  }
  return costs;
}

void read_phases(const Options& values, PlanAnswer& answer) {
  if (!values.has("phase")) return;
  const auto phase = values.text("phase");
  if (phase != "prefill" && phase != "decode")
    throw Error(fmt::format("--phase: unknown phase '{}'; known: prefill, decode", phase));
  answer.prefill = phase == "prefill";
  answer.decode = phase == "decode";
}

std::optional<PlanMeasurement> read_measurement(const Options& values, const MachineModel& machine) {
  if (!values.has("measured")) return {};
  const auto text = values.text("measured");
  const auto file = file_named(text).value_or(NamedFile{text, {}});
  PlanMeasurement measurement{file.path, {}, result::load(file.path), true};
  measurement.device = device_named(measurement.result, file.path, file.device);
  if (values.has("on")) measurement.own_roofs = questions::has_roofs_of(measurement, machine);
  return measurement;
}

/// Several models or machines: a table of all.
Answer table_answer(const Options& values, const std::vector<const questions::Transformer*>& models,
                    const std::vector<MachineModel>& machines, std::span<const std::vector<Inference>> all) {
  for (const char* option : {"phase", "suite", "measured", "sweep", "explain"}) {
    if (values.is_stated(option)) throw Error(fmt::format("--{} is of one model on one machine", option));
  }
  if (all.front().size() > 1) throw Error("several types are compared on one machine and for one model");
  const auto costs = hour_costs(values, machines);
  const auto devices = values.is_stated("devices") ? std::optional(all.front().front().devices) : std::nullopt;
  std::vector<questions::PlanRow> rows;
  for (std::size_t m = 0; m < models.size(); ++m) {
    for (std::size_t i = 0; i < machines.size(); ++i) {
      rows.push_back(questions::plan_row(*models[m], machines[i], all[m].front(), devices));
      rows.back().hour_cost = costs[i];
    }
  }
  if (values.has("picture")) questions::draw_batches(rows, values.text("picture"));
  return questions::answer_of(rows);
}

PlanAnswer answer_of(const Options& values, const questions::Transformer& model, MachineModel machine,
                     std::span<const Inference> all) {
  PlanAnswer answer;
  answer.model = &model;
  read_phases(values, answer);
  answer.machine = std::move(machine);
  answer.hour_cost = hour_costs(values, {answer.machine}).front();
  answer.measurement = read_measurement(values, answer.machine);
  const bool sweep = values.is_on("sweep");
  if (sweep && !answer.decode) throw Error("--sweep is of decode steps, and --phase leaves them out");
  questions::make_plans(answer, all, sweep);
  return answer;
}

void write_suite(const Options& values, PlanAnswer& answer) {
  if (!values.has("suite")) return;
  const std::filesystem::path file = values.text("suite");
  refuse_inputs(values, "suite", file);
  check_new_file("suite", file, values.is_on("force"));
  const auto operators = operator_specs();
  if (answer.prefill) questions::add_cases(answer.suite, "prefill", answer.plan.prefill, operators);
  if (answer.decode) questions::add_cases(answer.suite, "decode", answer.plan.decode, operators);
  if (answer.suite.cases.empty()) throw Error("--suite: no operator of this plan can be run");
  const auto& what = answer.what;
  std::string summary = fmt::format("{}: batch {}, context {}, one device of {}", answer.model->name, what.batch,
                                    what.context, what.devices);
  const std::string text = workload::suite_text({"plan", std::move(summary), answer.suite.cases});
  workload::parse_suite(text, file.string(), operators);
  result::write_file_atomically(file, text, values.is_on("force"));
  answer.suite_file = file.string();
}

Usage plan_usage() {
  Usage usage{.synopsis = "plan MODEL… (--on DEVICE|RESULT.json … | --peak P --bandwidth B) [options]",
              .summary = "What a transformer's prefill and decode cost at least, from a roofline; needs no device.",
              .example = "gable plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 2 --batch 16 --context 4096"};
  offer_machines(usage.options);
  auto add = usage.options.add_options();
  add("memory", many("M,…"),
      "stated memory of a device, one for all machines, one for each in their order, or NAME=M: 80GB");
  add("link", many("B,…"),
      "the same of its bandwidth to another device, both directions together: 900GB/s, or a network's result (its "
      "devices' memory "
      "where it has that); FILE.json:host, :device, :nccl, :rccl and :inside_node, :between_nodes for that alone, or "
      "both (:nccl:inside_node; docs/network.md)");
  add("batch", one("N")->default_value("1"), "sequences side by side");
  add("context", one("N")->default_value("4096"), "tokens of each sequence");
  add("devices", one("N")->default_value("1"),
      "devices that share every layer (tensor parallel); of several machines as many as hold all");
  add("weights", many("TYPE,…"),
      "type of all weights (as the model is published, else bf16); of several the decode steps are compared");
  add("cache", many("TYPE,…"), "type of cached keys and values (bf16); several as well");
  add("activations", one("TYPE")->default_value("bf16"), "type of the values that products multiply");
  add("residual", one("TYPE"),
      "type of the residual stream and of what products write (as the activations; bf16 where these are narrower)");
  add("price", many("P,…"), "of a device-hour, in the order of the machines, or NAME=P: cost of tokens");
  add("capital", many("P,…"), "price of a device instead, with --years and --tariff (of a kWh), as in compare");
  add("years", one("N"), "of use");
  add("tariff", one("P"), "of a kWh");
  add("pue", one("X"), "power of the facility over that of its computers (1)");
  add("utilisation", one("PART"), "of the hours in which devices work: 70% (100%)");
  add("power", many("W,…"), "of a device under load, or NAME=W (the catalogue's TDP)");
  add("phase", one("NAME"), "prefill or decode alone");
  add("sweep", po::bool_switch(), "decode for batches 1 to 1024, too");
  add("picture", one("FILE"), "draw token/s against the batch, with where the memory is full (.svg, .png, .pdf)");
  add("suite", one("FILE.json"), "write the plan's operators as a suite for gable run");
  add("force", po::bool_switch(), "replace an existing suite file");
  add("measured", one("FILE.json"), "a result (FILE.json:DEVICE): times of the plan's operators beside their bounds");
  add("explain", po::bool_switch(), "print the formulas");
  offer_format(usage.options);
  add("list", po::bool_switch(), "print the models and stop");
  add("model", many("NAME"), "a model, instead of the first words");
  offer_devices_files(usage.options);
  offer_models_files(usage.options);
  usage.positional.add("model", -1);
  return usage;
}

}  // namespace

int plan(const Arguments& arguments) {
  const auto values = parse(plan_usage(), arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  add_models_files(*values);
  if (values->is_on("list")) {
    fmt::print("{}", written(questions::models_answer(), *values));
    return exit_ok;
  }
  std::vector<const questions::Transformer*> models;
  std::vector<std::vector<Inference>> all;  // of each of them
  for (const std::string& name : list(*values, "model")) {
    models.push_back(&questions::find_transformer(name));
    all.push_back(read_inferences(*values, *models.back()));
  }
  if (models.empty()) throw Error("plan needs a model; gable plan --list names them");
  const auto machines = read_machines(*values, all);
  if (models.size() * machines.size() > 1) {
    fmt::print("{}", written(table_answer(*values, models, machines, all), *values));
    return exit_ok;
  }
  PlanAnswer answer = answer_of(*values, *models.front(), machines.front(), all.front());
  write_suite(*values, answer);
  if (values->has("picture"))
    questions::draw_batches(std::vector{questions::PlanRow{answer.model, answer.machine, answer.plan, {}}},
                            values->text("picture"));
  answer.formulas = values->is_on("explain");
  fmt::print("{}", written(questions::answer_of(answer), *values));
  return exit_ok;
}

}  // namespace gable::cli
