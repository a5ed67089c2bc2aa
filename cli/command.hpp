#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gable::cli {

/// Exit codes of the program.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed_rows =
    1;  ///< finished, with rows of status error or held back, or with none that is ok; findings of validate and check
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_not_judged = 3;  ///< no fault, and too few good figures to judge by
inline constexpr int exit_interrupted = 130;

using Arguments = std::vector<std::string>;

/// A subcommand takes what follows its name and returns an exit code. Throws gable::Error for bad input.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments&);
};
/// In the order of the help. Each is a line of cli/CMakeLists.txt and a source.
std::span<const Command> commands();

}  // namespace gable::cli
