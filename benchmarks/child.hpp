#pragma once
#include <string>
#include <vector>

namespace gable::bench {

/// A program that was run to its end.
struct Finished {
  std::string output;       ///< standard output and standard error together
  int exit_code{};          ///< 128 + n for signal n
  double wall_s{};          ///< from start to end, as the caller sees it
  double peak_rss_bytes{};  ///< of the largest process among it and its descendants
};

/// Runs a program (looked up in PATH) with arguments and waits for it. Standard input is empty. Throws Error naming the
/// program if it cannot be started.
Finished run_child(const std::vector<std::string>& command);

/// Folder of the running program: where gable and its workers lie too. Throws std::runtime_error where the system does
/// not tell.
std::string own_folder();

}  // namespace gable::bench
