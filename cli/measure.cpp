#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/analysis/place.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/report/report.hpp"
#include "core/result/journal.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/worker/campaign.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

/// What one of measure, calibrate and run was asked to do.
struct Task {
  Request request;
  std::vector<std::string> devices;
  fs::path output;
  bool force{};
  bool resume{};
  bool list_only{};
  std::vector<std::string> command_line;
};

constexpr std::string_view default_output = "gable-result.json";
/// Options that decide what is measured, and so cannot be combined with --resume.
constexpr std::string_view plan_options[] = {"device",   "quick",  "full",  "dtype",
                                             "operator", "params", "scope", "threads"};

Usage usage(std::string_view name, const Request& parts) {
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
    request.params.push_back(params);
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
  return request;
}

fs::path journal_path(const fs::path& output) { return output.string() + ".journal"; }

Task read_task(const po::variables_map& values, Request parts) {
  Task task;
  task.force = values["force"].as<bool>();
  task.list_only = values["list"].as<bool>();
  task.output = values.count("output") != 0 ? values["output"].as<std::string>() : std::string(default_output);
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
  task.output = values["resume"].as<std::string>();
  if (task.output.extension() == ".journal") task.output.replace_extension();
  return task;
}

std::vector<worker::Session> start_workers(Result& result) {
  std::vector<std::string> problems;
  auto sessions = worker::start_sessions(problems);
  for (const std::string& problem : problems) {
    fmt::print(stderr, "note: {}\n", problem);
    result.notes.push_back(problem);
  }
  if (sessions.empty()) {
    throw Error(problems.empty() ? "no worker found: expected gable-worker-openmp-* beside gable or in ../libexec/gable"
                                 : fmt::format("no worker starts; {}", problems.front()));
  }
  return sessions;
}

void print_list(const worker::Campaign& campaign) {
  for (const auto& station : campaign.stations()) {
    fmt::print("{}: {}\n", station.device.id, station.device.name);
    for (const auto& item : station.items.items) fmt::print("  {:<72} {:.1f} s\n", item.id, item.expected_s);
  }
}

std::string request_text(const Task& task) {
  auto json = worker::request_to_json(task.request);
  json["devices"] = task.devices;
  return json.dump();
}

result::JournalContent read_plan(Task& task) {
  const fs::path journal = journal_path(task.output);
  if (!fs::exists(journal)) {
    throw Error(fmt::format("--resume: no journal '{}'{}", journal.string(),
                            fs::exists(task.output) ? ": that run is complete" : ""));
  }
  auto content = result::read_journal(journal);
  const auto json = nlohmann::json::parse(content.request);
  task.request = worker::request_from_json(json);
  task.devices = json.at("devices").get<std::vector<std::string>>();
  return content;
}

/// The journal's figures belong to one machine: going on elsewhere would mix two.
void check_same_devices(const Result& before, const worker::Campaign& campaign) {
  for (const auto& station : campaign.stations()) {
    for (const DeviceInfo& device : before.devices) {
      if (device.id == station.device.id &&
          (device.name != station.device.name || device.cores != station.device.cores)) {
        throw Error(fmt::format("--resume: the journal was measured on {} ({} cores), this is {} ({} cores)",
                                device.name, device.cores, station.device.name, station.device.cores));
      }
    }
  }
}

bool any_failed(const Result& result) {
  const auto failed = [](const auto& row) { return row.status == Status::error; };
  return std::any_of(result.ceilings.begin(), result.ceilings.end(), failed) ||
         std::any_of(result.curves.begin(), result.curves.end(), failed) ||
         std::any_of(result.points.begin(), result.points.end(), failed);
}

void check_output(const Task& task) {
  result::check_writable(task.output);
  if (task.force) {
    fs::remove(journal_path(task.output));
  } else if (fs::exists(task.output)) {
    throw Error(fmt::format("'{}' exists; name another --output or add --force", task.output.string()));
  }
}

int perform(Task& task) {
  Result result;
  result::JournalContent before;
  if (task.resume) {
    before = read_plan(task);
    result = before.header;
    ++result.run.resumed;
  } else if (!task.list_only) {
    check_output(task);
  }
  worker::watch_interrupts();
  worker::Campaign campaign(start_workers(result), task.devices, task.request);
  campaign.open();
  if (task.list_only) {
    print_list(campaign);
    return exit_ok;
  }
  if (task.resume) check_same_devices(before.header, campaign);
  if (!task.resume) {
    result.build = result::this_build();
    result.run = result::begin_run(task.command_line, task.request.mode);
    for (const auto& station : campaign.stations()) {
      result.devices.push_back(station.device);
      result.workers.emplace_back(station.session.hello().worker, station.session.hello().build);
    }
  }
  const fs::path path = journal_path(task.output);
  result::Journal journal =
      task.resume ? result::Journal::reopen(path, before) : result::Journal::create(path, result, request_text(task));
  for (const std::string& key : before.order) worker::add_rows(result, before.items.at(key));
  Progress progress;
  try {
    campaign.run(before.order, journal, result, progress);
  } catch (const worker::InterruptedError&) {
    progress.note(fmt::format("interrupted; what was measured is kept: go on with --resume {}", task.output.string()));
    return exit_interrupted;
  }
  analysis::place_points(result);
  result::finish_run(result.run);
  result.run.complete = true;
  result::save(result, task.output);
  journal.discard();
  fmt::print("{}\nresult: {}\n", report::text(result), task.output.string());
  return any_failed(result) ? exit_failed_rows : exit_ok;
}

int measure_parts(std::string_view name, const Arguments& arguments, const Request& parts) {
  Usage described = usage(name, parts);
  const auto values = parse(described, arguments);
  if (!values) return exit_ok;
  Task task = read_task(*values, parts);
  task.command_line = {"gable", std::string(name)};
  task.command_line.insert(task.command_line.end(), arguments.begin(), arguments.end());
  try {
    return perform(task);
  } catch (const worker::InterruptedError&) {
    fmt::print(stderr, "interrupted before anything was measured\n");
    return exit_interrupted;
  }
}

}  // namespace

int measure(const Arguments& arguments) { return measure_parts("measure", arguments, {}); }

int calibrate(const Arguments& arguments) {
  Request parts;
  parts.points = false;
  return measure_parts("calibrate", arguments, parts);
}

int run(const Arguments& arguments) {
  Request parts;
  parts.ceilings = false;
  return measure_parts("run", arguments, parts);
}

}  // namespace gable::cli
