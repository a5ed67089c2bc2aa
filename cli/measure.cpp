#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/perform.hpp"
#include "cli/task.hpp"
#include "core/questions/report/report.hpp"
#include "core/text/environment.hpp"

namespace gable::cli {
namespace {

int measure_parts(const Arguments& arguments, const Request& parts) {
  const auto values = parse(task_usage(parts), arguments);
  if (!values) return exit_ok;
  Task task = read_task(*values, parts);
  task.command_line = {"gable", command_of(parts)};
  task.command_line.insert(task.command_line.end(), arguments.begin(), arguments.end());
  return perform(task, [](const Result& result) { return report::text(result, output_width()); });
}

}  // namespace

int measure(const Arguments& arguments) { return measure_parts(arguments, {}); }

int calibrate(const Arguments& arguments) {
  Request parts;
  parts.points = false;
  return measure_parts(arguments, parts);
}

int run(const Arguments& arguments) {
  Request parts;
  parts.ceilings = false;
  return measure_parts(arguments, parts);
}

}  // namespace gable::cli
