#pragma once
#include <span>
#include <string>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/questions/campaign/fleet.hpp"
#include "core/questions/campaign/retest.hpp"

/// The parts of `gable campaign`, each a source of its own.
namespace gable::cli {

int campaign_init(const Arguments& arguments);
int campaign_report(const Arguments& arguments);
int campaign_retest(const Arguments& arguments);
int campaign_run(const Arguments& arguments);

std::span<const Command> campaign_parts();

/// --against, --earlier and --tolerance: what nodes are judged by beside the fleet.
void offer_judges(po::options_description& options);

/// The nodes of the campaign in the folder "dir", judged by the options of offer_judges(). `fact` as in FleetOptions.
/// `with_retests`: an open node by a retest in which it passes, if it is slow in none. Throws Error for bad options.
campaign::Fleet judged_fleet(const Options& values, const std::string& fact = {}, bool with_retests = true);

/// The rounds of a retest up to the first one of which nobody has a summary.
std::vector<campaign::RetestRound> rounds_of(const std::filesystem::path& folder, const std::string& plan, int number);

}  // namespace gable::cli
