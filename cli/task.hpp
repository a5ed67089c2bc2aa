#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "core/backend.hpp"

namespace gable::cli {

/// What one of measure, calibrate and run was asked to do.
struct Task {
  Request request;
  std::vector<std::string> devices;
  std::filesystem::path output;
  bool force{};
  bool resume{};
  bool list_only{};
  std::vector<std::string> command_line;
};

/// The options of measure, calibrate or run; `parts` says whether it runs operators.
Usage task_usage(std::string_view name, const Request& parts);
/// Throws Error naming the option that is wrong, or that does not go with another.
Task read_task(const po::variables_map& values, Request parts);

}  // namespace gable::cli
