#include "core/questions/experiment/experiment.hpp"

#include <algorithm>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/perform.hpp"
#include "cli/task.hpp"
#include "core/error.hpp"
#include "core/verdict/named_machine.hpp"

namespace gable::cli {
namespace {

Usage experiment_usage() {
  Usage usage{.synopsis = "experiment NAME [options]",
              .summary = "Runs an experiment: a plan, a prediction from measured ceilings, and what was measured.",
              .example = "gable experiment fusion --dtype fp32,bf16 --output fusion.json"};
  auto add = usage.options.add_options();
  add("name", one("NAME"), "the experiment, also as the first argument");
  add("from", one("FILE"), "answer from a result file instead of measuring");
  offer_format(usage.options);
  add_measuring_options(usage.options);
  usage.positional.add("name", 1);
  return usage;
}

/// The result of a run that this experiment planned. Rows of other runs would give a wrong answer.
Result load_planned(const experiment::Experiment& wanted, const Options& values) {
  constexpr std::string_view answering[] = {"name", "json", "format", "from", "config"};
  for (const auto& [name, value] : values) {
    if (!value.defaulted() && std::ranges::count(answering, name) == 0)
      throw Error(fmt::format("--{} cannot be combined with --from: that file has been measured", name));
  }
  const auto& file = values.text("from");
  Result result = load_result(file);
  const std::string planned_by = value_of_fact(result.run.facts, experiment_fact);
  if (planned_by == wanted.name) return result;
  throw Error(fmt::format("--from: '{}' is no result of 'gable experiment {}'{}", file, wanted.name,
                          planned_by.empty() ? "" : ", but of " + planned_by));
}

}  // namespace

int experiment(const Arguments& arguments) {
  const auto values = parse(experiment_usage(), arguments);
  if (!values) return exit_ok;
  const bool named = values->has("name");
  if (!named && values->is_on("list")) {
    fmt::print("{}", written(experiment::experiments_answer(), *values));
    return exit_ok;
  }
  if (!named) throw Error("which experiment? gable experiment --list names them");
  const auto& wanted = experiment::find_experiment(values->text("name"));
  const auto shown = [&](const Result& result) { return written(experiment::answer_of(wanted, result), *values); };
  if (values->has("from")) {
    fmt::print("{}", shown(load_planned(wanted, *values)));
    return exit_ok;
  }
  Request parts;
  parts.experiment = std::string(wanted.name);
  Task task = read_task(*values, parts);
  task.form = form_of(*values);
  const auto cases = wanted.plan({}, operator_specs());
  auto& dtypes = task.request.dtypes;
  check_dtypes(cases, dtypes, fmt::format("experiment {}", wanted.name));
  if (dtypes.empty()) {
    dtypes = wanted.all_dtypes ? experiment::types_of(operator_specs(), cases) : std::vector{DType::fp32};
    std::erase(dtypes, DType::tf32);  // fp32 in fewer digits, for who asks for it
  }
  task.command_line = {"gable", "experiment"};
  task.command_line.insert(task.command_line.end(), arguments.begin(), arguments.end());
  return perform(task, shown);
}

}  // namespace gable::cli
