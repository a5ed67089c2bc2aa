#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "cli/campaign.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/campaign/fleet.hpp"
#include "core/campaign/folder.hpp"
#include "core/campaign/plan.hpp"
#include "core/campaign/retest.hpp"
#include "core/campaign/summary.hpp"
#include "core/error.hpp"
#include "core/result/store.hpp"
#include "core/text/safe_text.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

Usage usage() {
  Usage usage{.synopsis = "campaign retest DIR [options]",
              .summary =
                  "Nodes that are flagged, or to be measured again, interleaved with healthy controls: first it\n"
                  "writes retest-N.txt and retest-N.sbatch, and when their second results are there it says\n"
                  "which nodes are slow again. Exit code 1: one is, or has no second result.",
              .example = "gable campaign retest acceptance",
              .options = po::options_description("options")};
  auto add = usage.options.add_options();
  add("dir", po::value<std::string>()->value_name("DIR"), "the folder of the campaign");
  add("number", po::value<std::string>()->value_name("N")->default_value("1"), "which retest it is, from 1 on");
  offer_format(usage.options);
  usage.positional.add("dir", 1);
  return usage;
}

int write_lists(const fs::path& folder, const campaign::Plan& plan, const campaign::Fleet& fleet, int number) {
  const auto nodes = campaign::retest_nodes(fleet);
  if (nodes.empty()) {
    fmt::print("no node is flagged or to be measured again\n");
    return exit_ok;
  }
  std::string list;
  for (const std::string& node : nodes) list += node + "\n";
  const fs::path whole = fs::absolute(folder).lexically_normal();
  result::write_file_atomically(campaign::batch_file(folder, number),
                                campaign::batch_script(plan, whole, this_program(), nodes, number));
  result::write_file_atomically(campaign::retest_list(folder, number), list);
  fmt::print("{} nodes to measure again, controls among them: {} and {}\n", nodes.size(),
             printable(campaign::retest_list(folder, number).string()),
             printable(campaign::batch_file(folder, number).string()));
  return exit_ok;
}

/// Summaries of a retest that can be used; what is wrong with others is told.
std::map<std::string, campaign::NodeSummary> summaries_of(const fs::path& folder, const std::string& plan, int number) {
  std::map<std::string, campaign::NodeSummary> summaries;
  for (const std::string& node : campaign::nodes_with_summary(folder, number)) {
    try {
      auto summary = campaign::read_summary(campaign::summary_file(folder, {node, number}));
      if (summary.plan != plan || summary.node != node || summary.retest != number)
        throw Error("it is of another plan, node or retest");
      summaries.emplace(node, std::move(summary));
    } catch (const Error& error) {
      say(fmt::format("note: {}: the second summary is left out: {}\n", node, printable(error.what())));
    }
  }
  return summaries;
}

}  // namespace

int campaign_retest(const Arguments& arguments) {
  Usage described = usage();
  const auto values = parse(described, arguments);
  if (!values) return exit_ok;
  if (values->count("dir") == 0) throw Error("campaign retest needs the folder of a campaign");
  const fs::path folder = (*values)["dir"].as<std::string>();
  const int number = positive_number<int>("number", (*values)["number"].as<std::string>());
  const campaign::Plan plan = campaign::read_plan(folder);
  const campaign::Fleet fleet = campaign::read_fleet(folder);
  if (!fs::exists(campaign::retest_list(folder, number))) return write_lists(folder, plan, fleet, number);
  const auto rows = campaign::judge_retest(fleet, summaries_of(folder, plan.id, number));
  fmt::print("{}", written(campaign::answer_of(rows, fleet), *values));
  const bool mended =
      std::ranges::all_of(rows, [](const auto& row) { return row.persistence == campaign::Persistence::intermittent; });
  return mended ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
