#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "cli/task.hpp"
#include "core/result/result.hpp"

namespace gable::cli {

/// Name of the fact of a run that tells which experiment planned it.
inline constexpr std::string_view experiment_fact = "experiment";

/// What of a complete result is printed.
using Shown = std::function<std::string(const Result&)>;

/// Where the journal of a run lies that writes this result.
std::filesystem::path journal_path(const std::filesystem::path& output);

/// Measures what a task asks for, or lists it: starts workers, journals, saves the result and prints what `shown` makes
/// of it. Returns the exit code. Throws Error for bad input, before anything is measured or written.
int perform(Task& task, const Shown& shown);

}  // namespace gable::cli
