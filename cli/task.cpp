#include "cli/task.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/workload/suite.hpp"

namespace gable::cli {
namespace {

constexpr std::string_view default_output = "gable-result.json";
/// Options that decide what is measured and where it goes, which --resume and --remeasure take from the run that they
/// go on with.
constexpr std::string_view plan_options[] = {"device", "quick", "full",   "dtype",     "operator",
                                             "params", "suite", "census", "scope",     "threads",
                                             "output", "force", "runs",   "concurrent"};

void add_case_options(po::options_description& options) {
  auto add = options.add_options();
  add("operator", many("NAME,…"), "operators to run");
  add("params", many("m=…,n=…"), "sizes for the one operator named; may be repeated");
  add("suite", one("NAME|FILE"),
      "run the operators of a suite, as 'gable suites' names them (quick; all with --full), or of your own file");
  add("census", one("FILE.csv"), "run gemm at each shape of a table with the columns m, n, k, count");
}

void add_runs_option(po::options_description& options) {
  options.add_options()("runs", one("N"),
                        "run every operator exactly N times in one batch, for a profiler that counts beside it; its "
                        "time has no interval, and only Gable's own kernels run");
}

void add_concurrent_option(po::options_description& options) {
  options.add_options()("concurrent", po::bool_switch(),
                        "measure what devices take from each other: main memory, vector and matrix units and the "
                        "links of each alone, and of all at the same time. A CPU by itself is taken in its sockets, "
                        "NUMA nodes or cores, the first of which it has several, or as --scope says");
}

void add_roofs_option(po::options_description& options) {
  options.add_options()(
      "roofs", many("FILE…")->multitoken(),
      "judge the operators by the ceilings of these result files, measured before on the same device");
}

void add_what_options(po::options_description& options) {
  auto add = options.add_options();
  add("device", many("ID,…"), "devices to measure, as 'gable devices' names them (all found)");
  add("quick", po::bool_switch(), "the main figures in seconds (default)");
  add("full", po::bool_switch(), "everything, with narrower intervals, in minutes");
  add("dtype", many("TYPE,…"), "data types: fp64, fp32, fp16, bf16, int8 … (all)");
  add("scope", one("SCOPE"), "node, socket, numa or core (node)");
  add("threads", one("N"), "threads to use (every core of the scope)");
  add("retry-budget", one("SECONDS"),
      "most time for measuring again what ends without a good figure (--quick: as long as planned for all; --full: a "
      "fifth)");
}

}  // namespace

void add_measuring_options(po::options_description& options) {
  add_what_options(options);
  auto add = options.add_options();
  add("output", one("FILE"), "result file (gable-result.json)");
  add("force", po::bool_switch(), "replace an existing result file or journal");
  add("remeasure", one("FILE"),
      "measure again what is suspect, skipped or in error in this result, as it was begun, into --output or, without "
      "it, the same file");
  add("resume", one("FILE"), "go on with the interrupted run of this result file");
  add("quiet", po::bool_switch(), "print nothing but what is wrong: no progress, no tables");
  add("list", po::bool_switch(), "print what would be measured and stop");
}

void add_plan_options(po::options_description& options) {
  add_case_options(options);
  add_what_options(options);
}

void check_dtypes(std::span<const Case> cases, std::span<const DType> dtypes, const std::string& asked_for) {
  for (const DType dtype : dtypes) {
    const auto takes = [&](const Case& one) {
      return (one.dtypes.empty() || std::ranges::count(one.dtypes, dtype) != 0) &&
             std::ranges::count(find_spec(one.op).types, dtype, &Types::a) != 0;
    };
    if (std::ranges::any_of(cases, takes)) continue;
    const std::string refused = cases.size() == 1 ? refused_type(find_spec(cases.front().op), dtype) : "";
    throw Error(fmt::format("--dtype: {} cannot be run with {}{}", asked_for, to_string(dtype),
                            refused.empty() ? "" : "; " + refused));
  }
}

std::string command_of(const Request& parts) {
  if (!parts.experiment.empty()) return "experiment " + parts.experiment;
  if (parts.ceilings && parts.points) return "measure";
  return parts.ceilings ? "calibrate" : "run";
}

Usage task_usage(const Request& parts) {
  const bool both = parts.ceilings && parts.points;
  Usage usage{.synopsis = command_of(parts) + " [options]",
              .summary = both             ? "Measures the ceilings of a device and runs the operators under them."
                         : parts.ceilings ? "Measures the ceilings of a device."
                                          : "Runs the operators.",
              .example = both             ? "gable measure --quick --dtype fp32,fp64 --output result.json"
                         : parts.ceilings ? "gable calibrate --full --scope core --output core.json"
                                          : "gable run --operator gemm --params m=512,n=512,k=512 --dtype fp32 --roofs "
                                            "ceilings.json"};
  if (parts.points) add_case_options(usage.options);
  if (!parts.ceilings) add_roofs_option(usage.options);
  if (parts.points && !parts.ceilings) add_runs_option(usage.options);
  if (parts.ceilings && !parts.points) add_concurrent_option(usage.options);
  add_measuring_options(usage.options);
  return usage;
}

namespace {

/// Sizes are checked against the operator here, so that bad ones cost no measurement.
std::vector<Case> operator_cases(const Options& values) {
  std::vector<Case> cases;
  for (const std::string& name : list(values, "operator")) {
    find_spec(name);
    cases.push_back({.op = name, .must_fit = true});
  }
  if (!values.has("params")) return cases;
  if (cases.size() != 1) throw Error("--params needs exactly one --operator");
  Case& one = cases.front();
  const OperatorSpec& spec = find_spec(one.op);
  for (const std::string& text : texts(values, "params")) {
    const Params params = Params::parse(text);
    for (const Types& types : spec.types) spec.work(params, types);
    if (std::ranges::count(one.params, params) == 0) one.params.push_back(params);
  }
  return cases;
}

/// What --operator, --suite or --census name; without any, the suite of the mode.
void read_cases(const Options& values, Request& request) {
  std::vector<std::string> given;
  for (const char* option : {"operator", "suite", "census"}) {
    if (values.has(option)) given.emplace_back(option);
  }
  if (given.size() > 1) throw Error(fmt::format("--{} and --{} exclude each other", given[0], given[1]));
  if (values.has("operator") || values.has("params")) {
    request.cases = operator_cases(values);
    check_dtypes(request.cases, request.dtypes, fmt::format("{}", fmt::join(list(values, "operator"), ", ")));
  } else if (values.has("census")) {
    const auto& file = values.text("census");
    request.cases = workload::read_census(file, find_spec("gemm"));
    check_dtypes(request.cases, request.dtypes, file);
  } else {
    const bool named = values.has("suite");
    const std::string suite = named ? values.text("suite") : request.mode == Mode::quick ? "quick" : "all";
    request.cases = workload::find_suite(suite, operator_specs()).cases;
    // without a named operator, the type may be meant for the ceilings only
    if (named || !request.ceilings) check_dtypes(request.cases, request.dtypes, fmt::format("suite {}", suite));
  }
}

Request read_request(const Options& values, Request request) {
  if (values.is_on("quick") && values.is_on("full")) throw Error("--quick and --full exclude each other");
  request.mode = values.is_on("full") ? Mode::full : Mode::quick;
  request.dtypes = dtypes_of(values, "dtype");
  if (values.has("scope")) {
    const auto& text = values.text("scope");
    const auto scope = parse_name<Scope>(text);
    if (!scope) throw Error(fmt::format("--scope: unknown scope '{}'; known: node, socket, numa, core", text));
    request.scope = *scope;
  }
  if (values.has("threads")) {
    request.threads = positive_number<int>("threads", values.text("threads"));
  }
  request.concurrent = values.has("concurrent") && values.is_on("concurrent");
  if (request.concurrent && request.threads != 0)
    throw Error("--threads cannot be combined with --concurrent: every device works with all of its cores");
  if (values.has("runs")) request.exact_runs = positive_number<int>("runs", values.text("runs"));
  if (request.points && request.experiment.empty()) read_cases(values, request);
  return request;
}

/// A result is JSON, whatever its name says: one that names another form is a misunderstanding.
void check_ending(const std::filesystem::path& output) {
  constexpr std::array<std::string_view, 8> others{".csv", ".txt", ".md", ".html", ".svg", ".png", ".pdf", ".xml"};
  const std::string ending = output.extension().string();
  if (std::ranges::count(others, ending) != 0)
    throw Error(fmt::format("--output: '{}' would be JSON: name it .json, and 'gable report' writes {} from it",
                            output.string(), ending));
}

/// What the options say of what is measured, but not of where it goes.
void read_plan_into(Task& task, const Options& values, Request parts) {
  task.request = read_request(values, std::move(parts));
  task.devices = list(values, "device");
}

/// Throws Error for an option that says otherwise than the run that --resume or --remeasure goes on with.
void check_goes_on(const Options& values, const Task& task) {
  std::vector<std::string> others(std::begin(plan_options), std::end(plan_options));
  if (task.remeasures()) others.insert(others.end(), {"resume", "roofs"});
  for (const std::string& name : others) {
    if (task.remeasures() && (name == "output" || (name == "force" && values.is_stated("output")))) continue;
    if (values.is_stated(name))
      throw Error(fmt::format(
          "--{} cannot be combined with {}", name,
          task.remeasures() ? "--remeasure: the result knows its plan" : "--resume: the journal knows the plan"));
  }
}

void read_retry_budget(Task& task, const Options& values) {
  if (values.has("retry-budget")) task.retry_budget_s = seconds("retry-budget", values.text("retry-budget"));
}

}  // namespace

Task read_plan(const Options& values) {
  Task task;
  read_retry_budget(task, values);
  read_plan_into(task, values, {});
  return task;
}

Task read_task(const Options& values, Request parts) {
  Task task;
  task.force = values.is_on("force");
  task.list_only = values.is_on("list");
  task.quiet = values.is_on("quiet");
  task.output = values.has("output") ? values.text("output") : std::string(default_output);
  if (task.output.empty()) throw Error("--output is empty");
  check_ending(task.output);
  task.roofs = texts(values, "roofs");
  task.resume = values.has("resume");
  task.remeasured = values.text("remeasure");
  if (values.has("remeasure") && !task.remeasures()) throw Error("--remeasure is empty");
  read_retry_budget(task, values);
  if (!task.goes_on()) {
    refuse_inputs(values, "output", task.output);
    read_plan_into(task, values, std::move(parts));
    return task;
  }
  check_goes_on(values, task);
  task.request = std::move(parts);
  if (!task.remeasures() || !values.is_stated("output"))
    task.output = values.text(task.resume ? "resume" : "remeasure");
  if (task.resume && task.output.extension() == ".journal") task.output.replace_extension();
  return task;
}

}  // namespace gable::cli
