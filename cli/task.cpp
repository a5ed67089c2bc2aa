#include "cli/task.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/error.hpp"
#include "core/operator.hpp"

namespace gable::cli {
namespace {

constexpr std::string_view default_output = "gable-result.json";
/// Options that decide what is measured and where it goes, and so cannot be combined with --resume.
constexpr std::string_view plan_options[] = {"device", "quick", "full",    "dtype",  "operator",
                                             "params", "scope", "threads", "output", "force"};

}  // namespace

Usage task_usage(std::string_view name, const Request& parts) {
  const bool points = parts.points;
  Usage usage{.synopsis = name == "measure"     ? "measure [options]"
                          : name == "calibrate" ? "calibrate [options]"
                                                : "run [options]",
              .summary = name == "measure"     ? "Measures the ceilings of a device and runs the operators under them."
                         : name == "calibrate" ? "Measures the ceilings of a device."
                                               : "Runs the operators.",
              .example = name == "measure"     ? "gable measure --quick --dtype fp32,fp64 --output result.json"
                         : name == "calibrate" ? "gable calibrate --full --scope core --output core.json"
                                               : "gable run --operator gemm --params m=512,n=512,k=512 --dtype fp32",
              .options = po::options_description("options")};
  const auto strings = [] { return po::value<std::vector<std::string>>()->composing(); };
  auto add = usage.options.add_options();
  add("device", strings()->value_name("ID,…"), "devices to measure, as 'gable devices' names them (all found)");
  add("quick", po::bool_switch(), "the main figures in seconds (default)");
  add("full", po::bool_switch(), "everything, with narrower intervals, in minutes");
  add("dtype", strings()->value_name("TYPE,…"), "data types: fp64, fp32, fp16, bf16, int8 … (all)");
  if (points) {
    add("operator", strings()->value_name("NAME,…"), "operators to run (all)");
    add("params", strings()->value_name("m=…,n=…"), "sizes for the one operator named; may be repeated");
  }
  add("scope", po::value<std::string>()->value_name("SCOPE"), "node, socket, numa or core (node)");
  add("threads", po::value<std::string>()->value_name("N"), "threads to use (every core of the scope)");
  add("output", po::value<std::string>()->value_name("FILE"), "result file (gable-result.json)");
  add("force", po::bool_switch(), "replace an existing result file or journal");
  add("resume", po::value<std::string>()->value_name("FILE"), "go on with the interrupted run of this result file");
  add("list", po::bool_switch(), "print what would be measured and stop");
  return usage;
}

namespace {

DType dtype_of(const std::string& text) {
  if (const auto dtype = parse_dtype(text)) return *dtype;
  std::string known;
  for (const DType dtype : all_dtypes) known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(dtype));
  throw Error(fmt::format("--dtype: unknown type '{}'; known: {}", text, known));
}

int threads_of(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
    throw Error(fmt::format("--threads: '{}' is not a positive number", text));
  }
  return value;
}

/// Sizes are checked against the operator here, so that bad ones cost no measurement.
void read_operators(const po::variables_map& values, Request& request) {
  request.operators = list(values, "operator");
  for (const std::string& name : request.operators) find_spec(name);
  if (values.count("params") == 0) return;
  if (request.operators.size() != 1) throw Error("--params needs exactly one --operator");
  const OperatorSpec& spec = find_spec(request.operators.front());
  for (const std::string& text : values["params"].as<std::vector<std::string>>()) {
    const Params params = Params::parse(text);
    for (const Types& types : spec.types) spec.work(params, types);
    if (std::ranges::count(request.params, params) == 0) request.params.push_back(params);
  }
}

/// A type that no operator asked for takes would measure nothing, silently.
void check_dtypes(const Request& request) {
  if (!request.points || (request.ceilings && request.operators.empty())) return;
  for (const DType dtype : request.dtypes) {
    const auto takes = [&](const OperatorSpec* spec) {
      return (request.operators.empty() || std::ranges::count(request.operators, spec->name) != 0) &&
             std::ranges::count(spec->types, dtype, &Types::a) != 0;
    };
    if (std::ranges::any_of(operator_specs(), takes)) continue;
    throw Error(request.operators.empty() ? fmt::format("--dtype: no operator takes {}", to_string(dtype))
                                          : fmt::format("--dtype: {} cannot be run with {}",
                                                        fmt::join(request.operators, ", "), to_string(dtype)));
  }
}

Request read_request(const po::variables_map& values, Request request) {
  if (values["quick"].as<bool>() && values["full"].as<bool>()) throw Error("--quick and --full exclude each other");
  request.mode = values["full"].as<bool>() ? Mode::full : Mode::quick;
  for (const std::string& text : list(values, "dtype")) request.dtypes.push_back(dtype_of(text));
  if (values.count("scope") != 0) {
    const auto& text = values["scope"].as<std::string>();
    const auto scope = parse_scope(text);
    if (!scope) throw Error(fmt::format("--scope: unknown scope '{}'; known: node, socket, numa, core", text));
    request.scope = *scope;
  }
  if (values.count("threads") != 0) request.threads = threads_of(values["threads"].as<std::string>());
  if (request.points) read_operators(values, request);
  check_dtypes(request);
  return request;
}

}  // namespace

Task read_task(const po::variables_map& values, Request parts) {
  Task task;
  task.force = values["force"].as<bool>();
  task.list_only = values["list"].as<bool>();
  task.output = values.count("output") != 0 ? values["output"].as<std::string>() : std::string(default_output);
  if (task.output.empty()) throw Error("--output is empty");
  task.resume = values.count("resume") != 0;
  if (!task.resume) {
    task.request = read_request(values, std::move(parts));
    task.devices = list(values, "device");
    return task;
  }
  for (const std::string_view option : plan_options) {
    const std::string name(option);
    if (values.count(name) != 0 && !values[name].defaulted()) {
      throw Error(fmt::format("--{} cannot be combined with --resume: the journal knows the plan", name));
    }
  }
  task.request = std::move(parts);
  task.output = values["resume"].as<std::string>();
  if (task.output.extension() == ".journal") task.output.replace_extension();
  return task;
}

}  // namespace gable::cli
