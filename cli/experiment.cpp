#include "core/experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/perform.hpp"
#include "cli/task.hpp"
#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/result/store.hpp"

namespace gable::cli {
namespace {

Usage experiment_usage() {
  Usage usage{.synopsis = "experiment NAME [options]",
              .summary = "Runs an experiment: a plan, a prediction from measured ceilings, and what was measured.",
              .example = "gable experiment fusion --dtype fp32,bf16 --output fusion.json",
              .options = po::options_description("options")};
  auto add = usage.options.add_options();
  add("name", po::value<std::string>()->value_name("NAME"), "the experiment, also as the first argument");
  add("json", po::bool_switch(), "print the answers as JSON");
  add("from", po::value<std::string>()->value_name("FILE"), "answer from a result file instead of measuring");
  add_measuring_options(usage.options);
  usage.positional.add("name", 1);
  return usage;
}

void print_names() {
  for (const auto& one : experiment::experiments()) fmt::print("{:<14} {}\n", one.name, one.summary);
}

/// The result of a run that this experiment planned: another's rows would be answered from as if they were.
Result load_planned(const experiment::Experiment& wanted, const po::variables_map& values) {
  constexpr std::string_view answering[] = {"name", "json", "from", "config"};
  for (const auto& [name, value] : values) {
    if (!value.defaulted() && std::ranges::count(answering, name) == 0)
      throw Error(fmt::format("--{} cannot be combined with --from: that file has been measured", name));
  }
  const auto& file = values["from"].as<std::string>();
  Result result = result::load(file);
  const auto fact = std::ranges::find(result.run.facts, experiment_fact, &Fact::name);
  const bool planned = fact != result.run.facts.end();
  if (planned && fact->value == wanted.name) return result;
  throw Error(fmt::format("--from: '{}' is no result of 'gable experiment {}'{}", file, wanted.name,
                          planned ? ", but of " + fact->value : ""));
}

std::string shown(const experiment::Experiment& one, const Result& result, bool as_json) {
  const auto answers = one.answers(result);
  if (as_json) return dump_json(experiment::to_json(answers), 2);
  std::string text = experiment::text(answers);
  if (answers.empty()) text += fmt::format("The result holds nothing that '{}' could be answered from.\n", one.name);
  for (const std::string& reason : experiment::missing(result)) text += reason + '\n';
  return text;
}

}  // namespace

int experiment(const Arguments& arguments) {
  Usage usage = experiment_usage();
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  const bool named = values->count("name") != 0;
  if (!named && (*values)["list"].as<bool>()) {
    print_names();
    return exit_ok;
  }
  if (!named) throw Error("which experiment? gable experiment --list names them");
  const auto& wanted = experiment::find_experiment((*values)["name"].as<std::string>());
  const bool as_json = (*values)["json"].as<bool>();
  if (values->count("from") != 0) {
    fmt::print("{}\n", shown(wanted, load_planned(wanted, *values), as_json));
    return exit_ok;
  }
  Request parts;
  parts.experiment = std::string(wanted.name);
  Task task = read_task(*values, parts);
  task.bare = as_json;
  const auto cases = wanted.plan({}, operator_specs());
  auto& dtypes = task.request.dtypes;
  check_dtypes(cases, dtypes, fmt::format("experiment {}", wanted.name));
  if (dtypes.empty())
    dtypes = wanted.all_dtypes ? experiment::types_of(operator_specs(), cases) : std::vector{DType::fp32};
  task.command_line = {"gable", "experiment"};
  task.command_line.insert(task.command_line.end(), arguments.begin(), arguments.end());
  return perform(task, [&](const Result& result) { return shown(wanted, result, as_json); });
}

}  // namespace gable::cli
