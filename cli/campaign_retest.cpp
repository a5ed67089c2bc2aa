#include <utility>

#include "cli/campaign.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/questions/campaign/fleet.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/questions/campaign/plan.hpp"
#include "core/questions/campaign/retest.hpp"
#include "core/questions/campaign/summary.hpp"
#include "core/result/store.hpp"
#include "core/text/environment.hpp"
#include "core/text/safe_text.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

constexpr int most_rounds = 20;

Usage campaign_retest_usage() {
  Usage usage{
      .synopsis = "campaign retest DIR [options]",
      .summary =
          "Nodes that are flagged, lack good figures or are to be measured again, with healthy controls: first it\n"
          "writes retest-N.txt and retest-N.sbatch, and when their second results are there it says\n"
          "which nodes are slow again, or lack good figures again. Exit code 1: one is, or has no second result.",
      .example = "gable campaign retest acceptance"};
  auto add = usage.options.add_options();
  add("dir", one("DIR"), "the folder of the campaign");
  add("rounds", one("N")->default_value("2"),
      "how often each node is measured, in turns: slow ones, controls, controls, slow ones");
  add("number", one("N")->default_value("1"), "which retest it is, from 1 on");
  offer_judges(usage.options);
  offer_format(usage.options);
  usage.positional.add("dir", 1);
  return usage;
}

int write_lists(const fs::path& folder, const campaign::Plan& plan, const campaign::Fleet& fleet, int number,
                int rounds) {
  const auto nodes = campaign::retest_nodes(fleet);
  if (nodes.empty()) {
    fmt::print("no node is flagged or to be measured again\n");
    return exit_ok;
  }
  std::string list;
  for (const std::string& node : nodes) list += node + "\n";
  const fs::path whole = fs::absolute(folder).lexically_normal();
  result::write_file_atomically(
      campaign::batch_file(folder, number),
      campaign::batch_script(plan, whole, this_program(), nodes, campaign::retest_steps(fleet, number, rounds)));
  result::write_file_atomically(campaign::retest_list(folder, number), list);
  fmt::print("{} nodes to measure again, controls among them: {} and {}\n", nodes.size(),
             printable(campaign::retest_list(folder, number).string()),
             printable(campaign::batch_file(folder, number).string()));
  return exit_ok;
}

/// Summaries of a round that can be used; what is wrong with others is told.
campaign::RetestRound round_of(const fs::path& folder, const std::string& plan, int number, int round) {
  campaign::RetestRound summaries;
  for (const std::string& node : campaign::nodes_with_summary(folder, number, round)) {
    try {
      auto summary = campaign::read_summary(campaign::summary_file(folder, {node, number, round}));
      if (summary.plan != plan || summary.node != node || summary.retest != number || summary.round != round)
        throw Error("it is of another plan, node, retest or round");
      summaries.emplace(node, std::move(summary));
    } catch (const Error& error) {
      say(fmt::format("note: {}: the second summary is left out: {}\n", node, printable(error.what())));
    }
  }
  return summaries;
}

}  // namespace

std::vector<campaign::RetestRound> rounds_of(const fs::path& folder, const std::string& plan, int number) {
  std::vector<campaign::RetestRound> rounds;
  for (int round = 1; !campaign::nodes_with_summary(folder, number, round).empty(); ++round)
    rounds.push_back(round_of(folder, plan, number, round));
  return rounds;
}

int campaign_retest(const Arguments& arguments) {
  const auto values = parse(campaign_retest_usage(), arguments);
  if (!values) return exit_ok;
  if (!values->has("dir")) throw Error("campaign retest needs the folder of a campaign");
  const fs::path folder = values->text("dir");
  const int number = positive_number<int>("number", values->text("number"));
  const int rounds = positive_number<int>("rounds", values->text("rounds"));
  if (rounds > most_rounds) throw Error(fmt::format("--rounds: more than {} are too many", most_rounds));
  const campaign::Plan plan = campaign::read_plan(folder);
  const campaign::Fleet fleet = judged_fleet(*values, {}, false);
  const fs::path list = campaign::retest_list(folder, number);
  if (!fs::exists(list)) return write_lists(folder, plan, fleet, number, rounds);
  if (campaign::retest_nodes(fleet).empty())
    throw Error(
        fmt::format("no node is flagged or to be measured again now; '{}' was made with another --against, "
                    "--earlier or --tolerance, or when others had been measured",
                    list.string()));
  const auto retest = campaign::judge_retest(fleet, rounds_of(folder, plan.id, number));
  fmt::print("{}", written(campaign::answer_of(retest, fleet), *values));
  return retest.mended() ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
