#pragma once
#include <filesystem>
#include <span>

#include "cli/command.hpp"

/// The parts of `gable campaign`, each a source of its own.
namespace gable::cli {

int campaign_init(const Arguments& arguments);
int campaign_report(const Arguments& arguments);
int campaign_retest(const Arguments& arguments);
int campaign_run(const Arguments& arguments);

std::span<const Command> campaign_parts();

/// This program, as another node would start it.
std::filesystem::path this_program();

}  // namespace gable::cli
