#include <utility>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/questions/plan/inference_plan.hpp"
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

std::vector<DType> dtypes_or_bf16(const Options& values, const std::string& option) {
  auto types = dtypes_of(values, option);
  if (types.empty()) types.push_back(DType::bf16);
  return types;
}

/// For every pair of the named types of weights and of cache, in the order of the command line.
std::vector<Inference> read_inferences(const Options& values) {
  const auto count_of = [&](const std::string& option) { return positive_number<Count>(option, values.text(option)); };
  Inference what{.batch = count_of("batch"), .context = count_of("context")};
  what.activations = dtype_of("activations", values.text("activations"));
  what.devices = count_of("devices");
  std::vector<Inference> all;
  for (const DType weights : dtypes_or_bf16(values, "weights")) {
    for (const DType cache : dtypes_or_bf16(values, "cache")) {
      what.weights = weights;
      what.cache = cache;
      all.push_back(what);
    }
  }
  return all;
}

/// The roofs: of --on or of stated figures, else those of the file that is measured against.
MachineModel read_machine(const Options& values, std::span<const Inference> all) {
  std::vector<Types> types;
  for (const Inference& what : all) {
    for (const Types& one : questions::types_of(what)) types.push_back(one);
  }
  auto machines = machines_of(values, types);
  if (machines.empty() && values.has("measured")) return machine_named(values.text("measured"));
  if (machines.empty()) throw Error("plan needs --on DEVICE or --on RESULT.json, or --peak and --bandwidth");
  if (machines.size() > 1) throw Error("plan takes one machine; gable plan of each tells them apart");
  return std::move(machines.front());
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

/// The one quantity that an option states.
std::optional<double> stated(const Options& values, const std::string& option, std::string_view unit,
                             std::string_view form) {
  const auto all = quantities(values, option, unit, form);
  if (all.size() > 1) throw Error(fmt::format("--{} is given more than once", option));
  return one_for(all, 0);
}

/// --link: a quantity, or the result of a network (or what is named of it). Each counts between any two of the plan's
/// devices.
void set_link(const Options& values, MachineModel& machine, Count devices) {
  const auto given = texts(values, "link");
  if (given.empty()) return;
  machine.links.reset();
  machine.linked_devices.reset();
  if (const auto file = given.size() == 1 ? file_named(given.front()) : std::nullopt) {
    machine.link_byte_per_s.reset();
    questions::set_network(machine, result::load(file->path), file->path, file->device, devices);
  } else {
    machine.link_byte_per_s = stated(values, "link", "byte/s", "900GB/s");
  }
}

PlanAnswer answer_of(const Options& values) {
  if (!values.has("model")) throw Error("plan needs a model; gable plan --list names them");
  PlanAnswer answer;
  answer.model = &questions::find_transformer(values.text("model"));
  const auto all = read_inferences(values);
  read_phases(values, answer);
  answer.machine = read_machine(values, all);
  if (const auto memory = stated(values, "memory", "byte", "80GB")) answer.machine.memory_byte = memory;
  set_link(values, answer.machine, all.front().devices);
  answer.measurement = read_measurement(values, answer.machine);
  const bool sweep = values.is_on("sweep");
  if (sweep && !answer.decode) throw Error("--sweep is of decode steps, and --phase leaves them out");
  questions::make_plans(answer, all, sweep);
  return answer;
}

void write_suite(const Options& values, PlanAnswer& answer) {
  if (!values.has("suite")) return;
  const std::filesystem::path file = values.text("suite");
  result::check_writable(file);
  if (!values.is_on("force") && std::filesystem::exists(file))
    throw Error(fmt::format("'{}' exists; name another --suite or add --force", file.string()));
  const auto operators = operator_specs();
  if (answer.prefill) questions::add_cases(answer.suite, "prefill", answer.plan.prefill, operators);
  if (answer.decode) questions::add_cases(answer.suite, "decode", answer.plan.decode, operators);
  if (answer.suite.cases.empty()) throw Error("--suite: no operator of this plan can be run");
  const auto& what = answer.what;
  std::string summary = fmt::format("{}: batch {}, context {}, one device of {}", answer.model->name, what.batch,
                                    what.context, what.devices);
  const std::string text = workload::suite_text({"plan", std::move(summary), answer.suite.cases});
  workload::parse_suite(text, file.string(), operators);
  result::write_file_atomically(file, text);
  answer.suite_file = file.string();
}

}  // namespace

int plan(const Arguments& arguments) {
  Usage usage{.synopsis = "plan MODEL (--on DEVICE|RESULT.json | --peak P --bandwidth B) [options]",
              .summary = "What a transformer's prefill and decode cost at least, from a roofline; needs no device.",
              .example = "gable plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 2 --batch 16 --context 4096"};
  offer_machines(usage.options);
  auto add = usage.options.add_options();
  add("memory", many("M"), "stated memory of a device: 80GB");
  add("link", many("B"),
      "bandwidth to another device, both directions together: 900GB/s, or a network's result (its devices' memory "
      "where it has that); FILE.json:host, :device, :nccl, :rccl and :inside_node, :between_nodes for that alone, or "
      "both (:nccl:inside_node; docs/network.md)");
  add("batch", one("N")->default_value("1"), "sequences side by side");
  add("context", one("N")->default_value("4096"), "tokens of each sequence");
  add("devices", one("N")->default_value("1"), "devices that share every layer (tensor parallel)");
  add("weights", many("TYPE,…"), "type of the weights (bf16); of several the decode steps are compared");
  add("cache", many("TYPE,…"), "type of cached keys and values (bf16); several as well");
  add("activations", one("TYPE")->default_value("bf16"), "type of everything else");
  add("phase", one("NAME"), "prefill or decode alone");
  add("sweep", po::bool_switch(), "decode for batches 1 to 1024, too");
  add("suite", one("FILE.json"), "write the plan's operators as a suite for gable run");
  add("force", po::bool_switch(), "replace an existing suite file");
  add("measured", one("FILE.json"), "a result (FILE.json:DEVICE): times of the plan's operators beside their bounds");
  add("explain", po::bool_switch(), "print the formulas");
  offer_format(usage.options);
  add("list", po::bool_switch(), "print the models and stop");
  add("model", one("NAME"), "the model, instead of the first word");
  offer_devices_files(usage.options);
  offer_models_files(usage.options);
  usage.positional.add("model", 1);
  const auto values = parse(std::move(usage), arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  add_models_files(*values);
  if (values->is_on("list")) {
    fmt::print("{}", written(questions::models_answer(), *values));
    return exit_ok;
  }
  PlanAnswer answer = answer_of(*values);
  write_suite(*values, answer);
  answer.formulas = values->is_on("explain");
  fmt::print("{}", written(questions::answer_of(answer), *values));
  return exit_ok;
}

}  // namespace gable::cli
