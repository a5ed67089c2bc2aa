#pragma once
#include <filesystem>

namespace gable::report {

/// Runs gnuplot, or the program GABLE_GNUPLOT names, on a script file, without a shell, with the C locale and none of
/// the user's settings. `errors` is a file for what it says. Throws Error when it is not installed or fails.
void run_gnuplot(const std::filesystem::path& script, const std::filesystem::path& errors);

}  // namespace gable::report
