#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/backend.hpp"
#include "core/render/answer.hpp"

namespace gable::cli {

/// What one of measure, calibrate and run was asked to do.
struct Task {
  Request request;
  std::vector<std::string> devices;
  std::vector<std::string> roofs;  ///< result files whose ceilings judge the points
  std::filesystem::path output;
  bool force{};
  bool resume{};
  std::filesystem::path remeasured{};  ///< the result of which what has no figure is measured again; else empty
  bool list_only{};
  bool quiet{};                            ///< nothing is printed but what is wrong
  std::optional<double> retry_budget_s{};  ///< worker::Rounds
  /// Of what is printed; other than text stands alone on standard output.
  render::AnswerForm form{render::AnswerForm::text};
  std::vector<std::string> command_line;
  std::vector<Fact> facts{};     ///< of the run, told in its result beside what the machine tells
  std::string resume_command{};  ///< that goes on with it when it was interrupted; empty: --resume

  /// Whether a run that was begun before says what is measured. Until perform() has read that, the request only says by
  /// which command it has to be begun.
  bool goes_on() const { return resume || remeasures(); }
  bool remeasures() const { return !remeasured.empty(); }
};

/// The options of every command that measures: devices, mode, types, scope, output.
void add_measuring_options(po::options_description& options);
/// Those of them, and of measure, that say what is measured, but not where it goes.
void add_plan_options(po::options_description& options);
/// A task as add_plan_options() says, which has no output yet. Throws Error naming the option that is wrong.
Task read_plan(const Options& values);
/// Throws Error for a type that none of the cases takes: nothing would be measured, without a word.
void check_dtypes(std::span<const Case> cases, std::span<const DType> dtypes, const std::string& asked_for);
/// The options of measure, calibrate or run; `parts` says whether it runs operators.
Usage task_usage(const Request& parts);
/// The words of the command line that ask for these parts: "measure", "experiment fusion".
std::string command_of(const Request& parts);
/// Throws Error naming the option that is wrong, or that does not go with another.
Task read_task(const Options& values, Request parts);

}  // namespace gable::cli
