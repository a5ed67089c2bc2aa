#include <string>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/perform.hpp"
#include "cli/task.hpp"
#include "core/report/report.hpp"

namespace gable::cli {
namespace {

int measure_parts(std::string_view name, const Arguments& arguments, const Request& parts) {
  Usage described = task_usage(name, parts);
  const auto values = parse(described, arguments);
  if (!values) return exit_ok;
  Task task = read_task(*values, parts);
  task.command_line = {"gable", std::string(name)};
  task.command_line.insert(task.command_line.end(), arguments.begin(), arguments.end());
  return perform(task, [](const Result& result) { return report::text(result); });
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
