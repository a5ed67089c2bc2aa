#include <algorithm>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/device/datasheet_peaks.hpp"
#include "core/error.hpp"
#include "core/questions/report/report.hpp"
#include "core/sequence.hpp"
#include "core/worker/session.hpp"

namespace gable::cli {

int devices(const Arguments& arguments) {
  Usage usage{.synopsis = "devices [--catalogue | --show NAME] [options]",
              .summary = "What there is to measure here, and where each figure comes from.",
              .example = "gable devices --json"};
  auto add = usage.options.add_options();
  add("catalogue", po::bool_switch(), "vendors' figures of all devices that are known, instead");
  add("show", one("NAME"), "vendors' figures and ridge points of one of them");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  const auto values = parse(std::move(usage), arguments);
  if (!values) return exit_ok;
  const bool catalogue = values->is_on("catalogue"), one = values->has("show");
  if (catalogue && one) throw Error("--catalogue and --show exclude each other");
  add_devices_files(*values);
  if (catalogue || one) {
    const Answer answer =
        one ? report::datasheet_answer(catalogue::find_device(values->text("show"))) : report::catalogue_answer();
    fmt::print("{}", written(answer, *values));
    return exit_ok;
  }
  std::vector<worker::StartProblem> problems;
  const auto sessions = worker::start_sessions(problems);
  std::vector<DeviceInfo> found;
  for (const auto& session : sessions) {
    for (DeviceInfo device : session.probe().devices) {
      add_users_peaks(device);
      found.push_back(std::move(device));
    }
  }
  const auto told = mapped(problems, [](const auto& problem) { return to_string(problem); });
  fmt::print("{}", written(report::devices_answer(found, told), *values));
  // If there is no such GPU, that is an answer; if a CPU's worker does not start, that is a failure.
  using enum worker::StartProblem::Kind;
  const bool failed = std::ranges::count(problems, no_cpu_worker, &worker::StartProblem::kind) > 0;
  return !sessions.empty() || !failed ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
